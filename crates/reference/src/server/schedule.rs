//! The steps planned on one connection: done in their order, each not before its time.

use std::collections::VecDeque;

use crate::reply::step::Step;

pub(crate) struct Planned {
    /// When the request was read whose delay this step waits for; 0: it waits for none.
    pub(crate) asked_ns: u64,
    /// 0: at once.
    pub(crate) due_ns: u64,
    pub(crate) step: Step,
}

#[derive(Default)]
pub(crate) struct Schedule {
    planned: VecDeque<Planned>,
    bytes: usize,
}

impl Schedule {
    /// After all that is planned.
    pub(crate) fn push(&mut self, due_ns: u64, step: Step) {
        self.push_delayed(0, due_ns, step);
    }

    /// After all that is planned, for a request that was read at `asked_ns`.
    pub(crate) fn push_delayed(&mut self, asked_ns: u64, due_ns: u64, step: Step) {
        self.bytes += step.size();
        self.planned.push_back(Planned {
            asked_ns,
            due_ns,
            step,
        });
    }

    /// Before all that is planned: the rest of a step that was begun.
    pub(crate) fn put_back(&mut self, due_ns: u64, step: Step) {
        self.bytes += step.size();
        self.planned.push_front(Planned {
            asked_ns: 0,
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

    /// When the first step falls due, if it waits for its time.
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

    /// Bytes held by all that is planned.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}
