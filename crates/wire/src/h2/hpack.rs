//! HPACK: the compression of header fields (RFC 7541).

mod code;
mod decoder;
mod dynamic_table;
mod encoder;
mod fault;
mod huffman;
mod integer;
mod static_table;

pub use decoder::Decoder;
pub use encoder::{Encoder, FieldName, encode_field, encode_literal};
pub use fault::HpackError;
