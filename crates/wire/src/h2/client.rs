//! The client of a connection (RFC 9113 §3.4, §8): requests out, the events of their replies in.
//!
//! ```text
//! open ──► head ──► body ──► end          events of a stream, in this order
//!   │       └─ 1xx: skipped, at most 32
//!   ├─► reset         the server ended the stream early: REFUSED_STREAM, …
//!   ├─► malformed     the reply is not valid; we ended the stream
//!   └─► unprocessed   a GOAWAY says that the server never began with it
//! ```
//! - A reply is over when the server has ended its side. If we are still sending then, we stop (§8.1).
//! - One stream is opened at most before the server's SETTINGS, because its limit is not known.
//! - After a GOAWAY no stream is opened. Those up to its last id go on (§6.8).

use crate::fields::Fields;
use crate::h2::endpoint::{Endpoint, Signal};
use crate::h2::fault::{ErrorCode, Fault, Malformed};
use crate::h2::frame::PREFACE;
use crate::h2::options::Options;
use crate::h2::reply::{ReplyFields, ReplyHead};
use crate::h2::request::{Coding, HeadWriter, Prepared};
use crate::h2::settings::Settings;
use crate::h2::streams::{Lane, Stream};
use crate::hpack::Encoder;

/// The highest id of a stream (§5.1.1).
const MOST_ID: u64 = (1 << 31) - 1;

/// The content of received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// All input was consumed, and more is needed.
    NeedMore,
    /// The server's settings are known, or have changed.
    Settings,
    /// The head of a reply.
    Head { stream: Stream, head: ReplyHead },
    /// A part of its body; never empty.
    Body { stream: Stream, data: &'a [u8] },
    /// The reply is complete. The stream has ended.
    End { stream: Stream },
    /// The server has ended the stream before its reply was complete.
    Reset { stream: Stream, code: ErrorCode },
    /// The reply is not valid. The stream has ended.
    Malformed { stream: Stream, error: Malformed },
    /// The server ends the connection. Each stream that it does not process follows as an event.
    GoAway { code: ErrorCode },
    /// The server has not processed the request and never will. The stream has ended.
    Unprocessed { stream: Stream },
    /// More of a body may be sent: on this stream, or on all.
    Opened { stream: Option<Stream> },
}

/// The client of one connection.
#[derive(Debug)]
pub struct Client {
    endpoint: Endpoint,
    reply: ReplyFields,
    /// The encoder with a table; `None`: the static table alone.
    encoder: Option<Encoder>,
    block: Vec<u8>,
    next_id: u64,
    /// The stream whose reply is complete; its end has not been reported.
    ended: Option<Stream>,
    /// Header fields ended the last stream: its trailers, or the head of a reply without a body. Otherwise data did.
    ended_by_fields: bool,
    /// The last id that the server processes, after a GOAWAY.
    last_processed: Option<u32>,
    /// Streams above that may be left.
    sweeps: bool,
}

impl Client {
    /// A client; [`connect`](Self::connect) begins a connection. `encoder_table`: bytes of the table for header fields that
    /// its requests use; 0: none, so that equal requests have equal bytes.
    #[must_use]
    pub fn new(options: Options, encoder_table: u32) -> Self {
        let mut reply = ReplyFields::default();
        reply.regular.keeps = options.keeps_fields;
        Self {
            endpoint: Endpoint::new(options),
            reply,
            encoder: (encoder_table > 0).then(|| Encoder::new(encoder_table)),
            block: Vec::new(),
            next_id: 1,
            ended: None,
            ended_by_fields: false,
            last_processed: None,
            sweeps: false,
        }
    }

    /// Begins a new connection: forgets the last one, and appends the preface to the output.
    pub fn connect(&mut self) {
        self.endpoint.reset();
        if let Some(encoder) = &mut self.encoder {
            encoder.reset();
        }
        self.next_id = 1;
        (self.ended, self.last_processed, self.sweeps) = (None, None, false);
        self.endpoint.out.extend_from_slice(PREFACE);
        self.endpoint.introduce(true);
    }

    /// The bytes to be sent. The caller empties it.
    #[inline]
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.endpoint.out
    }

    /// The server's settings.
    pub fn settings(&self) -> Settings {
        self.endpoint.peer
    }

    /// True if the server's settings are known: the connection is ready for more than one stream.
    pub fn is_ready(&self) -> bool {
        self.endpoint.is_settled
    }

    /// Number of streams that may be opened now.
    #[inline]
    pub fn room(&self) -> u32 {
        if self.is_spent() {
            return 0;
        }
        let allowed = if self.endpoint.is_settled {
            self.endpoint.peer.max_streams
        } else {
            1
        };
        let most = allowed.min(self.endpoint.options.streams);
        most.saturating_sub(self.endpoint.streams.open())
    }

    /// Number of open streams.
    pub fn open_streams(&self) -> u32 {
        self.endpoint.streams.open()
    }

    /// True if the connection takes no more streams: after a GOAWAY, or because all ids are used.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.last_processed.is_some() || self.next_id > MOST_ID
    }

    /// Appends the head of a request to the output. `None`: there is no [`room`](Self::room).
    #[inline]
    pub fn open(&mut self, request: &Prepared) -> Option<Stream> {
        let (head_only, has_body) = (request.head_only, request.has_body);
        if self.encoder.is_some() {
            return self.open_written(head_only, has_body, |head| head.fixed(&request.fields));
        }
        let stream = self.begin(head_only, has_body)?;
        self.endpoint
            .headers(stream.id, &request.fields.block, !has_body);
        Some(stream)
    }

    /// Appends the head that `write` writes to the output. `head_only`: its reply has no body. `None`: there is no
    /// [`room`](Self::room).
    #[inline]
    pub fn open_written(
        &mut self,
        head_only: bool,
        has_body: bool,
        write: impl FnOnce(&mut HeadWriter),
    ) -> Option<Stream> {
        let stream = self.begin(head_only, has_body)?;
        self.block.clear();
        if let Some(encoder) = &mut self.encoder {
            encoder.begin(&mut self.block);
        }
        write(&mut HeadWriter {
            coding: self.encoder.as_mut().map_or(Coding::Static, Coding::Table),
            block: &mut self.block,
        });
        if self.encoder.is_some() {
            self.endpoint
                .encoded_headers(stream.id, &self.block, !has_body);
        } else {
            self.endpoint.headers(stream.id, &self.block, !has_body);
        }
        Some(stream)
    }

    /// Takes the next stream, if there is room for it.
    #[inline]
    fn begin(&mut self, head_only: bool, has_body: bool) -> Option<Stream> {
        if self.room() == 0 {
            return None;
        }
        let id = self.next_id as u32;
        let stream = self.endpoint.streams.insert(Lane {
            id,
            is_sending: has_body,
            is_receiving: true,
            head_only,
            ..Lane::default()
        })?;
        self.next_id += 2;
        self.endpoint.last = id;
        Some(stream)
    }

    /// Bytes of a body that the windows allow to send on a stream.
    pub fn body_room(&mut self, stream: Stream) -> usize {
        self.endpoint.room(stream)
    }

    /// Appends as much of a request's body to the output as the windows allow. Returns its length. `end`: it is the rest of the
    /// body, which ends the request once all of it is taken.
    pub fn send(&mut self, stream: Stream, body: &[u8], end: bool) -> usize {
        self.endpoint.send(stream, body, end)
    }

    /// Ends a stream, because its reply is not wanted any more. What still comes of it is ignored.
    pub fn cancel(&mut self, stream: Stream) {
        self.ended.take_if(|ended| *ended == stream);
        self.endpoint.cancel(stream, ErrorCode::CANCEL);
    }

    /// The fields of the head or of the trailers that came last, if they are kept.
    pub fn fields(&self) -> Fields<'_> {
        self.reply.regular.fields()
    }

    /// The fields that ended the stream of the last [`Event::End`], if they are kept: its trailers, or the head of a reply without
    /// a body. `None`: data ended it.
    pub fn last_fields(&self) -> Option<Fields<'_>> {
        self.ended_by_fields.then(|| self.fields())
    }

    /// Bytes of the encoded block of those fields.
    pub fn block_bytes(&self) -> usize {
        self.endpoint.block_bytes
    }

    /// Times that the server had used up a window, and had to wait, since this was called last.
    #[inline]
    pub fn take_used_up(&mut self) -> u64 {
        std::mem::take(&mut self.endpoint.used_up)
    }

    /// True if the server has left a stream open, or a frame unfinished.
    pub fn in_reply(&self) -> bool {
        self.endpoint.streams.open() > 0 || self.endpoint.in_frame()
    }

    /// Reads up to the next event. Returns the number of bytes consumed. After a fault the connection cannot be used, and the
    /// output ends with the GOAWAY for it.
    #[inline]
    pub fn next<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Event<'a>), Fault> {
        let next = self.step(input);
        if let Err(fault) = next {
            self.endpoint.give_up(fault);
        }
        next
    }

    #[inline]
    fn step<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Event<'a>), Fault> {
        if let Some(stream) = self.ended.take() {
            return Ok((0, self.finish(stream)));
        }
        if self.sweeps
            && let Some(stream) = self.unprocessed()
        {
            return Ok((0, Event::Unprocessed { stream }));
        }
        let mut at = 0;
        loop {
            let (taken, signal) = self.endpoint.next(&input[at..], &mut self.reply)?;
            at += taken;
            if let Some(event) = self.event(signal)? {
                return Ok((at, event));
            }
        }
    }

    /// Turns a signal into an event, if it is one.
    #[inline]
    fn event<'a>(&mut self, signal: Signal<'a>) -> Result<Option<Event<'a>>, Fault> {
        Ok(Some(match signal {
            Signal::NeedMore => Event::NeedMore,
            Signal::Headers { id, end } => return self.headers(id, end),
            Signal::Data { stream, data, end } => {
                self.ended_by_fields = false;
                if data.is_empty() {
                    self.finish(stream)
                } else {
                    self.ended = end.then_some(stream);
                    Event::Body { stream, data }
                }
            }
            Signal::Reset { stream, code } => {
                self.endpoint.progress();
                Event::Reset { stream, code }
            }
            Signal::Malformed { stream, error } => Event::Malformed { stream, error },
            Signal::Settings => {
                if let Some(encoder) = &mut self.encoder {
                    encoder.allow(self.endpoint.peer.header_table);
                }
                Event::Settings
            }
            Signal::GoAway { last, code } => {
                // A later GOAWAY may only lower the id (§6.8).
                let before = self.last_processed.unwrap_or(last);
                self.last_processed = Some(last.min(before));
                self.sweeps = true;
                self.endpoint.idle("GOAWAY")?;
                Event::GoAway { code }
            }
            Signal::Opened(stream) => Event::Opened { stream },
        }))
    }

    /// Handles the fields of a head or of trailers.
    #[inline]
    fn headers(&mut self, id: u32, end: bool) -> Result<Option<Event<'static>>, Fault> {
        let Some(stream) = self.endpoint.streams.find(id) else {
            return self.endpoint.ended(id).map(|()| None);
        };
        self.endpoint.progress();
        self.ended_by_fields = true;
        match self.reply_head(stream, end) {
            Err(error) => {
                self.endpoint.cancel(stream, error.code());
                Ok(Some(Event::Malformed { stream, error }))
            }
            Ok(Some(head)) => {
                self.ended = end.then_some(stream);
                Ok(Some(Event::Head { stream, head }))
            }
            Ok(None) if end => Ok(Some(self.finish(stream))),
            Ok(None) => Ok(None),
        }
    }

    /// The head of a reply; `None`: it is interim, or the fields are trailers.
    #[inline]
    fn reply_head(&mut self, stream: Stream, end: bool) -> Result<Option<ReplyHead>, Malformed> {
        let Some(lane) = self.endpoint.streams.get(stream) else {
            return Ok(None);
        };
        if lane.has_head {
            self.reply.check_trailers()?;
            return if end { Ok(None) } else { Err(Malformed::Order) };
        }
        match self.reply.reply_head(lane)? {
            None if end => Err(Malformed::Order),
            head => Ok(head),
        }
    }

    /// The server has ended its side of a stream.
    #[inline]
    fn finish(&mut self, stream: Stream) -> Event<'static> {
        match self.endpoint.streams.get(stream) {
            Some(lane) if lane.is_short() => {
                let error = Malformed::BodyLength;
                self.endpoint.cancel(stream, error.code());
                return Event::Malformed { stream, error };
            }
            Some(lane) if lane.is_sending => self.endpoint.cancel(stream, ErrorCode::CANCEL),
            _ => self.endpoint.streams.remove(stream),
        }
        Event::End { stream }
    }

    /// Takes the next stream that the server does not process.
    fn unprocessed(&mut self) -> Option<Stream> {
        let last = self.last_processed?;
        let found = self
            .endpoint
            .streams
            .all()
            .find(|(stream, _)| stream.id > last);
        self.sweeps = found.is_some();
        let stream = found?.0;
        self.endpoint.streams.remove(stream);
        Some(stream)
    }
}
