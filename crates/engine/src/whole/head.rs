//! The facts about the part of a run that one machine carried out.

use driver::Nanos;
use tally::{Damaged, Packed, pack, packed};

use crate::measurement::{Ended, Facts, Grant, LowLatency};
use crate::plan::part::Part;
use crate::plan::{DriverChoice, MOST_THREADS};

/// Most CPUs of a machine.
const MOST_CPUS: usize = 1 << 16;

/// The part, the engine, and how the run began and ended.
#[derive(Clone, Debug)]
pub struct Head {
    pub version: String,
    pub part: Part,
    pub driver: DriverChoice,
    pub reason: String,
    pub threads: u32,
    pub cpus: Option<Vec<u32>>,
    pub low_latency: Option<LowLatency>,
    pub started_at_ns: Nanos,
    pub ended: Ended,
}

impl Head {
    /// The facts of a run of this engine.
    pub fn new(facts: &Facts, started_at_ns: Nanos, ended: Ended) -> Self {
        let cpus = facts.cpus.as_ref();
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            part: facts.part,
            driver: facts.driver,
            reason: facts.reason.clone(),
            threads: facts.threads,
            cpus: cpus.map(|cpus| cpus.iter().map(|cpu| *cpu as u32).collect()),
            low_latency: facts.low_latency.clone(),
            started_at_ns,
            ended,
        }
    }

    /// Checks what was read.
    pub fn check(&self) -> Result<(), Damaged> {
        let ours = self.version == env!("CARGO_PKG_VERSION");
        pack::expect(ours, "another version of the engine wrote it")?;
        let Part { index, of } = self.part;
        pack::expect(index < of, "its part does not exist")?;
        let threads = (1..=MOST_THREADS).contains(&self.threads);
        pack::expect(threads, "its number of threads cannot be")?;
        let cpus = self.cpus.as_ref().map_or(0, Vec::len);
        pack::expect(cpus <= MOST_CPUS, "it has too many CPUs")
    }
}

packed!(Head {
    version,
    part,
    driver,
    reason,
    threads,
    cpus,
    low_latency,
    started_at_ns by moment,
    ended,
});

packed!(Part { index, of });

packed!(LowLatency {
    shallow_idle,
    real_time
});

impl Packed for Grant {
    fn pack(&self, to: &mut Vec<u8>) {
        self.reason.pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        Packed::unpack(from).map(Self::new)
    }
}

impl Packed for DriverChoice {
    fn pack(&self, to: &mut Vec<u8>) {
        (*self == Self::IoUring).pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let uring = bool::unpack(from)?;
        Ok(if uring { Self::IoUring } else { Self::Epoll })
    }
}

const ENDS: [Ended; 3] = [Ended::Planned, Ended::Precise, Ended::Interrupted];

impl Packed for Ended {
    fn pack(&self, to: &mut Vec<u8>) {
        let code = ENDS.iter().position(|one| one == self);
        (code.unwrap_or(0) as u32).pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let code = u32::unpack(from)? as usize;
        ENDS.get(code).copied().ok_or(Damaged("its end is unknown"))
    }
}

/// A time of the wall clock, which has more nanoseconds than a run.
mod moment {
    use tally::{Damaged, Packed};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as `packed!` calls it")]
    pub fn pack(moment: &u64, to: &mut Vec<u8>) {
        u128::from(*moment).pack(to);
    }

    pub fn unpack(from: &mut &[u8]) -> Result<u64, Damaged> {
        let moment = u128::unpack(from)?;
        u64::try_from(moment).map_err(|_| Damaged("its start is too late"))
    }
}
