//! The connections of one thread: begins bursts on them, follows what happens, and says which are free for more.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use driver::{Driver, Event, Fault, NEVER, Nanos, Route, What};
use tally::ErrorClass;
use wire::LastHead;

use crate::expect::Judge;
use crate::kernel::{Kernel, Stamp};
use crate::ledger::{Call, Ledger};
use crate::order::Order;
use crate::slot::{Books, Heard, Slot, State};
use crate::timers::Timers;
use crate::window::Window;

/// Calls that are due together and go out on one connection.
#[derive(Clone, Copy, Debug)]
pub struct Burst {
    pub due: Nanos,
    pub calls: u32,
    pub measured: bool,
}

/// A connection with nothing under way: the load decides what it does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freed {
    /// Its burst is answered.
    Answered(u32),
    /// Its burst failed; whether it was still connecting.
    Failed { slot: u32, connecting: bool },
    /// It has slept until the moment given.
    Awake(u32, Nanos),
}

/// A thread's connections, and their books.
pub struct Pool<D> {
    pub driver: D,
    pub books: Books,
    slots: Vec<Slot>,
    timers: Timers,
    freed: VecDeque<Freed>,
    routes: Arc<[Route]>,
    next_route: usize,
    place: usize,
    now: Nanos,
}

impl<D: Driver> Pool<D> {
    /// No connections yet.
    pub fn new(driver: D, order: Arc<Order>, routes: Arc<[Route]>, window: Window) -> Self {
        let judge = Judge::new(order.rules.clone());
        let mut ledger = Ledger::new(window);
        ledger.kernel = order.kernel_timestamps.then(Box::<Kernel>::default);
        Self {
            driver,
            books: Books {
                judge,
                ledger,
                last_head: LastHead::new(),
                stamp: None,
                order,
            },
            slots: Vec::new(),
            timers: Timers::default(),
            freed: VecDeque::new(),
            routes,
            next_route: 0,
            place: 0,
            now: 0,
        }
    }

    /// When the event at hand was taken, or the clock last read: what follows from it happens at that moment, for
    /// reading the clock is a good part of what a call costs.
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

    /// The edges of the run.
    pub fn window(&self) -> &Window {
        &self.books.ledger.window
    }

    /// Whether new work may still begin.
    pub fn takes_work(&self, now: Nanos) -> bool {
        now < self.window().stop
    }

    /// Makes room for exactly so many more connections: lists that double would hold up to twice as much.
    pub fn reserve(&mut self, connections: usize) {
        self.slots.reserve_exact(connections);
        self.timers.reserve(connections);
    }

    /// A place for one more connection.
    pub fn add_slot(&mut self) -> u32 {
        self.slots.push(Slot::default());
        self.timers.add();
        self.slots.len() as u32 - 1
    }

    /// Begins a burst on a connection with nothing under way, connecting it first where needed.
    pub fn begin(&mut self, slot: u32, burst: Burst) {
        let now = self.now;
        let order = &self.books.order;
        let state = &mut self.slots[slot as usize];
        let calls = burst.calls as usize;
        state.calls.reserve_exact(calls);
        for offset in 0..calls {
            state.calls.push_back(Call {
                due: burst.due,
                sent: 0,
                first: 0,
                request: order.cycle.request(self.place + offset),
                status: 0,
                measured: burst.measured,
            });
        }
        state.range = order.cycle.range(self.place, calls);
        self.place = (self.place + calls) % order.cycle.len();
        self.books.ledger.begun(calls as u64, now, burst.measured);
        match self.slots[slot as usize].state {
            State::Open => self.transmit(slot, now),
            State::Closed | State::Connecting | State::Securing => self.connect(slot, now),
        }
    }

    fn connect(&mut self, slot: u32, now: Nanos) {
        let route = &self.routes[self.next_route % self.routes.len()];
        self.next_route += 1;
        match self.driver.open(slot, route) {
            Ok(()) => {
                let state = &mut self.slots[slot as usize];
                state.state = State::Connecting;
                state.connect_began = now;
                let timeout = self.books.order.connect_timeout;
                self.timers
                    .set(slot, timeout.map_or(NEVER, |t| now.saturating_add(t)));
            }
            Err(fault) => self.fail(slot, class(fault), &fault.describe(), now, true),
        }
    }

    fn transmit(&mut self, slot: u32, now: Nanos) {
        let state = &mut self.slots[slot as usize];
        state.sent(now);
        let (from, to) = state.range;
        self.books.ledger.bytes_sent += (to - from) as u64;
        self.timers.set(slot, state.deadline(&self.books.order));
        self.driver.send(slot, from, to);
    }

    /// Lets a connection rest until `until`; it comes back as [`Freed::Awake`].
    pub fn sleep(&mut self, slot: u32, until: Nanos) {
        self.slots[slot as usize].thinking = true;
        self.timers.set(slot, until);
    }

    /// Closes a connection with nothing under way.
    pub fn hang_up(&mut self, slot: u32) {
        let state = &mut self.slots[slot as usize];
        if state.state == State::Open {
            self.books.ledger.connections.open -= 1;
        }
        if state.state != State::Closed {
            self.driver.close(slot);
        }
        state.state = State::Closed;
    }

    /// The next connection that is free for more.
    pub fn next_freed(&mut self) -> Option<Freed> {
        self.freed.pop_front()
    }

    /// Takes one event of the driver.
    pub fn on_event(&mut self, event: Event) {
        let now = self.tick();
        let slot = event.slot;
        match event.what {
            What::Reached => self.reached(slot, now),
            What::Connected => {
                if self.slots[slot as usize].state == State::Connecting {
                    self.reached(slot, now);
                } else {
                    let took = now - self.slots[slot as usize].connect_began;
                    self.books.ledger.secured(took, now);
                }
                self.slots[slot as usize].opened();
                self.books.ledger.connected();
                self.transmit(slot, now);
            }
            What::Received => {
                self.books.stamp = self.stamp(slot);
                let state = &mut self.slots[slot as usize];
                if state.calls.is_empty() {
                    // Nobody asked for these bytes: the connection cannot be trusted with another call.
                    self.hang_up(slot);
                    return;
                }
                let heard = state.hear(self.driver.received(), now, &mut self.books);
                self.follow(slot, heard, now);
            }
            What::Sent => {}
            What::Ended => self.ended(slot, now),
            What::Failed(fault) => {
                let words = self.words(|| fault.describe());
                let connecting = self.slots[slot as usize].connecting();
                self.broken(slot, class(fault), &words, now, connecting);
            }
        }
    }

    /// The kernel's moments around the bytes just received, where they are asked for and there.
    #[inline]
    fn stamp(&mut self, slot: u32) -> Option<Stamp> {
        self.books.ledger.kernel.as_ref()?;
        let arrived = self.driver.received_at()?;
        let left = self.driver.left_at(slot)?;
        Some(Stamp { left, arrived })
    }

    /// The server's kernel has answered; a handshake may follow.
    fn reached(&mut self, slot: u32, now: Nanos) {
        let state = &mut self.slots[slot as usize];
        self.books.ledger.reached(now - state.connect_began, now);
        state.connect_began = now;
        state.state = State::Securing;
    }

    /// What the driver says of its last event, or else these words.
    fn words(&self, or: impl FnOnce() -> String) -> String {
        self.driver.words().map_or_else(or, str::to_owned)
    }

    fn ended(&mut self, slot: u32, now: Nanos) {
        if self.slots[slot as usize].connecting() {
            let words = self.words(|| "the server closed the connection at once".into());
            self.broken(slot, ErrorClass::EarlyClose, &words, now, true);
            return;
        }
        self.books.ledger.connections.closed_by_server += 1;
        let state = &mut self.slots[slot as usize];
        if state.calls.is_empty() {
            self.hang_up(slot);
            return;
        }
        let heard = state.hear_end(now, &mut self.books);
        self.follow(slot, heard, now);
    }

    fn follow(&mut self, slot: u32, heard: Heard, now: Nanos) {
        match heard {
            Heard::More => {
                let deadline = self.slots[slot as usize].deadline(&self.books.order);
                if !self.slots[slot as usize].thinking {
                    self.timers.set(slot, deadline);
                }
            }
            Heard::Complete { keep } => {
                let state = &self.slots[slot as usize];
                // A reply that came before the end of its request leaves the rest of that to be sent, or the
                // connection to be closed (RFC 9112 §9.3, §9.5).
                let keep = keep && !self.driver.sending(slot);
                if !keep || state.served >= self.books.order.calls_per_connection {
                    self.hang_up(slot);
                }
                self.timers.set(slot, NEVER);
                self.freed.push_back(Freed::Answered(slot));
            }
            Heard::Broken(class, words) => self.broken(slot, class, &words, now, false),
        }
    }

    fn broken(&mut self, slot: u32, class: ErrorClass, words: &str, now: Nanos, connecting: bool) {
        let idle = self.slots[slot as usize].calls.is_empty();
        self.hang_up(slot);
        if !idle {
            self.fail(slot, class, words, now, connecting);
        }
    }

    fn fail(&mut self, slot: u32, class: ErrorClass, words: &str, now: Nanos, connecting: bool) {
        if connecting {
            self.books.ledger.connections.failed += 1;
        }
        self.timers.set(slot, NEVER);
        self.slots[slot as usize].fail(class, words, now, &mut self.books);
        self.freed.push_back(Freed::Failed { slot, connecting });
    }

    /// Takes one deadline that has come; false when there is none.
    pub fn expire(&mut self) -> bool {
        let now = self.tick();
        let Some((slot, at)) = self.timers.pop(now) else {
            return false;
        };
        let state = &mut self.slots[slot as usize];
        if state.thinking {
            state.thinking = false;
            self.freed.push_back(Freed::Awake(slot, at));
            return true;
        }
        let connecting = state.connecting();
        let class = if connecting {
            ErrorClass::ConnectTimeout
        } else {
            state.timeout_class(&self.books.order, now)
        };
        self.broken(slot, class, "no answer within the timeout", now, connecting);
        true
    }

    /// When a deadline comes next.
    pub fn next_deadline(&self) -> Nanos {
        self.timers.next()
    }

    /// Waits until something happens or `until` has come.
    pub fn wait(&mut self, until: Nanos) -> io::Result<()> {
        self.driver.wait(until)
    }

    /// Ends everything, whatever is under way.
    pub fn finish(&mut self) {
        let now = self.tick();
        for slot in 0..self.slots.len() as u32 {
            self.hang_up(slot);
            while let Some(call) = self.slots[slot as usize].calls.pop_front() {
                self.books.ledger.left_in_flight(&call, now);
            }
        }
        self.books.ledger.handshakes = self.driver.handshakes().cloned();
        self.books.ledger.ended = now;
    }
}

fn class(fault: Fault) -> ErrorClass {
    match fault {
        Fault::Refused => ErrorClass::Refused,
        Fault::Reset => ErrorClass::Reset,
        Fault::TimedOut => ErrorClass::SocketTimeout,
        Fault::Unreachable => ErrorClass::Unreachable,
        Fault::Descriptors => ErrorClass::Descriptors,
        Fault::Addresses => ErrorClass::Addresses,
        Fault::FileTable => ErrorClass::FileTable,
        Fault::Tls => ErrorClass::Tls,
        Fault::Garbled => ErrorClass::Protocol,
        Fault::Other(_) => ErrorClass::Other,
    }
}
