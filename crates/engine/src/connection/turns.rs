//! The numbers of calls among the calls of the same request, in the whole run, and those of sessions: values of
//! placeholders follow from them.

use crate::plan::compiled::CompiledPlan;

/// The next numbers of one thread, by request.
#[derive(Debug)]
pub struct Turns {
    next: Vec<u64>,
    /// The distance to the number after the next: the threads of all load generators count in turn.
    step: u64,
}

impl Turns {
    /// The numbers of a thread out of `threads`; `None` for plans without placeholders.
    pub fn of(plan: &CompiledPlan, thread: u32, threads: u32) -> Option<Box<Self>> {
        if !plan.has_placeholders {
            return None;
        }
        let (first, step) = plan.part.numbers(thread, threads);
        Some(Box::new(Self {
            next: vec![first; plan.templates.len()],
            step,
        }))
    }

    /// The distance between the numbers of successive calls of a request.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Takes the number of the next call of a request.
    #[inline]
    pub fn take(&mut self, request: u32) -> u64 {
        let next = &mut self.next[request as usize];
        let number = *next;
        *next = number.wrapping_add(self.step);
        number
    }
}

/// The numbers of the sessions under way, by their place among the connections of a thread.
#[derive(Debug)]
pub struct SessionNumbers {
    /// Lanes of a session.
    width: u32,
    numbers: Vec<u64>,
}

impl SessionNumbers {
    /// No numbers yet; `None` for plans whose calls need none.
    pub fn of(plan: &CompiledPlan) -> Option<Box<Self>> {
        let needed = plan.load.sessions().is_some() && !plan.data.is_empty();
        needed.then(|| {
            Box::new(Self {
                width: plan.session_lanes(),
                numbers: Vec::new(),
            })
        })
    }

    /// The nth session under way has this number.
    pub fn set(&mut self, nth: u32, number: u64) {
        let nth = nth as usize;
        if self.numbers.len() <= nth {
            self.numbers.resize(nth + 1, 0);
        }
        self.numbers[nth] = number;
    }

    /// The number of the session on a connection.
    #[inline]
    pub fn on(&self, connection: u32) -> u64 {
        self.numbers[(connection / self.width) as usize]
    }
}
