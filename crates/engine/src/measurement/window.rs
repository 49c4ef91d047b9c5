//! The times at which a run starts, starts to be measured, stops, and gives up waiting for replies.

use driver::{NEVER, Nanos};
use tally::packed;

const SECOND: Nanos = 1_000_000_000;

/// The window of a run. Calls that are due from `start` on are measured; none falls due from `stop` on.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub begin: Nanos,
    pub start: Nanos,
    /// No calls fall due from here on. [`NEVER`] while only a count ends the run.
    pub stop: Nanos,
    /// No replies are waited for from here on. [`NEVER`] while only timeouts limit the wait.
    pub give_up: Nanos,
}

packed!(Window {
    begin,
    start,
    stop,
    give_up
});

impl Window {
    /// The window of a run that starts at `begin`; times in nanoseconds.
    pub fn new(begin: Nanos, warm_up: Nanos, duration: Option<Nanos>, drain: Nanos) -> Self {
        let start = begin + warm_up;
        let stop = duration.map_or(NEVER, |duration| start + duration);
        Self {
            begin,
            start,
            stop,
            give_up: stop.saturating_add(drain),
        }
    }

    /// True if a call that is due at `due` is measured.
    #[inline]
    pub fn measures(&self, due: Nanos) -> bool {
        due >= self.start
    }

    /// True if `at` lies inside the window.
    #[inline]
    pub fn contains(&self, at: Nanos) -> bool {
        self.start <= at && at < self.stop
    }

    /// The second of the window in which `at` lies; negative during the warm-up.
    #[inline]
    pub fn second(&self, at: Nanos) -> i64 {
        match at.checked_sub(self.start) {
            Some(since) => (since / SECOND).cast_signed(),
            None => -(self.start - at).div_ceil(SECOND).cast_signed(),
        }
    }

    /// The first second that begins in the run; a warm-up of 1.3 s has 0.3 s before it.
    pub fn first_whole_second(&self) -> i64 {
        self.second(self.begin + SECOND - 1)
    }

    /// The window as it is if times are counted from its begin on.
    pub fn rebased(&self) -> Self {
        let since = |at: Nanos| at.saturating_sub(self.begin);
        Self {
            begin: 0,
            start: since(self.start),
            stop: since(self.stop),
            give_up: since(self.give_up),
        }
    }

    /// Ends the window at `at`, and the wait for replies `drain` later.
    pub fn end(&mut self, at: Nanos, drain: Nanos) {
        self.stop = self.stop.min(at);
        self.give_up = self.give_up.min(at.saturating_add(drain));
    }
}

#[cfg(test)]
mod tests {
    use super::Window;

    #[test]
    fn seconds_begin_at_the_start_and_are_negative_before_it() {
        let window = Window::new(0, 2_500_000_000, None, 0);
        let second = |ms: u64| window.second(ms * 1_000_000);
        let found = [0, 499, 500, 1499, 1500, 2499, 2500, 3499, 3500].map(second);
        assert_eq!(found, [-3, -3, -2, -2, -1, -1, 0, 0, 1]);
    }

    #[test]
    fn a_second_that_a_warm_up_only_ends_in_is_not_whole() {
        let first = |warm_up_ms: u64| {
            let begin = 5_123_456_789;
            Window::new(begin, warm_up_ms * 1_000_000, None, 0).first_whole_second()
        };
        assert_eq!(
            [0, 300, 999, 1000, 1300, 2000].map(first),
            [0, 0, 0, -1, -1, -2]
        );
    }
}
