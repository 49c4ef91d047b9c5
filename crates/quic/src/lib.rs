//! QUIC between the engine and the operating system: [`Quic`] is a driver of its own, on UDP sockets.
//!
//! ```text
//! engine ◄─ records of streams (wire::h3) ─► Quic ◄─ packets ─► quinn-proto; datagrams ─► driver::Udp
//! ```
//! - A connection has a UDP socket of its own, as one of TCP has, so ports and closed ports mean the same.
//! - quinn-proto keeps the state of QUIC without I/O. Time and randomness are arguments.
//! - TLS has the settings of `secure`. Each connection makes a full handshake.

#![forbid(unsafe_code)]

mod driver;
mod handshake;
mod link;
mod timers;
mod words;

pub use driver::{Quic, QuicSettings};
pub use handshake::try_handshake;
