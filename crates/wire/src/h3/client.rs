//! The client of a connection (RFC 9114 §4, §5): requests out, the events of their replies in.
//!
//! ```text
//! open ──► head ──► body ──► end          events of a stream, in this order
//!   ├─► reset         the server abandoned the stream: H3_REQUEST_REJECTED, …
//!   ├─► malformed     the reply is not valid; we ended the stream
//!   └─► unprocessed   a GOAWAY says that the server never began with it
//! ```
//! - Streams are numbered as in HTTP/2: 1, 3, 5, … for the ids 0, 4, 8, … of QUIC.
//! - Requests may be sent before the server's SETTINGS: none of them changes a request without a table (§7.2.4.2).
//! - A stream on which QUIC takes no more is blocked: its body goes on when that has taken what it was given.

mod replies;

use crate::fields::Fields;
use crate::h2::last_block::LastBlock;
use crate::h2::reply::ReplyFields;
use crate::h2::request::{Coding, HeadWriter};
use crate::h2::streams::{Lane, Streams};
use crate::h2::{ErrorCode, Event, Options, Prepared, Stream};
use crate::h3::fault::Fault;
use crate::h3::frame_reader::{DATA, FrameReader, HEADERS, SETTINGS};
use crate::h3::incoming::Incoming;
use crate::h3::record::{self, Record};
use crate::h3::varint;
use crate::limits::MAX_HEAD;
use crate::qpack::{Decoder, PREFIX};

/// Most requests on a connection, so that their numbers have 32 bits.
const MOST_REQUESTS: u64 = 1 << 31;
/// The client's control stream: the first that it opens in one direction.
const CONTROL: u64 = 2;
/// `SETTINGS_MAX_FIELD_SECTION_SIZE`.
const MAX_FIELD_SECTION_SIZE: u64 = 6;
/// The client of one connection.
#[derive(Debug)]
pub struct Client {
    options: Options,
    streams: Streams,
    /// The reader of each lane, and whether its stream is blocked.
    readers: Vec<(FrameReader, bool)>,
    incoming: Incoming,
    out: Vec<u8>,
    reply: ReplyFields,
    decoder: Decoder,
    last_block: LastBlock,
    block_bytes: usize,
    block: Vec<u8>,
    /// Requests so far, those for which there may be streams, and those at once that the server allowed at first.
    opened: u64,
    allowed: u64,
    limit: Option<u64>,
    /// The record that is being read: its source, and the bytes of it that follow.
    source: Source,
    left: usize,
    /// Bytes of blocks that have begun.
    begun: usize,
    ended_by_fields: bool,
    /// The first stream that the server does not process, after a GOAWAY.
    unprocessed: Option<u64>,
    sweeps: bool,
    is_closed: bool,
}

/// The source of the bytes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Request(Stream),
    Server(u64),
    /// A stream that has ended for us.
    Gone,
}

impl Client {
    /// A client; [`connect`](Self::connect) begins a connection. Of the options, only the number of streams and whether fields
    /// are kept have a meaning here.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let mut reply = ReplyFields::default();
        reply.regular.keeps = options.keeps_fields;
        Self {
            streams: Streams::new(options.streams),
            options,
            readers: Vec::new(),
            incoming: Incoming::default(),
            out: Vec::new(),
            reply,
            decoder: Decoder::default(),
            last_block: LastBlock::default(),
            block_bytes: 0,
            block: Vec::new(),
            opened: 0,
            allowed: 0,
            limit: None,
            source: Source::Gone,
            left: 0,
            begun: 0,
            ended_by_fields: false,
            unprocessed: None,
            sweeps: false,
            is_closed: false,
        }
    }

    /// Begins a new connection: forgets the last one, and opens the control stream.
    pub fn connect(&mut self) {
        self.streams.reset();
        self.incoming.reset();
        self.out.clear();
        (self.opened, self.allowed, self.limit) = (0, 0, None);
        (self.source, self.left, self.begun) = (Source::Gone, 0, 0);
        (self.unprocessed, self.sweeps, self.is_closed) = (None, false, false);
        let mut setting = Vec::new();
        varint::encode(&mut setting, MAX_FIELD_SECTION_SIZE);
        varint::encode(&mut setting, MAX_HEAD as u64);
        // The type of the stream, then the frame.
        let mut bytes = vec![0];
        varint::encode(&mut bytes, SETTINGS);
        varint::encode(&mut bytes, setting.len() as u64);
        bytes.append(&mut setting);
        let control = Record::Data {
            stream: CONTROL,
            bytes: &bytes,
        };
        control.write(&mut self.out);
    }

    /// The records to be sent. The caller empties it.
    #[inline]
    pub fn output(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Streams that the server allows at once, if that is less than the options say.
    pub fn stream_limit(&self) -> Option<u32> {
        let limit = self.limit?.min(u64::from(u32::MAX)) as u32;
        (limit < self.options.streams).then_some(limit)
    }

    /// Number of streams that may be opened now.
    #[inline]
    pub fn room(&self) -> u32 {
        if self.is_spent() {
            return 0;
        }
        let allowed = self.allowed.saturating_sub(self.opened);
        let most = self.options.streams.saturating_sub(self.streams.open());
        allowed.min(u64::from(most)) as u32
    }

    /// Number of open streams.
    pub fn open_streams(&self) -> u32 {
        self.streams.open()
    }

    /// True if the connection takes no more streams: after a GOAWAY, or because all numbers are used.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.is_closed || self.unprocessed.is_some() || self.opened >= MOST_REQUESTS
    }

    /// Appends the head of a request to the output. `None`: there is no [`room`](Self::room).
    #[inline]
    pub fn open(&mut self, request: &Prepared) -> Option<Stream> {
        let (head_only, has_body) = (request.head_only, request.has_body);
        self.open_written(head_only, has_body, |head| head.fixed(&request.fields))
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
        if self.room() == 0 {
            return None;
        }
        let stream = self.streams.insert(Lane {
            id: (self.opened * 2 + 1) as u32,
            is_sending: has_body,
            is_receiving: true,
            head_only,
            ..Lane::default()
        })?;
        self.opened += 1;
        let lane = stream.lane as usize;
        if lane >= self.readers.len() {
            self.readers.resize_with(lane + 1, Default::default);
        }
        let (reader, is_blocked) = &mut self.readers[lane];
        reader.reset();
        *is_blocked = false;
        self.block.clear();
        self.block.extend_from_slice(&PREFIX);
        write(&mut HeadWriter {
            coding: Coding::Qpack,
            block: &mut self.block,
        });
        frame(&mut self.out, quic_id(stream), HEADERS, &self.block);
        if !has_body {
            self.end(stream);
        }
        Some(stream)
    }

    /// Appends a request's body, or a part of it, to the output. Returns its length, or 0 if the stream is blocked. `end`: it is
    /// the rest of the body.
    pub fn send(&mut self, stream: Stream, body: &[u8], end: bool) -> usize {
        let is_blocked = self.readers[stream.lane as usize].1;
        match self.streams.get(stream) {
            Some(lane) if lane.is_sending && is_blocked => return 0,
            Some(lane) if lane.is_sending => lane.is_sending = !end,
            // The server wants no more of it.
            _ => return body.len(),
        }
        frame(&mut self.out, quic_id(stream), DATA, body);
        if end {
            self.end(stream);
        }
        body.len()
    }

    /// Ends a stream, because its reply is not wanted any more. What still comes of it is ignored.
    pub fn cancel(&mut self, stream: Stream) {
        self.abandon(stream, ErrorCode::H3_REQUEST_CANCELLED);
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
        self.block_bytes
    }

    /// Reads up to the next event. Returns the number of bytes consumed; the input is whole records. After a fault the connection
    /// cannot be used, and the output ends with the close for it.
    #[inline]
    pub fn next<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Event<'a>), Fault> {
        let next = self.step(input);
        if let Err(fault) = next {
            let code = u64::from(fault.code().0);
            Record::Closed { code }.write(&mut self.out);
        }
        next
    }

    /// Abandons a stream in both directions.
    fn abandon(&mut self, stream: Stream, code: ErrorCode) {
        if self.streams.get(stream).is_none() {
            return;
        }
        self.remove(stream);
        let reset = Record::Reset {
            stream: quic_id(stream),
            code: u64::from(code.0),
        };
        reset.write(&mut self.out);
    }

    /// Forgets a stream, and what has begun on it.
    fn remove(&mut self, stream: Stream) {
        if self.source == Source::Request(stream) {
            self.source = Source::Gone;
        }
        self.begun -= begun(&self.readers[stream.lane as usize].0);
        self.readers[stream.lane as usize].0.reset();
        self.streams.remove(stream);
    }

    fn end(&mut self, stream: Stream) {
        let stream = quic_id(stream);
        Record::End { stream }.write(&mut self.out);
    }
}

/// The id of QUIC of a stream.
fn quic_id(stream: Stream) -> u64 {
    u64::from(stream.id - 1) * 2
}

/// Bytes of a block that has begun on a stream.
fn begun(reader: &FrameReader) -> usize {
    if reader.in_frame() {
        reader.collected.len()
    } else {
        0
    }
}

/// Appends a frame on a stream.
fn frame(out: &mut Vec<u8>, stream: u64, kind: u64, payload: &[u8]) {
    let length = payload.len() as u64;
    let head = varint::length(kind) + varint::length(length);
    record::begin_data(out, stream, head + payload.len());
    varint::encode(out, kind);
    varint::encode(out, length);
    out.extend_from_slice(payload);
}
