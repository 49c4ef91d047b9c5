//! The connections of one thread: sends bursts on them, handles their events, and reports which ones are free.

mod composed;
mod endings;
mod events;
mod frames;
pub mod freed;
mod multiplexed;
mod of_sessions;
mod output;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use driver::{Driver, Fault, Nanos, Route};
use wire::LastHead;

use crate::connection::check::Checker;
use crate::connection::class::class;
use crate::connection::cookies::Jars;
use crate::connection::exchange::Exchange;
use crate::connection::grpc::GrpcReplies;
use crate::connection::http2::Links;
use crate::connection::kept_values::KeptValues;
use crate::connection::pool::freed::{Burst, Freed};
use crate::connection::thread_state::ThreadState;
use crate::connection::timers::Timers;
use crate::connection::turns::SessionNumbers;
use crate::connection::{Connection, State};
use crate::measurement::call::Call;
use crate::measurement::counters::Counters;
use crate::measurement::counters::endpoints::Endpoints;
use crate::measurement::grpc::GrpcCounts;
use crate::measurement::http2::Http2Counts;
use crate::measurement::kernel::Kernel;
use crate::measurement::window::Window;
use crate::plan::compiled::CompiledPlan;

/// Most local ports that are tried for one connection.
const MOST_PORTS_TRIED: usize = 1024;

/// The connections of a thread and the state that they share.
pub struct Pool<D> {
    pub driver: D,
    pub thread: ThreadState,
    /// The connections of HTTP/1, or the lanes of those of HTTP/2.
    connections: Vec<Connection>,
    /// `None`: the connections are of HTTP/1.
    http2: Option<Box<Links>>,
    /// The bodies that were written for the calls of the lanes of HTTP/2.
    stream_bodies: Vec<Vec<u8>>,
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
        let in_steps = !plan.load.steps().is_empty();
        let endpoints = plan.endpoints.as_ref();
        counters.endpoints = endpoints.map(|all| Box::new(Endpoints::new(all, in_steps)));
        let http2 = plan.http2.as_ref();
        counters.http2 = http2.map(|_| Box::<Http2Counts>::default());
        let grpc = plan.grpc.as_ref();
        counters.grpc = grpc.map(|_| Box::<GrpcCounts>::default());
        Self {
            driver,
            http2: http2.map(|http2| Box::new(Links::new(http2))),
            thread: ThreadState {
                checker,
                counters,
                last_head: LastHead::new(),
                stamp: None,
                wrong: Vec::new(),
                jars: Jars::of(&plan),
                kept: KeptValues::of(&plan),
                grpc: grpc.map(|of| Box::new(GrpcReplies::new(of))),
                turns: None,
                session_numbers: SessionNumbers::of(&plan),
                reads_heads: plan.cookies.is_some() || plan.keeping.is_some(),
                composes: plan.has_placeholders || plan.cookies.is_some(),
                watched: true,
                plan,
            },
            connections: Vec::new(),
            stream_bodies: Vec::new(),
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

    /// Adds a lane, which carries one burst at a time, and returns its id. In HTTP/1 it is a connection, which is closed at
    /// first; in HTTP/2 one of the streams of a connection.
    pub fn add_lane(&mut self) -> u32 {
        let id = self.connections.len() as u32;
        self.connections.push(Connection::new(id));
        self.timers.add();
        if let Some(links) = &mut self.http2 {
            links.add_lane();
            self.stream_bodies.push(Vec::new());
        }
        if let Some(jars) = &mut self.thread.jars {
            jars.add_connection();
        }
        if let Some(grpc) = &mut self.thread.grpc {
            grpc.add_lane();
        }
        if let Some(kept) = &mut self.thread.kept {
            kept.add_connection();
        }
        id
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
        if self.http2.is_some() {
            return self.seek_stream(id, now);
        }
        let number = self.thread.counters.connections.begin();
        self.connections[id as usize].begin(number, now);
        match self.open(id) {
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

    /// Starts to connect a slot of the driver.
    fn open(&mut self, slot: u32) -> Result<(), Fault> {
        let mut tries = self.routes.len().min(MOST_PORTS_TRIED);
        loop {
            let route = &self.routes[self.next_route % self.routes.len()];
            self.next_route += 1;
            tries -= 1;
            match self.driver.open(slot, route) {
                // Another program may have the port.
                Err(Fault::Addresses) if tries > 0 => {}
                opened => return opened,
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

    /// The time of the next deadline.
    pub fn next_deadline(&self) -> Nanos {
        self.timers.next()
    }

    /// Waits for an event, at most until `until`.
    pub fn wait(&mut self, until: Nanos) -> io::Result<()> {
        if self.http2.is_some() {
            self.flush();
        }
        self.driver.wait(until)
    }

    /// Closes all connections, whatever they wait for.
    pub fn finish(&mut self) {
        let now = self.tick();
        self.close_links();
        for id in 0..self.connections.len() as u32 {
            self.close(id);
            self.connections[id as usize].give_up(now, &mut self.thread);
        }
        self.thread.counters.handshakes = self.driver.handshakes().cloned();
        self.thread.counters.datagrams = self.driver.datagrams().cloned();
        self.thread.counters.ended = now;
    }
}
