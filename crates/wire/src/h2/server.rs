//! The server of a connection (RFC 9113 §3.4, §8): the events of requests in, replies out.
//!
//! ```text
//! head ──► body ──► end ──► the reply      events of a stream, in this order
//!   └────────┴───────┴─► reset             the client ended the stream
//! ```
//! - A request that is not valid is reset, and reported to nobody. So is one above our limit of streams.
//! - A reply that ends before its request ends the stream (§8.1).
//! - Streams that clients open and reset at once cost work and bring nothing: more than 1,000 that were not answered end the
//!   connection.

use crate::h2::endpoint::{Endpoint, Signal};
use crate::h2::fault::{ErrorCode, Fault, Malformed};
use crate::h2::frame::{self, PREFACE};
use crate::h2::options::Options;
use crate::h2::request::RequestHead;
use crate::h2::settings::Settings;
use crate::h2::streams::{Lane, Stream};

/// Most streams that the client resets, beyond those that are answered.
const MOST_RESETS: u32 = 1_000;

/// The content of received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerEvent<'a> {
    /// All input was consumed, and more is needed.
    NeedMore,
    /// The head of a request, which is in [`Server::request`] until the next call. `end`: it has no body, and may be answered.
    Head { stream: Stream, end: bool },
    /// A part of its body; never empty.
    Body { stream: Stream, data: &'a [u8] },
    /// The request is complete.
    End { stream: Stream },
    /// The stream has ended without its reply.
    Reset { stream: Stream },
    /// More of a body may be sent: on this stream, or on all.
    Opened { stream: Option<Stream> },
    /// The client ends the connection.
    GoAway,
}

/// The server of one connection.
#[derive(Debug)]
pub struct Server {
    endpoint: Endpoint,
    request: RequestHead,
    /// Bytes of the preface that have come.
    preface: usize,
    /// The stream whose request is complete; its end has not been reported.
    ended: Option<Stream>,
    resets: u32,
}

impl Server {
    /// A server for a new connection; its settings are in the output.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let mut endpoint = Endpoint::new(options);
        endpoint.introduce(false);
        let mut request = RequestHead::default();
        request.regular.keeps = options.keeps_fields;
        Self {
            endpoint,
            request,
            preface: 0,
            ended: None,
            resets: 0,
        }
    }

    /// The bytes to be sent. The caller empties it.
    #[inline]
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.endpoint.out
    }

    /// The head of the request that was reported last.
    pub fn request(&self) -> &RequestHead {
        &self.request
    }

    /// The client's settings.
    pub fn settings(&self) -> Settings {
        self.endpoint.peer
    }

    /// Number of open streams.
    pub fn open_streams(&self) -> u32 {
        self.endpoint.streams.open()
    }

    /// Reads up to the next event. Returns the number of bytes consumed. After a fault the connection cannot be used, and the
    /// output ends with the GOAWAY for it.
    #[inline]
    pub fn next<'a>(&mut self, input: &'a [u8]) -> Result<(usize, ServerEvent<'a>), Fault> {
        let next = self.step(input);
        if let Err(fault) = next {
            self.endpoint.give_up(fault);
        }
        next
    }

    /// Appends the head or the trailers of a reply, encoded by the static table alone. `end`: they end the reply.
    pub fn respond(&mut self, stream: Stream, block: &[u8], end: bool) {
        let Some(lane) = self.endpoint.streams.get(stream) else {
            return;
        };
        if lane.is_sending {
            lane.is_sending = !end;
            self.endpoint.headers(stream.id, block, end);
            self.end_if_sent(stream);
        }
    }

    /// Bytes of a body that the windows allow to send on a stream.
    pub fn body_room(&mut self, stream: Stream) -> usize {
        self.endpoint.room(stream)
    }

    /// Appends as much of a reply's body as the windows allow. Returns its length. `end`: it is the rest of the body, which ends
    /// the reply once all of it is taken.
    pub fn send(&mut self, stream: Stream, body: &[u8], end: bool) -> usize {
        let taken = self.endpoint.send(stream, body, end);
        self.end_if_sent(stream);
        taken
    }

    /// Ends a stream without its reply.
    pub fn reset(&mut self, stream: Stream, code: ErrorCode) {
        self.ended.take_if(|ended| *ended == stream);
        self.endpoint.cancel(stream, code);
    }

    /// Appends a GOAWAY: the client is to open no more streams, and those that are open go on.
    pub fn go_away(&mut self, code: ErrorCode) {
        frame::go_away(&mut self.endpoint.out, self.endpoint.last, code, "");
    }

    #[inline]
    fn step<'a>(&mut self, input: &'a [u8]) -> Result<(usize, ServerEvent<'a>), Fault> {
        if let Some(stream) = self.ended.take() {
            return Ok((0, self.end(stream)));
        }
        let mut at = self.take_preface(input)?;
        loop {
            let (taken, signal) = self.endpoint.next(&input[at..], &mut self.request)?;
            at += taken;
            if let Some(event) = self.event(signal)? {
                return Ok((at, event));
            }
        }
    }

    fn take_preface(&mut self, input: &[u8]) -> Result<usize, Fault> {
        let left = &PREFACE[self.preface..];
        let taken = left.len().min(input.len());
        if input[..taken] != left[..taken] {
            return Err(Fault::NotHttp2);
        }
        self.preface += taken;
        Ok(taken)
    }

    /// Turns a signal into an event, if it is one.
    #[inline]
    fn event<'a>(&mut self, signal: Signal<'a>) -> Result<Option<ServerEvent<'a>>, Fault> {
        Ok(Some(match signal {
            Signal::NeedMore => ServerEvent::NeedMore,
            Signal::Headers { id, end } => return self.headers(id, end),
            Signal::Data { stream, data, end } => {
                if data.is_empty() {
                    self.end(stream)
                } else {
                    self.ended = end.then_some(stream);
                    ServerEvent::Body { stream, data }
                }
            }
            Signal::Reset { stream, .. } => {
                self.resets += 1;
                if self.resets > MOST_RESETS {
                    return Err(Fault::Flood("streams that were opened and reset"));
                }
                ServerEvent::Reset { stream }
            }
            Signal::Malformed { stream, .. } => ServerEvent::Reset { stream },
            Signal::Opened(stream) => ServerEvent::Opened { stream },
            // A larger initial window opens the windows of all streams.
            Signal::Settings => ServerEvent::Opened { stream: None },
            Signal::GoAway { .. } => ServerEvent::GoAway,
        }))
    }

    #[inline]
    fn headers(&mut self, id: u32, end: bool) -> Result<Option<ServerEvent<'static>>, Fault> {
        if id <= self.endpoint.last {
            let Some(stream) = self.endpoint.streams.find(id) else {
                return self.endpoint.ended(id).map(|()| None);
            };
            return self.trailers(stream, end).map(Some);
        }
        if id.is_multiple_of(2) {
            return Err(Fault::Protocol(
                "a client opened a stream with an even number",
            ));
        }
        self.endpoint.last = id;
        if self.endpoint.streams.is_full() {
            self.endpoint.refuse(id, ErrorCode::REFUSED_STREAM);
            return self.endpoint.idle("streams above the limit").map(|()| None);
        }
        let length = self.request.length();
        let checked = self.request.check();
        if checked.is_err() || end && length.is_some_and(|length| length > 0) {
            self.endpoint.refuse(id, ErrorCode::PROTOCOL_ERROR);
            return self.endpoint.idle("invalid requests").map(|()| None);
        }
        let lane = Lane {
            id,
            is_sending: true,
            is_receiving: true,
            has_head: true,
            left: length,
            ..Lane::default()
        };
        let Some(stream) = self.endpoint.streams.insert(lane) else {
            return Ok(None);
        };
        self.endpoint.progress();
        self.ended = end.then_some(stream);
        Ok(Some(ServerEvent::Head { stream, end }))
    }

    fn trailers(&mut self, stream: Stream, end: bool) -> Result<ServerEvent<'static>, Fault> {
        let lane = self.endpoint.streams.get(stream);
        if !lane.is_some_and(|lane| lane.is_receiving) {
            return Err(Fault::StreamClosed);
        }
        let checked = if end {
            self.request.check_trailers()
        } else {
            Err(Malformed::Order)
        };
        Ok(match checked {
            Ok(()) => self.end(stream),
            Err(error) => {
                self.endpoint.cancel(stream, error.code());
                ServerEvent::Reset { stream }
            }
        })
    }

    /// The client has ended its side of a stream.
    #[inline]
    fn end(&mut self, stream: Stream) -> ServerEvent<'static> {
        match self.endpoint.streams.get(stream) {
            Some(lane) if lane.is_short() => {
                self.endpoint.cancel(stream, Malformed::BodyLength.code());
                return ServerEvent::Reset { stream };
            }
            Some(lane) if lane.is_sending => lane.is_receiving = false,
            _ => self.endpoint.streams.remove(stream),
        }
        ServerEvent::End { stream }
    }

    /// Ends a stream whose reply has been sent.
    #[inline]
    fn end_if_sent(&mut self, stream: Stream) {
        let lane = self.endpoint.streams.get(stream);
        let Some(lane) = lane.filter(|lane| !lane.is_sending) else {
            return;
        };
        self.resets = self.resets.saturating_sub(1);
        if lane.is_receiving && self.ended != Some(stream) {
            self.endpoint.cancel(stream, ErrorCode::NO_ERROR);
        } else {
            self.endpoint.streams.remove(stream);
        }
    }
}
