//! A connection of HTTP/2 (RFC 9113): its requests, and the replies of its streams, each at its time.
//!
//! Replies of several streams are sent in turn, as their windows allow. While the socket takes no more bytes, no request is
//! read. So a client that does not read cannot make the server keep more than one buffer for it.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use wire::h2::{ErrorCode, Options, Server, ServerEvent, Stream};

use crate::duration::nanoseconds;
use crate::reply::block;
use crate::reply::choice::GARBAGE;
use crate::reply::grpc;
use crate::reply::page::PreparedPage;
use crate::reply::stream::{self, Act, Body, StreamAnswer, StreamReply};
use crate::server::input::Input;
use crate::server::state::ThreadState;
use crate::server::timers::Timers;

/// The first bytes of a client.
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Most bytes that wait in the output before no more of a body is added.
const MOST_WAITING: usize = 256 * 1024;
/// Most bytes of a body that are added before it is the turn of another stream.
const TURN: usize = 64 * 1024;
const OPTIONS: Options = Options {
    streams: 256,
    header_table: 4096,
    max_frame: 16 * 1024,
    window: 1 << 20,
    connection_window: 1 << 24,
    keeps_fields: false,
};

/// A reply that has not been sent completely.
#[derive(Debug)]
struct Pending {
    stream: Stream,
    /// When the request of a delayed reply was read; 0: not delayed, or noted.
    read_ns: u64,
    /// When its next part is due; 0: now.
    due_ns: u64,
    act: Act,
    has_begun: bool,
    /// Number of bytes of the body that were sent.
    sent: usize,
}

/// The state of the connection after a pump.
pub(crate) enum Progress {
    Open,
    /// All is sent, and the connection is to be closed in order.
    Over,
    Closed,
}

/// A request whose body is not complete.
#[derive(Debug)]
struct Waiting {
    stream: Stream,
    target: Vec<u8>,
    head_only: bool,
    /// The body of a gRPC call, so far.
    body: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Http2 {
    server: Server,
    /// Number of bytes of the output that were sent.
    sent: usize,
    /// In the order of their turns.
    pending: Vec<Pending>,
    timers: Timers,
    waiting: Vec<Waiting>,
    /// The connection is to be closed, once the output is sent.
    is_over: bool,
}

impl Default for Http2 {
    fn default() -> Self {
        Self {
            server: Server::new(OPTIONS),
            sent: 0,
            pending: Vec::new(),
            timers: Timers::default(),
            waiting: Vec::new(),
            is_over: false,
        }
    }
}

impl Http2 {
    /// When the next timed part of a reply is due.
    pub(crate) fn next_due_ns(&self) -> Option<u64> {
        self.timers.first_due_ns()
    }

    /// Does everything that is possible now.
    pub(crate) fn pump(
        &mut self,
        socket: BorrowedFd,
        input: &mut Input,
        state: &mut ThreadState,
    ) -> Result<Progress, Errno> {
        loop {
            self.take(input.unread(), state);
            input.clear();
            loop {
                if !self.flush(socket)? {
                    return Ok(Progress::Open);
                }
                if !self.deliver(state) {
                    break;
                }
            }
            if self.is_over {
                return Ok(Progress::Over);
            }
            if input.ended && (self.server.open_streams() == 0 || input.peer_closed) {
                return Ok(Progress::Closed);
            }
            if !input.has_more() {
                return Ok(Progress::Open);
            }
            input.receive(socket, true)?;
        }
    }

    /// Takes all of `bytes`, and answers the requests in them.
    fn take(&mut self, bytes: &[u8], state: &mut ThreadState) {
        let mut rest = bytes;
        while !self.is_over {
            let Ok((taken, event)) = self.server.next(rest) else {
                // The output ends with a GOAWAY.
                self.is_over = true;
                return;
            };
            rest = &rest[taken..];
            match event {
                ServerEvent::NeedMore => return,
                ServerEvent::Head { stream, end } => self.begin(stream, end, state),
                ServerEvent::End { stream } => self.end(stream, state),
                ServerEvent::Reset { stream } => self.forget(stream),
                ServerEvent::Body { stream, data } => self.keep(stream, data),
                ServerEvent::Opened { .. } | ServerEvent::GoAway => {}
            }
        }
    }

    /// Answers a request, or keeps its target until it is complete.
    fn begin(&mut self, stream: Stream, end: bool, state: &mut ThreadState) {
        let request = self.server.request();
        let head_only = request.method() == b"HEAD";
        if !end {
            let target = request.path().to_vec();
            return self.waiting.push(Waiting {
                stream,
                target,
                head_only,
                body: Vec::new(),
            });
        }
        if let Some(page) = state.shared.site.find(request.path()) {
            state.count_request();
            return self.answer_plain(stream, page, head_only);
        }
        let target = request.path().to_vec();
        self.answer(stream, &target, &[], head_only, state);
    }

    /// Keeps the body of a gRPC call. No other body is read.
    fn keep(&mut self, stream: Stream, data: &[u8]) {
        let found = self.waiting.iter_mut().find(|other| other.stream == stream);
        if let Some(waiting) = found
            && waiting.target.starts_with(grpc::PATH)
            && waiting.body.len() + data.len() <= grpc::MOST_BODY
        {
            waiting.body.extend_from_slice(data);
        }
    }

    /// Answers a request with a body, once that is complete.
    fn end(&mut self, stream: Stream, state: &mut ThreadState) {
        let found = self.waiting.iter().position(|other| other.stream == stream);
        if let Some(place) = found {
            let waiting = self.waiting.swap_remove(place);
            let Waiting { target, body, .. } = &waiting;
            self.answer(stream, target, body, waiting.head_only, state);
        }
    }

    fn forget(&mut self, stream: Stream) {
        self.waiting.retain(|waiting| waiting.stream != stream);
        self.pending.retain(|pending| pending.stream != stream);
    }

    fn answer(
        &mut self,
        stream: Stream,
        target: &[u8],
        body: &[u8],
        head_only: bool,
        state: &mut ThreadState,
    ) {
        state.count_request();
        let (site, generator) = (&state.shared.site, &mut state.generator);
        let answer = stream::answer(site, target, body, head_only, generator);
        self.plan(stream, answer, state);
    }

    /// Answers at once with a page, as far as the window allows.
    fn answer_plain(&mut self, stream: Stream, page: &PreparedPage, head_only: bool) {
        let body = if head_only { &[] } else { page.body() };
        self.server.respond(stream, &page.block, body.is_empty());
        if body.is_empty() {
            return;
        }
        let part = &body[..body.len().min(TURN)];
        let sent = self.server.send(stream, part, part.len() == body.len());
        if sent < body.len() {
            self.pending.push(Pending {
                stream,
                read_ns: 0,
                due_ns: 0,
                act: Act::Reply(StreamReply {
                    head: Vec::new(),
                    body: Body::Shared(page.whole().clone()),
                    end: body.len(),
                    is_cut: false,
                    trailers: None,
                    drip: None,
                }),
                has_begun: true,
                sent,
            });
        }
    }

    fn plan(&mut self, stream: Stream, answer: StreamAnswer, state: &ThreadState) {
        for _ in 0..answer.interims {
            self.server.respond(stream, &block::early_hints(), false);
        }
        if let Some(length) = answer.stall {
            state.stall_for(length);
        }
        let (mut read_ns, mut due_ns) = (0, 0);
        if !answer.delay.is_zero() {
            read_ns = state.now_ns();
            due_ns = read_ns + nanoseconds(answer.delay);
            self.timers.arm(due_ns, stream.id.into());
        }
        self.pending.push(Pending {
            stream,
            read_ns,
            due_ns,
            act: answer.act,
            has_begun: false,
            sent: 0,
        });
    }

    /// Adds the parts of replies that are due, in turn, to the output. Returns true if it added any.
    fn deliver(&mut self, state: &ThreadState) -> bool {
        if self.pending.is_empty() {
            return false;
        }
        let before = self.server.output().len();
        let mut pending = std::mem::take(&mut self.pending);
        let now_ns = if self.timers.is_empty() {
            0
        } else {
            state.now_ns()
        };
        while self.timers.pop_due(now_ns).is_some() {}
        let mut served = 0;
        pending.retain_mut(|reply| {
            if reply.due_ns > now_ns {
                return true;
            }
            // Due from now on, without a timer.
            reply.due_ns = 0;
            if self.is_over || self.server.output().len() > MOST_WAITING {
                return true;
            }
            let is_left = !self.perform(reply, state);
            served += usize::from(is_left);
            is_left
        });
        // Those that got nothing are first in the next turn.
        pending.rotate_left(served);
        self.pending = pending;
        self.server.output().len() > before
    }

    /// Adds the next part of a reply. Returns true after the last one.
    fn perform(&mut self, pending: &mut Pending, state: &ThreadState) -> bool {
        let read_ns = std::mem::take(&mut pending.read_ns);
        if read_ns > 0 && matches!(pending.act, Act::Reply(_)) {
            state.note_delay(read_ns);
        }
        let stream = pending.stream;
        match &pending.act {
            Act::Never => return false,
            Act::Reset => self.server.reset(stream, ErrorCode::INTERNAL_ERROR),
            Act::Close => self.is_over = true,
            Act::Garbage => {
                self.server.output().extend_from_slice(GARBAGE);
                self.is_over = true;
            }
            Act::Reply(reply) => {
                if !std::mem::replace(&mut pending.has_begun, true) {
                    let is_all = reply.end == 0 && !reply.is_cut && reply.trailers.is_none();
                    self.server.respond(stream, &reply.head, is_all);
                }
                let turn = reply.drip.map_or(TURN, |(bytes, _)| bytes);
                let rest = &reply.body.bytes()[pending.sent..reply.end];
                let part = &rest[..rest.len().min(turn)];
                let is_end = part.len() == rest.len() && !reply.is_cut && reply.trailers.is_none();
                pending.sent += self.server.send(stream, part, is_end);
                if pending.sent < reply.end {
                    if let Some((_, interval)) = reply.drip {
                        pending.due_ns = state.now_ns() + nanoseconds(interval);
                        self.timers.arm(pending.due_ns, stream.id.into());
                    }
                    return false;
                }
                if reply.is_cut {
                    self.server.reset(stream, ErrorCode::INTERNAL_ERROR);
                } else if let Some(trailers) = &reply.trailers {
                    self.server.respond(stream, trailers, true);
                }
            }
        }
        true
    }

    /// Sends until the output is empty or the socket is full. True: the output is empty.
    fn flush(&mut self, socket: BorrowedFd) -> Result<bool, Errno> {
        let output = self.server.output();
        while self.sent < output.len() {
            match send(socket, &output[self.sent..], SendFlags::NOSIGNAL) {
                Ok(sent) => self.sent += sent,
                Err(Errno::AGAIN) => return Ok(false),
                Err(Errno::INTR) => {}
                Err(other) => return Err(other),
            }
        }
        output.clear();
        self.sent = 0;
        Ok(true)
    }
}
