//! The due times of the arrivals of one thread.

use driver::Nanos;
use pace::Schedule;

use crate::measurement::window::Window;

/// Arrivals that are counted one by one when a run stops. Those beyond are counted in groups, which bounds the time
/// that a stop takes at any rate.
const COUNTED_SINGLY: u32 = 100_000;
/// A group is shorter than the time that its arrivals have waited by this factor, so that it hardly shows in
/// histograms.
const GROUPS: Nanos = 256;
/// Length of the shortest group: 1 ms.
const SHORTEST_GROUP: Nanos = 1_000_000;
const SECOND: Nanos = 1_000_000_000;

/// A schedule in the time of the run's clock.
pub struct DueTimes {
    schedule: Schedule,
    begin: Nanos,
    next: Option<Nanos>,
    counted_singly: u32,
}

impl DueTimes {
    /// The due times of a schedule that starts at `begin`; none unless `any`.
    pub fn new(schedule: Schedule, begin: Nanos, any: bool) -> Self {
        let mut times = Self {
            schedule,
            begin,
            next: None,
            counted_singly: 0,
        };
        if any {
            times.advance();
        }
        times
    }

    /// The due time of the next arrival, if there is one.
    #[inline]
    pub fn next(&self) -> Option<Nanos> {
        self.next
    }

    /// Advances to the following arrival.
    #[inline]
    pub fn advance(&mut self) {
        self.next = self.schedule.next().map(|due| self.begin + due);
    }

    /// Drops all further arrivals.
    pub fn end(&mut self) {
        self.next = None;
    }

    /// Takes the next group of arrivals that are due before the window stops: its first due time and its number of
    /// arrivals.
    pub fn take_group(&mut self, window: &Window) -> Option<(Nanos, u64)> {
        let due = self.next.filter(|due| *due < window.stop)?;
        let mut arrivals = 1;
        if self.counted_singly < COUNTED_SINGLY {
            self.counted_singly += 1;
        } else {
            arrivals += self
                .schedule
                .skip_until(group_end(due, window) - self.begin);
        }
        self.advance();
        Some((due, arrivals))
    }
}

/// The end of a group that starts at `due`, at the latest the end of that second of the window.
fn group_end(due: Nanos, window: &Window) -> Nanos {
    let next_second = if due < window.start {
        window.start - (window.start - due - 1) / SECOND * SECOND
    } else {
        window.start + ((due - window.start) / SECOND + 1) * SECOND
    };
    let length = ((window.stop - due) / GROUPS).max(SHORTEST_GROUP);
    next_second.min(due + length).min(window.stop)
}

#[cfg(test)]
mod tests {
    use pace::{Arrivals, Spacing};

    use super::*;

    #[test]
    fn groups_hold_every_arrival_of_their_seconds() {
        let window = Window::new(SECOND, SECOND / 2, Some(3 * SECOND), 0);
        let mut times = DueTimes::new(Arrivals::constant(1_234_567.0).schedule(1), SECOND, true);
        let mut by_second = [0_u64; 4];
        while let Some((due, arrivals)) = times.take_group(&window) {
            by_second[(window.second(due) + 1) as usize] += arrivals;
        }
        assert_eq!(by_second, [617_284, 1_234_567, 1_234_567, 1_234_567]);
    }

    #[test]
    fn random_arrivals_in_groups_are_as_many_as_expected() {
        let arrivals = Arrivals {
            spacing: Spacing::Exponential,
            ..Arrivals::constant(1e7)
        };
        let window = Window::new(0, 0, Some(10 * SECOND), 0);
        let mut times = DueTimes::new(arrivals.schedule(1).every(4, 3), 0, true);
        let (mut groups, mut all) = (0, 0);
        while let Some((_, arrivals)) = times.take_group(&window) {
            groups += 1;
            all += arrivals;
        }
        assert!((24_900_000..25_100_000).contains(&all), "{all}");
        assert!(groups < 110_000, "{groups}");
    }
}
