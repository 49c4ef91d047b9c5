//! The trace: the bytes of requests as sent and of replies as received, call by call. It is for reading, not for timing.

use crate::plan::records::{Part, TraceParts};

/// Bytes that a piece counts in addition to its content, so that many small ones are limited too.
const PIECE: usize = 64;

/// The part of a call that bytes belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    RequestHead,
    RequestBody,
    /// Interim replies included.
    ReplyHead,
    /// Without the framing of chunks.
    ReplyBody,
}

impl Kind {
    /// Its name for Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::RequestHead => "request_head",
            Self::RequestBody => "request_body",
            Self::ReplyHead => "reply_head",
            Self::ReplyBody => "reply_body",
        }
    }
}

/// A part of a call: the number of the call, in the order in which calls were begun; the part; its bytes.
pub type Traced = (u64, Kind, Vec<u8>);

/// The bytes kept so far.
#[derive(Clone, Debug)]
pub struct Trace {
    wanted: TraceParts,
    left: usize,
    pieces: Vec<Traced>,
}

impl Trace {
    /// A trace of these parts, of at most this many bytes.
    pub fn new(wanted: TraceParts, most_bytes: usize) -> Self {
        Self {
            wanted,
            left: most_bytes,
            pieces: Vec::new(),
        }
    }

    /// A trace to which those of threads are added.
    pub fn empty() -> Self {
        Self::new(TraceParts::default(), 0)
    }

    /// A request was sent.
    pub fn request(&mut self, call: u64, bytes: &[u8]) {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let (head, body) = bytes.split_at(end.map_or(bytes.len(), |end| end + 4));
        self.add(call, Kind::RequestHead, head);
        self.add(call, Kind::RequestBody, body);
    }

    /// The head of a message of HTTP/2, of which only compressed bytes are sent: a line for each field.
    #[cold]
    pub fn fields<'a>(
        &mut self,
        call: u64,
        kind: Kind,
        status: Option<u16>,
        fields: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    ) {
        let mut head = status.map_or_else(Vec::new, |status| {
            format!(":status: {status}\r\n").into_bytes()
        });
        for (name, value) in fields {
            for part in [name, b": ", value, b"\r\n"] {
                head.extend_from_slice(part);
            }
        }
        head.extend_from_slice(b"\r\n");
        self.add(call, kind, &head);
    }

    /// Adds bytes of a call, as far as they are wanted and there is room.
    pub fn add(&mut self, call: u64, kind: Kind, bytes: &[u8]) {
        if bytes.is_empty() || self.left == 0 || !self.wants(kind) {
            return;
        }
        let bytes = &bytes[..bytes.len().min(self.left)];
        self.left -= bytes.len();
        match self.pieces.last_mut() {
            Some((last, same, content)) if *last == call && *same == kind => {
                content.extend_from_slice(bytes);
            }
            _ => {
                self.left = self.left.saturating_sub(PIECE);
                self.pieces.push((call, kind, bytes.to_vec()));
            }
        }
    }

    fn wants(&self, kind: Kind) -> bool {
        let (part, head) = match kind {
            Kind::RequestHead => (self.wanted.requests, true),
            Kind::RequestBody => (self.wanted.requests, false),
            Kind::ReplyHead => (self.wanted.replies, true),
            Kind::ReplyBody => (self.wanted.replies, false),
        };
        match part {
            None => false,
            Some(Part::Whole) => true,
            Some(Part::Head) => head,
            Some(Part::Body) => !head,
        }
    }

    /// Gives calls new numbers.
    pub fn renumber(&mut self, number: impl Fn(u64) -> u64) {
        for piece in &mut self.pieces {
            piece.0 = number(piece.0);
        }
    }

    /// Appends the trace of another thread.
    pub fn join(&mut self, mut other: Self) {
        self.pieces.append(&mut other.pieces);
    }

    /// The parts of all calls, call by call, each part in one piece.
    pub fn parts(&self) -> Vec<Traced> {
        let mut pieces: Vec<&Traced> = self.pieces.iter().collect();
        pieces.sort_by_key(|(call, kind, _)| (*call, *kind));
        let mut parts: Vec<Traced> = Vec::new();
        for (call, kind, bytes) in pieces {
            match parts.last_mut() {
                Some((last, same, whole)) if last == call && same == kind => {
                    whole.extend_from_slice(bytes);
                }
                _ => parts.push((*call, *kind, bytes.clone())),
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(requests: Option<Part>, replies: Option<Part>, most_bytes: u64) -> Trace {
        let wanted = TraceParts {
            requests,
            replies,
            most_bytes,
        };
        Trace::new(wanted, most_bytes as usize)
    }

    #[test]
    fn the_pieces_of_calls_that_interleave_are_put_together() {
        let mut trace = trace(Some(Part::Whole), Some(Part::Body), 10_000);
        trace.request(1, b"POST / HTTP/1.1\r\n\r\none");
        trace.request(0, b"GET / HTTP/1.1\r\n\r\n");
        for (call, bytes) in [(0, "a"), (1, "b"), (0, "c"), (0, "d")] {
            trace.add(call, Kind::ReplyHead, b"not wanted");
            trace.add(call, Kind::ReplyBody, bytes.as_bytes());
        }
        let part = |call, kind, bytes: &str| (call, kind, bytes.as_bytes().to_vec());
        assert_eq!(
            trace.parts(),
            [
                part(0, Kind::RequestHead, "GET / HTTP/1.1\r\n\r\n"),
                part(0, Kind::ReplyBody, "acd"),
                part(1, Kind::RequestHead, "POST / HTTP/1.1\r\n\r\n"),
                part(1, Kind::RequestBody, "one"),
                part(1, Kind::ReplyBody, "b"),
            ]
        );
    }

    #[test]
    fn a_trace_takes_no_more_memory_than_it_may() {
        let mut trace = trace(None, Some(Part::Whole), 1000);
        for call in 0..1000 {
            trace.add(call, Kind::ReplyHead, b"x");
            trace.add(call, Kind::ReplyBody, &[b'y'; 500]);
        }
        let kept: usize = trace.pieces.iter().map(|(_, _, bytes)| bytes.len()).sum();
        assert!((501..=1000).contains(&kept), "{kept}");
        assert!(trace.pieces.len() <= 1000 / PIECE + 1);
    }
}
