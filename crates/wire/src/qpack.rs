//! QPACK: the compression of header fields in HTTP/3 (RFC 9204), by the static table alone.
//!
//! - A peer that is told a table of 0 bytes may only send what needs no table, so this decoder is complete (§3.2.3).
//! - Equal fields have equal bytes on each connection, so they are encoded once.

mod decoder;
mod encoder;
mod static_table;

pub use decoder::Decoder;
pub use encoder::{PREFIX, encode_field};
pub(crate) use encoder::{encode_literal, index_of};
