//! The clock of a run: nanoseconds of the monotonic clock since an epoch that all its threads share.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds since the epoch of a run.
pub type Nanos = u64;

/// A time that never comes.
pub const NEVER: Nanos = Nanos::MAX;

/// The monotonic clock, counted from an epoch.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    epoch: Nanos,
}

impl Clock {
    /// Starts a clock: its epoch is now.
    pub fn start() -> Self {
        Self { epoch: monotonic() }
    }

    /// Time since the epoch.
    #[inline]
    pub fn now(&self) -> Nanos {
        monotonic() - self.epoch
    }

    /// Converts a time of the run to one of the kernel's monotonic clock.
    #[inline]
    pub(crate) fn to_monotonic(self, moment: Nanos) -> Duration {
        Duration::from_nanos(self.epoch.saturating_add(moment))
    }

    /// Time left until `moment`; zero when it has passed.
    #[inline]
    pub fn until(&self, moment: Nanos) -> Duration {
        Duration::from_nanos(moment.saturating_sub(self.now()))
    }
}

/// Reads the kernel's monotonic clock, without a system call.
#[inline]
fn monotonic() -> Nanos {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as Nanos * 1_000_000_000 + time.tv_nsec as Nanos
}
