//! The share of a thread in a load, and what is left of it.

use crate::plan::compiled::CompiledPlan;
use crate::plan::data::once::Once;

/// Most bursts sent in a row before events are handled. Opening a connection takes as long as two or three calls, so
/// replies would be read late while thousands are opened, or never if more fall due than can be opened.
pub const MOST_BEGUN: u32 = 256;

/// The share of a thread in a load.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub thread: u32,
    pub threads: u32,
}

impl Share {
    /// This thread's part of `total`.
    pub fn of(self, total: u64) -> u64 {
        let (thread, threads) = (u64::from(self.thread), u64::from(self.threads));
        total / threads + u64::from(thread < total % threads)
    }
}

/// The calls that a thread may still begin, or the sessions.
#[derive(Debug)]
pub struct Left {
    /// Measured ones, by the count of the plan.
    measured: u64,
    /// All of them, by the rows that are used once.
    any: u64,
}

impl Left {
    /// Everything that the plan lets a thread begin.
    pub fn new(plan: &CompiledPlan, share: Share) -> Self {
        let rows = |rows| share.of(plan.part.share_of(rows));
        let most = |once: &Once| once.most(rows(once.rows), &plan.rotation);
        Self {
            measured: plan.count.map_or(u64::MAX, |count| share.of(count)),
            any: plan.once.iter().map(most).min().unwrap_or(u64::MAX),
        }
    }

    /// Takes at most so many, and returns their number.
    #[inline]
    pub fn take(&mut self, most: u64, measured: bool) -> u64 {
        let mut taken = most.min(self.any);
        if measured {
            taken = taken.min(self.measured);
            self.measured -= taken;
        }
        self.any -= taken;
        taken
    }

    /// True if nothing is left.
    #[inline]
    pub fn is_nothing(&self) -> bool {
        self.measured == 0 || self.any == 0
    }
}
