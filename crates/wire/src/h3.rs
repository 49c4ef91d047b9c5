//! HTTP/3 without I/O (RFC 9114): the client of a connection, as bytes and events.
//!
//! ```text
//! records ─► Client ─► Event          requests ─► Client ─► records
//!              ├─ request streams: FrameReader ─► heads, bodies
//!              └─ streams of the server: Incoming ─► SETTINGS, GOAWAY
//! ```
//! QUIC has streams of its own, so what arrives and what is sent are [`Record`]s: bytes of a stream, its end, a reset. Events
//! are those of HTTP/2. Nothing is allocated for a request once a connection has seen a few.

mod client;
mod fault;
mod frame_reader;
mod incoming;
pub mod record;
mod varint;

pub use client::Client;
pub use fault::Fault;
pub use incoming::MOST_INCOMING;
pub use record::{Record, RecordError, Records};
