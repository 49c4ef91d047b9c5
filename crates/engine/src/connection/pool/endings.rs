//! The ends of connections: the server closes them, they break, or a deadline passes.

use driver::{Driver, NEVER, Nanos};
use tally::ErrorClass;

use crate::connection::pool::Pool;
use crate::connection::pool::freed::Freed;

impl<D: Driver> Pool<D> {
    /// The peer will send no more. `in_order`: and has sent all that it meant to, as far as its connection can tell.
    pub(super) fn ended(&mut self, id: u32, now: Nanos, in_order: bool) {
        if self.connections[id as usize].connecting() {
            let reason =
                self.reason(|| "the server closed the connection before it was ready".into());
            self.broken(id, ErrorClass::EarlyClose, &reason, now, true);
            return;
        }
        self.thread.counters.connections.closed_by_server += 1;
        self.thread.turn_to(id);
        let connection = &mut self.connections[id as usize];
        if connection.calls.is_empty() {
            self.close(id);
            return;
        }
        let outcome = connection.receive_end(now, in_order, &mut self.thread);
        self.follow(id, outcome, now);
    }

    pub(super) fn broken(
        &mut self,
        id: u32,
        class: ErrorClass,
        reason: &str,
        now: Nanos,
        connecting: bool,
    ) {
        let connection = &self.connections[id as usize];
        let idle = connection.calls.is_empty();
        let resends = !idle && connection.resends_after(class, &self.thread.plan);
        self.thread.counters.connections.broke(class);
        self.close(id);
        if resends {
            self.cut(id);
        } else if !idle {
            self.fail(id, class, reason, now, connecting);
        }
    }

    pub(super) fn fail(
        &mut self,
        id: u32,
        class: ErrorClass,
        reason: &str,
        now: Nanos,
        connecting: bool,
    ) {
        if connecting {
            self.thread.counters.connections.failed += 1;
        }
        self.timers.set(id, NEVER);
        let connection = &mut self.connections[id as usize];
        let lost = connection.calls.len() as u32;
        connection.fail(class, reason, now, &mut self.thread);
        let failed = Freed::Failed {
            id,
            connecting,
            lost,
        };
        self.freed.push_back(failed);
    }

    /// Handles one deadline that has passed; returns false if there is none.
    pub fn expire(&mut self) -> bool {
        let now = self.tick();
        let Some((id, at)) = self.timers.pop(now) else {
            return false;
        };
        let connection = &mut self.connections[id as usize];
        if connection.thinking {
            connection.thinking = false;
            self.freed.push_back(Freed::Awake(id, at));
            return true;
        }
        if self.http2.is_some() {
            self.lane_expired(id, now);
            return true;
        }
        let connecting = connection.connecting();
        let (class, reason) = if connecting {
            let reason = "no connection within the timeout";
            (ErrorClass::ConnectTimeout, reason)
        } else {
            let class = connection.timeout_class(&self.thread.plan, now);
            (class, "no complete reply within the timeout")
        };
        self.broken(id, class, reason, now, connecting);
        true
    }

    /// The server closed a connection, whose unanswered calls can be sent again.
    pub(super) fn cut(&mut self, id: u32) {
        self.close(id);
        self.timers.set(id, NEVER);
        self.connections[id as usize].rewind(&mut self.thread);
        self.freed.push_back(Freed::Cut(id));
    }
}
