//! The frames that are read as a whole: their payloads (RFC 9113 §6), and the blocks of header fields that they form.

use std::ops::Range;

use crate::h2::fault::{ErrorCode, Fault};
use crate::h2::frame::{
    ACK, END_HEADERS, END_STREAM, FrameHead, HEAD, Kind, PADDED, PRIORITY, u31,
};
use crate::h2::frame_reader::{Block, Frame, FrameReader};
use crate::limits::MAX_HEAD;

/// Most CONTINUATION frames of a block: many of a few bytes each would cost much and bring nothing.
const MOST_CONTINUATIONS: u32 = 64;

impl FrameReader {
    /// Reads a frame that is complete. `place` says where its bytes are.
    #[inline]
    pub(super) fn whole<'a>(
        &mut self,
        head: FrameHead,
        frame: &[u8],
        place: fn(Range<usize>) -> Block,
    ) -> Result<Frame<'a>, Fault> {
        let payload = &frame[HEAD..];
        match head.kind {
            Kind::Headers => self.headers(head, frame, place),
            Kind::Continuation => self.continuation(head, payload),
            Kind::Settings if head.has(ACK) => match payload {
                [] => Ok(Frame::SettingsAck),
                _ => Err(Fault::FrameSize(
                    "an acknowledgement of SETTINGS has a payload",
                )),
            },
            Kind::Settings if !payload.len().is_multiple_of(6) => {
                Err(Fault::FrameSize("a SETTINGS is not a multiple of 6 bytes"))
            }
            Kind::Settings => Ok(Frame::Settings(HEAD..frame.len())),
            Kind::Ping => match payload.try_into() {
                Ok(_) if head.has(ACK) => Ok(Frame::Ignored),
                Ok(content) => Ok(Frame::Ping(content)),
                Err(_) => Err(Fault::FrameSize("a PING is not 8 bytes long")),
            },
            Kind::Reset => match payload.try_into() {
                Ok(code) => Ok(Frame::Reset {
                    stream: head.stream,
                    code: ErrorCode(u32::from_be_bytes(code)),
                }),
                Err(_) => Err(Fault::FrameSize("a RST_STREAM is not 4 bytes long")),
            },
            Kind::Window => match payload.try_into() {
                Ok(increment) => Ok(Frame::Window {
                    stream: head.stream,
                    increment: u31(increment),
                }),
                Err(_) => Err(Fault::FrameSize("a WINDOW_UPDATE is not 4 bytes long")),
            },
            Kind::GoAway => match (
                payload.first_chunk(),
                payload[4.min(payload.len())..].first_chunk(),
            ) {
                (Some(last), Some(code)) => Ok(Frame::GoAway {
                    last: u31(*last),
                    code: ErrorCode(u32::from_be_bytes(*code)),
                }),
                _ => Err(Fault::FrameSize("a GOAWAY is shorter than 8 bytes")),
            },
            Kind::Priority if payload.len() != 5 => {
                Err(Fault::FrameSize("a PRIORITY is not 5 bytes long"))
            }
            Kind::Priority | Kind::Data | Kind::Push | Kind::Unknown => Ok(Frame::Ignored),
        }
    }

    #[inline]
    fn headers<'a>(
        &mut self,
        head: FrameHead,
        frame: &[u8],
        place: fn(Range<usize>) -> Block,
    ) -> Result<Frame<'a>, Fault> {
        let short = Fault::FrameSize("a HEADERS is shorter than its fields");
        let (mut from, mut to) = (HEAD, frame.len());
        if head.has(PADDED) {
            let padding = *frame.get(from).ok_or(short)?;
            from += 1;
            to = to.saturating_sub(padding.into());
        }
        if head.has(PRIORITY) {
            from += 5;
        }
        if from > to {
            return Err(if head.has(PADDED) {
                Fault::Protocol("the padding is longer than its frame")
            } else {
                short
            });
        }
        let end = head.has(END_STREAM);
        if head.has(END_HEADERS) {
            return Ok(Frame::Headers {
                stream: head.stream,
                end,
                block: place(from..to),
            });
        }
        self.open = Some((head.stream, end));
        self.continuations = 0;
        self.joined.clear();
        self.joined.extend_from_slice(&frame[from..to]);
        Ok(Frame::Ignored)
    }

    fn continuation<'a>(&mut self, head: FrameHead, payload: &[u8]) -> Result<Frame<'a>, Fault> {
        self.continuations += 1;
        if self.joined.len() + payload.len() > MAX_HEAD || self.continuations > MOST_CONTINUATIONS {
            return Err(Fault::HeadTooLarge);
        }
        self.joined.extend_from_slice(payload);
        match self.open {
            Some((stream, end)) if head.has(END_HEADERS) => {
                self.open = None;
                Ok(Frame::Headers {
                    stream,
                    end,
                    block: Block::Joined,
                })
            }
            _ => Ok(Frame::Ignored),
        }
    }
}
