//! The frames of one stream (RFC 9114 §7.1): a type, a length, a payload, split anywhere.
//!
//! - DATA is passed on as it comes. Other frames that matter are collected; a whole one in the input is read in place.
//! - Frames of unknown types are skipped (§9), at most 10,000 in a row.

use crate::h2::ErrorCode;
use crate::h3::fault::Fault;
use crate::h3::varint;
use crate::limits::MAX_HEAD;

pub(crate) const DATA: u64 = 0;
pub(crate) const HEADERS: u64 = 1;
pub(crate) const CANCEL_PUSH: u64 = 3;
pub(crate) const SETTINGS: u64 = 4;
pub(crate) const PUSH_PROMISE: u64 = 5;
pub(crate) const GOAWAY: u64 = 7;
pub(crate) const MAX_PUSH_ID: u64 = 0xd;
/// Types of HTTP/2 that HTTP/3 does not have (§7.2.8).
const OF_HTTP2: [u64; 4] = [2, 6, 8, 9];
/// Most frames in a row that have no use.
const MOST_USELESS: u32 = 10_000;
/// Most bytes of a type and a length.
const MOST_HEAD: usize = 16;

/// The reader of one stream.
#[derive(Debug, Default)]
pub(crate) struct FrameReader {
    /// The begin of a type and a length.
    head: [u8; MOST_HEAD],
    have: u8,
    /// The frame whose payload comes, and the bytes of it that follow.
    payload: Option<(u64, u64)>,
    /// The payload of a frame that was split.
    pub(crate) collected: Vec<u8>,
    /// Frames in a row that had no use.
    useless: u32,
}

/// The content of bytes of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    NeedMore,
    /// A part of a DATA frame; never empty.
    Data(&'a [u8]),
    /// A frame of this type; `None`: its payload was collected.
    Frame(u64, Option<&'a [u8]>),
}

impl FrameReader {
    /// Begins a new stream; keeps its memory, unless that is large.
    pub(crate) fn reset(&mut self) {
        (self.have, self.payload, self.useless) = (0, None, 0);
        self.collected.clear();
        self.collected.shrink_to(1024);
    }

    /// True inside of a frame.
    pub(crate) fn in_frame(&self) -> bool {
        self.have > 0 || self.payload.is_some()
    }

    /// Reads up to the next piece. Returns the number of bytes consumed.
    #[inline]
    pub(crate) fn next<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Piece<'a>), Fault> {
        let mut at = 0;
        loop {
            let Some((kind, left)) = self.payload else {
                let (taken, is_whole) = self.begin(&input[at..])?;
                at += taken;
                if !is_whole {
                    return Ok((at, Piece::NeedMore));
                }
                continue;
            };
            let rest = &input[at..];
            let length = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
            let is_last = length as u64 == left;
            if length == 0 && !is_last {
                return Ok((at, Piece::NeedMore));
            }
            at += length;
            let part = &rest[..length];
            self.payload = (!is_last).then_some((kind, left - length as u64));
            match kind {
                DATA if length > 0 => {
                    self.useless = 0;
                    return Ok((at, Piece::Data(part)));
                }
                HEADERS | SETTINGS | GOAWAY => {
                    if is_last && self.collected.is_empty() {
                        return Ok((at, Piece::Frame(kind, Some(part))));
                    }
                    self.collected.extend_from_slice(part);
                    if is_last {
                        return Ok((at, Piece::Frame(kind, None)));
                    }
                }
                _ => {}
            }
        }
    }

    /// Reads the type and the length of a frame. Returns the number of bytes consumed, and whether they are whole.
    #[inline]
    fn begin(&mut self, input: &[u8]) -> Result<(usize, bool), Fault> {
        if self.have == 0
            && let Some((kind, length, taken)) = head(input)
        {
            self.begin_payload(kind, length)?;
            return Ok((taken, true));
        }
        let have = usize::from(self.have);
        let more = input.len().min(MOST_HEAD - have);
        self.head[have..have + more].copy_from_slice(&input[..more]);
        let Some((kind, length, taken)) = head(&self.head[..have + more]) else {
            self.have = (have + more) as u8;
            return Ok((more, false));
        };
        self.have = 0;
        self.begin_payload(kind, length)?;
        Ok((taken - have, true))
    }

    fn begin_payload(&mut self, kind: u64, length: u64) -> Result<(), Fault> {
        let unexpected = |what| Err(Fault::new(what, ErrorCode::H3_FRAME_UNEXPECTED));
        self.collected.clear();
        self.payload = Some((kind, length));
        match kind {
            HEADERS | SETTINGS | GOAWAY if length > MAX_HEAD as u64 => Err(Fault::HeadTooLarge),
            HEADERS => {
                self.useless = 0;
                Ok(())
            }
            DATA | SETTINGS | GOAWAY => self.count(),
            // No push is ever allowed, so none has an id.
            CANCEL_PUSH | PUSH_PROMISE => {
                let what = "a frame belongs to a push, which was not allowed";
                Err(Fault::new(what, ErrorCode::H3_ID_ERROR))
            }
            MAX_PUSH_ID => unexpected("the server sent MAX_PUSH_ID"),
            _ if OF_HTTP2.contains(&kind) => unexpected("a frame has a type of HTTP/2"),
            _ => self.count(),
        }
    }

    /// Counts a frame that may have no use.
    fn count(&mut self) -> Result<(), Fault> {
        self.useless += 1;
        if self.useless > MOST_USELESS {
            return Err(Fault::Flood);
        }
        Ok(())
    }
}

/// The type and the length at the start of `input`, and how many bytes they take.
#[inline]
fn head(input: &[u8]) -> Option<(u64, u64, usize)> {
    let (kind, first) = varint::read(input)?;
    let (length, second) = varint::read(&input[first..])?;
    Some((kind, length, first + second))
}
