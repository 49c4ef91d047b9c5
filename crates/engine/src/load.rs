//! The load shapes: each decides when which connection begins what. One file each, with the same parts in order.

mod closed;
mod due_times;
mod requests;
mod sessions;
pub mod share;

use driver::{Driver, Nanos};

pub use closed::Closed;
pub use requests::Requests;
pub use sessions::Sessions;

use crate::connection::pool::{Freed, Pool};
use crate::load::share::Share;
use crate::plan::Load;
use crate::plan::compiled::CompiledPlan;

/// When which connection begins what.
pub enum Shape {
    Closed(Closed),
    Requests(Requests),
    Sessions(Sessions),
}

impl Shape {
    /// This thread's part of the plan's load; `begin` is when the run begins.
    pub fn new(plan: &CompiledPlan, share: Share, begin: Nanos, most_open: u32) -> Self {
        match &plan.load {
            Load::Closed { connections } => Self::Closed(Closed::new(plan, *connections, share)),
            Load::Requests {
                arrivals,
                connections,
            } => Self::Requests(Requests::new(plan, arrivals, *connections, share, begin)),
            Load::Sessions {
                arrivals, calls, ..
            } => Self::Sessions(Sessions::new(
                plan, arrivals, *calls, most_open, share, begin,
            )),
        }
    }

    /// Begins what is due.
    pub fn release<D: Driver>(&mut self, pool: &mut Pool<D>) {
        match self {
            Self::Closed(load) => load.release(pool),
            Self::Requests(load) => load.release(pool),
            Self::Sessions(load) => load.release(pool),
        }
    }

    /// A connection is free for more.
    pub fn freed<D: Driver>(&mut self, freed: Freed, pool: &mut Pool<D>) {
        match self {
            Self::Closed(load) => load.freed(freed, pool),
            Self::Requests(load) => load.freed(freed, pool),
            Self::Sessions(load) => load.freed(freed, pool),
        }
    }

    /// When [`Shape::release`] has something to do next.
    pub fn next_due(&self) -> Nanos {
        match self {
            Self::Closed(load) => load.next_due(),
            Self::Requests(load) => load.next_due(),
            Self::Sessions(load) => load.next_due(),
        }
    }

    /// Whether nothing will begin any more.
    pub fn exhausted(&self) -> bool {
        match self {
            Self::Closed(load) => load.exhausted(),
            Self::Requests(load) => load.exhausted(),
            Self::Sessions(load) => load.exhausted(),
        }
    }

    /// Whether a whole count has fallen due.
    pub fn all_due(&self) -> bool {
        match self {
            Self::Closed(load) => load.all_due(),
            Self::Requests(load) => load.all_due(),
            Self::Sessions(load) => load.all_due(),
        }
    }

    /// The stop edge came: what was due and never began is written down.
    pub fn stop<D: Driver>(&mut self, pool: &mut Pool<D>) {
        match self {
            Self::Closed(_) => {}
            Self::Requests(load) => load.stop(pool),
            Self::Sessions(load) => load.stop(pool),
        }
    }
}
