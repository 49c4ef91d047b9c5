//! HTTP/1 as bytes and events: no socket, no clock, no thread.
//!
//! [`encode`] turns a request into bytes; [`Reader`] turns the bytes of a connection into the [`Event`]s of its
//! replies. Rules: RFC 9110 (semantics) and RFC 9112 (HTTP/1.1); each file names the sections it implements.

#![forbid(unsafe_code)]

mod chunked;
mod fault;
mod head;
mod last_head;
mod reader;
mod request;

pub use fault::{ReplyError, RequestError};
pub use head::{Framing, Head, MAX_HEAD, MAX_HEADERS};
pub use last_head::LastHead;
pub use reader::{Event, MAX_INTERIM, Reader};
pub use request::{Request, encode};

/// The version of HTTP that a message says it speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// HTTP/1.0: a connection carries one call unless both sides say `keep-alive`.
    V10,
    /// HTTP/1.1: a connection carries calls until one side says `close`.
    V11,
}

impl Version {
    /// As it stands on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Version::V10 => "HTTP/1.0",
            Version::V11 => "HTTP/1.1",
        }
    }
}
