//! Time as the engine sees it: nanoseconds of the monotonic clock since an epoch that all threads of a run share.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds since the epoch of a run.
pub type Nanos = u64;

/// A moment that does not come.
pub const NEVER: Nanos = Nanos::MAX;

/// The monotonic clock, counted from an epoch.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    epoch: Nanos,
}

impl Clock {
    /// A clock whose epoch is now.
    pub fn start() -> Self {
        Self { epoch: monotonic() }
    }

    /// The time since the epoch.
    #[inline]
    pub fn now(&self) -> Nanos {
        monotonic() - self.epoch
    }

    /// A moment as the kernel's monotonic clock tells it.
    #[inline]
    pub(crate) fn to_monotonic(self, moment: Nanos) -> Duration {
        Duration::from_nanos(self.epoch.saturating_add(moment))
    }

    /// How long it is until `moment`; zero when it has passed.
    #[inline]
    pub fn until(&self, moment: Nanos) -> Duration {
        Duration::from_nanos(moment.saturating_sub(self.now()))
    }
}

/// The kernel's monotonic clock, read without a system call.
#[inline]
fn monotonic() -> Nanos {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as Nanos * 1_000_000_000 + time.tv_nsec as Nanos
}
