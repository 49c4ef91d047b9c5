//! HTTP without I/O: no socket, no clock, no thread.
//!
//! HTTP/1: [`encode`] turns a request into bytes; [`Reader`] turns the bytes of a connection into the [`Event`]s of its
//! replies. They implement RFC 9110 (semantics) and RFC 9112 (HTTP/1.1). HTTP/2 (RFC 9113) is in [`h2`]. Each file names the
//! sections it implements.

#![forbid(unsafe_code)]

mod chunked;
mod fault;
mod fields;
pub mod h2;
mod head;
mod last_head;
mod limits;
mod reader;
mod request;
mod version;

pub use fault::{ReplyError, RequestError};
pub use fields::Fields;
pub use head::{Compression, Framing, Head};
pub use last_head::LastHead;
pub use limits::{MAX_HEAD, MAX_HEADERS, MAX_INTERIM};
pub use reader::{Event, Reader};
pub use request::{Request, encode};
pub use version::Version;
