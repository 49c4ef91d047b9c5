//! Reads and discards the body of a request: by length (RFC 9112 §6.2) or in chunks (§7.1).

use crate::request::refusal::Refusal;

/// Longest body accepted, in bytes, chunk framing included.
const MAX_BODY: u64 = 1 << 30;
/// Longest chunk-size line with its extensions, and longest trailer section, in bytes.
const MAX_LINES: usize = 64 * 1024;

const TOO_LARGE: Refusal = Refusal {
    status: 413,
    why: "the body is too large, expected at most 1 GiB",
};
const BAD_CHUNK: Refusal = Refusal::bad("the chunked body is malformed");

/// The part of a body that is still to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Length(u64),
    Chunks { at: Place, read: u64, line: usize },
}

/// Position of the next byte in a chunked body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the chunk size, after this many digits.
    Size {
        size: u64,
        digits: u8,
    },
    Extension {
        size: u64,
    },
    SizeEnd {
        size: u64,
    },
    Data {
        left: u64,
    },
    DataCarriageReturn,
    DataLineFeed,
    /// At the first byte of a trailer line, or of the empty line that ends the body.
    TrailerStart,
    Trailer,
    LastLineFeed,
    End,
}

impl Body {
    pub(crate) fn of_length(length: u64) -> Result<Self, Refusal> {
        if length > MAX_BODY {
            Err(TOO_LARGE)
        } else {
            Ok(Self::Length(length))
        }
    }

    pub(crate) fn chunked() -> Self {
        Self::Chunks {
            at: Place::Size { size: 0, digits: 0 },
            read: 0,
            line: 0,
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        matches!(self, Self::Length(0) | Self::Chunks { at: Place::End, .. })
    }

    /// Takes the bytes that belong to this body from the start of `bytes`; returns how many.
    pub(crate) fn discard(&mut self, bytes: &[u8]) -> Result<usize, Refusal> {
        match self {
            Self::Length(left) => {
                let taken = (*left).min(bytes.len() as u64);
                *left -= taken;
                Ok(taken as usize)
            }
            Self::Chunks { at, read, line } => {
                let mut taken = 0;
                while taken < bytes.len() && *at != Place::End {
                    if let Place::Data { left } = at {
                        let step = (*left).min((bytes.len() - taken) as u64);
                        taken += step as usize;
                        *left -= step;
                        if *left == 0 {
                            *at = Place::DataCarriageReturn;
                        }
                        continue;
                    }
                    *line = if matches!(at, Place::DataLineFeed) {
                        0
                    } else {
                        *line + 1
                    };
                    if *line > MAX_LINES {
                        return Err(BAD_CHUNK);
                    }
                    *at = at.after(bytes[taken])?;
                    taken += 1;
                }
                *read += taken as u64;
                if *read > MAX_BODY {
                    Err(TOO_LARGE)
                } else {
                    Ok(taken)
                }
            }
        }
    }
}

impl Place {
    fn after(self, byte: u8) -> Result<Self, Refusal> {
        Ok(match (self, byte) {
            (Self::Size { size, digits }, _) if byte.is_ascii_hexdigit() && digits < 15 => {
                let digit = char::from(byte).to_digit(16).unwrap_or_default();
                Self::Size {
                    size: size << 4 | u64::from(digit),
                    digits: digits + 1,
                }
            }
            (Self::Size { size, digits: 1.. } | Self::Extension { size }, b'\r') => {
                Self::SizeEnd { size }
            }
            (Self::Size { size, digits: 1.. }, b';' | b' ' | b'\t') => Self::Extension { size },
            (Self::Extension { size }, other) if other != b'\n' => Self::Extension { size },
            (Self::SizeEnd { size: 0 } | Self::Trailer, b'\n') => Self::TrailerStart,
            (Self::SizeEnd { size }, b'\n') => Self::Data { left: size },
            (Self::DataCarriageReturn, b'\r') => Self::DataLineFeed,
            (Self::DataLineFeed, b'\n') => Self::Size { size: 0, digits: 0 },
            (Self::TrailerStart, b'\r') => Self::LastLineFeed,
            (Self::TrailerStart | Self::Trailer, _) => Self::Trailer,
            (Self::LastLineFeed, b'\n') => Self::End,
            _ => return Err(BAD_CHUNK),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNKS: &[u8] = b"5;name=value\r\nhello\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";

    #[test]
    fn a_chunked_body_ends_at_its_last_byte_however_it_is_split() {
        for at in 0..=CHUNKS.len() {
            let (first, second) = CHUNKS.split_at(at);
            let mut body = Body::chunked();
            assert_eq!(body.discard(first), Ok(first.len()), "split at {at}");
            assert_eq!(body.is_complete(), at == CHUNKS.len(), "split at {at}");
            let next = [second, b"GET"].concat();
            assert_eq!(body.discard(&next), Ok(second.len()), "split at {at}");
            assert!(body.is_complete());
        }
    }

    #[test]
    fn a_body_of_known_length_leaves_the_next_request_alone() {
        let mut body = Body::of_length(5).unwrap();
        assert_eq!(body.discard(b"hel"), Ok(3));
        assert_eq!(body.discard(b"loGET"), Ok(2));
        assert!(body.is_complete());
    }

    #[test]
    fn malformed_chunks_are_refused() {
        for text in [
            "x\r\n",
            "\r\n",
            "1\n",
            "1\r\nab",
            "1\r\na\rb",
            "FFFFFFFFFFFFFFFFF\r\n",
            "0\r\n\rx",
        ] {
            assert_eq!(
                Body::chunked().discard(text.as_bytes()),
                Err(BAD_CHUNK),
                "{text:?}"
            );
        }
        let endless = format!("1;{}", "x".repeat(MAX_LINES));
        assert_eq!(Body::chunked().discard(endless.as_bytes()), Err(BAD_CHUNK));
    }
}
