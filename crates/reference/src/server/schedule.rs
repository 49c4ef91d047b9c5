//! The steps planned on one connection: performed in order, none before its time.

use std::collections::VecDeque;

use crate::reply::step::Step;

pub(crate) struct Planned {
    /// When the request of a delayed step was read; 0: the step has no delay.
    pub(crate) read_ns: u64,
    /// 0: immediately.
    pub(crate) due_ns: u64,
    pub(crate) step: Step,
}

#[derive(Default)]
pub(crate) struct Schedule {
    planned: VecDeque<Planned>,
    bytes: usize,
}

impl Schedule {
    /// Appends a step.
    pub(crate) fn push(&mut self, due_ns: u64, step: Step) {
        self.push_delayed(0, due_ns, step);
    }

    /// Appends a delayed step of a request that was read at `read_ns`.
    pub(crate) fn push_delayed(&mut self, read_ns: u64, due_ns: u64, step: Step) {
        self.bytes += step.size();
        self.planned.push_back(Planned {
            read_ns,
            due_ns,
            step,
        });
    }

    /// Puts the rest of a started step back to the front.
    pub(crate) fn put_back(&mut self, due_ns: u64, step: Step) {
        self.bytes += step.size();
        self.planned.push_front(Planned {
            read_ns: 0,
            due_ns,
            step,
        });
    }

    pub(crate) fn pop(&mut self) -> Option<Planned> {
        let first = self.planned.pop_front()?;
        self.bytes -= first.step.size();
        Some(first)
    }

    pub(crate) fn first(&self) -> Option<&Planned> {
        self.planned.front()
    }

    /// When the first step is due, if it is timed.
    pub(crate) fn next_due_ns(&self) -> Option<u64> {
        let first = self.first()?;
        let is_timed = first.due_ns > 0 && !matches!(first.step, Step::Never);
        is_timed.then_some(first.due_ns)
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.planned.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.planned.len()
    }

    /// Number of bytes held by all planned steps.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}
