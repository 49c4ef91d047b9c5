//! The connections of sessions, which have several connections and send calls again.

use driver::{Driver, NEVER};

use crate::connection::State;
use crate::connection::exchange::Exchange;
use crate::connection::pool::Pool;
use crate::connection::pool::freed::Freed;
use crate::measurement::call::Call;

impl<D: Driver> Pool<D> {
    /// Sends a call again, on another connection than before.
    pub fn resume(&mut self, id: u32, call: Call) {
        let connection = &mut self.connections[id as usize];
        connection.calls.push_back(Exchange::new(call));
        self.send_again(id);
    }

    /// Sends all calls of a connection again, after opening it if necessary.
    pub fn send_again(&mut self, id: u32) {
        if self.is_open(id) {
            self.transmit(id, self.now);
        } else {
            self.connect(id, self.now);
        }
    }

    /// The number of calls under way on a connection.
    pub fn under_way(&self, id: u32) -> u32 {
        self.connections[id as usize].calls.len() as u32
    }

    /// True if the connection is open. In HTTP/2 it may also be about to be, for another lane of it.
    pub fn is_open(&self, id: u32) -> bool {
        if let Some(links) = &self.http2 {
            return links.taken_by(links.seat(id)).is_some();
        }
        self.connections[id as usize].state == State::Open
    }

    /// False if the server closes the connection after its last reply.
    pub fn keeps_open(&self, id: u32) -> bool {
        self.connections[id as usize].keep
    }

    /// Takes the calls of a connection that was cut off.
    pub fn take_back(&mut self, id: u32) -> impl Iterator<Item = Call> {
        let exchanges = self.connections[id as usize].calls.drain(..);
        exchanges.map(|exchange| exchange.call)
    }

    /// Closes a connection whatever it is used for, and forgets what is reported of it. Returns the number of calls that
    /// this ends, or that a report would say have failed.
    pub fn retire(&mut self, id: u32) -> u32 {
        let lost = if self.freed.is_empty() {
            0
        } else {
            self.forget(id)
        };
        self.close(id);
        if self.http2.is_some() {
            self.close_seat(id);
        }
        self.timers.set(id, NEVER);
        if let Some(jars) = &mut self.thread.jars {
            jars.clear(id);
        }
        if let Some(kept) = &mut self.thread.kept {
            kept.clear(id);
        }
        let connection = &mut self.connections[id as usize];
        connection.thinking = false;
        lost + connection.give_up(self.now, &mut self.thread)
    }

    /// Forgets what is reported of a connection. Returns the number of calls that a report would say have failed.
    fn forget(&mut self, id: u32) -> u32 {
        let mut lost = 0;
        self.freed.retain(|freed| {
            if let Freed::Failed { lost: more, .. } = freed
                && freed.id() == id
            {
                lost += more;
            }
            freed.id() != id
        });
        lost
    }
}
