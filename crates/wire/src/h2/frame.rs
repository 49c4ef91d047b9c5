//! Frames: their heads, and the bytes of those that are sent (RFC 9113 §4, §6).

use crate::h2::fault::ErrorCode;

/// The length of a frame's head.
pub(crate) const HEAD: usize = 9;
/// The first bytes that a client sends (§3.4).
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The smallest, and first, limit of a frame's payload.
pub(crate) const LEAST_MAX_FRAME: u32 = 16_384;
/// The largest window.
pub(crate) const MOST_WINDOW: u32 = (1 << 31) - 1;

/// The bit that marks the last frame of a message.
pub(crate) const END_STREAM: u8 = 0x1;
/// The bit that marks an answer to SETTINGS or PING.
pub(crate) const ACK: u8 = 0x1;
/// The bit that marks the last frame of a block.
pub(crate) const END_HEADERS: u8 = 0x4;
pub(crate) const PADDED: u8 = 0x8;
pub(crate) const PRIORITY: u8 = 0x20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Data,
    Headers,
    Priority,
    Reset,
    Settings,
    Push,
    Ping,
    GoAway,
    Window,
    Continuation,
    Unknown,
}

impl Kind {
    const fn of(byte: u8) -> Self {
        match byte {
            0 => Self::Data,
            1 => Self::Headers,
            2 => Self::Priority,
            3 => Self::Reset,
            4 => Self::Settings,
            5 => Self::Push,
            6 => Self::Ping,
            7 => Self::GoAway,
            8 => Self::Window,
            9 => Self::Continuation,
            _ => Self::Unknown,
        }
    }
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHead {
    /// The length of the payload.
    pub(crate) length: u32,
    pub(crate) kind: Kind,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
}

impl FrameHead {
    #[inline]
    pub(crate) fn parse(bytes: [u8; HEAD]) -> Self {
        let [high, middle, low, kind, flags, stream @ ..] = bytes;
        Self {
            length: u32::from_be_bytes([0, high, middle, low]),
            kind: Kind::of(kind),
            flags,
            stream: u31(stream),
        }
    }

    #[inline]
    pub(crate) const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// A number of 31 bits; the first bit is reserved.
#[inline]
pub(crate) const fn u31(bytes: [u8; 4]) -> u32 {
    u32::from_be_bytes(bytes) & MOST_WINDOW
}

#[inline]
fn head(out: &mut Vec<u8>, length: usize, kind: Kind, flags: u8, stream: u32) {
    let mut bytes = [0; HEAD];
    bytes[..3].copy_from_slice(&(length as u32).to_be_bytes()[1..]);
    (bytes[3], bytes[4]) = (kind as u8, flags);
    bytes[5..].copy_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(&bytes);
}

/// Appends a block of header fields, in as many frames as `most` bytes of payload need.
#[inline]
pub(crate) fn headers(out: &mut Vec<u8>, stream: u32, parts: [&[u8]; 2], end: bool, most: u32) {
    let end = if end { END_STREAM } else { 0 };
    let length = parts[0].len() + parts[1].len();
    if length <= most as usize {
        head(out, length, Kind::Headers, END_HEADERS | end, stream);
        out.extend_from_slice(parts[0]);
        return out.extend_from_slice(parts[1]);
    }
    long_headers(out, stream, &parts.concat(), end, most);
}

#[cold]
fn long_headers(out: &mut Vec<u8>, stream: u32, block: &[u8], end: u8, most: u32) {
    let count = block.len().div_ceil(most as usize);
    for (index, part) in block.chunks(most as usize).enumerate() {
        let last = if index + 1 == count { END_HEADERS } else { 0 };
        match index {
            0 => head(out, part.len(), Kind::Headers, last | end, stream),
            _ => head(out, part.len(), Kind::Continuation, last, stream),
        }
        out.extend_from_slice(part);
    }
}

#[inline]
pub(crate) fn data(out: &mut Vec<u8>, stream: u32, data: &[u8], end: bool) {
    let flags = if end { END_STREAM } else { 0 };
    head(out, data.len(), Kind::Data, flags, stream);
    out.extend_from_slice(data);
}

/// Appends the settings, each with its identifier (§6.5.2).
pub(crate) fn settings(out: &mut Vec<u8>, settings: &[(u16, u32)]) {
    head(out, settings.len() * 6, Kind::Settings, 0, 0);
    for (identifier, value) in settings {
        out.extend_from_slice(&identifier.to_be_bytes());
        out.extend_from_slice(&value.to_be_bytes());
    }
}

pub(crate) fn settings_ack(out: &mut Vec<u8>) {
    head(out, 0, Kind::Settings, ACK, 0);
}

pub(crate) fn ping_ack(out: &mut Vec<u8>, content: [u8; 8]) {
    head(out, content.len(), Kind::Ping, ACK, 0);
    out.extend_from_slice(&content);
}

pub(crate) fn reset(out: &mut Vec<u8>, stream: u32, code: ErrorCode) {
    head(out, 4, Kind::Reset, 0, stream);
    out.extend_from_slice(&code.0.to_be_bytes());
}

pub(crate) fn window(out: &mut Vec<u8>, stream: u32, increment: u32) {
    head(out, 4, Kind::Window, 0, stream);
    out.extend_from_slice(&increment.to_be_bytes());
}

/// Appends a GOAWAY with a text for people.
pub(crate) fn go_away(out: &mut Vec<u8>, last: u32, code: ErrorCode, text: &str) {
    head(out, 8 + text.len(), Kind::GoAway, 0, 0);
    out.extend_from_slice(&last.to_be_bytes());
    out.extend_from_slice(&code.0.to_be_bytes());
    out.extend_from_slice(text.as_bytes());
}
