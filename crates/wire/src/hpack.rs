//! HPACK: the compression of header fields (RFC 7541).

mod code;
mod decoder;
mod dynamic_table;
mod encoder;
mod fault;
pub(crate) mod huffman;
pub(crate) mod integer;
mod static_table;

pub use decoder::Decoder;
pub use encoder::{Encoder, encode_field};
pub(crate) use encoder::{encode_literal, index_of, is_secret};
pub use fault::HpackError;
