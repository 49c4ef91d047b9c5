//! The offset between the wall clock, which the kernel uses for timestamps, and the clock of a run.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::clock::{Clock, Nanos};

/// Number of readings, of which the most accurate counts.
const READINGS: usize = 16;
/// Largest difference of two offsets, beyond their errors, that still counts as equal: 1 µs.
const SLACK: Nanos = 1_000;

/// The lead of the wall clock over a run's clock. The kernel slews both alike, so only setting the wall clock changes
/// this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wall {
    ahead: Nanos,
    /// Maximum error of `ahead`.
    error: Nanos,
}

impl Wall {
    /// Reads both clocks. The error is some tens of nanoseconds.
    pub fn read(clock: Clock) -> Self {
        (1..READINGS).fold(Self::read_once(clock), |best, _| {
            let next = Self::read_once(clock);
            if next.error < best.error { next } else { best }
        })
    }

    /// Reads the wall clock between two readings of the other.
    fn read_once(clock: Clock) -> Self {
        let before = clock.now();
        let now = Self::now_ns();
        let error = (clock.now() - before).div_ceil(2);
        Self {
            ahead: now.saturating_sub(before + error),
            error,
        }
    }

    /// By how much the wall clock was set since an earlier reading, in nanoseconds; `None`: it was not.
    pub fn set_since(&self, earlier: &Self) -> Option<i64> {
        let sure = self.error + earlier.error + SLACK;
        let moved = self.ahead.abs_diff(earlier.ahead) > sure;
        moved.then(|| self.ahead.wrapping_sub(earlier.ahead).cast_signed())
    }

    /// Converts a time of the wall clock, in nanoseconds since 1970, to one of the run; `None`: before the run.
    pub fn to_run(self, moment: Nanos) -> Option<Nanos> {
        moment.checked_sub(self.ahead)
    }

    /// Converts a time of the run to one of the wall clock, in nanoseconds since 1970.
    pub fn of_run(self, moment: Nanos) -> Nanos {
        moment.saturating_add(self.ahead)
    }

    /// The time of the wall clock, in nanoseconds since 1970. Read by the C library, which a test can give another clock.
    pub fn now_ns() -> Nanos {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| {
            Nanos::try_from(since.as_nanos()).unwrap_or(Nanos::MAX)
        })
    }
}

/// Converts a time of the kernel to nanoseconds. Times before 1970 become 0.
pub(crate) fn nanos(seconds: i64, nanoseconds: i64) -> Nanos {
    u64::try_from(seconds).unwrap_or(0) * 1_000_000_000 + u64::try_from(nanoseconds).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn wall(ahead: Nanos, error: Nanos) -> Wall {
        Wall { ahead, error }
    }

    #[test]
    fn a_moment_of_the_wall_clock_lies_between_two_of_the_run() {
        let clock = Clock::start();
        let wall = Wall::read(clock);
        let before = clock.now();
        let time = Wall::now_ns();
        let after = clock.now();
        let moment = wall.to_run(time).unwrap();
        assert!(
            before <= moment + wall.error && moment <= after + wall.error,
            "{before} ≤ {moment} ≤ {after}, give or take {}",
            wall.error
        );
    }

    #[test]
    fn a_wall_clock_that_was_left_alone_was_not_set() {
        let clock = Clock::start();
        let first = Wall::read(clock);
        assert_eq!(Wall::read(clock).set_since(&first), None);
        assert_eq!(wall(5_000_200, 60).set_since(&wall(5_000_000, 40)), None);
    }

    #[test]
    fn a_wall_clock_that_was_set_tells_how_far() {
        let first = wall(7_000_000_000, 50);
        let second = 1_000_000_000;
        assert_eq!(
            wall(8_500_000_000, 50).set_since(&first),
            Some(3 * second / 2)
        );
        assert_eq!(wall(6_000_000_000, 50).set_since(&first), Some(-second));
        assert_eq!(wall(7_000_002_000, 50).set_since(&first), Some(2_000));
        assert_eq!(
            wall(7_000_002_000, 2_000).set_since(&first),
            None,
            "the reading is not accurate enough"
        );
    }

    #[test]
    fn a_moment_before_the_run_is_none_of_its() {
        assert_eq!(wall(1_000, 0).to_run(999), None);
        assert_eq!(wall(1_000, 0).to_run(1_002), Some(2));
    }
}
