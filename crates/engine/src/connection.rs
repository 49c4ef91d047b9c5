//! One connection: the calls that are out on it, and what the bytes that come back mean for them.

pub mod check;
pub mod pool;
pub mod thread_state;
mod timers;

use std::collections::VecDeque;

use driver::{NEVER, Nanos};
use tally::ErrorClass;
use wire::{Event, Reader, ReplyError};

use crate::connection::check::BodyCheck;
use crate::connection::thread_state::ThreadState;
use crate::measurement::call::{Call, Reply};
use crate::measurement::kernel::Stamp;
use crate::plan::compiled::CompiledPlan;

/// How far a connection is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    #[default]
    Closed,
    Connecting,
    /// The server is there; the handshake is under way.
    Securing,
    Open,
}

/// A place for one connection at a time.
#[derive(Debug)]
pub struct Connection {
    pub state: State,
    pub calls: VecDeque<Call>,
    /// The bytes of the burst under way: from, to.
    pub range: (usize, usize),
    /// Calls sent on this connection.
    pub served: u32,
    /// When connecting began, or the handshake.
    pub connect_began: Nanos,
    /// It waits for its think time to pass, not for a reply.
    pub thinking: bool,
    /// The server lets the connection go on after the reply at hand.
    keep: bool,
    reader: Reader,
    check: BodyCheck,
}

/// What bytes, or their end, meant for a connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// More is to come.
    More,
    /// The burst is complete; whether the connection may carry another.
    Complete { keep: bool },
    /// The connection is of no more use; the calls still out fail.
    Broken(ErrorClass, String),
}

impl Default for Connection {
    fn default() -> Self {
        Self {
            state: State::Closed,
            calls: VecDeque::new(),
            range: (0, 0),
            served: 0,
            connect_began: 0,
            thinking: false,
            keep: true,
            reader: Reader::new(),
            check: BodyCheck::default(),
        }
    }
}

impl Connection {
    /// No request may be sent on it yet.
    pub fn connecting(&self) -> bool {
        matches!(self.state, State::Connecting | State::Securing)
    }

    /// The connection is new.
    pub fn opened(&mut self) {
        self.state = State::Open;
        self.served = 0;
        self.keep = true;
        self.reader.reset();
    }

    /// The burst goes out now.
    pub fn sent(&mut self, now: Nanos) {
        self.served += self.calls.len() as u32;
        for call in &mut self.calls {
            call.sent = now;
        }
    }

    /// When the oldest call out is too late.
    #[inline]
    pub fn deadline(&self, plan: &CompiledPlan) -> Nanos {
        let Some(call) = self.calls.front() else {
            return NEVER;
        };
        let after = |timeout: Option<Nanos>| timeout.map_or(NEVER, |t| call.sent.saturating_add(t));
        let whole = after(plan.reply_timeout);
        if call.first == 0 {
            whole.min(after(plan.first_byte_timeout))
        } else {
            whole
        }
    }

    /// Which of the timeouts of a sent call has passed.
    pub fn timeout_class(&self, plan: &CompiledPlan, now: Nanos) -> ErrorClass {
        let first_byte_passed = self.calls.front().is_some_and(|call| {
            call.first == 0
                && plan
                    .first_byte_timeout
                    .is_some_and(|t| call.sent.saturating_add(t) <= now)
        });
        if first_byte_passed {
            ErrorClass::FirstByteTimeout
        } else {
            ErrorClass::ReplyTimeout
        }
    }

    /// Bytes came.
    pub fn receive(&mut self, bytes: &[u8], now: Nanos, thread: &mut ThreadState) -> Outcome {
        let mut rest = bytes;
        thread.counters.received(bytes.len() as u64, now);
        while let Some(call) = self.calls.front_mut() {
            if call.first == 0 && !rest.is_empty() {
                call.first = now;
            }
            let (request, head_only) = (call.request, thread.plan.head_only[call.request as usize]);
            let (used, event) = match self
                .reader
                .next_like(&mut thread.last_head, rest, head_only)
            {
                Ok(next) => next,
                Err(fault) => return Outcome::Broken(ErrorClass::Protocol, fault.to_string()),
            };
            rest = &rest[used..];
            match event {
                Event::NeedMore => return Outcome::More,
                Event::Head(head) => {
                    call.status = head.status;
                    self.keep = head.keep_alive;
                    self.check = thread.checker.begin(request);
                }
                Event::Body(data) => thread.checker.feed(request, &mut self.check, data),
                Event::End => {
                    // The stamp is of the last byte read: of a reply that others follow it says nothing.
                    let stamp = thread.stamp.filter(|_| rest.is_empty());
                    self.complete(now, stamp, thread);
                }
            }
            if !self.keep && matches!(event, Event::End) && !self.calls.is_empty() {
                let words = "the server closes after this reply, with calls still out";
                return Outcome::Broken(ErrorClass::EarlyClose, words.into());
            }
        }
        if rest.is_empty() {
            return Outcome::Complete { keep: self.keep };
        }
        // All calls are answered: bytes that follow belong to no reply, and the connection cannot be trusted.
        thread.counters.connections.excess_data += 1;
        Outcome::Complete { keep: false }
    }

    /// The peer will send no more. `in_order`: and has sent all that it meant to, as far as its connection can tell;
    /// otherwise a reply that only the close delimits is incomplete (RFC 9112 §9.8).
    pub fn receive_end(&mut self, now: Nanos, in_order: bool, thread: &mut ThreadState) -> Outcome {
        match self.reader.eof() {
            Ok(true) if !in_order => {
                let words = "the server closed the connection without TLS's close_notify: its reply may be incomplete";
                return Outcome::Broken(ErrorClass::EarlyClose, words.into());
            }
            Ok(true) if !self.calls.is_empty() => {
                // The end has no stamp.
                self.complete(now, None, thread);
                if self.calls.is_empty() {
                    return Outcome::Complete { keep: false };
                }
            }
            Err(fault) if !matches!(fault, ReplyError::Truncated) => {
                return Outcome::Broken(ErrorClass::Protocol, fault.to_string());
            }
            Ok(_) | Err(_) => {}
        }
        let words = "the server closed the connection before its reply was complete";
        Outcome::Broken(ErrorClass::EarlyClose, words.into())
    }

    /// The reply to the oldest call is complete.
    fn complete(&mut self, now: Nanos, stamp: Option<Stamp>, thread: &mut ThreadState) {
        let Some(call) = self.calls.pop_front() else {
            return;
        };
        let seen = self.check.seen();
        let right_body = thread.checker.end(call.request, &mut self.check);
        thread.counters.received_body(seen, now);
        let reply = if !thread.checker.status(call.request, call.status) {
            Reply::WrongStatus
        } else if right_body {
            Reply::Right
        } else {
            Reply::WrongBody
        };
        if reply != Reply::Right {
            thread.explain_reply(&call, reply, seen);
        }
        thread.counters.replied(&call, reply, now);
        if let Some(kernel) = &mut thread.counters.kernel
            && reply == Reply::Right
            && call.measured
        {
            kernel.replied(&call, stamp, now);
        }
    }

    /// The calls still out fail, all in the same way.
    pub fn fail(&mut self, class: ErrorClass, words: &str, now: Nanos, thread: &mut ThreadState) {
        if let Some(call) = self.calls.front() {
            thread.checker.abandon(call.request, &self.check);
            self.check = BodyCheck::default();
        }
        while let Some(call) = self.calls.pop_front() {
            let name = &thread.plan.names[call.request as usize];
            thread
                .counters
                .explain(&call, || format!("{name}: {words}"));
            thread.counters.failed(&call, class, now);
        }
    }
}
