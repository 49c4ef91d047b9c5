//! Encodes header fields (RFC 9204 §4.5).

use crate::hpack::{huffman, integer, is_secret};
use crate::qpack::static_table;

/// The prefix of a block that needs no entry of a dynamic table (§4.5.1).
pub const PREFIX: [u8; 2] = [0, 0];

/// Appends a field by the static table alone.
pub fn encode_field(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    match static_table::find(name, value) {
        (_, Some(index)) => integer::encode(out, 0xc0, 6, index),
        (of_name, None) => encode_literal(out, of_name, name, value),
    }
}

/// The index of the first entry of the static table with this name.
pub(crate) fn index_of(name: &[u8]) -> Option<usize> {
    static_table::find(name, b"").0
}

/// Appends a field with this value in full. `of_name`: the index of its name. Those who pass on credentials must not add them
/// to a table (§7.1.3).
pub(crate) fn encode_literal(out: &mut Vec<u8>, of_name: Option<usize>, name: &[u8], value: &[u8]) {
    let is_secret = is_secret(name, value);
    match of_name {
        Some(index) => integer::encode(out, if is_secret { 0x70 } else { 0x50 }, 4, index),
        None => string(out, if is_secret { 0x30 } else { 0x20 }, 3, name),
    }
    string(out, 0, 7, value);
}

/// Appends a string behind the bits of `first`; it is Huffman-coded if that is shorter.
fn string(out: &mut Vec<u8>, first: u8, prefix: u32, bytes: &[u8]) {
    let length = huffman::coded_length(bytes);
    if length < bytes.len() {
        integer::encode(out, first | 1 << prefix, prefix, length);
        huffman::encode(bytes, out);
    } else {
        integer::encode(out, first, prefix, bytes.len());
        out.extend_from_slice(bytes);
    }
}
