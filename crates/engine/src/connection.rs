//! One connection: the calls that wait for replies on it, and how received bytes complete them or fail them.

mod call_values;
pub mod check;
mod class;
pub mod cookies;
mod deadlines;
mod decoder;
mod exchange;
pub mod grpc;
mod http2;
pub mod kept_values;
mod log;
pub mod pool;
pub mod thread_state;
mod timers;
pub mod turns;
mod unanswered;

use std::collections::VecDeque;
use std::ops::Range;

use driver::Nanos;
use tally::ErrorClass;
use wire::{Event, Reader, ReplyError};

use crate::connection::exchange::{Exchange, Judgement};
use crate::connection::log::Ended;
use crate::connection::thread_state::ThreadState;
use crate::measurement::call::Reply;
use crate::measurement::counts::Likeness;
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
    /// Its place among the connections of its thread.
    id: u32,
    pub state: State,
    /// The calls that wait for replies, the oldest first.
    pub calls: VecDeque<Exchange>,
    /// Calls sent since the connection was opened.
    pub served: u32,
    /// Replies received since it was opened.
    pub answered: u32,
    /// Its number among the connections of its thread.
    pub number: u32,
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
    reader: Reader,
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

impl Connection {
    /// A closed connection.
    pub fn new(id: u32) -> Self {
        Self {
            id,
            state: State::Closed,
            calls: VecDeque::new(),
            served: 0,
            answered: 0,
            number: 0,
            began: 0,
            ready: 0,
            connect_began: 0,
            progress: 0,
            thinking: false,
            keep: true,
            reader: Reader::new(),
        }
    }

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
        self.reader.reset();
    }

    /// The burst is sent. Returns its places in the rotation, which follow one another.
    pub fn sent(&mut self, now: Nanos) -> Range<usize> {
        self.served += self.calls.len() as u32;
        self.progress = now;
        let mut end = 0;
        for Exchange { call, .. } in &mut self.calls {
            call.sent = now;
            end = call.place + 1;
        }
        end - self.calls.len()..end
    }

    /// Handles received bytes.
    #[inline]
    pub fn receive(&mut self, bytes: &[u8], now: Nanos, thread: &mut ThreadState) -> Outcome {
        self.read::<false>(bytes, now, thread)
    }

    /// Handles received bytes that are watched.
    #[inline]
    pub fn receive_watched(
        &mut self,
        bytes: &[u8],
        now: Nanos,
        thread: &mut ThreadState,
    ) -> Outcome {
        let outcome = self.read::<true>(bytes, now, thread);
        thread.watched = thread.reads_heads || thread.counters.records.watching();
        outcome
    }

    /// Handles received bytes; `WATCHED`: cookies or other values are read from them, or a record wants them.
    fn read<const WATCHED: bool>(
        &mut self,
        bytes: &[u8],
        now: Nanos,
        thread: &mut ThreadState,
    ) -> Outcome {
        let mut rest = bytes;
        self.progress = now;
        thread.counters.received(bytes.len() as u64, now);
        while let Some(exchange) = self.calls.front_mut() {
            let call = &mut exchange.call;
            if call.first == 0 && !rest.is_empty() {
                call.first = now;
            }
            let head_only = thread.plan.head_only[call.request as usize];
            let split = WATCHED && self.reader.in_split_head();
            let (used, event) = match self
                .reader
                .next_like(&mut thread.last_head, rest, head_only)
            {
                Ok(next) => next,
                Err(fault) => return Outcome::Broken(ErrorClass::Protocol, fault.to_string()),
            };
            if WATCHED {
                let taken = &rest[..used];
                if let Event::Head(head) = &event {
                    let fields = self.reader.fields(taken, split);
                    let http = head.version.number();
                    thread.read_head(call, head.status, head.compression, http, fields);
                }
                thread.watch(call, event, taken);
            }
            rest = &rest[used..];
            let ended = match event {
                Event::NeedMore => {
                    if call.status == 0 {
                        call.head_bytes += used as u32;
                    }
                    return Outcome::More;
                }
                Event::Head(head) => {
                    call.head_bytes += used as u32;
                    self.keep = head.keep_alive || thread.plan.ignore_close;
                    exchange.begin_body(head.status, head.compression, thread);
                    // Most bodies come whole with their heads. A trace wants one event at a time.
                    !WATCHED && exchange.take_body(&mut self.reader, &mut rest, thread)
                }
                Event::Body(data) => {
                    exchange.feed(data, thread);
                    false
                }
                Event::End => true,
                Event::Switch => return not_requested(),
            };
            if !ended {
                continue;
            }
            // The timestamp belongs to the last byte read, which is not of this reply if others follow.
            self.complete(now, rest.is_empty(), None, thread);
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
                self.complete(now, false, None, thread);
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

    /// Completes the oldest call with its reply. `stamped`: the thread's timestamps are those of its last byte. `verdict`: the
    /// reply is judged; `None`: its rule judges it.
    fn complete(
        &mut self,
        now: Nanos,
        stamped: bool,
        verdict: Option<Reply>,
        thread: &mut ThreadState,
    ) {
        let Some(exchange) = self.calls.front_mut() else {
            return;
        };
        let footer = self.reader.take_trailers();
        let Judgement {
            mut reply,
            checked,
            likeness,
        } = match verdict {
            None => exchange.judge(self.id, thread),
            Some(reply) => exchange.reject(reply, thread),
        };
        let Exchange { call, check } = exchange;
        let seen = check.seen();
        if thread.kept.is_some() {
            reply = thread.keep_values(call.request, reply);
        }
        if reply != Reply::Right {
            thread.explain_reply(call, reply, check);
            if thread.plan.on_wrong != OnWrong::GoOn || thread.plan.keeps_values(call.request) {
                thread.wrong.push(call.place);
            }
        }
        thread.counters.replied(call, reply, seen, now);
        if call.measured {
            let replies = &mut thread.counters.replies;
            replies.add(call.head_bytes.into(), seen, footer.into());
            replies.checked += u64::from(checked);
            replies.wrong += u64::from(checked && reply == Reply::WrongBody);
            if likeness != Likeness::Like {
                replies.compare(likeness);
            }
        }
        if let Some(kernel) = &mut thread.counters.kernel
            && reply == Reply::Right
            && call.measured
        {
            let stamp = thread.stamp.filter(|_| stamped);
            kernel.replied(call, stamp, now);
        }
        let records = &mut thread.counters.records;
        if records.wants(now - call.due)
            && let Some(Exchange { call, .. }) = self.calls.front()
        {
            let ended = Ended {
                call,
                end: reply.into(),
                at: now,
                body_bytes: seen,
                first: self.answered == 0,
            };
            self.record(&ended, records);
        }
        self.calls.pop_front();
        self.answered += 1;
    }
}

/// The outcome of a 101: no call requests another protocol.
#[cold]
fn not_requested() -> Outcome {
    let message = "the server switched protocols (101), which was not requested";
    Outcome::Broken(ErrorClass::Protocol, message.into())
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
