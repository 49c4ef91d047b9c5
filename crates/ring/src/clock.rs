//! Time as the engine sees it: nanoseconds of the monotonic clock since an epoch that all threads of a run share.

use std::time::{Duration, Instant};

/// Nanoseconds since the epoch of a run.
pub type Nanos = u64;

/// A moment that does not come.
pub const NEVER: Nanos = Nanos::MAX;

/// The monotonic clock, counted from an epoch.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    epoch: Instant,
}

impl Clock {
    /// A clock whose epoch is now.
    pub fn start() -> Self {
        Self {
            epoch: Instant::now(),
        }
    }

    /// The time since the epoch.
    #[inline]
    pub fn now(&self) -> Nanos {
        self.epoch.elapsed().as_nanos() as Nanos
    }

    /// How long it is until `moment`; zero when it has passed.
    #[inline]
    pub fn until(&self, moment: Nanos) -> Duration {
        Duration::from_nanos(moment.saturating_sub(self.now()))
    }
}
