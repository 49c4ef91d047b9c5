//! Calls in flight, and their mean over the window.

use driver::Nanos;
use tally::packed;

use crate::measurement::window::Window;

/// The number of calls that are begun and not ended, and its integral over the window (N of Little's law).
#[derive(Clone, Copy, Debug, Default)]
pub struct InFlight {
    calls: u64,
    since: Nanos,
    area: f64,
}

packed!(InFlight { calls, since, area });

impl InFlight {
    /// `count` calls began at `at`.
    #[inline]
    pub fn begun(&mut self, count: u64, at: Nanos, window: &Window) {
        self.integrate(at, window);
        self.calls += count;
    }

    /// A call ended at `at`.
    #[inline]
    pub fn ended(&mut self, at: Nanos, window: &Window) {
        self.integrate(at, window);
        self.calls -= 1;
    }

    /// Calls in flight now.
    #[inline]
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// The integral over the window, in call-nanoseconds.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// Adds the calls of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.calls += other.calls;
        self.area += other.area;
    }

    /// Adds the part of the time since the last change that lies in the window.
    #[inline]
    fn integrate(&mut self, at: Nanos, window: &Window) {
        let from = self.since.max(window.start);
        let to = at.min(window.stop);
        if to > from {
            // Processors convert only signed numbers in one instruction.
            let (time, calls) = ((to - from).cast_signed(), self.calls.cast_signed());
            self.area += time as f64 * calls as f64;
        }
        self.since = at;
    }
}
