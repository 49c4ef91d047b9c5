//! One connection: the calls that wait for replies on it, and how received bytes complete them or fail them.

pub mod check;
mod class;
pub mod cookies;
mod deadlines;
mod decoder;
mod log;
pub mod pool;
pub mod thread_state;
mod timers;
mod unanswered;

use std::collections::VecDeque;

use driver::Nanos;
use tally::ErrorClass;
use wire::{Event, Head, Reader, ReplyError};

use crate::connection::check::BodyCheck;
use crate::connection::decoder::Decoder;
use crate::connection::log::Ended;
use crate::connection::thread_state::ThreadState;
use crate::measurement::call::{Call, Reply};
use crate::measurement::counts::Likeness;
use crate::measurement::records::trace::Kind;
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
    /// Replies received since it was opened.
    pub answered: u32,
    /// Its number among the connections of its thread.
    pub number: u32,
    /// The number of its oldest unanswered call among the calls of its thread.
    pub next_call: u64,
    /// When connecting began.
    pub began: Nanos,
    /// When it was ready for requests; zero: not yet.
    pub ready: Nanos,
    /// When connecting started, or the handshake.
    pub connect_began: Nanos,
    /// When it last made progress: it was connected, sent a burst, or received bytes.
    progress: Nanos,
    /// Waiting for the think time to pass, not for a reply.
    pub thinking: bool,
    /// The server keeps the connection open after the current reply.
    keep: bool,
    /// Bytes of the head of the current reply.
    head_bytes: u32,
    reader: Reader,
    check: BodyCheck,
    /// The decoder of the body of the current reply, if it is to be decoded.
    decoder: Option<Box<Decoder>>,
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
            answered: 0,
            number: 0,
            next_call: 0,
            began: 0,
            ready: 0,
            connect_began: 0,
            progress: 0,
            thinking: false,
            keep: true,
            head_bytes: 0,
            reader: Reader::new(),
            check: BodyCheck::default(),
            decoder: None,
        }
    }
}

impl Connection {
    /// True while the connection is not ready for requests.
    pub fn connecting(&self) -> bool {
        matches!(self.state, State::Connecting | State::Securing)
    }

    /// Connecting begins; this is the connection's number.
    pub fn begin(&mut self, number: u32, now: Nanos) {
        self.number = number;
        (self.began, self.ready) = (now, 0);
        self.connect_began = now;
        self.answered = 0;
    }

    /// The connection was opened.
    pub fn opened(&mut self, now: Nanos) {
        self.state = State::Open;
        self.ready = now;
        self.served = 0;
        self.keep = true;
        self.head_bytes = 0;
        self.reader.reset();
    }

    /// The place in the rotation of the oldest unanswered call.
    pub fn place(&self) -> usize {
        self.end - self.calls.len()
    }

    /// The burst is sent.
    pub fn sent(&mut self, now: Nanos) {
        self.served += self.calls.len() as u32;
        self.progress = now;
        for call in &mut self.calls {
            call.sent = now;
        }
    }

    /// Handles received bytes.
    pub fn receive(&mut self, bytes: &[u8], now: Nanos, thread: &mut ThreadState) -> Outcome {
        if !thread.watched {
            return self.read::<false>(bytes, now, thread);
        }
        let outcome = self.read::<true>(bytes, now, thread);
        thread.watched = thread.jars.is_some() || thread.counters.records.watching();
        outcome
    }

    /// Handles received bytes; `WATCHED`: cookies are read from them, or a record wants them.
    fn read<const WATCHED: bool>(
        &mut self,
        bytes: &[u8],
        now: Nanos,
        thread: &mut ThreadState,
    ) -> Outcome {
        let mut rest = bytes;
        self.progress = now;
        thread.counters.received(bytes.len() as u64, now);
        while let Some(call) = self.calls.front_mut() {
            if call.first == 0 && !rest.is_empty() {
                call.first = now;
            }
            let (request, head_only) = (call.request, thread.plan.head_only[call.request as usize]);
            let cookies = WATCHED && thread.jars.is_some() && self.reader.in_head();
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
            if WATCHED && thread.counters.records.watching() {
                let (kind, part) = traced(event, call.status == 0, &rest[..used]);
                let records = &mut thread.counters.records;
                records.received(self.number, self.next_call, kind, part);
            }
            rest = &rest[used..];
            let ended = match event {
                Event::NeedMore => {
                    if call.status == 0 {
                        self.head_bytes += used as u32;
                    }
                    return Outcome::More;
                }
                Event::Head(head) => {
                    self.head_bytes += used as u32;
                    call.status = head.status;
                    self.begin_body(request, head, thread);
                    // Most bodies come whole with their heads. A trace wants one event at a time.
                    !WATCHED && self.read_body(request, &mut rest, thread)
                }
                Event::Body(data) => {
                    let rule = thread.checker.rule(request);
                    rule.feed(&mut self.check, &mut self.decoder, data);
                    false
                }
                Event::End => true,
            };
            if !ended {
                continue;
            }
            // The timestamp belongs to the last byte read, which is not of this reply if others follow.
            self.complete(now, rest.is_empty(), thread);
            if !self.keep && !self.calls.is_empty() {
                return closes_early(thread.plan.on_close);
            }
        }
        if rest.is_empty() {
            return Outcome::Complete { keep: self.keep };
        }
        // All calls are answered: bytes that follow belong to no reply, and the connection cannot be trusted.
        thread.counters.connections.excess_data += 1;
        Outcome::Complete { keep: false }
    }

    /// Prepares for the body of a reply, whose head is complete.
    #[inline]
    fn begin_body(&mut self, request: u32, head: Head, thread: &mut ThreadState) {
        self.keep = head.keep_alive || thread.plan.ignore_close;
        let rule = thread.checker.rule(request);
        self.check = rule.begin();
        if thread.plan.decodes {
            let decodes = rule.decodes();
            self.decoder = decodes.then(|| Decoder::new(head.compression).into());
        }
    }

    /// Checks the body of a reply, whose head is complete, if all of it has come. Returns false otherwise.
    #[inline]
    fn read_body(&mut self, request: u32, rest: &mut &[u8], thread: &mut ThreadState) -> bool {
        let input = *rest;
        let Some(body) = self.reader.take_body(input) else {
            return false;
        };
        *rest = &input[body.len()..];
        if !body.is_empty() {
            let rule = thread.checker.rule(request);
            rule.feed(&mut self.check, &mut self.decoder, body);
        }
        true
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
                self.complete(now, false, thread);
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

    /// Completes the oldest call with its reply. `stamped`: the thread's timestamps are those of its last byte.
    fn complete(&mut self, now: Nanos, stamped: bool, thread: &mut ThreadState) {
        let Some(call) = self.calls.pop_front() else {
            return;
        };
        let header = std::mem::take(&mut self.head_bytes);
        let footer = self.reader.take_trailers();
        let seen = self.check.seen();
        let rule = thread.checker.rule(call.request);
        if let Some(mut decoder) = self.decoder.take() {
            rule.end_coded(&mut self.check, &mut decoder);
        }
        let reply = rule.judge(call.status, &self.check);
        let likeness = match reply {
            Reply::Right => rule.likeness(&self.check),
            Reply::WrongStatus | Reply::WrongBody => Likeness::Like,
        };
        thread.counters.received_body(seen, now);
        if reply != Reply::Right {
            thread.explain_reply(&call, reply, &self.check);
            if thread.plan.on_wrong != OnWrong::GoOn {
                thread.wrong.push(self.place() - 1);
            }
        }
        // A call that fails before its reply begins must not find this check.
        self.check = BodyCheck::default();
        thread.counters.replied(&call, reply, now);
        if call.measured {
            let replies = &mut thread.counters.replies;
            replies.add(header.into(), seen, footer.into());
            if likeness != Likeness::Like {
                replies.compare(likeness);
            }
        }
        let records = &mut thread.counters.records;
        if records.recording() {
            let ended = Ended {
                call: &call,
                end: reply.into(),
                at: now,
                bytes: (header, seen),
                first: self.answered == 0,
            };
            self.record(&ended, records);
        }
        self.answered += 1;
        self.next_call += 1;
        if let Some(kernel) = &mut thread.counters.kernel
            && reply == Reply::Right
            && call.measured
        {
            let stamp = thread.stamp.filter(|_| stamped);
            kernel.replied(&call, stamp, now);
        }
    }
}

/// The outcome of a reply after which the server closes the connection, before it answered the calls behind it.
#[cold]
fn closes_early(on_close: OnClose) -> Outcome {
    if on_close != OnClose::Reconnect {
        return Outcome::Cut;
    }
    let message =
        "the server closes the connection after this reply, before it answered the calls behind it";
    Outcome::Broken(ErrorClass::EarlyClose, message.into())
}

/// The part of the call that received bytes belong to, and those bytes without framing.
fn traced<'a>(event: Event<'a>, in_head: bool, bytes: &'a [u8]) -> (Kind, &'a [u8]) {
    match event {
        Event::Body(data) => (Kind::ReplyBody, data),
        _ if in_head => (Kind::ReplyHead, bytes),
        _ => (Kind::ReplyBody, &[]),
    }
}
