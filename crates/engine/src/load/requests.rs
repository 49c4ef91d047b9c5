//! The requests load: requests fall due at a rate and go out on a pool of connections (wrk2, vegeta).
//!
//! The queue of those that find no connection free is not kept: it is what lies between the next due time that was
//! not begun and now, so it takes no memory however far the server falls behind.

use std::collections::VecDeque;

use driver::{Driver, NEVER, Nanos};
use pace::{Arrivals, Schedule};

use crate::connection::pool::{Burst, Freed, Pool};
use crate::load::share::{MOST_BEGUN, Share};
use crate::plan::compiled::CompiledPlan;

/// Bursts due at a rate, on at most so many connections.
pub struct Requests {
    schedule: Schedule,
    begin: Nanos,
    /// When the next burst is due; `None`: there is no more.
    upcoming: Option<Nanos>,
    burst: u32,
    left: Option<u64>,
    connections: u32,
    free: VecDeque<u32>,
}

impl Requests {
    pub fn new(
        plan: &CompiledPlan,
        arrivals: &Arrivals,
        connections: u32,
        share: Share,
        begin: Nanos,
    ) -> Self {
        let schedule = bursts(arrivals, plan.burst)
            .schedule(plan.seed)
            .every(u64::from(share.threads), u64::from(share.thread));
        let mut load = Self {
            schedule,
            begin,
            upcoming: None,
            burst: plan.burst,
            left: plan.count.map(|count| share.of(count)),
            connections: share.of(u64::from(connections)) as u32,
            free: VecDeque::new(),
        };
        load.advance();
        load
    }

    /// On to the next due time.
    fn advance(&mut self) {
        self.upcoming = if self.left == Some(0) {
            None
        } else {
            self.schedule.next().map(|due| self.begin + due)
        };
    }

    pub fn release<D: Driver>(&mut self, pool: &mut Pool<D>) {
        if self.connections > 0 {
            pool.reserve(self.connections as usize);
            self.free.reserve_exact(self.connections as usize);
        }
        while self.connections > 0 {
            self.connections -= 1;
            self.free.push_back(pool.add_connection());
        }
        self.dispatch(false, pool);
    }

    pub fn freed<D: Driver>(&mut self, freed: Freed, pool: &mut Pool<D>) {
        let (Freed::Answered(id) | Freed::Failed { id, .. } | Freed::Awake(id, _)) = freed;
        let starved = self.free.is_empty();
        self.free.push_back(id);
        self.dispatch(starved, pool);
    }

    /// Begins what is due, as far as connections are free; `waited`: the first of it found none when it fell due.
    fn dispatch<D: Driver>(&mut self, mut waited: bool, pool: &mut Pool<D>) {
        for _ in 0..MOST_BEGUN {
            let now = pool.tick();
            let Some(due) = self.upcoming else {
                return;
            };
            if due > now || !pool.takes_work(due) || !pool.takes_work(now) {
                return;
            }
            let Some(id) = self.free.pop_front() else {
                return;
            };
            let (calls, measured) = self.take(due, pool);
            let counters = &mut pool.thread.counters;
            if waited {
                counters.waited(u64::from(calls), measured);
            } else {
                counters.late(now - due, measured);
            }
            counters.arrived(now, measured);
            waited = false;
            let burst = Burst {
                due,
                calls,
                measured,
            };
            pool.begin(id, burst);
        }
    }

    /// The burst that is due, written down as due, and on to the next.
    fn take<D: Driver>(&mut self, due: Nanos, pool: &mut Pool<D>) -> (u32, bool) {
        let measured = pool.window().measures(due);
        let calls = match &mut self.left {
            Some(left) if measured => {
                let calls = u64::from(self.burst).min(*left);
                *left -= calls;
                calls as u32
            }
            _ => self.burst,
        };
        pool.thread.counters.due(u64::from(calls), due, measured);
        self.advance();
        (calls, measured)
    }

    pub fn next_due(&self) -> Nanos {
        if self.connections > 0 {
            return 0;
        }
        match self.upcoming {
            Some(due) if !self.free.is_empty() => due,
            _ => NEVER,
        }
    }

    pub fn all_due(&self) -> bool {
        self.left == Some(0)
    }

    pub fn exhausted(&self) -> bool {
        self.upcoming.is_none()
    }

    pub fn stop<D: Driver>(&mut self, pool: &mut Pool<D>) {
        let stop = pool.window().stop;
        while let Some(due) = self.upcoming {
            if due >= stop {
                return;
            }
            let (calls, measured) = self.take(due, pool);
            let counters = &mut pool.thread.counters;
            counters.unsent(u64::from(calls), measured);
            for _ in 0..calls {
                counters.left_waiting(due, stop, measured);
            }
        }
    }
}

/// The same number of requests, so many at a time.
fn bursts(arrivals: &Arrivals, burst: u32) -> Arrivals {
    let mut arrivals = arrivals.clone();
    for segment in &mut arrivals.segments {
        segment.from_per_s /= f64::from(burst);
        segment.to_per_s /= f64::from(burst);
    }
    arrivals
}
