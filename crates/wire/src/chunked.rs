//! The chunked transfer coding (RFC 9112 §7.1), decoded from pieces of any size.
//!
//! ```text
//! Size ──digits, extension──► SizeLf ──► Data ──► DataCr ──► DataLf ──► Size
//!                               └─ size 0 ─► Line ◄──► Trailer
//!                                             └─ empty line ─► end
//! ```
//! - The size is hexadecimal; blanks may follow it (§7.1.1); an extension is skipped, up to a limit.
//! - Lines of chunks must end with CR LF: accepting a lone LF there enables request smuggling.
//! - Trailer lines are skipped, up to a limit for all of them (§7.1.2); they may end with a lone LF (§2.2).

use crate::fault::ReplyError;
use crate::limits::MAX_HEAD;

/// The position of the next byte in the coding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the first digit of a size.
    FirstDigit,
    /// Among the digits of a size.
    Digits,
    /// In the blanks after a size.
    Blank,
    /// In an extension.
    Extension,
    /// Before the LF of a size line.
    SizeLf,
    /// In a chunk's data.
    Data,
    /// Before the CR after a chunk's data.
    DataCr,
    /// Before the LF after a chunk's data.
    DataLf,
    /// At the start of a trailer line.
    Line,
    /// Inside a trailer line.
    Trailer,
    /// Before the LF of the empty line at the end.
    LastLf,
}

/// The content of a piece of input.
pub(crate) enum Piece<'a> {
    /// The input was framing only, and more must follow.
    NeedMore,
    /// Data of a chunk.
    Data(&'a [u8]),
    /// The coding ended.
    End,
}

/// A decoder between two pieces of input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoder {
    place: Place,
    /// Bytes of the size line, or of the trailers, so far.
    line: u32,
    /// Bytes left of the chunk; while its size is read, the size so far.
    left: u64,
}

impl Decoder {
    pub(crate) const fn new() -> Self {
        Decoder {
            place: Place::FirstDigit,
            line: 0,
            left: 0,
        }
    }

    /// The bytes of the trailer lines, after the end.
    pub(crate) fn trailers(&self) -> u32 {
        self.line
    }

    /// Reads framing up to the next data or the end. Returns the number of bytes consumed, data included.
    pub(crate) fn next<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Piece<'a>), ReplyError> {
        let mut at = 0;
        while at < input.len() {
            if self.place == Place::Data {
                return Ok(self.data(input, at));
            }
            let ended = self.step(input[at])?;
            at += 1;
            if ended {
                return Ok((at, Piece::End));
            }
        }
        Ok((at, Piece::NeedMore))
    }

    fn data<'a>(&mut self, input: &'a [u8], at: usize) -> (usize, Piece<'a>) {
        let rest = &input[at..];
        let take = usize::try_from(self.left).map_or(rest.len(), |left| left.min(rest.len()));
        self.left -= take as u64;
        if self.left == 0 {
            self.place = Place::DataCr;
        }
        (at + take, Piece::Data(&rest[..take]))
    }

    /// Reads one byte of framing; returns true after the last one.
    fn step(&mut self, byte: u8) -> Result<bool, ReplyError> {
        self.place = match (self.place, byte) {
            (Place::FirstDigit | Place::Digits, byte) if byte.is_ascii_hexdigit() => {
                self.digit(byte)?
            }
            (Place::Digits | Place::Blank, b' ' | b'\t') => self.counted(Place::Blank)?,
            (Place::Digits | Place::Blank, b';') => self.counted(Place::Extension)?,
            (Place::Digits | Place::Blank | Place::Extension, b'\r') => Place::SizeLf,
            (Place::Extension, byte) if byte != b'\n' => self.counted(Place::Extension)?,
            (Place::SizeLf, b'\n') => self.size_known(),
            (Place::DataCr, b'\r') => Place::DataLf,
            (Place::DataLf, b'\n') => Place::FirstDigit,
            (Place::Line, b'\r') => Place::LastLf,
            (Place::Line | Place::LastLf, b'\n') => return Ok(true),
            (Place::Trailer, b'\n') => self.counted(Place::Line)?,
            (Place::Line | Place::Trailer, _) => self.counted(Place::Trailer)?,
            _ => return Err(ReplyError::BadChunk),
        };
        Ok(false)
    }

    fn digit(&mut self, byte: u8) -> Result<Place, ReplyError> {
        let value = match byte {
            b'0'..=b'9' => byte - b'0',
            _ => (byte | 0x20) - b'a' + 10,
        };
        let shifted = self.left.checked_mul(16).ok_or(ReplyError::ChunkTooLarge)?;
        self.left = shifted | u64::from(value);
        self.counted(Place::Digits)
    }

    fn size_known(&mut self) -> Place {
        self.line = 0;
        if self.left == 0 {
            Place::Line
        } else {
            Place::Data
        }
    }

    /// Counts a byte of a line towards its limit.
    fn counted(&mut self, next: Place) -> Result<Place, ReplyError> {
        self.line += 1;
        if self.line as usize <= MAX_HEAD {
            return Ok(next);
        }
        Err(match next {
            Place::Line | Place::Trailer => ReplyError::TrailersTooLarge,
            _ => ReplyError::ChunkLineTooLong,
        })
    }
}
