//! The head of a reply: from its bytes to status, framing and persistence of the connection.
//!
//! - Length of the body (RFC 9112 §6.3), in this order: none for HEAD, 1xx, 204 and 304; Transfer-Encoding, which
//!   overrides Content-Length: chunked if that is the last coding, otherwise until the connection closes;
//!   Content-Length; otherwise until the connection closes.
//! - With both Transfer-Encoding and Content-Length, or with Transfer-Encoding in an HTTP/1.0 reply, the framing is
//!   ambiguous, and the connection is not used again (RFC 9112 §6.1).
//! - Content-Length is digits; a list of equal values is one value (RFC 9110 §8.6).
//! - Persistence (RFC 9112 §9.3): `close` ends it; otherwise HTTP/1.1 has it, and HTTP/1.0 only with `keep-alive`.
//! - A lone LF may end a line (RFC 9112 §2.2); folded header lines are refused (§5.2).

use crate::fault::ReplyError;
use crate::limits::MAX_HEADERS;
use crate::version::Version;
use httparse::{Error, Header, ParserConfig, Response, Status};
use std::mem::MaybeUninit;

/// The framing of a body: how its end is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// There is no body, whatever the headers say.
    None,
    /// This number of bytes.
    Length(u64),
    /// Chunks, the last of which is empty.
    Chunked,
    /// Until the server closes the connection.
    Close,
}

/// The parts of a head that the engine uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The status, 100 to 999.
    pub status: u16,
    /// The version of the reply.
    pub version: Version,
    /// True if the connection may carry another call after this reply.
    pub keep_alive: bool,
    /// The framing of the body.
    pub framing: Framing,
    /// The compression of the body.
    pub compression: Compression,
}

/// The compression of a body: its Content-Encoding (RFC 9110 §8.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// None, or `identity`.
    #[default]
    None,
    /// `gzip`, or its alias `x-gzip`.
    Gzip,
    /// `deflate`.
    Deflate,
    /// Another, or several.
    Other,
}

impl Compression {
    /// The compression with the codings of one more Content-Encoding.
    pub(crate) fn and(self, value: &[u8]) -> Self {
        items(value).fold(self, |before, item| {
            let next = match item.to_ascii_lowercase().as_slice() {
                b"" | b"identity" => return before,
                b"gzip" | b"x-gzip" => Self::Gzip,
                b"deflate" => Self::Deflate,
                _ => Self::Other,
            };
            if before == Self::None {
                next
            } else {
                Self::Other
            }
        })
    }
}

/// The length of the empty lines before a head. A carriage return alone is one, too.
#[inline]
pub(crate) fn empty_lines(bytes: &[u8]) -> usize {
    let is_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
    bytes.iter().take_while(is_end).count()
}

/// Parses the head at the start of `bytes`. Returns its length and content, or `None` if it is not complete.
#[inline]
pub(crate) fn parse(bytes: &[u8], head_only: bool) -> Result<Option<(usize, Head)>, ReplyError> {
    let mut headers = [const { MaybeUninit::<Header>::uninit() }; MAX_HEADERS];
    let mut response = Response::new(&mut []);
    let parsed = ParserConfig::default()
        .parse_response_with_uninit_headers(&mut response, bytes, &mut headers)
        .map_err(fault)?;
    let Status::Complete(length) = parsed else {
        return Ok(None);
    };
    let status = response.code.unwrap_or_default();
    let version = if response.version == Some(0) {
        Version::V10
    } else {
        Version::V11
    };
    let fields = Fields::of(response.headers);
    let framing = fields.framing(status, head_only)?;
    let keep_alive = fields.keep_alive(version) && framing != Framing::Close;
    Ok(Some((
        length,
        Head {
            status,
            version,
            keep_alive,
            framing,
            compression: fields.compression,
        },
    )))
}

fn fault(error: Error) -> ReplyError {
    ReplyError::BadHead(match error {
        Error::Version => return ReplyError::Version,
        Error::TooManyHeaders => return ReplyError::TooManyHeaders,
        Error::HeaderName => "the name of a header contains an invalid byte",
        Error::HeaderValue => "the value of a header contains an invalid byte",
        Error::NewLine => "a line does not end with CR LF or LF",
        Error::Status => "the status is not three digits and a phrase",
        Error::Token => "it contains an invalid byte",
    })
}

/// The value of Content-Length.
#[derive(Clone, Copy)]
enum Length {
    Absent,
    Bytes(u64),
    Bad(ReplyError),
}

/// The value of Transfer-Encoding.
#[derive(Clone, Copy, PartialEq)]
enum Coding {
    Absent,
    ChunkedLast,
    OtherLast,
}

/// The header fields that determine framing and persistence.
struct Fields {
    length: Length,
    coding: Coding,
    close: bool,
    keep_alive: bool,
    compression: Compression,
}

impl Fields {
    #[inline]
    fn of(headers: &[Header]) -> Self {
        let mut fields = Fields {
            length: Length::Absent,
            coding: Coding::Absent,
            close: false,
            keep_alive: false,
            compression: Compression::None,
        };
        for header in headers {
            // The length of a name excludes nearly all headers without a comparison of letters.
            match header.name.len() {
                10 if header.name.eq_ignore_ascii_case("connection") => {
                    fields.connection(header.value);
                }
                14 if header.name.eq_ignore_ascii_case("content-length") => {
                    fields.content_length(header.value);
                }
                16 if header.name.eq_ignore_ascii_case("content-encoding") => {
                    fields.compression = fields.compression.and(header.value);
                }
                17 if header.name.eq_ignore_ascii_case("transfer-encoding") => {
                    fields.transfer_encoding(header.value);
                }
                _ => {}
            }
        }
        fields
    }

    fn connection(&mut self, value: &[u8]) {
        for token in items(value) {
            self.close |= token.eq_ignore_ascii_case(b"close");
            self.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    fn content_length(&mut self, value: &[u8]) {
        for item in items(value) {
            self.length = match (self.length, decimal(item)) {
                (Length::Bad(error), _) => Length::Bad(error),
                (_, None) => Length::Bad(ReplyError::BadContentLength),
                (Length::Bytes(before), Some(now)) if before != now => {
                    Length::Bad(ReplyError::ConflictingLengths)
                }
                (_, Some(now)) => Length::Bytes(now),
            };
        }
    }

    fn transfer_encoding(&mut self, value: &[u8]) {
        let last = items(value).last().unwrap_or_default();
        self.coding = if last.eq_ignore_ascii_case(b"chunked") {
            Coding::ChunkedLast
        } else {
            Coding::OtherLast
        };
    }

    fn framing(&self, status: u16, head_only: bool) -> Result<Framing, ReplyError> {
        if head_only || status < 200 || status == 204 || status == 304 {
            return Ok(Framing::None);
        }
        match (self.coding, self.length) {
            (Coding::ChunkedLast, _) => Ok(Framing::Chunked),
            (Coding::OtherLast, _) | (Coding::Absent, Length::Absent) => Ok(Framing::Close),
            (Coding::Absent, Length::Bytes(length)) => Ok(Framing::Length(length)),
            (Coding::Absent, Length::Bad(error)) => Err(error),
        }
    }

    fn keep_alive(&self, version: Version) -> bool {
        let habit = self.keep_alive || version == Version::V11;
        let one_framing = self.coding == Coding::Absent
            || (version == Version::V11 && matches!(self.length, Length::Absent));
        habit && one_framing && !self.close
    }
}

/// The items of a comma-separated list (RFC 9110 §5.6.1), without surrounding blanks.
fn items(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}

/// Parses a number of digits only: no sign, no blank, no overflow.
pub(crate) fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, &digit| match digit {
        b'0'..=b'9' => value.checked_mul(10)?.checked_add(u64::from(digit - b'0')),
        _ => None,
    })
}
