//! The errors of a connection, and the codes that are sent for them (RFC 9113 §5.4, §7).
//!
//! ```text
//! Fault      the peer broke the rules of the connection, which ends with a GOAWAY
//! Malformed  a message on one stream is not valid, which ends with a RST_STREAM
//! ```

use std::fmt;

use crate::h2::hpack::HpackError;
use crate::limits::{MAX_HEAD, MAX_INTERIM};
use thiserror::Error;

/// The code of a `RST_STREAM` or a `GOAWAY`.
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
}

/// The names of the codes, from 0 (RFC 9113 §7).
const NAMES: [&str; 14] = [
    "NO_ERROR",
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED",
];

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match NAMES.get(self.0 as usize) {
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
