//! The sessions load: sessions arrive at a rate, whatever the server does (as in httperf). A session is the life of a
//! connection: connect → [burst → all replies → think] × → close. All its calls are due when it arrives; if it fails,
//! the rest of them stays unsent.

use driver::{Driver, NEVER, Nanos};
use pace::Arrivals;

use crate::connection::pool::{Burst, Freed, Pool};
use crate::load::due_times::DueTimes;
use crate::load::share::{MOST_BEGUN, Share};
use crate::plan::compiled::CompiledPlan;

/// Sessions that arrive at a rate, each on a connection of its own.
pub struct Sessions {
    due_times: DueTimes,
    calls: u32,
    burst: u32,
    think: Nanos,
    left: Option<u64>,
    most_open: u32,
    /// The session on each connection.
    current: Vec<Session>,
    free: Vec<u32>,
    active: u32,
}

#[derive(Clone, Copy, Default)]
struct Session {
    remaining: u32,
    measured: bool,
    /// The run stopped before its last call.
    cut: bool,
}

impl Sessions {
    pub fn new(
        plan: &CompiledPlan,
        arrivals: &Arrivals,
        calls: u32,
        most_open: u32,
        share: Share,
        begin: Nanos,
    ) -> Self {
        let left = plan.count.map(|count| share.of(count));
        let schedule = arrivals
            .schedule(plan.seed)
            .every(u64::from(share.threads), u64::from(share.thread));
        Self {
            due_times: DueTimes::new(schedule, begin, left != Some(0)),
            calls,
            burst: plan.burst,
            think: plan.think,
            left,
            most_open: share.of(u64::from(most_open)).max(1) as u32,
            current: Vec::new(),
            free: Vec::new(),
            active: 0,
        }
    }

    pub fn release<D: Driver>(&mut self, pool: &mut Pool<D>) {
        self.dispatch(false, pool);
    }

    pub fn freed<D: Driver>(&mut self, freed: Freed, pool: &mut Pool<D>) {
        let now = pool.now();
        match freed {
            Freed::Failed { id, .. } => self.fail(id, pool),
            Freed::Awake(id, at) => {
                let measured = self.current[id as usize].measured;
                pool.thread.counters.late(now - at, measured);
                self.go_on(id, at, pool);
            }
            Freed::Answered(id) if self.current[id as usize].remaining == 0 => {
                self.complete(id, pool);
            }
            Freed::Answered(id) if self.think > 0 => pool.sleep(id, now + self.think),
            Freed::Answered(id) => self.go_on(id, now, pool),
        }
    }

    /// Starts the sessions that are due, while connections may be opened. `waited`: the first one could not when it was
    /// due.
    fn dispatch<D: Driver>(&mut self, mut waited: bool, pool: &mut Pool<D>) {
        for _ in 0..MOST_BEGUN {
            let now = pool.tick();
            let Some(due) = self.due_times.next() else {
                return;
            };
            if due > now || !pool.takes_work(due) || !pool.takes_work(now) {
                return;
            }
            let Some(id) = self.place(pool) else {
                return;
            };
            self.due_times.advance();
            let (_, measured) = self.count_due(due, 1, pool);
            let counters = &mut pool.thread.counters;
            if measured {
                counters.sessions.started += 1;
            }
            if waited {
                counters.waited(u64::from(self.calls), measured);
            } else {
                counters.late(now - due, measured);
            }
            counters.arrived(now, measured);
            waited = false;
            self.active += 1;
            self.current[id as usize] = Session {
                remaining: self.calls,
                measured,
                cut: false,
            };
            self.burst(id, due, pool);
        }
    }

    fn place<D: Driver>(&mut self, pool: &mut Pool<D>) -> Option<u32> {
        if let Some(id) = self.free.pop() {
            return Some(id);
        }
        if self.current.len() as u32 >= self.most_open {
            return None;
        }
        self.current.push(Session::default());
        Some(pool.add_connection())
    }

    /// Counts sessions as due. Returns their number, and true if they are measured.
    fn count_due<D: Driver>(
        &mut self,
        due: Nanos,
        mut sessions: u64,
        pool: &mut Pool<D>,
    ) -> (u64, bool) {
        let measured = pool.window().measures(due);
        if let Some(left) = &mut self.left
            && measured
        {
            sessions = sessions.min(*left);
            *left -= sessions;
        }
        if self.left == Some(0) {
            self.due_times.end();
        }
        let counters = &mut pool.thread.counters;
        counters.due(sessions * u64::from(self.calls), due, measured);
        if measured {
            counters.sessions.due += sessions;
        }
        (sessions, measured)
    }

    fn go_on<D: Driver>(&mut self, id: u32, due: Nanos, pool: &mut Pool<D>) {
        if pool.takes_work(pool.now()) {
            self.burst(id, due, pool);
        }
    }

    fn burst<D: Driver>(&mut self, id: u32, due: Nanos, pool: &mut Pool<D>) {
        let session = &mut self.current[id as usize];
        let calls = self.burst.min(session.remaining);
        session.remaining -= calls;
        let burst = Burst {
            due,
            calls,
            measured: session.measured,
        };
        pool.begin(id, burst);
    }

    fn complete<D: Driver>(&mut self, id: u32, pool: &mut Pool<D>) {
        let session = self.current[id as usize];
        if session.measured && !session.cut {
            pool.thread.counters.sessions.completed += 1;
        }
        self.leave(id, pool);
    }

    fn fail<D: Driver>(&mut self, id: u32, pool: &mut Pool<D>) {
        let session = std::mem::take(&mut self.current[id as usize]);
        let counters = &mut pool.thread.counters;
        if session.measured {
            counters.sessions.failed += 1;
        }
        counters.unsent(u64::from(session.remaining), session.measured);
        self.leave(id, pool);
    }

    fn leave<D: Driver>(&mut self, id: u32, pool: &mut Pool<D>) {
        pool.close(id);
        self.active -= 1;
        let starved = self.free.is_empty() && self.current.len() as u32 >= self.most_open;
        self.free.push(id);
        self.dispatch(starved, pool);
    }

    pub fn next_due(&self) -> Nanos {
        let room = !self.free.is_empty() || (self.current.len() as u32) < self.most_open;
        match self.due_times.next() {
            Some(due) if room => due,
            _ => NEVER,
        }
    }

    pub fn all_due(&self) -> bool {
        self.left == Some(0)
    }

    pub fn exhausted(&self) -> bool {
        self.due_times.next().is_none() && self.active == 0
    }

    pub fn stop<D: Driver>(&mut self, pool: &mut Pool<D>) {
        let window = *pool.window();
        let first_burst = u64::from(self.burst.min(self.calls));
        while let Some((due, sessions)) = self.due_times.take_group(&window) {
            let (sessions, measured) = self.count_due(due, sessions, pool);
            let counters = &mut pool.thread.counters;
            counters.unsent(sessions * u64::from(self.calls), measured);
            counters.left_waiting(sessions * first_burst, due, window.stop, measured);
        }
        for session in &mut self.current {
            let remaining = std::mem::take(&mut session.remaining);
            session.cut |= remaining > 0;
            pool.thread
                .counters
                .unsent(u64::from(remaining), session.measured);
        }
    }
}
