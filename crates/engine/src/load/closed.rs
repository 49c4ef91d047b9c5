//! The closed load: each connection sends its next request when it has its reply (as in ab and wrk). A call is due when
//! its connection is free.

use driver::{Driver, NEVER, Nanos};

use crate::connection::pool::Pool;
use crate::connection::pool::freed::{Burst, Freed};
use crate::load::share::{Left, MOST_BEGUN, Share};
use crate::plan::compiled::CompiledPlan;

/// Pause after a failed connect, so that a dead server is not flooded with connects: 100 ms.
const AFTER_A_FAILED_CONNECT: Nanos = 100_000_000;

/// A number of connections, each always busy; in HTTP/2 each with all its streams.
pub struct Closed {
    /// Lanes that have not begun yet: one of each connection, or one for each stream.
    waiting: u32,
    burst: u32,
    think: Nanos,
    left: Left,
}

impl Closed {
    pub fn new(plan: &CompiledPlan, connections: u32, share: Share) -> Self {
        Self {
            waiting: share.of(u64::from(connections)) as u32 * plan.lanes(),
            burst: plan.burst,
            think: plan.think,
            left: Left::new(plan, share),
        }
    }

    pub fn release<D: Driver>(&mut self, pool: &mut Pool<D>) {
        if self.waiting > 0 {
            pool.reserve(self.waiting as usize);
        }
        for _ in 0..self.waiting.min(MOST_BEGUN) {
            self.waiting -= 1;
            let id = pool.add_lane();
            let now = pool.tick();
            self.begin(id, now, pool);
        }
    }

    pub fn freed<D: Driver>(&mut self, freed: Freed, pool: &mut Pool<D>) {
        let now = pool.now();
        match freed {
            // Only sessions look at single replies.
            Freed::Wrong { .. } | Freed::Cut(_) => {}
            Freed::Failed {
                id,
                connecting: true,
                ..
            } => pool.sleep(id, now + AFTER_A_FAILED_CONNECT),
            Freed::Answered(id) | Freed::Failed { id, .. } if self.think > 0 => {
                pool.sleep(id, now + self.think);
            }
            Freed::Answered(id) | Freed::Failed { id, .. } => self.begin(id, now, pool),
            Freed::Awake(id, at) => {
                let measured = pool.window().measures(at);
                pool.thread.counters.late(now - at, measured);
                self.begin(id, at, pool);
            }
        }
    }

    fn begin<D: Driver>(&mut self, id: u32, due: Nanos, pool: &mut Pool<D>) {
        if !pool.takes_work(pool.now()) {
            return;
        }
        let measured = pool.window().measures(due);
        let calls = self.left.take(u64::from(self.burst), measured);
        if calls == 0 {
            pool.close(id);
            return;
        }
        pool.thread.counters.due(calls, due, measured);
        let burst = Burst {
            due,
            calls: calls as u32,
            measured,
        };
        pool.begin(id, burst);
    }

    pub fn next_due(&self) -> Nanos {
        if self.waiting > 0 { 0 } else { NEVER }
    }

    pub fn all_due(&self) -> bool {
        self.left.is_nothing()
    }

    pub fn exhausted(&self) -> bool {
        self.left.is_nothing()
    }
}
