//! The events of a driver, and what follows from them.

use driver::{Driver, Event, NEVER, Nanos, What};

use crate::connection::class::class;
use crate::connection::pool::Pool;
use crate::connection::pool::freed::Freed;
use crate::connection::{Outcome, State};
use crate::measurement::kernel::Stamp;

impl<D: Driver> Pool<D> {
    /// Handles one event of the driver.
    pub fn on_event(&mut self, event: Event) {
        let now = self.tick();
        let id = event.slot;
        match event.what {
            What::Received => self.received(id, now),
            What::Sent => self.sent(id),
            _ if self.http2.is_some() => self.on_link_event(id, event.what, now),
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
            What::Ended => self.ended(id, now, true),
            What::Cut => self.ended(id, now, false),
            What::Failed(fault) => {
                let reason = self.reason(|| fault.describe());
                let connecting = self.connections[id as usize].connecting();
                self.broken(id, class(fault), &reason, now, connecting);
            }
        }
    }

    /// Handles received bytes.
    #[inline]
    fn received(&mut self, id: u32, now: Nanos) {
        if self.thread.watched {
            return self.received_watched(id, now);
        }
        self.thread.stamp = self.stamp(id);
        let connection = &mut self.connections[id as usize];
        if connection.calls.is_empty() {
            return self.received_in_excess(id);
        }
        let outcome = connection.receive(self.driver.received(), now, &mut self.thread);
        self.follow(id, outcome, now);
    }

    /// Handles received bytes that are not only read as replies of HTTP/1: they are frames of HTTP/2, or cookies or records
    /// are read from them, too.
    #[inline(never)]
    fn received_watched(&mut self, id: u32, now: Nanos) {
        if self.http2.is_some() {
            self.flush();
            return self.receive_frames(id, now);
        }
        self.thread.stamp = self.stamp(id);
        let connection = &mut self.connections[id as usize];
        if connection.calls.is_empty() {
            return self.received_in_excess(id);
        }
        self.thread.turn_to(id);
        let outcome = connection.receive_watched(self.driver.received(), now, &mut self.thread);
        self.follow(id, outcome, now);
    }

    /// Bytes came that belong to no reply, so the connection cannot be trusted with another call.
    #[cold]
    fn received_in_excess(&mut self, id: u32) {
        self.thread.counters.connections.excess_data += 1;
        self.close(id);
    }

    /// The kernel has taken all that was given to be sent.
    fn sent(&mut self, slot: u32) {
        if let Some(links) = &mut self.http2 {
            links.mark(slot);
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
    pub(super) fn reason(&self, or: impl FnOnce() -> String) -> String {
        self.driver.words().map_or_else(or, str::to_owned)
    }

    #[inline]
    pub(super) fn follow(&mut self, id: u32, outcome: Outcome, now: Nanos) {
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
}
