//! The replies on the streams of a connection, and what the server says about the connection itself.

use crate::h2::message::Message;
use crate::h2::{ErrorCode, Event, Malformed, Stream};
use crate::h3::client::{Client, Source, begun, quic_id};
use crate::h3::fault::Fault;
use crate::h3::frame_reader::{HEADERS, Piece};
use crate::h3::record::{self, Record};
use crate::limits::MAX_HEAD;

/// Most bytes of blocks that have begun on all streams together.
const MOST_BEGUN: usize = 1 << 20;

impl Client {
    #[inline]
    pub(super) fn step<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Event<'a>), Fault> {
        if self.sweeps
            && let Some(stream) = self.sweep()
        {
            return Ok((0, Event::Unprocessed { stream }));
        }
        let mut at = 0;
        loop {
            let rest = &input[at..];
            let event = if self.left > 0 {
                let part = rest.get(..self.left).ok_or(record::RecordError)?;
                let (used, event) = self.part(part)?;
                self.left -= used;
                at += used;
                event
            } else if rest.is_empty() {
                return Ok((at, Event::NeedMore));
            } else {
                let (next, length) = record::take(rest)?;
                at += length;
                if let Record::Data { stream, bytes } = next {
                    at -= bytes.len();
                    (self.source, self.left) = (self.source(stream), bytes.len());
                    None
                } else {
                    self.record(next)?
                }
            };
            if let Some(event) = event {
                return Ok((at, event));
            }
        }
    }

    fn source(&self, id: u64) -> Source {
        if id % 4 == 3 {
            return Source::Server(id);
        }
        self.find(id).map_or(Source::Gone, Source::Request)
    }

    /// The open stream with an id of QUIC.
    #[inline]
    fn find(&self, id: u64) -> Option<Stream> {
        if !id.is_multiple_of(4) || id / 4 >= self.opened {
            return None;
        }
        self.streams.find((id / 2 + 1) as u32)
    }

    /// Takes a part of the bytes of a record; returns how many, and the event that they are, if they are one.
    #[inline]
    fn part<'a>(&mut self, part: &'a [u8]) -> Result<(usize, Option<Event<'a>>), Fault> {
        let stream = match self.source {
            Source::Gone => return Ok((part.len(), None)),
            Source::Server(id) => {
                let last = self.incoming.take(id, part)?;
                return Ok((part.len(), last.map(|id| self.go_away(id))));
            }
            Source::Request(stream) => stream,
        };
        let reader = &mut self.readers[stream.lane as usize].0;
        let before = begun(reader);
        let (used, piece) = reader.next(part)?;
        self.begun = self.begun + begun(reader) - before;
        if self.begun > MOST_BEGUN {
            return Err(Fault::HeadTooLarge);
        }
        let event = match piece {
            Piece::NeedMore => None,
            Piece::Data(data) => Some(self.body(stream, data)?),
            Piece::Frame(HEADERS, block) => self.headers(stream, block)?,
            Piece::Frame(..) => {
                let what = "a frame is not allowed on the stream of a request";
                return Err(Fault::new(what, ErrorCode::H3_FRAME_UNEXPECTED));
            }
        };
        Ok((used, event))
    }

    /// Handles a record other than bytes of a stream.
    fn record(&mut self, record: Record) -> Result<Option<Event<'static>>, Fault> {
        match record {
            Record::Data { .. } => Ok(None),
            Record::Room { streams } => {
                self.allowed = self.allowed.max(streams);
                let is_first = self.limit.is_none();
                self.limit.get_or_insert(streams);
                Ok(is_first.then_some(Event::Settings))
            }
            Record::Closed { code } => {
                self.is_closed = true;
                Ok(Some(Event::GoAway {
                    code: error_code(code),
                }))
            }
            Record::End { stream } | Record::Reset { stream, .. } if stream % 4 == 3 => {
                self.incoming.end(stream).map(|()| None)
            }
            Record::End { stream: id }
            | Record::Reset { stream: id, .. }
            | Record::Stopped { stream: id, .. }
            | Record::Blocked { stream: id }
            | Record::Open { stream: id } => match self.find(id) {
                Some(stream) => self.of_stream(stream, record),
                None => Ok(None),
            },
        }
    }

    fn of_stream(
        &mut self,
        stream: Stream,
        record: Record,
    ) -> Result<Option<Event<'static>>, Fault> {
        let is_blocked = &mut self.readers[stream.lane as usize].1;
        match record {
            Record::End { .. } => return self.finish(stream).map(Some),
            Record::Reset { code, .. } => {
                self.remove(stream);
                let code = error_code(code);
                return Ok(Some(Event::Reset { stream, code }));
            }
            Record::Stopped { .. } => {
                *is_blocked = false;
                if let Some(lane) = self.streams.get(stream) {
                    lane.is_sending = false;
                }
                return Ok(Some(Event::Opened {
                    stream: Some(stream),
                }));
            }
            Record::Blocked { .. } => *is_blocked = true,
            Record::Open { .. } => {
                *is_blocked = false;
                return Ok(Some(Event::Opened {
                    stream: Some(stream),
                }));
            }
            Record::Data { .. } | Record::Room { .. } | Record::Closed { .. } => {}
        }
        Ok(None)
    }

    /// Handles a part of a body.
    #[inline]
    fn body<'a>(&mut self, stream: Stream, data: &'a [u8]) -> Result<Event<'a>, Fault> {
        self.ended_by_fields = false;
        match self.streams.get(stream) {
            Some(lane) if lane.has_head && lane.is_receiving => {
                if let Some(left) = &mut lane.left {
                    let Some(rest) = left.checked_sub(data.len() as u64) else {
                        return Ok(self.malformed(stream, Malformed::BodyLength));
                    };
                    *left = rest;
                }
                Ok(Event::Body { stream, data })
            }
            _ => Err(Fault::new(
                "DATA comes before the head of a reply, or behind its trailers",
                ErrorCode::H3_FRAME_UNEXPECTED,
            )),
        }
    }

    /// Handles the block of a head or of trailers; `None`: it was collected.
    #[inline]
    fn headers(
        &mut self,
        stream: Stream,
        block: Option<&[u8]>,
    ) -> Result<Option<Event<'static>>, Fault> {
        let block = block.unwrap_or(&self.readers[stream.lane as usize].0.collected);
        self.block_bytes = block.len();
        if !self.last_block.is(block, 0) {
            self.last_block.forget();
            self.reply.begin();
            let reply = &mut self.reply;
            self.decoder
                .decode(block, MAX_HEAD, |name, value| reply.take(name, value))?;
            self.last_block.remember(block, 0);
        }
        self.ended_by_fields = true;
        let Some(lane) = self.streams.get(stream) else {
            return Ok(None);
        };
        if lane.has_head {
            if !std::mem::replace(&mut lane.is_receiving, false) {
                let what = "HEADERS come behind the trailers of a reply";
                return Err(Fault::new(what, ErrorCode::H3_FRAME_UNEXPECTED));
            }
            let checked = self.reply.check_trailers();
            return Ok(checked.err().map(|error| self.malformed(stream, error)));
        }
        Ok(match self.reply.reply_head(lane) {
            Err(error) => Some(self.malformed(stream, error)),
            Ok(head) => head.map(|head| Event::Head { stream, head }),
        })
    }

    /// The server has ended its side of a stream.
    fn finish(&mut self, stream: Stream) -> Result<Event<'static>, Fault> {
        if self.readers[stream.lane as usize].0.in_frame() {
            let what = "a stream ends inside a frame";
            return Err(Fault::new(what, ErrorCode::H3_FRAME_ERROR));
        }
        match self.streams.get(stream) {
            Some(lane) if !lane.has_head => return Ok(self.malformed(stream, Malformed::NoHead)),
            Some(lane) if lane.is_short() => {
                return Ok(self.malformed(stream, Malformed::BodyLength));
            }
            Some(lane) if lane.is_sending => self.cancel(stream),
            _ => self.remove(stream),
        }
        Ok(Event::End { stream })
    }

    fn malformed(&mut self, stream: Stream, error: Malformed) -> Event<'static> {
        self.abandon(stream, ErrorCode::H3_MESSAGE_ERROR);
        Event::Malformed { stream, error }
    }

    /// The server processes no request from this id of QUIC on.
    fn go_away(&mut self, id: u64) -> Event<'static> {
        self.unprocessed = Some(id);
        self.sweeps = true;
        Event::GoAway {
            code: ErrorCode::NO_ERROR,
        }
    }

    /// Takes the next stream that the server does not process.
    fn sweep(&mut self) -> Option<Stream> {
        let first = self.unprocessed?;
        let all = self.streams.all().map(|(stream, _)| stream);
        let found = { all }.find(|stream| quic_id(*stream) >= first);
        self.sweeps = found.is_some();
        self.remove(found?);
        found
    }
}

fn error_code(code: u64) -> ErrorCode {
    ErrorCode(code.try_into().unwrap_or(u32::MAX))
}
