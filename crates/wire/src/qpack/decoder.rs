//! Decodes blocks of header fields (RFC 9204 §4.5).
//!
//! ```text
//! 11xxxxxx  indexed                   01x1xxxx  literal, its name indexed        001xxxxx  literal
//! 10xxxxxx, 01x0xxxx, 0001xxxx, 0000xxxx: refer to a dynamic table, which is empty
//! ```

use crate::hpack::{HpackError, huffman, integer};
use crate::qpack::static_table;

/// Bytes that each field counts besides its own (RFC 9114 §4.2.2).
const OVERHEAD: usize = 32;

/// A decoder without a dynamic table. It has memory only for Huffman-coded strings.
#[derive(Debug, Default)]
pub struct Decoder {
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Decoder {
    /// Passes the fields of a whole block to `visit`, name and value. They are at most `most` bytes together, each with an
    /// overhead of 32.
    ///
    /// # Errors
    /// The block is not valid, or needs a dynamic table.
    pub fn decode(
        &mut self,
        block: &[u8],
        most: usize,
        mut visit: impl FnMut(&[u8], &[u8]),
    ) -> Result<(), HpackError> {
        let mut rest = block;
        let (required, base) = (
            integer::take(&mut rest, 8)?,
            rest.first().copied().unwrap_or_default(),
        );
        integer::take(&mut rest, 7)?;
        // The block needs entries, or its base is negative.
        if required != 0 || base & 0x80 != 0 {
            return Err(HpackError::Index);
        }
        let mut size = 0;
        while let Some(&first) = rest.first() {
            let (name, value) = match first {
                0xc0.. => indexed(&mut rest, 6)?,
                0x50..=0x5f | 0x70..=0x7f => {
                    let (name, _) = indexed(&mut rest, 4)?;
                    (name, string(&mut rest, 7, &mut self.value)?)
                }
                0x20..=0x3f => (
                    string(&mut rest, 3, &mut self.name)?,
                    string(&mut rest, 7, &mut self.value)?,
                ),
                _ => return Err(HpackError::Index),
            };
            size += name.len() + value.len() + OVERHEAD;
            if size > most {
                return Err(HpackError::ListTooLarge(most));
            }
            visit(name, value);
        }
        Ok(())
    }
}

/// Takes the index of an entry of the static table.
fn indexed(rest: &mut &[u8], prefix: u32) -> Result<(&'static [u8], &'static [u8]), HpackError> {
    let index = integer::take(rest, prefix)?;
    static_table::get(index).ok_or(HpackError::Index)
}

/// Takes a string; the bit above its prefix says that it is Huffman-coded. `room` is for the decoded one.
fn string<'a, 'block: 'a>(
    rest: &mut &'block [u8],
    prefix: u32,
    room: &'a mut Vec<u8>,
) -> Result<&'a [u8], HpackError> {
    let is_coded = rest.first().is_some_and(|first| first & 1 << prefix != 0);
    let length = integer::take(rest, prefix)?;
    let (bytes, after) = rest.split_at_checked(length).ok_or(HpackError::Truncated)?;
    *rest = after;
    if !is_coded {
        return Ok(bytes);
    }
    room.clear();
    huffman::decode(bytes, room)?;
    Ok(room)
}
