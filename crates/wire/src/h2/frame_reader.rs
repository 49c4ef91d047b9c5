//! Splits the bytes of a connection into frames, from pieces of any size, and checks all that needs no state of a stream.
//!
//! ```text
//! Head ─► DATA ──── its data piece by piece, then its padding ─► Head
//!    ├──► unknown ─ skipped ──────────────────────────────────► Head
//!    └──► others ── the whole payload ────────────────────────► Head
//! ```
//! - A payload that arrives in one piece is read in place. Only a split one is copied, into a buffer of limited size.
//! - HEADERS and CONTINUATION frames of a block follow one another without others between (RFC 9113 §6.10). A block that has
//!   one whole frame is not copied; others are joined, up to a limit of bytes and of frames.
//! - Padding is skipped (§6.1), priorities are ignored (§5.3.2), and so are unknown frames (§4.1).

mod whole;

use std::ops::Range;

use crate::h2::fault::{ErrorCode, Fault};
use crate::h2::frame::{END_STREAM, FrameHead, HEAD, Kind, PADDED};
use crate::limits::MAX_HEAD;

/// Most bytes of a payload that must be whole, but for that of a block.
const MOST_WHOLE: u32 = 16_384;

/// A frame, or a piece of one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    /// All input was consumed, and more is needed.
    NeedMore,
    Data(DataPiece<'a>),
    /// A complete block of header fields.
    Headers {
        stream: u32,
        end: bool,
        block: Block,
    },
    Reset {
        stream: u32,
        code: ErrorCode,
    },
    Settings(Range<usize>),
    SettingsAck,
    Ping([u8; 8]),
    GoAway {
        last: u32,
        code: ErrorCode,
    },
    Window {
        stream: u32,
        increment: u32,
    },
    /// A frame without meaning for us.
    Ignored,
}

/// A piece of a DATA frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DataPiece<'a> {
    pub(crate) stream: u32,
    /// The length of the whole payload, which counts for the windows; `None` after the first piece.
    pub(crate) begins: Option<u32>,
    /// The frame ends its message.
    pub(crate) is_last: bool,
    pub(crate) data: &'a [u8],
    /// It is the last piece of the last frame of its message.
    pub(crate) end: bool,
}

/// The place of a block of header fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// In the input.
    Input(Range<usize>),
    /// Kept by the reader, as this part of a split frame.
    Split(Range<usize>),
    /// Joined by the reader, from several frames.
    Joined,
}

/// The position of the next byte.
#[derive(Clone, Copy, Debug)]
enum State {
    /// In a frame's head, or in a payload that must be whole.
    Head,
    Data {
        head: FrameHead,
        left: u32,
        /// Bytes at the end of the payload; `None`: not known yet.
        padding: Option<u32>,
        begun: bool,
    },
    /// In the payload of an unknown frame.
    Skip(u32),
}

#[derive(Debug)]
pub(crate) struct FrameReader {
    state: State,
    /// Our setting: most bytes of a payload.
    most: u32,
    /// The start of a frame that was split.
    kept: Vec<u8>,
    /// The bytes in `kept` are of a frame that has been read.
    is_stale: bool,
    /// The stream of the block that is not complete, and whether it ends the message.
    open: Option<(u32, bool)>,
    continuations: u32,
    joined: Vec<u8>,
}

impl FrameReader {
    /// A reader for a new connection; allocates nothing.
    pub(crate) const fn new(most: u32) -> Self {
        Self {
            state: State::Head,
            most,
            kept: Vec::new(),
            is_stale: false,
            open: None,
            continuations: 0,
            joined: Vec::new(),
        }
    }

    /// Resets the reader for a new connection; keeps its memory.
    pub(crate) fn reset(&mut self) {
        self.state = State::Head;
        self.kept.clear();
        self.is_stale = false;
        self.open = None;
    }

    /// True inside of a frame or of a block.
    pub(crate) fn in_frame(&self) -> bool {
        !matches!(self.state, State::Head)
            || !(self.kept.is_empty() || self.is_stale)
            || self.open.is_some()
    }

    /// The bytes of a block that was returned last; `input` was the input of that call.
    #[inline]
    pub(crate) fn block<'a>(&'a self, block: &Block, input: &'a [u8]) -> &'a [u8] {
        match block {
            Block::Input(range) => &input[range.clone()],
            Block::Split(range) => &self.kept[range.clone()],
            Block::Joined => &self.joined,
        }
    }

    /// The payload of the frame that was returned last.
    pub(crate) fn payload<'a>(&'a self, range: &Range<usize>, input: &'a [u8]) -> &'a [u8] {
        let bytes = if self.is_stale { &self.kept } else { input };
        &bytes[range.clone()]
    }

    /// Reads up to the next frame, or piece of one. Returns the number of bytes consumed.
    #[inline]
    pub(crate) fn next<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Frame<'a>), Fault> {
        match self.state {
            State::Head => self.head(input),
            State::Data { .. } => self.data(input, 0),
            State::Skip(left) => {
                let taken = (left as usize).min(input.len());
                let left = left - taken as u32;
                if left > 0 {
                    self.state = State::Skip(left);
                    return Ok((taken, Frame::NeedMore));
                }
                self.state = State::Head;
                Ok((taken, Frame::Ignored))
            }
        }
    }

    #[inline]
    fn head<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Frame<'a>), Fault> {
        if self.is_stale {
            self.kept.clear();
            self.is_stale = false;
        }
        if !self.kept.is_empty() {
            return self.split(input);
        }
        let Some(bytes) = input.first_chunk() else {
            self.kept.extend_from_slice(input);
            return Ok((input.len(), Frame::NeedMore));
        };
        let head = FrameHead::parse(*bytes);
        self.check(head)?;
        if let Some(state) = piecewise(head) {
            self.state = state;
            return self.rest(input, HEAD);
        }
        let end = HEAD + head.length as usize;
        if input.len() < end {
            self.kept.extend_from_slice(input);
            return Ok((input.len(), Frame::NeedMore));
        }
        Ok((end, self.whole(head, &input[..end], Block::Input)?))
    }

    /// Continues a frame whose start is kept.
    #[cold]
    fn split<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Frame<'a>), Fault> {
        let mut taken = self.keep(input, HEAD);
        let Some(bytes) = self.kept.first_chunk() else {
            return Ok((taken, Frame::NeedMore));
        };
        let head = FrameHead::parse(*bytes);
        self.check(head)?;
        if let Some(state) = piecewise(head) {
            self.kept.clear();
            self.state = state;
            return self.rest(input, taken);
        }
        let end = HEAD + head.length as usize;
        taken += self.keep(&input[taken..], end);
        if self.kept.len() < end {
            return Ok((taken, Frame::NeedMore));
        }
        let kept = std::mem::take(&mut self.kept);
        let frame = self.whole(head, &kept, Block::Split);
        self.kept = kept;
        self.is_stale = true;
        Ok((taken, frame?))
    }

    /// Keeps bytes of the input until there are `end`. Returns how many it took.
    fn keep(&mut self, input: &[u8], end: usize) -> usize {
        let taken = end.saturating_sub(self.kept.len()).min(input.len());
        self.kept.extend_from_slice(&input[..taken]);
        taken
    }

    /// Reads the payload after a head that ends at `at`.
    fn rest<'a>(&mut self, input: &'a [u8], at: usize) -> Result<(usize, Frame<'a>), Fault> {
        if let State::Data { .. } = self.state {
            return self.data(input, at);
        }
        let (taken, frame) = self.next(&input[at..])?;
        Ok((at + taken, frame))
    }

    #[inline]
    fn data<'a>(&mut self, input: &'a [u8], mut at: usize) -> Result<(usize, Frame<'a>), Fault> {
        let State::Data {
            head,
            mut left,
            mut padding,
            begun,
        } = self.state
        else {
            return Ok((at, Frame::NeedMore));
        };
        if padding.is_none()
            && let Some(&length) = input.get(at)
        {
            at += 1;
            left -= 1;
            if u32::from(length) > left {
                return Err(Fault::Protocol("the padding is longer than its frame"));
            }
            padding = Some(length.into());
        }
        let data = padding.map_or(0, |padding| left.saturating_sub(padding));
        let rest = &input[at..];
        let taken = (data as usize).min(rest.len());
        let skipped = if padding.is_some() {
            (left as usize).min(rest.len())
        } else {
            0
        };
        left -= skipped as u32;
        let is_over = left == 0 && padding.is_some();
        let is_piece = taken > 0 || is_over || !begun && padding.is_some();
        self.state = if is_over {
            State::Head
        } else {
            State::Data {
                head,
                left,
                padding,
                begun: begun || is_piece,
            }
        };
        if !is_piece {
            return Ok((input.len(), Frame::NeedMore));
        }
        let piece = DataPiece {
            stream: head.stream,
            begins: (!begun).then_some(head.length),
            is_last: head.has(END_STREAM),
            data: &rest[..taken],
            end: is_over && head.has(END_STREAM),
        };
        Ok((at + skipped, Frame::Data(piece)))
    }

    /// Checks a frame before its payload is read.
    #[inline]
    fn check(&self, head: FrameHead) -> Result<(), Fault> {
        if head.length > self.most {
            return Err(Fault::FrameSize("it is above our SETTINGS_MAX_FRAME_SIZE"));
        }
        match self.open {
            None if head.kind == Kind::Continuation => {
                return Err(Fault::Protocol("a CONTINUATION continues nothing"));
            }
            Some((stream, _)) if head.kind != Kind::Continuation || head.stream != stream => {
                return Err(Fault::Protocol(
                    "another frame came inside of a block of header fields",
                ));
            }
            _ => {}
        }
        let is_of_stream = match head.kind {
            Kind::Unknown | Kind::Window => return Ok(()),
            Kind::Settings | Kind::Ping | Kind::GoAway => false,
            _ => true,
        };
        if is_of_stream != (head.stream > 0) {
            return Err(Fault::Protocol(
                "a frame of a stream has no stream, or one of the connection has one",
            ));
        }
        let most = match head.kind {
            Kind::Data if head.has(PADDED) && head.length == 0 => {
                return Err(Fault::FrameSize("a padded DATA is empty"));
            }
            Kind::Data => return Ok(()),
            Kind::Headers | Kind::Continuation => MAX_HEAD as u32,
            Kind::Push => return Err(Fault::Protocol("a PUSH_PROMISE came, which is not allowed")),
            _ => MOST_WHOLE,
        };
        if head.length > most {
            return Err(match head.kind {
                Kind::Headers | Kind::Continuation => Fault::HeadTooLarge,
                _ => Fault::FrameSize("it is too large for its kind"),
            });
        }
        Ok(())
    }
}

/// The state for a payload that is read piece by piece.
#[inline]
fn piecewise(head: FrameHead) -> Option<State> {
    match head.kind {
        Kind::Data => Some(State::Data {
            head,
            left: head.length,
            padding: if head.has(PADDED) { None } else { Some(0) },
            begun: false,
        }),
        Kind::Unknown => Some(State::Skip(head.length)),
        _ => None,
    }
}
