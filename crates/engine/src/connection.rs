//! One connection: the calls that wait for replies on it, and how received bytes complete them or fail them.

pub mod check;
pub mod cookies;
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
use crate::plan::sessions::{OnClose, OnWrong};

/// The state of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    #[default]
    Closed,
    Connecting,
    /// Connected; the TLS handshake is in progress.
    Securing,
    Open,
}

/// A connection, which is reopened when it was closed and is needed again.
#[derive(Debug)]
pub struct Connection {
    pub state: State,
    pub calls: VecDeque<Call>,
    /// The place in the rotation behind the last call of the current burst.
    pub end: usize,
    /// Calls sent since the connection was opened.
    pub served: u32,
    /// When connecting started, or the handshake.
    pub connect_began: Nanos,
    /// Waiting for the think time to pass, not for a reply.
    pub thinking: bool,
    /// The server keeps the connection open after the current reply.
    keep: bool,
    reader: Reader,
    check: BodyCheck,
}

/// The result of received bytes, or of their end, for a connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The burst is not complete.
    More,
    /// The burst is complete; `keep`: the connection may carry another.
    Complete { keep: bool },
    /// The server closes the connection after a reply; the calls behind it can be sent again.
    Cut,
    /// The connection cannot be used any more; the calls that wait for replies fail.
    Broken(ErrorClass, String),
}

impl Default for Connection {
    fn default() -> Self {
        Self {
            state: State::Closed,
            calls: VecDeque::new(),
            end: 0,
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
    /// True while the connection is not ready for requests.
    pub fn connecting(&self) -> bool {
        matches!(self.state, State::Connecting | State::Securing)
    }

    /// The connection was opened.
    pub fn opened(&mut self) {
        self.state = State::Open;
        self.served = 0;
        self.keep = true;
        self.reader.reset();
    }

    /// The place in the rotation of the oldest unanswered call.
    pub fn place(&self) -> usize {
        self.end - self.calls.len()
    }

    /// The burst is sent.
    pub fn sent(&mut self, now: Nanos) {
        self.served += self.calls.len() as u32;
        for call in &mut self.calls {
            call.sent = now;
        }
    }

    /// The time at which the oldest unanswered call times out.
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

    /// The class of the timeout that has passed.
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

    /// Handles received bytes.
    pub fn receive(&mut self, bytes: &[u8], now: Nanos, thread: &mut ThreadState) -> Outcome {
        let mut rest = bytes;
        thread.counters.received(bytes.len() as u64, now);
        while let Some(call) = self.calls.front_mut() {
            if call.first == 0 && !rest.is_empty() {
                call.first = now;
            }
            let (request, head_only) = (call.request, thread.plan.head_only[call.request as usize]);
            let cookies = thread.jars.is_some() && self.reader.in_head();
            let (used, event) = match self
                .reader
                .next_like(&mut thread.last_head, rest, head_only)
            {
                Ok(next) => next,
                Err(fault) => return Outcome::Broken(ErrorClass::Protocol, fault.to_string()),
            };
            if let (true, Some(jars)) = (cookies, &mut thread.jars) {
                jars.read(&rest[..used], matches!(event, Event::Head(_)));
            }
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
                    // The timestamp belongs to the last byte read, which is not of this reply if others follow.
                    let stamp = thread.stamp.filter(|_| rest.is_empty());
                    self.complete(now, stamp, thread);
                }
            }
            if !self.keep && matches!(event, Event::End) && !self.calls.is_empty() {
                if thread.plan.on_close != OnClose::Reconnect {
                    return Outcome::Cut;
                }
                let message = "the server closes the connection after this reply, before it answered the calls behind it";
                return Outcome::Broken(ErrorClass::EarlyClose, message.into());
            }
        }
        if rest.is_empty() {
            return Outcome::Complete { keep: self.keep };
        }
        // All calls are answered: bytes that follow belong to no reply, and the connection cannot be trusted.
        thread.counters.connections.excess_data += 1;
        Outcome::Complete { keep: false }
    }

    /// Handles the end of the received bytes: the server closed its side. If it did not close in order, as TLS's
    /// `close_notify` does, a reply that only the close delimits is incomplete (RFC 9112 §9.8).
    pub fn receive_end(&mut self, now: Nanos, in_order: bool, thread: &mut ThreadState) -> Outcome {
        match self.reader.eof() {
            Ok(true) if !in_order => {
                let words = "the server closed the connection without TLS's close_notify: its reply may be incomplete";
                return Outcome::Broken(ErrorClass::EarlyClose, words.into());
            }
            Ok(true) if !self.calls.is_empty() => {
                // The end of a connection has no timestamp.
                self.complete(now, None, thread);
                if self.calls.is_empty() {
                    return Outcome::Complete { keep: false };
                }
                if thread.plan.on_close != OnClose::Reconnect {
                    return Outcome::Cut;
                }
            }
            Err(fault) if !matches!(fault, ReplyError::Truncated) => {
                return Outcome::Broken(ErrorClass::Protocol, fault.to_string());
            }
            Ok(_) | Err(_) => {}
        }
        let message = "the server closed the connection before its reply was complete";
        Outcome::Broken(ErrorClass::EarlyClose, message.into())
    }

    /// Completes the oldest call with its reply.
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
            if thread.plan.on_wrong != OnWrong::GoOn {
                thread.wrong.push(self.place() - 1);
            }
        }
        thread.counters.replied(&call, reply, now);
        if let Some(kernel) = &mut thread.counters.kernel
            && reply == Reply::Right
            && call.measured
        {
            kernel.replied(&call, stamp, now);
        }
    }

    /// Gives up all calls that wait for replies, and returns their number.
    pub fn give_up(&mut self, now: Nanos, thread: &mut ThreadState) -> u32 {
        let count = self.calls.len() as u32;
        self.abandon_check(thread);
        for call in self.calls.drain(..) {
            thread.counters.left_in_flight(&call, now);
        }
        count
    }

    fn abandon_check(&mut self, thread: &mut ThreadState) {
        if let Some(call) = self.calls.front() {
            thread.checker.abandon(call.request, &self.check);
            self.check = BodyCheck::default();
        }
    }

    /// Fails all calls that wait for replies.
    pub fn fail(&mut self, class: ErrorClass, reason: &str, now: Nanos, thread: &mut ThreadState) {
        self.abandon_check(thread);
        while let Some(call) = self.calls.pop_front() {
            let name = &thread.plan.names[call.request as usize];
            thread
                .counters
                .explain(&call, || format!("{name}: {reason}"));
            thread.counters.failed(&call, class, now);
        }
    }
}
