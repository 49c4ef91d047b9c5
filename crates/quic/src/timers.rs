//! The next deadline of each connection. Most are moved to a later time before they come, so only earlier ones are entered.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use driver::{NEVER, Nanos};

/// Deadlines by slot.
#[derive(Debug, Default)]
pub struct Timers {
    entries: BinaryHeap<Reverse<(Nanos, u32)>>,
    /// The entry of each slot that counts; [`NEVER`]: none.
    entered: Vec<Nanos>,
}

impl Timers {
    /// A slot is to be looked at by `at`.
    pub fn set(&mut self, slot: u32, at: Nanos) {
        let index = slot as usize;
        if index >= self.entered.len() {
            self.entered.resize(index + 1, NEVER);
        }
        if at < self.entered[index] {
            self.entered[index] = at;
            self.entries.push(Reverse((at, slot)));
        }
    }

    /// The time of the first entry.
    pub fn next(&self) -> Nanos {
        self.entries.peek().map_or(NEVER, |Reverse((at, _))| *at)
    }

    /// Takes a slot whose time has come.
    pub fn pop(&mut self, now: Nanos) -> Option<u32> {
        while self.next() <= now {
            let Reverse((at, slot)) = self.entries.pop()?;
            let entered = &mut self.entered[slot as usize];
            if *entered == at {
                *entered = NEVER;
                return Some(slot);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_due_once_at_its_earliest_time() {
        let mut timers = Timers::default();
        timers.set(1, 50);
        timers.set(0, 20);
        timers.set(1, 10);
        timers.set(1, 90);
        assert_eq!(timers.next(), 10);
        assert_eq!(timers.pop(9), None);
        assert_eq!(timers.pop(15), Some(1));
        timers.set(1, 60);
        let due: Vec<_> = std::iter::from_fn(|| timers.pop(100)).collect();
        assert_eq!((due, timers.next()), (vec![0, 1], NEVER));
    }
}
