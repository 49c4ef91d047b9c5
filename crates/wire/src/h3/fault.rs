//! The errors of a connection (RFC 9114 §8, RFC 9204 §6): each closes it. A message that is not valid ends its stream only.

use thiserror::Error;

use crate::h2::ErrorCode;
use crate::h3::record::RecordError;
use crate::hpack::HpackError;
use crate::limits::MAX_HEAD;

/// An error of the connection; it cannot be used any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// A frame or a stream is not allowed where it is, or has an invalid content.
    #[error("HTTP/3 was violated: {what} ({code})")]
    Violated { what: &'static str, code: ErrorCode },
    /// A block of header fields cannot be decoded.
    #[error("{0}")]
    Compression(#[from] HpackError),
    /// A block of header fields, or several that have begun, are longer than the limit.
    #[error("blocks of header fields are longer than {MAX_HEAD} bytes")]
    HeadTooLarge,
    /// Many frames that have no use.
    #[error("too many frames of HTTP/3 without progress")]
    Flood,
    /// The input is not from QUIC.
    #[error("{0}")]
    Records(#[from] RecordError),
}

impl Fault {
    pub(crate) const fn new(what: &'static str, code: ErrorCode) -> Self {
        Self::Violated { what, code }
    }

    /// The code with which the connection is closed.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Violated { code, .. } => *code,
            Self::Compression(HpackError::ListTooLarge(_)) | Self::HeadTooLarge | Self::Flood => {
                ErrorCode::H3_EXCESSIVE_LOAD
            }
            Self::Compression(_) => ErrorCode::QPACK_DECOMPRESSION_FAILED,
            Self::Records(_) => ErrorCode::INTERNAL_ERROR,
        }
    }
}
