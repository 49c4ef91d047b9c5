//! When a run begins, is measured, takes no more work, and gives up waiting.

use driver::{NEVER, Nanos};

/// The edges of a run. Calls due from `start` on are measured; none begins from `stop` on.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub begin: Nanos,
    pub start: Nanos,
    /// The first edge of stopping: no new work. [`NEVER`] while only a count ends the run.
    pub stop: Nanos,
    /// The second edge: no more waiting. [`NEVER`] while replies may still take as long as their timeouts allow.
    pub give_up: Nanos,
}

impl Window {
    /// Edges for a run that begins at `begin`; times in nanoseconds.
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

    /// Whether a call due at `due` is measured.
    #[inline]
    pub fn measures(&self, due: Nanos) -> bool {
        due >= self.start
    }

    /// Whether something that happened at `at` happened inside the window.
    #[inline]
    pub fn contains(&self, at: Nanos) -> bool {
        self.start <= at && at < self.stop
    }

    /// The second of the window that `at` lies in; negative during warm-up.
    #[inline]
    pub fn second(&self, at: Nanos) -> i64 {
        (at.cast_signed() - self.start.cast_signed()).div_euclid(1_000_000_000)
    }

    /// Ends the window at `at`, and the waiting `drain` later.
    pub fn end(&mut self, at: Nanos, drain: Nanos) {
        self.stop = self.stop.min(at);
        self.give_up = self.give_up.min(at.saturating_add(drain));
    }
}
