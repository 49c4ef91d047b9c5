//! Timers: a heap of due times, each with a key.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Timers(BinaryHeap<Reverse<(u64, u64)>>);

impl Timers {
    pub(crate) fn arm(&mut self, due_ns: u64, key: u64) {
        self.0.push(Reverse((due_ns, key)));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// When the first timer is due.
    pub(crate) fn first_due_ns(&self) -> Option<u64> {
        self.0.peek().map(|Reverse((due_ns, _))| *due_ns)
    }

    /// Time until the first timer is due; `None` without timers.
    pub(crate) fn wait_from(&self, now_ns: u64) -> Option<Duration> {
        let due_ns = self.first_due_ns()?;
        Some(Duration::from_nanos(due_ns.saturating_sub(now_ns)))
    }

    /// Removes the earliest timer that is due and returns its key.
    pub(crate) fn pop_due(&mut self, now_ns: u64) -> Option<u64> {
        let Reverse((due_ns, key)) = *self.0.peek()?;
        if due_ns > now_ns {
            return None;
        }
        self.0.pop();
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_fire_in_order_and_never_early() {
        let mut timers = Timers::default();
        for (due_ns, key) in [(30, 3), (10, 1), (20, 2)] {
            timers.arm(due_ns, key);
        }
        assert_eq!(timers.wait_from(4), Some(Duration::from_nanos(6)));
        assert_eq!(timers.pop_due(9), None);
        assert_eq!(timers.pop_due(20), Some(1));
        assert_eq!(timers.pop_due(20), Some(2));
        assert_eq!(timers.pop_due(20), None);
        assert_eq!(timers.wait_from(50), Some(Duration::ZERO));
        assert_eq!(timers.pop_due(30), Some(3));
        assert!(timers.is_empty());
    }
}
