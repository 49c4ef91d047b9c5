//! Encodes header fields (RFC 7541 §6).
//!
//! - [`encode_field`] needs no table but the static one, so the bytes of a field are the same on each connection, and can be
//!   prepared once.
//! - [`Encoder`] adds fields to the table of a connection: the first block has them, later ones are a byte for each field.
//! - Strings are Huffman-coded if that is shorter.
//! - Credentials are never added to a table, nor by those who pass them on (§7.1.3). Values that rarely repeat are not added.

use crate::hpack::dynamic_table::{DynamicTable, INITIAL_SIZE};
use crate::hpack::{huffman, integer, static_table};

const NEVER_INDEXED: u8 = 0x10;
const NOT_INDEXED: u8 = 0;
/// Fields whose values differ from message to message.
const VARYING: [&[u8]; 8] = [
    b":path",
    b"age",
    b"content-length",
    b"etag",
    b"if-modified-since",
    b"if-none-match",
    b"location",
    b"set-cookie",
];
/// Shorter cookies could be guessed one by one, from the lengths of blocks.
const SHORT_COOKIE: usize = 20;

/// Appends a field by the static table alone.
pub fn encode_field(out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    match static_table::find(name, value) {
        (_, Some(index)) => integer::encode(out, 0x80, 7, index),
        (of_name, None) => literal(out, of_name, name, value),
    }
}

/// Appends a field with this value in full, which is added to no table. `of_name`: the index of its name.
pub(crate) fn encode_literal(out: &mut Vec<u8>, of_name: Option<usize>, name: &[u8], value: &[u8]) {
    literal(out, of_name, name, value);
}

/// The index of the first entry of the static table with this name.
pub(crate) fn index_of(name: &[u8]) -> Option<usize> {
    static_table::find(name, b"").0
}

/// The encoder of one direction of a connection.
#[derive(Debug)]
pub struct Encoder {
    table: DynamicTable,
    /// The smallest size since the last block, and the last one, which the next block must announce.
    changes: Option<(usize, usize)>,
    /// Most bytes of the table, whatever the peer allows.
    most: usize,
}

impl Encoder {
    /// An encoder for a new connection; allocates nothing. `most`: the bytes of its table, whatever the peer allows.
    #[must_use]
    pub fn new(most: u32) -> Self {
        let mut encoder = Self {
            table: DynamicTable::new(INITIAL_SIZE),
            changes: None,
            most: most as usize,
        };
        encoder.allow(INITIAL_SIZE as u32);
        encoder
    }

    /// Resets the encoder for a new connection; keeps its memory.
    pub fn reset(&mut self) {
        self.table.reset(INITIAL_SIZE);
        self.changes = None;
        self.allow(INITIAL_SIZE as u32);
    }

    /// The peer's `SETTINGS_HEADER_TABLE_SIZE`.
    pub fn allow(&mut self, setting: u32) {
        let size = self.most.min(setting as usize);
        if size == self.table.most() {
            return;
        }
        self.table.set_most(size);
        let smallest = self
            .changes
            .map_or(size, |(smallest, _)| smallest.min(size));
        self.changes = Some((smallest, size));
    }

    /// Begins a block.
    pub fn begin(&mut self, out: &mut Vec<u8>) {
        let Some((smallest, last)) = self.changes.take() else {
            return;
        };
        if smallest < last {
            integer::encode(out, 0x20, 5, smallest);
        }
        integer::encode(out, 0x20, 5, last);
    }

    /// Appends a field of the block.
    pub fn encode(&mut self, out: &mut Vec<u8>, name: &[u8], value: &[u8]) {
        let (of_name, of_both) = static_table::find(name, value);
        if let Some(index) = of_both {
            return integer::encode(out, 0x80, 7, index);
        }
        let (dynamic_name, dynamic_both) = self.table.find(name, value);
        let index = |place| place + static_table::LENGTH + 1;
        if let Some(place) = dynamic_both {
            return integer::encode(out, 0x80, 7, index(place));
        }
        let of_name = of_name.or(dynamic_name.map(index));
        if is_secret(name, value) || VARYING.contains(&name) {
            return literal(out, of_name, name, value);
        }
        integer::encode(out, 0x40, 6, of_name.unwrap_or_default());
        if of_name.is_none() {
            string(out, name);
        }
        string(out, value);
        self.table.insert(name, value);
    }
}

/// Appends a literal that is added to no table.
fn literal(out: &mut Vec<u8>, of_name: Option<usize>, name: &[u8], value: &[u8]) {
    let first = if is_secret(name, value) {
        NEVER_INDEXED
    } else {
        NOT_INDEXED
    };
    integer::encode(out, first, 4, of_name.unwrap_or_default());
    if of_name.is_none() {
        string(out, name);
    }
    string(out, value);
}

/// True for credentials, which nobody may add to a table.
pub(crate) fn is_secret(name: &[u8], value: &[u8]) -> bool {
    matches!(name, b"authorization" | b"proxy-authorization")
        || (name == b"cookie" && value.len() < SHORT_COOKIE)
}

fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = huffman::coded_length(bytes);
    if length < bytes.len() {
        integer::encode(out, 0x80, 7, length);
        huffman::encode(bytes, out);
    } else {
        integer::encode(out, 0, 7, bytes.len());
        out.extend_from_slice(bytes);
    }
}
