//! The load shapes: each decides which connection sends what, and when. One file per shape, with the same parts in the
//! same order.

mod closed;
mod due_times;
mod requests;
mod sessions;
pub mod share;

use driver::{Driver, Nanos};

pub use closed::Closed;
pub use requests::Requests;
pub use sessions::Sessions;

use crate::connection::pool::Pool;
use crate::connection::pool::freed::Freed;
use crate::load::share::Share;
use crate::plan::Load;
use crate::plan::compiled::CompiledPlan;

/// One thread's part of a load.
pub enum Shape {
    Closed(Closed),
    Requests(Requests),
    Sessions(Sessions),
}

impl Shape {
    /// This thread's share of the load in the plan; the run starts at `begin`.
    pub fn new(plan: &CompiledPlan, share: Share, begin: Nanos, most_open: u32) -> Self {
        match &plan.load {
            Load::Closed { connections } => Self::Closed(Closed::new(plan, *connections, share)),
            Load::Requests {
                arrivals,
                connections,
            } => Self::Requests(Requests::new(plan, arrivals, *connections, share, begin)),
            Load::Sessions(load) => {
                Self::Sessions(Sessions::new(plan, load, most_open, share, begin))
            }
        }
    }

    /// Sends what is due.
    pub fn release<D: Driver>(&mut self, pool: &mut Pool<D>) {
        match self {
            Self::Closed(load) => load.release(pool),
            Self::Requests(load) => load.release(pool),
            Self::Sessions(load) => load.release(pool),
        }
    }

    /// Handles a connection that has become free.
    pub fn freed<D: Driver>(&mut self, freed: Freed, pool: &mut Pool<D>) {
        match self {
            Self::Closed(load) => load.freed(freed, pool),
            Self::Requests(load) => load.freed(freed, pool),
            Self::Sessions(load) => load.freed(freed, pool),
        }
    }

    /// The time at which [`Shape::release`] has something to do next.
    pub fn next_due(&self) -> Nanos {
        match self {
            Self::Closed(load) => load.next_due(),
            Self::Requests(load) => load.next_due(),
            Self::Sessions(load) => load.next_due(),
        }
    }

    /// True when no more calls will be sent.
    pub fn exhausted(&self) -> bool {
        match self {
            Self::Closed(load) => load.exhausted(),
            Self::Requests(load) => load.exhausted(),
            Self::Sessions(load) => load.exhausted(),
        }
    }

    /// True when the whole count has fallen due.
    pub fn all_due(&self) -> bool {
        match self {
            Self::Closed(load) => load.all_due(),
            Self::Requests(load) => load.all_due(),
            Self::Sessions(load) => load.all_due(),
        }
    }

    /// Counts the calls that were due before the stop and were never sent.
    pub fn stop<D: Driver>(&mut self, pool: &mut Pool<D>) {
        match self {
            Self::Closed(_) => {}
            Self::Requests(load) => load.stop(pool),
            Self::Sessions(load) => load.stop(pool),
        }
    }
}
