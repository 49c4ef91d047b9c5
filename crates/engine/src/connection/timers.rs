//! The deadlines of connections. Each has at most one live entry in the heap, so moving a deadline on costs nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use driver::{NEVER, Nanos};

/// The deadlines of all connections of a thread.
#[derive(Debug, Default)]
pub struct Timers {
    heap: BinaryHeap<Reverse<(Nanos, u32)>>,
    deadlines: Vec<Deadline>,
}

#[derive(Clone, Copy, Debug)]
struct Deadline {
    /// The deadline of the connection.
    at: Nanos,
    /// Its earliest entry in the heap.
    armed: Nanos,
}

impl Timers {
    /// Reserves memory for exactly this many more connections, with one entry each.
    pub fn reserve(&mut self, connections: usize) {
        self.deadlines.reserve_exact(connections);
        self.heap.reserve_exact(connections);
    }

    /// Adds a connection without a deadline.
    pub fn add(&mut self) {
        self.deadlines.push(Deadline {
            at: NEVER,
            armed: NEVER,
        });
    }

    /// Sets the deadline of a connection; [`NEVER`] removes it.
    #[inline]
    pub fn set(&mut self, id: u32, at: Nanos) {
        let deadline = &mut self.deadlines[id as usize];
        deadline.at = at;
        if at < deadline.armed {
            deadline.armed = at;
            self.heap.push(Reverse((at, id)));
        }
    }

    /// Removes a deadline that has passed, and returns its connection and its time.
    pub fn pop(&mut self, now: Nanos) -> Option<(u32, Nanos)> {
        while let Some(&Reverse((armed, id))) = self.heap.peek() {
            if armed > now {
                return None;
            }
            self.heap.pop();
            let deadline = &mut self.deadlines[id as usize];
            if deadline.armed != armed {
                continue;
            }
            deadline.armed = NEVER;
            let at = deadline.at;
            if at <= now {
                deadline.at = NEVER;
                return Some((id, at));
            }
            if at != NEVER {
                self.set(id, at);
            }
        }
        None
    }

    /// The time at which to call [`Timers::pop`] next.
    pub fn next(&self) -> Nanos {
        self.heap.peek().map_or(NEVER, |Reverse((at, _))| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_that_moved_on_fires_only_at_its_last_place() {
        let mut timers = Timers::default();
        timers.add();
        timers.set(0, 10);
        timers.set(0, 50);
        assert_eq!(timers.pop(20), None);
        assert_eq!(timers.next(), 50);
        assert_eq!(timers.pop(50), Some((0, 50)));
        assert_eq!(timers.pop(1_000), None);
    }

    #[test]
    fn a_deadline_that_moved_back_fires_early_and_once() {
        let mut timers = Timers::default();
        timers.add();
        timers.set(0, 50);
        timers.set(0, 10);
        assert_eq!(timers.pop(10), Some((0, 10)));
        assert_eq!(timers.pop(100), None);
    }

    #[test]
    fn a_deadline_taken_away_does_not_fire() {
        let mut timers = Timers::default();
        timers.add();
        timers.set(0, 10);
        timers.set(0, NEVER);
        assert_eq!(timers.pop(100), None);
        assert_eq!(timers.next(), NEVER);
    }

    #[test]
    fn moving_one_deadline_often_keeps_one_entry() {
        let mut timers = Timers::default();
        timers.add();
        for at in 10..10_000 {
            timers.set(0, at);
        }
        assert_eq!(timers.heap.len(), 1);
    }
}
