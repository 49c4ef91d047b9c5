//! The requests load: requests fall due at a rate and are sent on a pool of connections (as in wrk2 and vegeta).
//!
//! Requests that find no free connection wait in a queue that takes no memory, however far the server falls behind: it
//! is the part of the schedule between the next due time and now.

use std::collections::VecDeque;

use driver::{Driver, NEVER, Nanos};
use pace::Arrivals;

use crate::connection::pool::Pool;
use crate::connection::pool::freed::{Burst, Freed};
use crate::load::due_times::DueTimes;
use crate::load::share::{Left, MOST_BEGUN, Share};
use crate::plan::compiled::CompiledPlan;

/// Bursts that fall due at a rate, on a limited number of connections.
pub struct Requests {
    due_times: DueTimes,
    burst: u32,
    left: Left,
    connections: u32,
    /// Lanes of each connection.
    lanes: u32,
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
        let left = Left::new(plan, share);
        let schedule = plan
            .part
            .schedule(&bursts(arrivals, plan.burst), plan.seed)
            .every(u64::from(share.threads), u64::from(share.thread));
        Self {
            due_times: DueTimes::new(schedule, begin, !left.is_nothing()),
            burst: plan.burst,
            left,
            connections: share.of(u64::from(connections)) as u32,
            lanes: plan.lanes(),
            free: VecDeque::new(),
        }
    }

    pub fn release<D: Driver>(&mut self, pool: &mut Pool<D>) {
        if self.connections > 0 {
            self.add_lanes(pool);
        }
        self.dispatch(false, pool);
    }

    /// Adds the lanes of all connections. Calls take a lane of each connection in turn.
    #[cold]
    fn add_lanes<D: Driver>(&mut self, pool: &mut Pool<D>) {
        let (connections, lanes) = (self.connections, self.lanes);
        let count = (connections * lanes) as usize;
        pool.reserve(count);
        self.free.reserve_exact(count);
        (0..count).for_each(|_| {
            pool.add_lane();
        });
        for lane in 0..lanes {
            self.free
                .extend((0..connections).map(|connection| connection * lanes + lane));
        }
        self.connections = 0;
    }

    pub fn freed<D: Driver>(&mut self, freed: Freed, pool: &mut Pool<D>) {
        let starved = self.free.is_empty();
        self.free.push_back(freed.id());
        self.dispatch(starved, pool);
    }

    /// Sends what is due while connections are free. `waited`: the first burst found none when it fell due.
    fn dispatch<D: Driver>(&mut self, mut waited: bool, pool: &mut Pool<D>) {
        for _ in 0..MOST_BEGUN {
            let now = pool.tick();
            let Some(due) = self.due_times.next() else {
                return;
            };
            if due > now || !pool.takes_work(due) || !pool.takes_work(now) {
                return;
            }
            let Some(id) = self.free.pop_front() else {
                return;
            };
            self.begin(id, due, waited, pool);
            waited = false;
        }
    }

    /// Begins the next burst, which was due at `due`, on a lane. `waited`: it found none when it fell due.
    #[inline]
    fn begin<D: Driver>(&mut self, id: u32, due: Nanos, waited: bool, pool: &mut Pool<D>) {
        let now = pool.now();
        self.due_times.advance();
        let (calls, measured) = self.count_due(due, 1, pool);
        let counters = &mut pool.thread.counters;
        if waited {
            counters.waited(calls, measured);
        } else {
            counters.late(now - due, measured);
        }
        counters.arrived(now, measured);
        let burst = Burst {
            due,
            calls: calls as u32,
            measured,
        };
        pool.begin(id, burst);
    }

    /// Counts bursts as due. Returns the number of their calls, and true if these are measured.
    fn count_due<D: Driver>(&mut self, due: Nanos, bursts: u64, pool: &mut Pool<D>) -> (u64, bool) {
        let measured = pool.window().measures(due);
        let calls = u64::from(self.burst).saturating_mul(bursts);
        let calls = self.left.take(calls, measured);
        if self.left.is_nothing() {
            self.due_times.end();
        }
        pool.thread.counters.due(calls, due, measured);
        (calls, measured)
    }

    pub fn next_due(&self) -> Nanos {
        if self.connections > 0 {
            return 0;
        }
        match self.due_times.next() {
            Some(due) if !self.free.is_empty() => due,
            _ => NEVER,
        }
    }

    pub fn all_due(&self) -> bool {
        self.left.is_nothing()
    }

    pub fn exhausted(&self) -> bool {
        self.due_times.next().is_none()
    }

    /// Begins what fell due before the end, where this thread was only late. What finds no free lane is left waiting.
    pub fn stop<D: Driver>(&mut self, pool: &mut Pool<D>) {
        let window = *pool.window();
        if pool.now() < window.give_up {
            while let Some(due) = self.due_times.next().filter(|due| *due < window.stop)
                && let Some(id) = self.free.pop_front()
            {
                self.begin(id, due, false, pool);
            }
        }
        while let Some((due, bursts)) = self.due_times.take_group(&window) {
            let (calls, measured) = self.count_due(due, bursts, pool);
            pool.left_waiting(calls, due, window.stop, measured);
        }
    }
}

/// The arrivals of bursts that carry the same number of requests per second.
fn bursts(arrivals: &Arrivals, burst: u32) -> Arrivals {
    let mut arrivals = arrivals.clone();
    for segment in &mut arrivals.segments {
        segment.from_per_s /= f64::from(burst);
        segment.to_per_s /= f64::from(burst);
    }
    arrivals
}
