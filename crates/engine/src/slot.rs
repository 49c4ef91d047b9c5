//! One connection: the calls that are out on it, and what the bytes that come back mean for them.

use std::collections::VecDeque;

use driver::{NEVER, Nanos};
use tally::ErrorClass;
use wire::{Event, LastHead, Reader, ReplyError};

use crate::expect::{Check, Judge};
use crate::kernel::Stamp;
use crate::ledger::{Call, Ledger, Reply};
use crate::order::Order;

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
pub struct Slot {
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
    check: Check,
}

/// What bytes, or their end, meant for a connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// More is to come.
    More,
    /// The burst is complete; whether the connection may carry another.
    Complete { keep: bool },
    /// The connection is of no more use; the calls still out fail.
    Broken(ErrorClass, String),
}

impl Default for Slot {
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
            check: Check::default(),
        }
    }
}

impl Slot {
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
    pub fn deadline(&self, order: &Order) -> Nanos {
        let Some(call) = self.calls.front() else {
            return NEVER;
        };
        let after = |timeout: Option<Nanos>| timeout.map_or(NEVER, |t| call.sent.saturating_add(t));
        let whole = after(order.reply_timeout);
        if call.first == 0 {
            whole.min(after(order.first_byte_timeout))
        } else {
            whole
        }
    }

    /// Which of the timeouts of a sent call has passed.
    pub fn timeout_class(&self, order: &Order, now: Nanos) -> ErrorClass {
        let first_byte_passed = self.calls.front().is_some_and(|call| {
            call.first == 0
                && order
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
    pub fn hear(&mut self, bytes: &[u8], now: Nanos, books: &mut Books) -> Heard {
        let mut rest = bytes;
        books.ledger.bytes_received += bytes.len() as u64;
        while let Some(call) = self.calls.front_mut() {
            if call.first == 0 && !rest.is_empty() {
                call.first = now;
            }
            let (request, head_only) = (call.request, books.order.head_only[call.request as usize]);
            let (used, event) = match self.reader.next_like(&mut books.last_head, rest, head_only) {
                Ok(next) => next,
                Err(fault) => return Heard::Broken(ErrorClass::Protocol, fault.to_string()),
            };
            rest = &rest[used..];
            match event {
                Event::NeedMore => return Heard::More,
                Event::Head(head) => {
                    call.status = head.status;
                    self.keep = head.keep_alive;
                    self.check = books.judge.begin(request);
                }
                Event::Body(data) => books.judge.feed(request, &mut self.check, data),
                Event::End => {
                    // The stamp is of the last byte read: of a reply that others follow it says nothing.
                    let stamp = books.stamp.filter(|_| rest.is_empty());
                    self.complete(now, stamp, books);
                }
            }
            if !self.keep && matches!(event, Event::End) && !self.calls.is_empty() {
                let words = "the server closes after this reply, with calls still out";
                return Heard::Broken(ErrorClass::EarlyClose, words.into());
            }
        }
        if rest.is_empty() {
            return Heard::Complete { keep: self.keep };
        }
        // The calls are answered; whatever follows is nobody's reply, and the connection cannot be trusted.
        Heard::Complete { keep: false }
    }

    /// The peer will send no more.
    pub fn hear_end(&mut self, now: Nanos, books: &mut Books) -> Heard {
        match self.reader.eof() {
            Ok(true) if !self.calls.is_empty() => {
                // The end has no stamp.
                self.complete(now, None, books);
                if self.calls.is_empty() {
                    return Heard::Complete { keep: false };
                }
            }
            Err(fault) if !matches!(fault, ReplyError::Truncated) => {
                return Heard::Broken(ErrorClass::Protocol, fault.to_string());
            }
            Ok(_) | Err(_) => {}
        }
        let words = "the server closed the connection before its reply was complete";
        Heard::Broken(ErrorClass::EarlyClose, words.into())
    }

    /// The reply to the oldest call is complete.
    fn complete(&mut self, now: Nanos, stamp: Option<Stamp>, books: &mut Books) {
        let Some(call) = self.calls.pop_front() else {
            return;
        };
        let seen = self.check.seen();
        let right_body = books.judge.end(call.request, &mut self.check);
        books.ledger.body_bytes += seen;
        let reply = if !books.judge.status(call.request, call.status) {
            Reply::WrongStatus
        } else if right_body {
            Reply::Right
        } else {
            Reply::WrongBody
        };
        if reply != Reply::Right {
            books.explain_reply(&call, reply, seen);
        }
        books.ledger.replied(&call, reply, now);
        if let Some(kernel) = &mut books.ledger.kernel
            && reply == Reply::Right
            && call.measured
        {
            kernel.replied(&call, stamp, now);
        }
    }

    /// The calls still out fail, all in the same way.
    pub fn fail(&mut self, class: ErrorClass, words: &str, now: Nanos, books: &mut Books) {
        if let Some(call) = self.calls.front() {
            books.judge.abandon(call.request, &self.check);
            self.check = Check::default();
        }
        while let Some(call) = self.calls.pop_front() {
            let name = &books.order.names[call.request as usize];
            books.ledger.explain(|| format!("{name}: {words}"));
            books.ledger.failed(&call, class, now);
        }
    }
}

/// What all connections of a thread write into and go by.
#[derive(Debug)]
pub struct Books {
    pub order: std::sync::Arc<Order>,
    pub judge: Judge,
    pub ledger: Ledger,
    pub last_head: LastHead,
    /// The kernel's moments around the bytes at hand, where it tells them.
    pub stamp: Option<Stamp>,
}

impl Books {
    fn explain_reply(&mut self, call: &Call, reply: Reply, seen: u64) {
        let name = &self.order.names[call.request as usize];
        let judge = &self.judge;
        self.ledger.explain(|| match reply {
            Reply::WrongStatus => format!("{name}: status {}", call.status),
            _ => format!(
                "{name}: a body of {seen} bytes that is not {}",
                judge.expectation(call.request)
            ),
        });
    }
}
