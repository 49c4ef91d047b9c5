//! The check of one body, as far as it has arrived.

use answer::MOST_BYTES;

use crate::connection::check::kept::{Kept, Left};
use crate::connection::check::other::Other;
use crate::connection::decoder::{Decoder, Decoding};
use crate::plan::expected::Content;

/// The check of one body, as far as it has arrived.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an answer of its own, and all may hold at once"
)]
#[derive(Debug, Default)]
pub struct BodyCheck {
    /// Bytes received.
    pub(super) seen: u64,
    /// Bytes of the content so far: those received, or decoded.
    pub(super) content: u64,
    pub(super) wrong: bool,
    pub(super) compare: bool,
    /// It is not decoded, so nothing of its content is checked.
    pub(super) skipped: bool,
    pub(super) learning: bool,
    /// The bytes differ from those of the first reply, which is no fault.
    pub(super) unlike: bool,
    pub(super) other: Other,
    pub(super) decoding: Decoding,
    /// The decoder of the body, if it is to be decoded.
    pub(super) decoder: Option<Box<Decoder>>,
    /// The content so far, if it is judged as a whole.
    pub(super) kept: Option<Box<Kept>>,
    pub(super) difference: Option<Box<Difference>>,
}

/// The difference between a wrong body and the expected one.
#[derive(Debug, PartialEq)]
pub(super) enum Difference {
    /// The first byte that is not the expected one.
    Byte {
        offset: usize,
        found: u8,
        expected: u8,
    },
    Words(String),
}

impl BodyCheck {
    pub(super) fn compare(&mut self, bytes: &[u8], at: u64, data: &[u8]) {
        if !self.compare || self.wrong {
            return;
        }
        let from = at as usize;
        self.wrong = bytes.get(from..from + data.len()) != Some(data);
        if self.wrong {
            self.difference = difference(bytes, from, data);
        }
    }

    /// Keeps more bytes of a body that is judged as a whole. Without room it is left out of the check.
    #[inline(never)]
    pub(super) fn keep(&mut self, content: &Content, data: &[u8]) {
        let kept = self.kept.get_or_insert_with(|| Kept::new(content).into());
        if let Err(left) = kept.feed(data) {
            self.kept = None;
            match left {
                Left::TooLong => self.differs(answer::too_long()),
                Left::Crowded => self.compare = false,
            }
        }
    }

    /// Judges a body as a whole; true if it is right. One that is not compared is right unless it is empty or too
    /// long. `sent`: the values that its request sent.
    pub(super) fn judge(
        &mut self,
        content: &Content,
        sent: impl FnOnce(&Content) -> Vec<String>,
    ) -> bool {
        if self.wrong {
            return false;
        }
        let kept = self.kept.take();
        let fault = if self.compare || self.content == 0 {
            let bytes = kept.as_deref().map_or(&[][..], Kept::bytes);
            content.answer.fault(bytes, &sent(content))
        } else {
            (self.content > MOST_BYTES as u64).then(answer::too_long)
        };
        if let Some(words) = fault {
            self.differs(words);
        }
        !self.wrong
    }

    /// The body is wrong, for this reason.
    #[cold]
    pub(super) fn differs(&mut self, words: String) {
        self.wrong = true;
        self.difference = Some(Difference::Words(words).into());
    }

    /// The difference, for a message; empty if only the length differs.
    pub(super) fn explanation(&self) -> String {
        match self.difference.as_deref() {
            None => String::new(),
            Some(Difference::Words(words)) => format!(": {words}"),
            Some(Difference::Byte {
                offset,
                found,
                expected,
            }) => format!(
                ": the byte at offset {offset} is `{}`, not `{}`",
                found.escape_ascii(),
                expected.escape_ascii()
            ),
        }
    }

    /// The number of bytes so far.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The fault of the body, for a message: its length so far, and what was expected.
    pub fn fault(&self, expected: &str) -> String {
        let seen = self.seen;
        if self.decoding == Decoding::Broken {
            return format!("a body of {seen} bytes that cannot be decoded");
        }
        let decoded = self.decoding.words(seen, self.content);
        let differs = self.explanation();
        format!("a body of {seen} bytes{decoded} that is not {expected}{differs}")
    }
}

/// The first byte of `data` that is not the one of `bytes` at its place, which begins at `from`.
#[cold]
fn difference(bytes: &[u8], from: usize, data: &[u8]) -> Option<Box<Difference>> {
    let rest = bytes.get(from..)?;
    let mut pairs = data.iter().zip(rest).enumerate();
    let (at, (&found, &expected)) = pairs.find(|(_, (found, expected))| found != expected)?;
    let offset = from + at;
    let byte = Difference::Byte {
        offset,
        found,
        expected,
    };
    Some(byte.into())
}
