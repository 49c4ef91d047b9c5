//! The sessions load: sessions arrive at a rate, whatever the server does (as in httperf), or follow one another. A
//! session is the life of a connection: connect → [burst → all replies → think] × → close. Its bursts are all alike, or
//! the steps of a script. All its calls are due when it arrives; if it fails, the rest of them stays unsent.

mod arrivals;
mod session;

use std::ops::Range;

use driver::{Driver, NEVER, Nanos};

use crate::connection::pool::Pool;
use crate::connection::pool::freed::{Burst, Freed};
use crate::load::sessions::arrivals::SessionArrivals;
use crate::load::sessions::session::{Again, Next, Session};
use crate::load::share::{MOST_BEGUN, Share};
use crate::plan::compiled::CompiledPlan;
use crate::plan::scripts::Step;
use crate::plan::sessions::{OnClose, OnWrong, SessionsLoad};

/// Pause after a failed connect if sessions follow one another, so that a dead server is not flooded: 1 ms.
const AFTER_A_FAILED_CONNECT: Nanos = 1_000_000;

/// Sessions, each on connections of its own.
pub struct Sessions {
    arrivals: SessionArrivals,
    burst: u32,
    think: Nanos,
    on_wrong: OnWrong,
    on_close: OnClose,
    ignore_close: bool,
    most_pipelined: u32,
    /// Lanes of a session, each a connection or, in HTTP/2, a stream of its only one. The nth session has those from
    /// n × `width` on.
    width: u32,
    most_open: u32,
    current: Vec<Session>,
    free: Vec<u32>,
    active: u32,
}

impl Sessions {
    /// `most_open`: connections that all threads may open at once.
    pub fn new(
        plan: &CompiledPlan,
        load: &SessionsLoad,
        most_open: u32,
        share: Share,
        begin: Nanos,
    ) -> Self {
        let most_open = most_open / load.most_connections;
        Self {
            arrivals: SessionArrivals::new(plan, load, share, begin),
            burst: plan.burst,
            think: plan.think,
            on_wrong: load.on_wrong,
            on_close: load.on_close,
            ignore_close: load.ignore_close,
            most_pipelined: if plan.http2.is_some() {
                1
            } else {
                load.most_pipelined.unwrap_or(u32::MAX)
            },
            width: plan.session_lanes(),
            most_open: share.of(u64::from(most_open)).max(1) as u32,
            current: Vec::new(),
            free: Vec::new(),
            active: 0,
        }
    }

    pub fn release<D: Driver>(&mut self, pool: &mut Pool<D>) {
        let now = pool.now();
        if self.has_room() && self.arrivals.next(now).is_some_and(|due| due <= now) {
            self.dispatch(false, pool);
        }
    }

    pub fn freed<D: Driver>(&mut self, freed: Freed, pool: &mut Pool<D>) {
        let nth = freed.id() / self.width;
        match freed {
            Freed::Failed {
                connecting, lost, ..
            } => self.fail(nth, lost, connecting, pool),
            Freed::Awake(_, at) => self.awake(nth, at, pool),
            Freed::Answered(id) => self.answered(nth, id, pool),
            Freed::Wrong { place, .. } => self.wrong(nth, place, pool),
            Freed::Cut(id) => self.cut_off(nth, id, pool),
        }
    }

    /// Starts the sessions that are due, while connections may be opened. `waited`: the first one could not when it was
    /// due.
    fn dispatch<D: Driver>(&mut self, mut waited: bool, pool: &mut Pool<D>) {
        for _ in 0..MOST_BEGUN {
            let now = pool.tick();
            let Some(due) = self.arrivals.next(now) else {
                return;
            };
            if due > now || !pool.takes_work(due) || !pool.takes_work(now) {
                return;
            }
            let Some(nth) = self.place(pool) else {
                return;
            };
            let script = self.arrivals.script(&pool.thread.plan);
            if let Some(numbers) = &mut pool.thread.session_numbers {
                numbers.set(nth, self.arrivals.number());
            }
            self.arrivals.advance();
            let (_, calls, measured) = self.arrivals.count_due(due, 1, pool);
            let counters = &mut pool.thread.counters;
            if measured {
                counters.sessions.started += 1;
            }
            if self.arrivals.are_scheduled() {
                if waited {
                    counters.waited(calls, measured);
                } else {
                    counters.late(now - due, measured);
                }
                counters.arrived(now, measured);
            }
            waited = false;
            self.active += 1;
            self.current[nth as usize] = Session::new(script.calls, script.first, now, measured);
            self.next_step(nth, due, pool);
        }
    }

    fn place<D: Driver>(&mut self, pool: &mut Pool<D>) -> Option<u32> {
        if let Some(nth) = self.free.pop() {
            return Some(nth);
        }
        if !self.has_room() {
            return None;
        }
        self.current.push(Session::default());
        for _ in 0..self.width {
            pool.add_lane();
        }
        Some(self.current.len() as u32 - 1)
    }

    fn has_room(&self) -> bool {
        !self.free.is_empty() || (self.current.len() as u32) < self.most_open
    }

    /// Begins the next step of a session.
    fn next_step<D: Driver>(&mut self, nth: u32, due: Nanos, pool: &mut Pool<D>) {
        if !pool.takes_work(pool.now()) {
            return;
        }
        let session = &mut self.current[nth as usize];
        let step = if let Some(scripts) = &pool.thread.plan.scripts {
            scripts.step(session.next_step)
        } else {
            let calls = self.burst.min(session.remaining);
            Step {
                place: pool.take_places(calls),
                calls,
                think: self.think,
                first_alone: false,
            }
        };
        session.begin_step(step);
        if self.width == 1 {
            self.send_on(nth, nth, due, pool);
        } else {
            self.send(nth, due, pool);
        }
    }

    /// Sends the calls of the current step of a session on its idle connections, first on those that are open.
    fn send<D: Driver>(&mut self, nth: u32, due: Nanos, pool: &mut Pool<D>) {
        for only_open in [true, false] {
            for id in self.connections(nth) {
                let comes_first = !only_open || pool.is_open(id);
                if comes_first && !self.send_on(nth, id, due, pool) {
                    return;
                }
            }
        }
    }

    /// Sends calls of the current step on the connection `id`, if that is idle. False: no call is left to send now.
    #[inline]
    fn send_on<D: Driver>(&mut self, nth: u32, id: u32, due: Nanos, pool: &mut Pool<D>) -> bool {
        if pool.under_way(id) > 0 {
            return true;
        }
        let session = &mut self.current[nth as usize];
        let Some(next) = session.take(self.most_pipelined) else {
            return false;
        };
        session.connections += u32::from(!pool.is_open(id));
        let measured = session.measured;
        match next {
            Next::Burst { place, calls } => {
                let burst = Burst {
                    due,
                    calls,
                    measured,
                };
                pool.begin_at(id, place, burst);
            }
            Next::Again => self.send_again(nth, id, pool),
        }
        true
    }

    /// Sends the next call that is sent again on the connection `id`.
    #[cold]
    fn send_again<D: Driver>(&mut self, nth: u32, id: u32, pool: &mut Pool<D>) {
        let session = &mut self.current[nth as usize];
        let measured = session.measured;
        match session.take_again() {
            Some(Again::Unanswered(call)) => {
                pool.thread.counters.resent(1, measured);
                pool.resume(id, call);
            }
            Some(Again::Retry(place)) => {
                let due = pool.now();
                pool.thread.counters.due(1, due, measured);
                let burst = Burst {
                    due,
                    calls: 1,
                    measured,
                };
                pool.begin_at(id, place, burst);
            }
            None => {}
        }
    }

    fn connections(&self, nth: u32) -> Range<u32> {
        nth * self.width..(nth + 1) * self.width
    }

    fn answered<D: Driver>(&mut self, nth: u32, id: u32, pool: &mut Pool<D>) {
        let session = &mut self.current[nth as usize];
        session.answered();
        match self.on_close {
            OnClose::Resend => session.closing |= !pool.keeps_open(id),
            OnClose::End if !pool.keeps_open(id) || !pool.is_open(id) => {
                return self.end(nth, pool);
            }
            OnClose::Reconnect | OnClose::End => {}
        }
        self.proceed(nth, pool);
    }

    /// The server closed a connection with unanswered calls.
    fn cut_off<D: Driver>(&mut self, nth: u32, id: u32, pool: &mut Pool<D>) {
        if self.on_close == OnClose::End {
            return self.end(nth, pool);
        }
        let session = &mut self.current[nth as usize];
        let takes_work = pool.takes_work(pool.now());
        if self.ignore_close && takes_work {
            session.connections += 1;
            let calls = pool.under_way(id);
            pool.thread.counters.resent(calls, session.measured);
            return pool.send_again(id);
        }
        session.closing = true;
        session.resend(pool.take_back(id));
        if !takes_work {
            session.cut |= session.give_up(pool) > 0;
        }
        self.proceed(nth, pool);
    }

    fn wrong<D: Driver>(&mut self, nth: u32, place: usize, pool: &mut Pool<D>) {
        let hopeless = match self.on_wrong {
            // Without that only calls are reported whose replies have values, which later calls need.
            OnWrong::GoOn | OnWrong::Fail => true,
            OnWrong::Retry => !self.current[nth as usize].retry(place),
        };
        if hopeless {
            self.fail(nth, 0, false, pool);
        }
    }

    fn awake<D: Driver>(&mut self, nth: u32, at: Nanos, pool: &mut Pool<D>) {
        let session = &mut self.current[nth as usize];
        if session.resting {
            self.free.push(nth);
            return self.dispatch(false, pool);
        }
        let measured = session.measured;
        if self.on_close == OnClose::End && !pool.is_open(nth * self.width) {
            return self.end(nth, pool);
        }
        pool.thread.counters.late(pool.now() - at, measured);
        self.next_step(nth, at, pool);
    }

    /// Sends what is left of the current step, or begins the next one, or ends the session.
    fn proceed<D: Driver>(&mut self, nth: u32, pool: &mut Pool<D>) {
        let now = pool.now();
        let session = &self.current[nth as usize];
        if !session.step_is_done() {
            if pool.takes_work(now) {
                self.send(nth, now, pool);
            }
        } else if session.remaining == 0 {
            self.end(nth, pool);
        } else if session.think > 0 {
            pool.sleep(nth * self.width, now + session.think);
        } else {
            self.next_step(nth, now, pool);
        }
    }

    /// The session is complete, or the server ended it.
    fn end<D: Driver>(&mut self, nth: u32, pool: &mut Pool<D>) {
        let (session, replies) = self.close(nth, 0, pool);
        if session.measured && !session.cut {
            let now = pool.now();
            let counters = &mut pool.thread.counters;
            counters.session_completed(session.began, now, replies, session.connections);
        }
        self.leave(nth, pool);
    }

    /// The session failed; `lost`: calls that failed with it.
    fn fail<D: Driver>(&mut self, nth: u32, lost: u32, connecting: bool, pool: &mut Pool<D>) {
        let (session, replies) = self.close(nth, lost, pool);
        if session.measured {
            let lasted = pool.now() - session.began;
            pool.thread.counters.session_failed(lasted, replies);
        }
        if connecting && !self.arrivals.are_scheduled() && !self.arrivals.all_due() {
            self.active -= 1;
            self.current[nth as usize].resting = true;
            let until = pool.now() + AFTER_A_FAILED_CONNECT;
            return pool.sleep(nth * self.width, until);
        }
        self.leave(nth, pool);
    }

    /// Closes the connections of a session, and counts the calls that it will not send. Returns the session, and the
    /// number of replies that it got.
    fn close<D: Driver>(&mut self, nth: u32, mut lost: u32, pool: &mut Pool<D>) -> (Session, u32) {
        for id in self.connections(nth) {
            lost += pool.retire(id);
        }
        let mut session = std::mem::take(&mut self.current[nth as usize]);
        lost += session.give_up(pool);
        let counters = &mut pool.thread.counters;
        counters.unsent(session.drop_remaining().into(), session.measured);
        let replies = session.begun.saturating_sub(lost);
        (session, replies)
    }

    fn leave<D: Driver>(&mut self, nth: u32, pool: &mut Pool<D>) {
        self.active -= 1;
        let starved = !self.has_room();
        self.free.push(nth);
        self.dispatch(starved, pool);
    }

    pub fn next_due(&self) -> Nanos {
        if self.has_room() {
            self.arrivals.next(0).unwrap_or(NEVER)
        } else {
            NEVER
        }
    }

    pub fn all_due(&self) -> bool {
        self.arrivals.all_due()
    }

    pub fn exhausted(&self) -> bool {
        self.arrivals.next(0).is_none() && self.active == 0
    }

    pub fn stop<D: Driver>(&mut self, pool: &mut Pool<D>) {
        let window = *pool.window();
        while let Some((due, sessions)) = self.arrivals.take_group(&window) {
            let first_burst = self.arrivals.first_burst(&pool.thread.plan);
            let (sessions, calls, measured) = self.arrivals.count_due(due, sessions, pool);
            let counters = &mut pool.thread.counters;
            counters.unsent(calls, measured);
            counters.left_waiting(sessions * first_burst, due, window.stop, measured);
        }
        for session in &mut self.current {
            let remaining = session.drop_remaining();
            let counters = &mut pool.thread.counters;
            counters.unsent(remaining.into(), session.measured);
            session.cut |= session.give_up(pool) + remaining > 0;
        }
    }
}
