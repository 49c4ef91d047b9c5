//! HTTP without I/O: no socket, no clock, no thread.
//!
//! HTTP/1: [`encode`] turns a request into bytes; [`Reader`] turns the bytes of a connection into the [`Event`]s of its
//! replies. They implement RFC 9110 (semantics) and RFC 9112 (HTTP/1.1). HTTP/2 (RFC 9113) is in [`h2`],
//! HTTP/3 (RFC 9114) in [`h3`]; [`StreamClient`] is a client of either. Each file names the sections it implements.

#![forbid(unsafe_code)]

mod chunked;
mod fault;
mod fields;
pub mod h2;
pub mod h3;
mod head;
pub mod hpack;
mod last_head;
mod limits;
pub mod qpack;
mod reader;
mod request;
mod stream_client;
mod version;

pub use fault::{ReplyError, RequestError};
pub use fields::Fields;
pub use head::{Compression, Framing, Head};
pub use last_head::LastHead;
pub use limits::{MAX_HEAD, MAX_HEADERS, MAX_INTERIM};
pub use reader::{Event, Reader};
pub use request::{Request, encode};
pub use stream_client::{StreamClient, StreamFault};
pub use version::Version;
