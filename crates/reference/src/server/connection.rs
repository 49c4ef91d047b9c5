//! One connection: bytes in → requests → steps, in order and at their times → bytes out.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use driver::ReadyEvent;
use rustix::io::Errno;
use rustix::net::{Shutdown, shutdown, sockopt};

use crate::duration::nanoseconds;
use crate::reply::answer;
use crate::reply::head::CONTINUE;
use crate::reply::page::PreparedPage;
use crate::reply::step::{Answer, Step};
use crate::reply::whole::Part;
use crate::request::body::Body;
use crate::request::form::{Persistence, ReplyForm};
use crate::request::head;
use crate::request::refusal::Refusal;
use crate::server::http2::{Http2, PREFACE, Progress};
use crate::server::input::Input;
use crate::server::outbox::Outbox;
use crate::server::schedule::{Planned, Schedule};
use crate::server::state::ThreadState;

/// Limits of queued bytes and planned steps, above which no more requests are read.
const MOST_WAITING: usize = 1 << 20;
const MOST_STEPS: usize = 1024;
/// The longest wait for the peer to read the last reply before the connection is dropped.
const LINGER: Duration = Duration::from_secs(2);

/// The state of the connection after a reply: open or closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Open,
    Closed,
}

/// Meaning of the next bytes from the peer.
#[derive(Debug)]
enum Stage {
    Head,
    /// The body of a request, which is answered once the body is complete.
    Body {
        body: Body,
        target: Vec<u8>,
        form: ReplyForm,
    },
    /// All of it belongs to `http2`.
    Http2,
    /// Ignored: the last request was read.
    Done,
    /// Discarded until the peer closes, so that no RST overtakes the last reply (RFC 9112 §9.6).
    Lingering,
}

pub(crate) struct Connection {
    socket: OwnedFd,
    input: Input,
    stage: Stage,
    /// The input holds no complete request head and no body bytes.
    needs_bytes: bool,
    planned: Schedule,
    outbox: Outbox,
    /// The connection from its preface on, if it is one of HTTP/2. Apart from the stage, which is moved for each request.
    http2: Option<Box<Http2>>,
    /// Time of the timer armed for this connection.
    pub(crate) armed_ns: u64,
}

impl Connection {
    pub(crate) fn new(socket: OwnedFd) -> Self {
        Self {
            socket,
            input: Input::default(),
            stage: Stage::Head,
            needs_bytes: true,
            planned: Schedule::default(),
            outbox: Outbox::default(),
            http2: None,
            armed_ns: 0,
        }
    }

    /// Records an event; [`pump`](Self::pump) acts on it.
    pub(crate) fn note(&mut self, event: &ReadyEvent) {
        self.input.note(event);
    }

    /// When the next timed step is due.
    pub(crate) fn next_due_ns(&self) -> Option<u64> {
        match &self.http2 {
            None => self.planned.next_due_ns(),
            Some(http2) => http2.next_due_ns(),
        }
    }

    /// Does everything that is possible now. An error means that the connection is lost.
    pub(crate) fn pump(&mut self, state: &mut ThreadState) -> Result<Fate, Errno> {
        loop {
            self.take_requests(state);
            if self.deliver(state)? == Fate::Closed {
                return Ok(Fate::Closed);
            }
            match self.stage {
                Stage::Lingering => return self.discard_input(),
                Stage::Done => return Ok(self.fate_when_done()),
                Stage::Http2 => return self.pump_http2(state),
                Stage::Head | Stage::Body { .. } if self.is_full() => return Ok(Fate::Open),
                Stage::Head | Stage::Body { .. } if !self.needs_bytes => continue,
                Stage::Head | Stage::Body { .. } => {}
            }
            if self.input.ended && self.planned.is_empty() && self.outbox.waiting() == 0 {
                return Ok(Fate::Closed);
            }
            if !self.input.has_more() {
                return Ok(Fate::Open);
            }
            self.receive()?;
        }
    }

    fn is_full(&self) -> bool {
        self.outbox.waiting() + self.planned.bytes() > MOST_WAITING
            || self.planned.len() > MOST_STEPS
    }

    /// Closes after a peer that gave up waiting for a reply that never comes.
    fn fate_when_done(&self) -> Fate {
        let waits_for_ever = matches!(
            self.planned.first(),
            Some(Planned {
                step: Step::Never,
                ..
            })
        );
        if waits_for_ever && self.input.peer_closed {
            Fate::Closed
        } else {
            Fate::Open
        }
    }

    /// Answers every complete request, until the connection is full.
    fn take_requests(&mut self, state: &mut ThreadState) {
        // Taken out so that the request can borrow it while its answer is planned.
        let mut input = std::mem::take(&mut self.input);
        while !input.unread().is_empty() && !self.is_full() {
            let used = match std::mem::replace(&mut self.stage, Stage::Head) {
                Stage::Head => self.take_head(input.unread(), state),
                Stage::Body { body, target, form } => {
                    self.take_body(input.unread(), body, target, form, state)
                }
                end @ (Stage::Http2 | Stage::Done | Stage::Lingering) => {
                    self.stage = end;
                    0
                }
            };
            if used == 0 {
                break;
            }
            input.advance(used);
        }
        self.needs_bytes = !self.is_full();
        self.input = input;
    }

    /// Takes the head at the start of `bytes`; returns its length.
    fn take_head(&mut self, bytes: &[u8], state: &mut ThreadState) -> usize {
        let request = match head::parse(bytes) {
            Ok(None) => return 0,
            Ok(Some(request)) => request,
            Err(_) if self.is_http2(bytes) => {
                self.http2 = Some(Box::default());
                self.stage = Stage::Http2;
                return 0;
            }
            Err(refusal) => {
                self.refuse(refusal, state);
                return 0;
            }
        };
        let Some(body) = request.body else {
            self.answer(request.target, request.form, state);
            return request.length;
        };
        if request.expects_continue && request.length == bytes.len() {
            if self.planned.is_empty() {
                self.outbox.copy(CONTINUE);
            } else {
                self.planned
                    .push(0, Step::Send(Part::Owned(CONTINUE.to_vec())));
            }
        }
        self.stage = Stage::Body {
            body,
            target: request.target.to_vec(),
            form: request.form,
        };
        request.length
    }

    /// Takes the bytes of the body from the start of `bytes`; returns how many.
    fn take_body(
        &mut self,
        bytes: &[u8],
        mut body: Body,
        target: Vec<u8>,
        form: ReplyForm,
        state: &mut ThreadState,
    ) -> usize {
        let used = match body.discard(bytes) {
            Ok(used) => used,
            Err(refusal) => {
                self.refuse(refusal, state);
                return 0;
            }
        };
        if body.is_complete() {
            self.answer(&target, form, state);
        } else {
            self.stage = Stage::Body { body, target, form };
        }
        used
    }

    /// True if a connection begins with these bytes, and they begin the preface of HTTP/2 (RFC 9113 §3.4).
    #[cold]
    fn is_http2(&self, bytes: &[u8]) -> bool {
        let start = &bytes[..bytes.len().min(PREFACE.len())];
        PREFACE.starts_with(start) && self.planned.is_empty() && self.outbox.waiting() == 0
    }

    #[cold]
    fn pump_http2(&mut self, state: &mut ThreadState) -> Result<Fate, Errno> {
        let Some(http2) = &mut self.http2 else {
            return Ok(Fate::Open);
        };
        match http2.pump(self.socket.as_fd(), &mut self.input, state)? {
            Progress::Open => Ok(Fate::Open),
            Progress::Over => Ok(self.close(state)),
            Progress::Closed => Ok(Fate::Closed),
        }
    }

    fn refuse(&mut self, refusal: Refusal, state: &mut ThreadState) {
        state.count_request();
        self.plan_all(answer::refuse(refusal), state);
    }

    fn answer(&mut self, target: &[u8], form: ReplyForm, state: &mut ThreadState) {
        state.count_request();
        match state.shared.site.find(target) {
            // The common case: a page without a query, and nothing queued before it.
            Some(page) if self.planned.is_empty() => self.answer_plain(page, form),
            _ => {
                let answer = answer::answer(&state.shared.site, target, form, &mut state.generator);
                self.plan_all(answer, state);
            }
        }
    }

    fn answer_plain(&mut self, page: &PreparedPage, form: ReplyForm) {
        let reply = page.reply(form.persistence);
        let end = if form.head_only {
            reply.head_len
        } else {
            reply.bytes.len()
        };
        self.outbox.share(reply, end);
        if form.persistence == Persistence::Closed {
            self.planned.push(0, Step::Close);
            self.stage = Stage::Done;
        }
    }

    fn plan_all(&mut self, answer: Answer, state: &ThreadState) {
        let is_timed = answer.steps.iter().any(|(after, _)| !after.is_zero());
        let now_ns = if is_timed { state.now_ns() } else { 0 };
        for (after, step) in answer.steps {
            if after.is_zero() {
                self.planned.push(0, step);
            } else {
                let due_ns = now_ns + nanoseconds(after);
                self.planned.push_delayed(now_ns, due_ns, step);
            }
        }
        if answer.is_last {
            self.stage = Stage::Done;
        }
    }

    /// Performs the steps that are due, in order, and sends.
    fn deliver(&mut self, state: &ThreadState) -> Result<Fate, Errno> {
        while let Some(Planned { due_ns, step, .. }) = self.planned.first() {
            if *due_ns > 0 && *due_ns > state.now_ns() {
                break;
            }
            let after_all_is_sent = matches!(step, Step::Close | Step::Reset);
            if matches!(step, Step::Never)
                || (after_all_is_sent && !self.outbox.flush(self.socket.as_fd())?)
            {
                break;
            }
            let Some(Planned {
                read_ns,
                due_ns,
                step,
            }) = self.planned.pop()
            else {
                break;
            };
            if read_ns > 0 && matches!(step, Step::Send(_)) {
                state.note_delay(read_ns);
            }
            if self.perform(due_ns, step, state) == Fate::Closed {
                return Ok(Fate::Closed);
            }
        }
        self.outbox.flush(self.socket.as_fd())?;
        Ok(Fate::Open)
    }

    fn perform(&mut self, due_ns: u64, step: Step, state: &ThreadState) -> Fate {
        match step {
            Step::Send(part) => self.outbox.push(part),
            Step::Drip {
                bytes,
                sent,
                step,
                interval,
            } => {
                let end = bytes.len().min(sent.saturating_add(step));
                self.outbox.copy(&bytes[sent..end]);
                if end < bytes.len() {
                    let now_ns = if due_ns == 0 { state.now_ns() } else { due_ns };
                    let step = Step::Drip {
                        bytes,
                        sent: end,
                        step,
                        interval,
                    };
                    let due_ns = now_ns + nanoseconds(interval);
                    self.planned.put_back(due_ns, step);
                }
            }
            Step::Close => return self.close(state),
            Step::Reset => {
                // If this fails, the connection is closed without a reset.
                let _ = sockopt::set_socket_linger(&self.socket, Some(Duration::ZERO));
                return Fate::Closed;
            }
            Step::Stall(length) => state.stall_for(length),
            Step::Abandon => return Fate::Closed,
            Step::Never => {}
        }
        Fate::Open
    }

    /// Closes at once if nothing is left unread. Otherwise lingers, as unread bytes would turn the FIN into an RST.
    fn close(&mut self, state: &ThreadState) -> Fate {
        if self.input.is_exhausted()
            || self.input.ended
            || shutdown(&self.socket, Shutdown::Write).is_err()
        {
            return Fate::Closed;
        }
        self.stage = Stage::Lingering;
        self.http2 = None;
        self.planned.clear();
        self.planned
            .push(state.now_ns() + nanoseconds(LINGER), Step::Abandon);
        Fate::Open
    }

    fn discard_input(&mut self) -> Result<Fate, Errno> {
        self.input.clear();
        while self.input.has_more() {
            self.receive()?;
            self.input.clear();
        }
        Ok(if self.input.ended {
            Fate::Closed
        } else {
            Fate::Open
        })
    }

    fn receive(&mut self) -> Result<(), Errno> {
        let is_head = matches!(self.stage, Stage::Head);
        self.input.receive(self.socket.as_fd(), is_head)
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
