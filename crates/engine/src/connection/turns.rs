//! The numbers of calls among the calls of the same request, in the whole run: values of placeholders follow from them.

use crate::plan::compiled::CompiledPlan;

/// The next numbers of one thread, by request.
#[derive(Debug)]
pub struct Turns {
    next: Vec<u64>,
    /// The distance to the number after the next: the threads of all load generators count in turn.
    stride: u64,
}

impl Turns {
    /// The numbers of a thread out of `threads`; `None` for plans without placeholders.
    pub fn of(plan: &CompiledPlan, thread: u32, threads: u32) -> Option<Box<Self>> {
        if !plan.has_templates {
            return None;
        }
        let (first, stride) = plan.part.numbers(thread, threads);
        Some(Box::new(Self {
            next: vec![first; plan.templates.len()],
            stride,
        }))
    }

    /// Takes the number of the next call of a request.
    #[inline]
    pub fn take(&mut self, request: u32) -> u64 {
        let next = &mut self.next[request as usize];
        let number = *next;
        *next = number.wrapping_add(self.stride);
        number
    }
}
