//! The load shapes: each decides when which connection begins what. One file each, with the same parts in order.

mod closed;
mod requests;
mod sessions;

use driver::{Driver, Nanos};

pub use closed::Closed;
pub use requests::Requests;
pub use sessions::Sessions;

use crate::order::Order;
use crate::plan::Load;
use crate::pool::{Freed, Pool};

/// How long a connection rests after it could not connect, so that a dead server is not hammered: 100 ms.
const AFTER_A_FAILED_CONNECT: Nanos = 100_000_000;

/// Most bursts begun in a row; then what came meanwhile is looked at. Opening a connection takes as long as two or three
/// calls, so replies would be read late while thousands are opened, and never where more fall due than can be opened.
const MOST_BEGUN: u32 = 256;

/// This thread's part of a load.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub thread: u32,
    pub threads: u32,
}

impl Share {
    /// This thread's part of a number of things.
    pub fn of(self, total: u64) -> u64 {
        let (thread, threads) = (u64::from(self.thread), u64::from(self.threads));
        total / threads + u64::from(thread < total % threads)
    }
}

/// When which connection begins what.
pub enum Shape {
    Closed(Closed),
    Requests(Requests),
    Sessions(Sessions),
}

impl Shape {
    /// This thread's part of the order's load; `begin` is when the run begins.
    pub fn new(order: &Order, share: Share, begin: Nanos, most_open: u32) -> Self {
        match &order.load {
            Load::Closed { connections } => Self::Closed(Closed::new(order, *connections, share)),
            Load::Requests {
                arrivals,
                connections,
            } => Self::Requests(Requests::new(order, arrivals, *connections, share, begin)),
            Load::Sessions {
                arrivals, calls, ..
            } => Self::Sessions(Sessions::new(
                order, arrivals, *calls, most_open, share, begin,
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
