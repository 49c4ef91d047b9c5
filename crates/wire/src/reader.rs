//! Reads the replies of one connection from pieces of any size.
//!
//! ```text
//! Idle ─► head ─► no body ─────────────────────────► Ended ─► Idle
//!          │  ├─► Length(n) ── n bytes ─────────────► Ended
//!          │  ├─► Chunked ──── last chunk ──────────► Idle
//!          │  └─► UntilClose ─ eof ─────────────────► Idle
//!          └─ 1xx: skipped, at most 32 in a row (RFC 9110 §15.2); 101 ends HTTP on the connection
//! ```
//! - A head that arrives in one piece is parsed in place; only a split one is copied, into a buffer of limited size.
//! - Empty lines before a head are skipped, because some servers send an extra CRLF after a body.
//! - A close inside a reply makes it incomplete (RFC 9112 §8), unless the close ends its body (§6.3).

use crate::chunked::{Decoder, Piece};
use crate::fault::ReplyError;
use crate::fields::Fields;
use crate::head::{self, Framing, Head};
use crate::last_head::LastHead;
use crate::limits::{MAX_HEAD, MAX_INTERIM};

/// The start of a head is parsed again with every piece up to this length, so that other protocols are found at once.
const LOOK_ALWAYS: usize = 32;

/// The content of received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// All input was consumed, and more is needed.
    NeedMore,
    /// The head of a reply.
    Head(Head),
    /// A part of its body; never empty.
    Body(&'a [u8]),
    /// The reply is complete.
    End,
    /// A 101: the server switches protocols (RFC 9110 §7.8). The bytes that follow are reported as a body.
    Switch,
}

/// The position of the next byte in a reply.
#[derive(Clone, Copy, Debug)]
enum State {
    /// Before or inside a head.
    Head,
    /// Before the n > 0 bytes left of a body of known length.
    Length(u64),
    /// Inside a chunked body.
    Chunked(Decoder),
    /// Inside a body that ends with the connection.
    UntilClose,
    /// After the last byte; the end has not been reported.
    Ended,
}

/// Reads the replies of one connection.
#[derive(Debug)]
pub struct Reader {
    state: State,
    /// Interim replies skipped since the last reply.
    interim: u8,
    /// Bytes of the trailers of the last chunked reply.
    trailers: u32,
    /// Bytes of a head that is not complete, in `partial`.
    pending: u32,
    /// The end of the last interim reply in the input.
    interim_end: u32,
    /// The first part of a split head, or the last one that was split; at most `MAX_HEAD` + 1 bytes.
    partial: Vec<u8>,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    /// A reader for a new connection; allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Reader {
            state: State::Head,
            interim: 0,
            trailers: 0,
            pending: 0,
            interim_end: 0,
            partial: Vec::new(),
        }
    }

    /// Resets the reader for a new connection; keeps its memory.
    #[inline]
    pub fn reset(&mut self) {
        self.state = State::Head;
        self.interim = 0;
        self.trailers = 0;
        self.pending = 0;
    }

    /// The bytes of the trailer lines of the reply that has just ended, without the empty line after them.
    #[inline]
    pub fn take_trailers(&mut self) -> u32 {
        std::mem::take(&mut self.trailers)
    }

    /// True from the first byte of a reply until its end is reported.
    #[inline]
    #[must_use]
    pub fn in_reply(&self) -> bool {
        !matches!(self.state, State::Head) || self.interim > 0 || self.in_split_head()
    }

    /// True inside a head of which a part has come.
    #[inline]
    #[must_use]
    pub fn in_split_head(&self) -> bool {
        self.pending > 0
    }

    /// The header fields of the reply whose head was just read, as the last of the bytes `taken`. `split`: it was
    /// [split](Self::in_split_head) before.
    #[inline]
    #[must_use]
    pub fn fields<'a>(&'a self, taken: &'a [u8], split: bool) -> Fields<'a> {
        Fields::of(if !split {
            taken
        } else if self.partial.is_empty() {
            // An interim reply was split, and the head came whole behind it.
            taken.get(self.interim_end as usize..).unwrap_or_default()
        } else {
            &self.partial
        })
    }

    /// Reads the next event from `input`, the rest of the received bytes. Returns the number of bytes consumed, and the
    /// event.
    ///
    /// Call it again with the rest until [`Event::NeedMore`], which always consumes everything. After a head without a
    /// body the next call reports the end, even with empty input. `head_only`: the request was a HEAD. After an error
    /// the reader cannot be used until [`Reader::reset`].
    #[inline]
    pub fn next<'a>(
        &mut self,
        input: &'a [u8],
        head_only: bool,
    ) -> Result<(usize, Event<'a>), ReplyError> {
        match self.state {
            State::Head => self.head(input, head_only),
            State::Ended => {
                self.state = State::Head;
                Ok((0, Event::End))
            }
            _ if input.is_empty() => Ok((0, Event::NeedMore)),
            State::Length(left) => Ok(self.length(left, input)),
            State::Chunked(decoder) => self.chunk(decoder, input),
            State::UntilClose => Ok((input.len(), Event::Body(input))),
        }
    }

    /// As [`Reader::next`], but a head with the same bytes as the last one is not parsed again.
    #[expect(
        clippy::inline_always,
        reason = "called for each reply and from one place: a tenth of an engine's instructions"
    )]
    #[inline(always)]
    pub fn next_like<'a>(
        &mut self,
        last: &mut LastHead,
        input: &'a [u8],
        head_only: bool,
    ) -> Result<(usize, Event<'a>), ReplyError> {
        if self.in_reply() {
            return self.next(input, head_only);
        }
        if let Some(head) = last.begins(input, head_only) {
            self.state = after(head.framing);
            return Ok((last.length(), Event::Head(head)));
        }
        let (taken, event) = self.next(input, head_only)?;
        if let Event::Head(head) = event {
            last.remember(&input[..taken], head, head_only);
        }
        Ok((taken, event))
    }

    /// Takes the body of the reply whose head was just read, if all of it is at the start of `input`. Its end is then
    /// not reported again. `None`: the body is longer, or its length is not known; [`Reader::next`] reads it.
    #[inline]
    pub fn take_body<'a>(&mut self, input: &'a [u8]) -> Option<&'a [u8]> {
        let length = match self.state {
            State::Length(length) => usize::try_from(length).ok()?,
            State::Ended => 0,
            State::Head | State::Chunked(_) | State::UntilClose => return None,
        };
        let body = input.get(..length)?;
        self.state = State::Head;
        Some(body)
    }

    /// Handles the end of the connection. `Ok(true)`: it ended a reply, as it should; `Ok(false)`: there was no reply.
    pub fn eof(&mut self) -> Result<bool, ReplyError> {
        let was = self.in_reply();
        let ended = matches!(self.state, State::UntilClose | State::Ended);
        self.reset();
        if was && !ended {
            Err(ReplyError::Truncated)
        } else {
            Ok(ended)
        }
    }

    fn length<'a>(&mut self, left: u64, input: &'a [u8]) -> (usize, Event<'a>) {
        let take = usize::try_from(left).map_or(input.len(), |left| left.min(input.len()));
        let left = left - take as u64;
        self.state = if left == 0 {
            State::Ended
        } else {
            State::Length(left)
        };
        (take, Event::Body(&input[..take]))
    }

    fn chunk<'a>(
        &mut self,
        mut decoder: Decoder,
        input: &'a [u8],
    ) -> Result<(usize, Event<'a>), ReplyError> {
        let (taken, piece) = decoder.next(input)?;
        self.state = State::Chunked(decoder);
        Ok((
            taken,
            match piece {
                Piece::NeedMore => Event::NeedMore,
                Piece::Data(data) => Event::Body(data),
                Piece::End => {
                    self.trailers = decoder.trailers();
                    self.state = State::Head;
                    Event::End
                }
            },
        ))
    }

    /// Reads heads up to the first that is not interim.
    #[inline]
    fn head<'a>(
        &mut self,
        input: &'a [u8],
        head_only: bool,
    ) -> Result<(usize, Event<'a>), ReplyError> {
        let mut taken = 0;
        loop {
            let rest = &input[taken..];
            let (length, parsed) = if self.in_split_head() {
                self.split(rest, head_only)?
            } else {
                self.whole(rest, head_only)?
            };
            taken += length;
            let Some(head) = parsed else {
                return Ok((taken, Event::NeedMore));
            };
            match head.status {
                101 => {
                    self.interim = 0;
                    self.state = State::UntilClose;
                    return Ok((taken, Event::Switch));
                }
                100..200 if self.interim == MAX_INTERIM => return Err(ReplyError::TooManyInterim),
                100..200 => {
                    self.interim += 1;
                    self.interim_end = taken as u32;
                    self.partial.clear();
                }
                _ => {
                    self.interim = 0;
                    self.state = after(head.framing);
                    return Ok((taken, Event::Head(head)));
                }
            }
        }
    }

    /// Parses a head in place; keeps its bytes if it is not complete.
    #[inline]
    fn whole(
        &mut self,
        input: &[u8],
        head_only: bool,
    ) -> Result<(usize, Option<Head>), ReplyError> {
        let blank = head::empty_lines(input);
        let bytes = &input[blank..];
        if bytes.is_empty() {
            return Ok((blank, None));
        }
        match head::parse(bytes, head_only)? {
            Some((length, _)) if length > MAX_HEAD => Err(ReplyError::HeadTooLarge),
            Some((length, head)) => Ok((blank + length, Some(head))),
            None if bytes.len() > MAX_HEAD => Err(ReplyError::HeadTooLarge),
            None => {
                self.partial.clear();
                self.partial.extend_from_slice(bytes);
                self.pending = bytes.len() as u32;
                Ok((input.len(), None))
            }
        }
    }

    /// Continues a head whose first part is kept.
    ///
    /// It is parsed again only at the end of a line, so that a head that drips in costs at most its length times its
    /// number of lines, both of which are limited.
    #[cold]
    fn split(
        &mut self,
        input: &[u8],
        head_only: bool,
    ) -> Result<(usize, Option<Head>), ReplyError> {
        let before = self.pending as usize;
        let room = MAX_HEAD + 1 - before;
        let added = &input[..input.len().min(room)];
        self.partial.extend_from_slice(added);
        let look = added.contains(&b'\n') || before < LOOK_ALWAYS;
        if look && let Some((length, head)) = head::parse(&self.partial, head_only)? {
            self.pending = 0;
            return if length > MAX_HEAD {
                Err(ReplyError::HeadTooLarge)
            } else {
                Ok((length - before, Some(head)))
            };
        }
        self.pending = self.partial.len() as u32;
        if self.partial.len() > MAX_HEAD {
            Err(ReplyError::HeadTooLarge)
        } else {
            Ok((input.len(), None))
        }
    }
}

/// The state after a head.
fn after(framing: Framing) -> State {
    match framing {
        Framing::None | Framing::Length(0) => State::Ended,
        Framing::Length(length) => State::Length(length),
        Framing::Chunked => State::Chunked(Decoder::new()),
        Framing::Close => State::UntilClose,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_small_and_keeps_nothing_of_replies_that_come_whole() {
        assert!(
            size_of::<Reader>() <= 64,
            "{} bytes a connection",
            size_of::<Reader>()
        );
        let mut reader = Reader::new();
        let mut rest: &[u8] =
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 204 N\r\n\r\n";
        while let Ok((taken, event)) = reader.next(rest, false) {
            rest = &rest[taken..];
            if event == Event::NeedMore {
                break;
            }
        }
        assert_eq!((rest.len(), reader.partial.capacity()), (0, 0));
    }

    #[test]
    fn a_head_without_end_takes_bounded_memory() {
        let mut reader = Reader::new();
        let piece = [b'x'; 999];
        reader.next(b"HTTP/1.1 200 OK\r\nA: ", false).unwrap();
        let faults = (0..1_000).find_map(|_| reader.next(&piece, false).err());
        assert_eq!(faults, Some(ReplyError::HeadTooLarge));
        assert!(reader.partial.capacity() <= 2 * (MAX_HEAD + 1));
    }
}
