//! The errors of a connection, and the codes that are sent for them (RFC 9113 §5.4, §7).
//!
//! ```text
//! Fault      the peer broke the rules of the connection, which ends with a GOAWAY
//! Malformed  a message on one stream is not valid, which ends with a RST_STREAM
//! ```

use std::fmt;

use crate::hpack::HpackError;
use crate::limits::{MAX_HEAD, MAX_INTERIM};
use thiserror::Error;

/// The code with which a stream or a connection of HTTP/2 or HTTP/3 ends. The codes of both do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrorCode(pub u32);

impl ErrorCode {
    pub const NO_ERROR: Self = Self(0);
    pub const PROTOCOL_ERROR: Self = Self(1);
    pub const INTERNAL_ERROR: Self = Self(2);
    pub const FLOW_CONTROL_ERROR: Self = Self(3);
    pub const STREAM_CLOSED: Self = Self(5);
    pub const FRAME_SIZE_ERROR: Self = Self(6);
    pub const REFUSED_STREAM: Self = Self(7);
    pub const CANCEL: Self = Self(8);
    pub const COMPRESSION_ERROR: Self = Self(9);
    pub const ENHANCE_YOUR_CALM: Self = Self(11);

    pub const H3_NO_ERROR: Self = Self(0x100);
    pub const H3_STREAM_CREATION_ERROR: Self = Self(0x103);
    pub const H3_CLOSED_CRITICAL_STREAM: Self = Self(0x104);
    pub const H3_FRAME_UNEXPECTED: Self = Self(0x105);
    pub const H3_FRAME_ERROR: Self = Self(0x106);
    pub const H3_EXCESSIVE_LOAD: Self = Self(0x107);
    pub const H3_ID_ERROR: Self = Self(0x108);
    pub const H3_SETTINGS_ERROR: Self = Self(0x109);
    pub const H3_MISSING_SETTINGS: Self = Self(0x10a);
    pub const H3_REQUEST_REJECTED: Self = Self(0x10b);
    pub const H3_REQUEST_CANCELLED: Self = Self(0x10c);
    pub const H3_MESSAGE_ERROR: Self = Self(0x10e);
    pub const QPACK_DECOMPRESSION_FAILED: Self = Self(0x200);
    pub const QPACK_ENCODER_STREAM_ERROR: Self = Self(0x201);
    pub const QPACK_DECODER_STREAM_ERROR: Self = Self(0x202);

    /// Number of the codes that have a name.
    pub const NAMED: usize = NAMES.len();

    /// The place of the code among those with a name.
    #[must_use]
    pub fn place(self) -> Option<usize> {
        NAMES.iter().position(|(code, _)| *code == self.0)
    }

    /// The name of the code at a place.
    #[must_use]
    pub fn name_at(place: usize) -> Option<&'static str> {
        NAMES.get(place).map(|(_, name)| *name)
    }

    /// True if the server refused a request before it processed it.
    #[must_use]
    pub const fn is_refusal(self) -> bool {
        matches!(self, Self::REFUSED_STREAM | Self::H3_REQUEST_REJECTED)
    }

    /// False for the codes of an end without an error.
    #[must_use]
    pub const fn is_error(self) -> bool {
        !matches!(self, Self::NO_ERROR | Self::H3_NO_ERROR)
    }
}

/// The codes with a name (RFC 9113 §7, RFC 9114 §8.1, RFC 9204 §6).
#[rustfmt::skip]
const NAMES: [(u32, &str); 34] = [
    (0, "NO_ERROR"),
    (1, "PROTOCOL_ERROR"),
    (2, "INTERNAL_ERROR"),
    (3, "FLOW_CONTROL_ERROR"),
    (4, "SETTINGS_TIMEOUT"),
    (5, "STREAM_CLOSED"),
    (6, "FRAME_SIZE_ERROR"),
    (7, "REFUSED_STREAM"),
    (8, "CANCEL"),
    (9, "COMPRESSION_ERROR"),
    (10, "CONNECT_ERROR"),
    (11, "ENHANCE_YOUR_CALM"),
    (12, "INADEQUATE_SECURITY"),
    (13, "HTTP_1_1_REQUIRED"),
    (0x100, "H3_NO_ERROR"),
    (0x101, "H3_GENERAL_PROTOCOL_ERROR"),
    (0x102, "H3_INTERNAL_ERROR"),
    (0x103, "H3_STREAM_CREATION_ERROR"),
    (0x104, "H3_CLOSED_CRITICAL_STREAM"),
    (0x105, "H3_FRAME_UNEXPECTED"),
    (0x106, "H3_FRAME_ERROR"),
    (0x107, "H3_EXCESSIVE_LOAD"),
    (0x108, "H3_ID_ERROR"),
    (0x109, "H3_SETTINGS_ERROR"),
    (0x10a, "H3_MISSING_SETTINGS"),
    (0x10b, "H3_REQUEST_REJECTED"),
    (0x10c, "H3_REQUEST_CANCELLED"),
    (0x10d, "H3_REQUEST_INCOMPLETE"),
    (0x10e, "H3_MESSAGE_ERROR"),
    (0x10f, "H3_CONNECT_ERROR"),
    (0x110, "H3_VERSION_FALLBACK"),
    (0x200, "QPACK_DECOMPRESSION_FAILED"),
    (0x201, "QPACK_ENCODER_STREAM_ERROR"),
    (0x202, "QPACK_DECODER_STREAM_ERROR"),
];

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self.place().and_then(Self::name_at) {
            Some(name) => formatter.write_str(name),
            None => write!(formatter, "error code {}", self.0),
        }
    }
}

/// An error of the connection; it cannot be used any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The first bytes are of another protocol.
    #[error("the first bytes are not HTTP/2: expected SETTINGS")]
    NotHttp2,
    /// A frame has a length that its kind, or our setting, does not allow.
    #[error("a frame of HTTP/2 has an invalid length: {0}")]
    FrameSize(&'static str),
    /// A frame is not allowed where it is, or has an invalid content.
    #[error("HTTP/2 was violated: {0}")]
    Protocol(&'static str),
    /// A frame belongs to a stream that has ended.
    #[error("a frame of HTTP/2 belongs to a stream that has ended")]
    StreamClosed,
    /// More data than the windows allow, or a window above 2^31 - 1 bytes.
    #[error("the flow control of HTTP/2 was violated: {0}")]
    FlowControl(&'static str),
    /// A block of header fields cannot be decoded.
    #[error("{0}")]
    Compression(HpackError),
    /// A block of header fields does not end within the limit.
    #[error("a block of header fields is longer than {MAX_HEAD} bytes, or has too many frames")]
    HeadTooLarge,
    /// Many frames that have no use, or that we would have to answer.
    #[error("too many frames of HTTP/2 without progress: {0}")]
    Flood(&'static str),
}

impl Fault {
    /// The code of the GOAWAY that ends the connection.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::NotHttp2 | Self::Protocol(_) => ErrorCode::PROTOCOL_ERROR,
            Self::FrameSize(_) => ErrorCode::FRAME_SIZE_ERROR,
            Self::StreamClosed => ErrorCode::STREAM_CLOSED,
            Self::FlowControl(_) => ErrorCode::FLOW_CONTROL_ERROR,
            Self::Compression(HpackError::ListTooLarge(_))
            | Self::HeadTooLarge
            | Self::Flood(_) => ErrorCode::ENHANCE_YOUR_CALM,
            Self::Compression(_) => ErrorCode::COMPRESSION_ERROR,
        }
    }
}

impl From<HpackError> for Fault {
    fn from(error: HpackError) -> Self {
        Self::Compression(error)
    }
}

/// An invalid message; its stream is reset, and the connection goes on (RFC 9113 §8.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Malformed {
    /// A name contains an upper-case letter, a blank, a control character or a misplaced colon (§8.2.1).
    #[error("the name of a header field contains an invalid byte")]
    FieldName,
    /// A value contains a line break or a NUL, or begins or ends with a blank (§8.2.1).
    #[error("the value of a header field contains an invalid byte")]
    FieldValue,
    /// A field of the connection, which HTTP/2 does not have (§8.2.2).
    #[error("a header field belongs to a connection of HTTP/1")]
    ConnectionField,
    /// A pseudo-header field is unknown, repeated, or behind other fields (§8.3).
    #[error("a pseudo-header field is unknown, repeated or at a wrong place")]
    PseudoField,
    /// The status is missing, or not three digits, or 101 (§8.3.2, §8.6).
    #[error("the status is not a number from 100 to 999, or it is 101")]
    Status,
    /// The method, the scheme or the path is missing (§8.3.1).
    #[error("the method, the scheme or the path is missing")]
    Request,
    /// Content-Length is not a number, or there are several.
    #[error("the Content-Length is not one number")]
    ContentLength,
    /// The data has another length than Content-Length says (§8.1.1).
    #[error("the body has another length than Content-Length says")]
    BodyLength,
    /// Data comes before the head, or trailers do not end the message (§8.1).
    #[error("the parts of the message are not in order")]
    Order,
    /// The stream ended without a head (RFC 9114 §4.1).
    #[error("the stream ended before the head of the reply")]
    NoHead,
    /// There are more interim replies than the limit.
    #[error("more than {MAX_INTERIM} interim (1xx) replies came before the reply")]
    TooManyInterim,
    /// The window of the stream is widened by 0 bytes (§6.9).
    #[error("the window of the stream was widened by 0 bytes")]
    Increment,
    /// The window of the stream exceeds 2^31 - 1 bytes (§6.9.1).
    #[error("the window of the stream was widened above 2^31 - 1 bytes")]
    Window,
}

impl Malformed {
    /// The code of the `RST_STREAM` that ends the stream.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Window => ErrorCode::FLOW_CONTROL_ERROR,
            _ => ErrorCode::PROTOCOL_ERROR,
        }
    }
}
