//! HTTP/2 without I/O (RFC 9113): the client and the server of a connection, as bytes and events.
//!
//! ```text
//! bytes ─► FrameReader ─► Endpoint ─► Client ─► Event          requests ─► Client ─► bytes
//!                            └──────► Server ─► ServerEvent     replies ──► Server ─► bytes
//! ```
//! Nothing is allocated for a request once a connection has seen a few. Frames may be split anywhere; what arrives in one
//! piece is not copied. Bytes to be sent, answers included, are collected in one buffer, so that a turn of I/O sends once.

mod client;
mod endpoint;
pub(crate) mod fault;
mod frame;
mod frame_reader;
pub(crate) mod last_block;
pub(crate) mod message;
mod options;
mod received;
pub(crate) mod reply;
pub(crate) mod request;
mod server;
mod settings;
pub(crate) mod streams;

pub use client::{Client, Event};
pub use fault::{ErrorCode, Fault, Malformed};
pub use options::Options;
pub use reply::ReplyHead;
pub use request::{FieldName, FixedFields, HeadWriter, Prepared, RequestHead};
pub use server::{Server, ServerEvent};
pub use settings::Settings;
pub use streams::Stream;
