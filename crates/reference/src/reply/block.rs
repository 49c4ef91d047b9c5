//! The header fields of replies in HTTP/2: blocks that are the same on each connection (RFC 9113 §8.3.2).

use wire::hpack::encode_field;

/// The head of a reply; without `length`, only the end of the stream shows where its body ends.
pub(crate) fn head(status: u16, content_type: &str, length: Option<u64>) -> Vec<u8> {
    let mut block = Vec::new();
    encode_field(&mut block, b":status", status.to_string().as_bytes());
    encode_field(&mut block, b"server", b"httpdyno-reference");
    encode_field(&mut block, b"content-type", content_type.as_bytes());
    if let Some(length) = length {
        encode_field(&mut block, b"content-length", length.to_string().as_bytes());
    }
    block
}

/// The head of an interim reply.
pub(crate) fn early_hints() -> Vec<u8> {
    let mut block = Vec::new();
    encode_field(&mut block, b":status", b"103");
    encode_field(&mut block, b"link", b"</style.css>");
    block
}

/// The trailers of a reply.
pub(crate) fn trailers() -> Vec<u8> {
    let mut block = Vec::new();
    encode_field(&mut block, b"x-trailer", b"end");
    block
}

/// The status of a gRPC call: its trailers, or behind a head that has no body.
pub(crate) fn grpc_status(status: u8, message: &str) -> Vec<u8> {
    let mut block = Vec::new();
    encode_field(&mut block, b"grpc-status", status.to_string().as_bytes());
    if !message.is_empty() {
        encode_field(&mut block, b"grpc-message", message.as_bytes());
    }
    block
}
