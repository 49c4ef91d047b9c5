//! The errors of requests and replies.
//!
//! ```text
//! RequestError   the user's fault: the request is not valid in HTTP
//! ReplyError     the server's fault: the reply is not valid in HTTP/1
//! ```

use crate::limits::{MAX_HEAD, MAX_HEADERS, MAX_INTERIM};
use thiserror::Error;

/// An invalid part of a request, which would change the meaning of the rest.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The method is not a token (RFC 9110 §9.1).
    #[error("invalid method `{0}`: expected one word of letters, digits and `!#$%&'*+-.^_`|~`")]
    Method(String),
    /// The target is empty, or contains a space or a control character (RFC 9112 §3.2).
    #[error("invalid path `{0}`: expected a non-empty text without spaces and control characters")]
    Target(String),
    /// The host contains a space or a control character.
    #[error("invalid host `{0}`: expected no spaces and no control characters")]
    Host(String),
    /// The name of a header is not a token (RFC 9110 §5.1).
    #[error(
        "invalid header name `{0}`: expected one word of letters, digits and `!#$%&'*+-.^_`|~`"
    )]
    HeaderName(String),
    /// The value of a header contains a line break or a NUL (RFC 9110 §5.5).
    #[error("invalid value of the header `{0}`: expected no line breaks and no NUL")]
    HeaderValue(String),
}

/// An invalid reply; its connection cannot be used any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ReplyError {
    /// The head is malformed, with the reason.
    #[error("the head of the reply is malformed: {0}")]
    BadHead(&'static str),
    /// The reply does not start with a supported version.
    #[error("the reply does not start with HTTP/1.0 or HTTP/1.1")]
    Version,
    /// The head does not end within the limit.
    #[error("the head of the reply is longer than {MAX_HEAD} bytes")]
    HeadTooLarge,
    /// There are more header lines than the limit.
    #[error("the head of the reply has more than {MAX_HEADERS} header lines")]
    TooManyHeaders,
    /// Content-Length is not a number, or too large.
    #[error("the Content-Length of the reply is not a number below 2^64")]
    BadContentLength,
    /// There are several Content-Length values, and they differ.
    #[error("the reply has different Content-Length values")]
    ConflictingLengths,
    /// The size line of a chunk, or its end, is malformed.
    #[error(
        "a chunk of the reply does not start with its size in hexadecimal, or does not end with CR LF"
    )]
    BadChunk,
    /// The size of a chunk does not fit into 64 bits.
    #[error("a chunk of the reply has a size of 2^64 bytes or more")]
    ChunkTooLarge,
    /// The size line of a chunk does not end within the limit.
    #[error("the size line of a chunk is longer than {MAX_HEAD} bytes")]
    ChunkLineTooLong,
    /// The trailer section does not end within the limit.
    #[error("the trailers of the reply are longer than {MAX_HEAD} bytes")]
    TrailersTooLarge,
    /// There are more interim replies than the limit.
    #[error("the server sent more than {MAX_INTERIM} interim (1xx) replies before the reply")]
    TooManyInterim,
    /// The connection ended inside a reply.
    #[error("the connection was closed inside the reply")]
    Truncated,
}
