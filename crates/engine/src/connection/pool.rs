//! The connections of one thread: sends bursts on them, handles their events, and reports which ones are free.

mod composed;
mod endings;
pub mod freed;
mod of_sessions;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use driver::{Driver, Event, Fault, NEVER, Nanos, Route, What};
use wire::LastHead;

use crate::connection::check::Checker;
use crate::connection::class::class;
use crate::connection::cookies::Jars;
use crate::connection::exchange::Exchange;
use crate::connection::kept_values::KeptValues;
use crate::connection::pool::freed::{Burst, Freed};
use crate::connection::thread_state::ThreadState;
use crate::connection::timers::Timers;
use crate::connection::{Connection, Outcome, State};
use crate::measurement::call::Call;
use crate::measurement::counters::Counters;
use crate::measurement::counters::endpoints::Endpoints;
use crate::measurement::kernel::{Kernel, Stamp};
use crate::measurement::window::Window;
use crate::plan::compiled::CompiledPlan;

/// Most local ports that are tried for one connection.
const MOST_PORTS_TRIED: usize = 1024;

/// The connections of a thread and the state that they share.
pub struct Pool<D> {
    pub driver: D,
    pub thread: ThreadState,
    connections: Vec<Connection>,
    timers: Timers,
    freed: VecDeque<Freed>,
    routes: Arc<[Route]>,
    next_route: usize,
    place: usize,
    now: Nanos,
    /// Room for requests with values or cookies.
    outgoing: Vec<u8>,
}

impl<D: Driver> Pool<D> {
    /// A pool without connections.
    pub fn new(driver: D, plan: Arc<CompiledPlan>, routes: Arc<[Route]>, window: Window) -> Self {
        let checker = Checker::new(plan.rules.clone());
        let mut counters = Counters::new(window);
        counters.kernel = plan.kernel_timestamps.then(Box::<Kernel>::default);
        let endpoints = plan.endpoints.as_ref().map(Endpoints::new);
        counters.endpoints = endpoints.map(Box::new);
        Self {
            driver,
            thread: ThreadState {
                checker,
                counters,
                last_head: LastHead::new(),
                stamp: None,
                wrong: Vec::new(),
                jars: Jars::of(&plan),
                kept: KeptValues::of(&plan),
                turns: None,
                composes: plan.has_templates || plan.cookies.is_some(),
                watched: true,
                plan,
            },
            connections: Vec::new(),
            timers: Timers::default(),
            freed: VecDeque::new(),
            routes,
            next_route: 0,
            place: 0,
            now: 0,
            outgoing: Vec::new(),
        }
    }

    /// The time of the current event, or of the last [`Pool::tick`]. Everything that follows from an event happens at
    /// its time, because reading the clock is a good part of the cost of a call.
    #[inline]
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Reads the clock.
    #[inline]
    pub fn tick(&mut self) -> Nanos {
        self.now = self.driver.now();
        self.now
    }

    /// The window of the run.
    pub fn window(&self) -> &Window {
        &self.thread.counters.window
    }

    /// True while new calls may be sent.
    pub fn takes_work(&self, now: Nanos) -> bool {
        now < self.window().stop
    }

    /// Reserves memory for exactly this many more connections: lists that double would hold up to twice as much.
    pub fn reserve(&mut self, connections: usize) {
        self.connections.reserve_exact(connections);
        self.timers.reserve(connections);
    }

    /// Adds a connection, which is closed at first, and returns its id.
    pub fn add_connection(&mut self) -> u32 {
        self.connections.push(Connection::default());
        self.timers.add();
        if let Some(jars) = &mut self.thread.jars {
            jars.add_connection();
        }
        if let Some(kept) = &mut self.thread.kept {
            kept.add_connection();
        }
        self.connections.len() as u32 - 1
    }

    /// Sends a burst of the next requests of the rotation on a free connection, after opening it if necessary.
    pub fn begin(&mut self, id: u32, burst: Burst) {
        let place = self.take_places(burst.calls);
        self.begin_at(id, place, burst);
    }

    /// Takes the next places of the rotation, and returns the first.
    #[inline]
    pub fn take_places(&mut self, calls: u32) -> usize {
        let place = self.place;
        let (next, length) = (place + calls as usize, self.thread.plan.rotation.len());
        // A division takes longer than all else here.
        self.place = match next.checked_sub(length) {
            None => next,
            Some(0) => 0,
            Some(beyond) => beyond % length,
        };
        place
    }

    /// `count` calls of the next requests of the rotation waited from `due` to the stop at `at`, and will never be begun.
    pub fn left_waiting(&mut self, count: u64, due: Nanos, at: Nanos, measured: bool) {
        let rotation = &self.thread.plan.rotation;
        let place = self.place;
        self.place = ((place as u64 + count) % rotation.len() as u64) as usize;
        let counters = &mut self.thread.counters;
        counters.unsent(count, measured);
        counters.left_waiting(count, due, at, measured);
        if let Some(endpoints) = &mut counters.endpoints
            && measured
        {
            endpoints.left_waiting(rotation, place, count, at - due);
        }
    }

    /// Sends a burst of the requests from `place` on.
    #[inline]
    pub fn begin_at(&mut self, id: u32, place: usize, burst: Burst) {
        let now = self.now;
        let plan = &self.thread.plan;
        let connection = &mut self.connections[id as usize];
        let calls = burst.calls as usize;
        connection.calls.reserve_exact(calls);
        for (place, number) in (place..place + calls).zip(self.thread.counters.calls_begun()..) {
            let request = plan.rotation.request(place);
            let turns = &mut self.thread.turns;
            connection.calls.push_back(Exchange::new(Call {
                due: burst.due,
                sent: 0,
                first: 0,
                number,
                turn: turns.as_mut().map_or(0, |turns| turns.take(request)),
                place,
                request,
                head_bytes: 0,
                status: 0,
                measured: burst.measured,
            }));
        }
        self.thread
            .counters
            .begun(calls as u64, now, burst.measured);
        if self.connections[id as usize].state == State::Open {
            self.transmit(id, now);
        } else {
            self.connect(id, now);
        }
    }

    fn connect(&mut self, id: u32, now: Nanos) {
        let number = self.thread.counters.connections.begin();
        self.connections[id as usize].begin(number, now);
        let mut tries = self.routes.len().min(MOST_PORTS_TRIED);
        let opened = loop {
            let route = &self.routes[self.next_route % self.routes.len()];
            self.next_route += 1;
            tries -= 1;
            match self.driver.open(id, route) {
                // Another program may have the port.
                Err(Fault::Addresses) if tries > 0 => {}
                opened => break opened,
            }
        };
        match opened {
            Ok(()) => {
                let connection = &mut self.connections[id as usize];
                connection.state = State::Connecting;
                self.timers
                    .set(id, connection.connect_deadline(&self.thread.plan, now));
            }
            Err(fault) => {
                self.thread.counters.connections.broke(class(fault));
                self.fail(id, class(fault), &fault.describe(), now, true);
            }
        }
    }

    fn transmit(&mut self, id: u32, now: Nanos) {
        let connection = &mut self.connections[id as usize];
        let places = connection.sent(now);
        self.timers.set(id, connection.deadline(&self.thread.plan));
        if self.thread.composes && self.send_composed(id, now) {
            return;
        }
        let rotation = &self.thread.plan.rotation;
        let (from, to) = rotation.range(places);
        if self.thread.watched
            && let Some(trace) = &mut self.thread.counters.records.trace
        {
            for Exchange { call, .. } in &self.connections[id as usize].calls {
                trace.request(call.number, rotation.bytes(call.place));
            }
        }
        self.thread.counters.transmitted((to - from) as u64, now);
        self.driver.send(id, from, to);
    }

    /// Lets a connection sleep until `until`, when it becomes [`Freed::Awake`].
    pub fn sleep(&mut self, id: u32, until: Nanos) {
        self.connections[id as usize].thinking = true;
        self.timers.set(id, until);
    }

    /// Closes a connection.
    pub fn close(&mut self, id: u32) {
        let connection = &mut self.connections[id as usize];
        if connection.state == State::Open {
            let connections = &mut self.thread.counters.connections;
            connections.open -= 1;
            if connection.answered > 0 {
                connections.lived(self.now.saturating_sub(connection.began));
            }
        }
        if connection.state != State::Closed {
            self.driver.close(id);
        }
        connection.state = State::Closed;
    }

    /// The next connection that has become free.
    pub fn next_freed(&mut self) -> Option<Freed> {
        self.freed.pop_front()
    }

    /// Handles one event of the driver.
    pub fn on_event(&mut self, event: Event) {
        let now = self.tick();
        let id = event.slot;
        match event.what {
            What::Reached => self.reached(id, now),
            What::Connected => {
                if self.connections[id as usize].state == State::Connecting {
                    self.reached(id, now);
                } else {
                    let took = now - self.connections[id as usize].connect_began;
                    self.thread.counters.secured(took, now);
                }
                self.connections[id as usize].opened(now);
                self.thread.counters.connections.connected();
                self.transmit(id, now);
            }
            What::Received => {
                self.thread.stamp = self.stamp(id);
                let connection = &mut self.connections[id as usize];
                if connection.calls.is_empty() {
                    // These bytes belong to no reply, and the connection cannot be trusted with another call.
                    self.thread.counters.connections.excess_data += 1;
                    self.close(id);
                    return;
                }
                if self.thread.watched {
                    self.thread.turn_to(id);
                }
                let outcome = connection.receive(self.driver.received(), now, &mut self.thread);
                self.follow(id, outcome, now);
            }
            What::Sent => {}
            What::Ended => self.ended(id, now, true),
            What::Cut => self.ended(id, now, false),
            What::Failed(fault) => {
                let reason = self.reason(|| fault.describe());
                let connecting = self.connections[id as usize].connecting();
                self.broken(id, class(fault), &reason, now, connecting);
            }
        }
    }

    /// The kernel timestamps of the bytes just received, if they were requested and both exist.
    #[inline]
    fn stamp(&mut self, id: u32) -> Option<Stamp> {
        self.thread.counters.kernel.as_ref()?;
        let arrived = self.driver.received_at()?;
        let left = self.driver.left_at(id)?;
        Some(Stamp { left, arrived })
    }

    /// The connection is established; a TLS handshake may follow.
    fn reached(&mut self, id: u32, now: Nanos) {
        let connection = &mut self.connections[id as usize];
        self.thread
            .counters
            .reached(now - connection.connect_began, now);
        connection.connect_began = now;
        connection.state = State::Securing;
        if self.thread.plan.idle_timeout.is_some() {
            let deadline = connection.connect_deadline(&self.thread.plan, now);
            self.timers.set(id, deadline);
        }
    }

    /// The driver's explanation of its last event, or this one.
    fn reason(&self, or: impl FnOnce() -> String) -> String {
        self.driver.words().map_or_else(or, str::to_owned)
    }

    fn follow(&mut self, id: u32, outcome: Outcome, now: Nanos) {
        if !self.thread.wrong.is_empty() {
            self.report_wrong(id);
        }
        match outcome {
            Outcome::More => {
                let deadline = self.connections[id as usize].deadline(&self.thread.plan);
                if !self.connections[id as usize].thinking {
                    self.timers.set(id, deadline);
                }
            }
            Outcome::Complete { keep } => {
                let connection = &self.connections[id as usize];
                // A reply may come before its request is sent whole. The client then sends the rest or closes the
                // connection (RFC 9112 §9.3, §9.5).
                let keep = keep && !self.driver.sending(id);
                if !keep || connection.served >= self.thread.plan.calls_per_connection {
                    self.close(id);
                }
                self.timers.set(id, NEVER);
                self.freed.push_back(Freed::Answered(id));
            }
            Outcome::Cut => self.cut(id),
            Outcome::Broken(class, reason) => self.broken(id, class, &reason, now, false),
        }
    }

    /// Reports the wrong replies to the load.
    #[cold]
    fn report_wrong(&mut self, id: u32) {
        let wrong = self.thread.wrong.drain(..);
        self.freed
            .extend(wrong.map(|place| Freed::Wrong { id, place }));
    }

    /// The time of the next deadline.
    pub fn next_deadline(&self) -> Nanos {
        self.timers.next()
    }

    /// Waits for an event, at most until `until`.
    pub fn wait(&mut self, until: Nanos) -> io::Result<()> {
        self.driver.wait(until)
    }

    /// Closes all connections, whatever they wait for.
    pub fn finish(&mut self) {
        let now = self.tick();
        for id in 0..self.connections.len() as u32 {
            self.close(id);
            self.connections[id as usize].give_up(now, &mut self.thread);
        }
        self.thread.counters.handshakes = self.driver.handshakes().cloned();
        self.thread.counters.ended = now;
    }
}
