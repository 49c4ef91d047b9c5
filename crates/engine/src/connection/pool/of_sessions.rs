//! The connections of sessions, which have several connections, send calls again, and keep cookies.

use std::ops::Range;

use driver::{Driver, NEVER, Nanos};

use crate::connection::State;
use crate::connection::pool::Pool;
use crate::connection::pool::freed::Freed;
use crate::measurement::call::Call;

impl<D: Driver> Pool<D> {
    /// Sends a call again that was begun before and is at `place` in the rotation.
    pub fn resume(&mut self, id: u32, place: usize, call: Call) {
        let connection = &mut self.connections[id as usize];
        connection.calls.push_back(call);
        connection.end = place + 1;
        self.start(id, self.now);
    }

    /// True if the connection is open.
    pub fn is_open(&self, id: u32) -> bool {
        self.connections[id as usize].state == State::Open
    }

    /// True if calls are under way on the connection.
    pub fn is_busy(&self, id: u32) -> bool {
        !self.connections[id as usize].calls.is_empty()
    }

    /// False if the server closes the connection after its last reply.
    pub fn keeps_open(&self, id: u32) -> bool {
        self.connections[id as usize].keep
    }

    /// Takes the calls that a connection which was cut off has left, each with its place in the rotation.
    pub fn take_back(&mut self, id: u32) -> impl Iterator<Item = (usize, Call)> {
        let connection = &mut self.connections[id as usize];
        (connection.place()..).zip(connection.calls.drain(..))
    }

    /// Closes a connection whatever it is used for, and forgets what is reported of it. Returns the number of calls that
    /// this ends, or that a report would say have failed.
    pub fn retire(&mut self, id: u32) -> u32 {
        let mut lost = 0;
        self.freed.retain(|freed| {
            if let Freed::Failed { lost: more, .. } = freed
                && freed.id() == id
            {
                lost += more;
            }
            freed.id() != id
        });
        self.close(id);
        self.timers.set(id, NEVER);
        if let Some(jars) = &mut self.thread.jars {
            jars.clear(id);
        }
        let connection = &mut self.connections[id as usize];
        connection.thinking = false;
        lost + connection.give_up(self.now, &mut self.thread)
    }

    /// Sends requests with the cookies of their session.
    #[cold]
    pub(super) fn send_with_cookies(&mut self, id: u32, places: Range<usize>, now: Nanos) {
        let plan = &self.thread.plan;
        let (Some(jars), Some(cookies)) = (&self.thread.jars, &plan.cookies) else {
            return;
        };
        for place in places {
            let cookies = cookies[plan.rotation.request(place) as usize];
            let request = plan.rotation.bytes(place);
            jars.write(id, request, cookies, &mut self.outgoing);
        }
        let sent = self.outgoing.len() as u64;
        self.thread.counters.transmitted(sent, now);
        self.driver.send_bytes(id, &mut self.outgoing);
    }
}
