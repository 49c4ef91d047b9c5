//! The data that one thread keeps for the validity tests: samples and means, in fixed memory (about 110 KiB).

use driver::Nanos;
use tally::{Damaged, Means, Packed, Sample};

/// Arrivals are tested in groups of at least this length, 1 ms. Shorter ones would mainly show the microseconds that
/// waking up takes, which no server notices.
const LEAST_GROUP_S: f64 = 1e-3;

/// The time of the first arrival of a group, and of the first one after it.
pub type Group = (Nanos, Nanos);

/// The evidence of one thread.
#[derive(Clone, Debug)]
pub struct Evidence {
    start: Nanos,
    /// Arrivals of this thread in a group; 0: the load has no schedule.
    group: u64,
    /// The threads that share the arrivals of this part of the plan.
    threads: u64,
    /// The start of the current group, and its arrivals so far.
    from: Option<Nanos>,
    seen: u64,
    pub groups: Sample<Group>,
    /// The response time of the previous call, in nanoseconds.
    before: Option<f32>,
    /// Response times of pairs of calls that ended one after the other.
    pub pairs: Sample<(f32, f32)>,
    /// The mean response times of equal parts of the window.
    pub means: Means,
}

impl Evidence {
    /// No evidence yet, of a window that starts at `start`.
    pub fn new(start: Nanos) -> Self {
        Self {
            start,
            group: 0,
            threads: 1,
            from: None,
            seen: 0,
            groups: Sample::new(1),
            before: None,
            pairs: Sample::new(2),
            means: Means::new(),
        }
    }

    /// Sets the size of groups for arrivals at up to `rate_per_s`, which so many threads share.
    pub fn expect(&mut self, rate_per_s: f64, threads: u32) {
        self.threads = threads.into();
        self.group = (rate_per_s / f64::from(threads) * LEAST_GROUP_S)
            .ceil()
            .max(1.0) as u64;
    }

    /// Counts times from `begin` on.
    pub fn rebase(&mut self, begin: Nanos) {
        for (from, to) in self.groups.kept_mut() {
            *from = from.saturating_sub(begin);
            *to = to.saturating_sub(begin);
        }
    }

    /// Arrivals in a group, those of the other threads included.
    pub fn group(&self) -> u64 {
        self.group * self.threads
    }

    /// A measured arrival was begun at `at`.
    #[inline]
    pub fn arrived(&mut self, at: Nanos) {
        let Some(from) = self.from else {
            self.from = Some(at);
            return;
        };
        self.seen += 1;
        if self.seen == self.group {
            self.groups.offer((from, at));
            self.from = Some(at);
            self.seen = 0;
        }
    }

    /// A measured call got its right reply at `at`.
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "ranks need no more digits")]
    pub fn replied(&mut self, response: Nanos, at: Nanos) {
        self.means.record(at - self.start, response);
        let response = response as f32;
        if let Some(before) = self.before.replace(response) {
            self.pairs.offer((before, response));
        }
    }
}

/// The samples and means. The sizes of groups are those of the plan; see [`Evidence::expect`].
impl Packed for Evidence {
    fn pack(&self, to: &mut Vec<u8>) {
        self.groups.pack(to);
        self.pairs.pack(to);
        self.means.pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        Ok(Self {
            start: 0,
            group: 0,
            threads: 1,
            from: None,
            seen: 0,
            groups: Packed::unpack(from)?,
            before: None,
            pairs: Packed::unpack(from)?,
            means: Packed::unpack(from)?,
        })
    }
}
