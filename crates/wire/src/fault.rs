//! What can be wrong with a request that is to be sent, or with a reply that came.
//!
//! ```text
//! RequestError   the user's fault: the request cannot be written as HTTP
//! ReplyError     the server's fault: what came is not an HTTP/1 reply
//! ```

use crate::limits::{MAX_HEAD, MAX_HEADERS, MAX_INTERIM};
use thiserror::Error;

/// Why a request cannot be written: a part of it would change the meaning of the rest.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The method is not a token (RFC 9110 §9.1).
    #[error("the method `{0}` is not one word of letters, digits and `!#$%&'*+-.^_`|~`")]
    Method(String),
    /// The target is empty or holds a space or a control character (RFC 9112 §3.2).
    #[error("the path `{0}` is empty or holds a space or a control character")]
    Target(String),
    /// The host holds a space or a control character.
    #[error("the host `{0}` holds a space or a control character")]
    Host(String),
    /// The name of a header is not a token (RFC 9110 §5.1).
    #[error("the header name `{0}` is not one word of letters, digits and `!#$%&'*+-.^_`|~`")]
    HeaderName(String),
    /// The value of a header would end its line (RFC 9110 §5.5).
    #[error("the value of header `{0}` holds a line break or a NUL")]
    HeaderValue(String),
}

/// Why what a server sent is not a reply; the connection is of no more use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ReplyError {
    /// The head is malformed; what the parser found.
    #[error("the head of the reply is malformed: {0}")]
    BadHead(&'static str),
    /// The reply does not begin with a version that we speak.
    #[error("the reply does not begin with HTTP/1.0 or HTTP/1.1")]
    Version,
    /// The head does not end within the bound.
    #[error("the head of the reply is longer than {MAX_HEAD} bytes")]
    HeadTooLarge,
    /// More header lines than the bound.
    #[error("the head of the reply has more than {MAX_HEADERS} header lines")]
    TooManyHeaders,
    /// Content-Length is not a number, or too large a one.
    #[error("Content-Length is not a number of bytes below 2^64")]
    BadContentLength,
    /// Several values of Content-Length that differ.
    #[error("the reply has several Content-Length values that differ")]
    ConflictingLengths,
    /// A chunk's size line or its end is malformed.
    #[error(
        "a chunk of the body does not begin with its size in hexadecimal or does not end with CR LF"
    )]
    BadChunk,
    /// A chunk's size does not fit 64 bits.
    #[error("a chunk of the body claims 2^64 bytes or more")]
    ChunkTooLarge,
    /// A chunk's size line does not end within the bound.
    #[error("the size line of a chunk is longer than {MAX_HEAD} bytes")]
    ChunkLineTooLong,
    /// The trailer section does not end within the bound.
    #[error("the trailers of the reply are longer than {MAX_HEAD} bytes")]
    TrailersTooLarge,
    /// Interim replies without end.
    #[error("more than {MAX_INTERIM} interim (1xx) replies came before the reply")]
    TooManyInterim,
    /// 101 Switching Protocols, which no request of ours asks for.
    #[error("the server switched protocols (101), which was not asked for")]
    Upgrade,
    /// The connection ended inside a reply.
    #[error("the connection was closed inside the reply")]
    Truncated,
}
