//! Decodes blocks of header fields (RFC 7541 §3, §6).
//!
//! ```text
//! 1xxxxxxx  indexed                   01xxxxxx  literal, added to the table
//! 001xxxxx  size of the table         0000xxxx, 0001xxxx  literal, not added
//! ```
//! - Changes of the table's size come first in a block. They are at most what our setting says (§4.2), and must come once our
//!   setting is acknowledged if it made the table smaller.
//! - Fields are lent, not copied. Only Huffman-coded strings and the table have memory of their own.

use crate::hpack::dynamic_table::{DynamicTable, INITIAL_SIZE, OVERHEAD};
use crate::hpack::fault::HpackError;
use crate::hpack::{huffman, integer, static_table};

/// The decoder of one direction of a connection.
#[derive(Debug)]
pub struct Decoder {
    table: DynamicTable,
    /// The setting: most bytes of the table.
    setting: usize,
    /// The peer has acknowledged the setting.
    is_acknowledged: bool,
    /// Number of changes of the table.
    changes: u64,
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Decoder {
    /// A decoder for a new connection; allocates nothing. `setting`: our `SETTINGS_HEADER_TABLE_SIZE`.
    #[must_use]
    pub const fn new(setting: u32) -> Self {
        Self {
            table: DynamicTable::new(INITIAL_SIZE),
            setting: setting as usize,
            is_acknowledged: false,
            changes: 0,
            name: Vec::new(),
            value: Vec::new(),
        }
    }

    /// Resets the decoder for a new connection; keeps its memory.
    pub fn reset(&mut self) {
        self.table.reset(INITIAL_SIZE);
        self.is_acknowledged = false;
        self.changes += 1;
    }

    /// The peer acknowledged our setting.
    pub fn acknowledge(&mut self) {
        self.is_acknowledged = true;
        self.changes += 1;
    }

    /// Number of changes of the table so far. While it stays the same, a block means the same.
    #[inline]
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Passes the fields of a whole block to `visit`, name and value. They are at most `most` bytes together, each with an
    /// overhead of 32 (RFC 9113 §6.5.2).
    #[inline]
    pub fn decode(
        &mut self,
        block: &[u8],
        most: usize,
        mut visit: impl FnMut(&[u8], &[u8]),
    ) -> Result<(), HpackError> {
        let mut rest = self.sizes(block)?;
        let mut size = 0;
        while let Some(&first) = rest.first() {
            let mut count = |name: &[u8], value: &[u8]| {
                size += name.len() + value.len() + OVERHEAD;
                if size > most {
                    return Err(HpackError::ListTooLarge(most));
                }
                visit(name, value);
                Ok(())
            };
            if first & 0x80 != 0 {
                let (name, value) = entry(&self.table, integer::take(&mut rest, 7)?)?;
                count(name, value)?;
            } else {
                self.literal(first, &mut rest, count)?;
            }
        }
        Ok(())
    }

    /// Takes the changes of the table's size at the start of a block.
    #[inline]
    fn sizes<'a>(&mut self, mut block: &'a [u8]) -> Result<&'a [u8], HpackError> {
        let most = if self.is_acknowledged {
            self.setting
        } else {
            self.setting.max(INITIAL_SIZE)
        };
        while block.first().is_some_and(|first| first & 0xe0 == 0x20) {
            let size = integer::take(&mut block, 5)?;
            if size > most {
                return Err(HpackError::TableSize);
            }
            self.table.set_most(size);
            self.changes += 1;
        }
        if self.table.most() > most {
            return Err(HpackError::TableSize);
        }
        Ok(block)
    }

    fn literal(
        &mut self,
        first: u8,
        rest: &mut &[u8],
        count: impl FnOnce(&[u8], &[u8]) -> Result<(), HpackError>,
    ) -> Result<(), HpackError> {
        if first & 0xe0 == 0x20 {
            // Not at the start of the block.
            return Err(HpackError::TableSize);
        }
        let is_added = first & 0x40 != 0;
        let index = integer::take(rest, if is_added { 6 } else { 4 })?;
        let name = if index == 0 {
            string(rest, &mut self.name)?
        } else if index <= static_table::LENGTH {
            static_table::get(index).ok_or(HpackError::Index)?.0
        } else {
            // Copied, because its entry may be dropped by this one.
            self.name.clear();
            self.name.extend_from_slice(entry(&self.table, index)?.0);
            &self.name
        };
        let value = string(rest, &mut self.value)?;
        count(name, value)?;
        if is_added {
            self.table.insert(name, value);
            self.changes += 1;
        }
        Ok(())
    }
}

/// The entry of either table with this index.
#[inline]
fn entry(table: &DynamicTable, index: usize) -> Result<(&[u8], &[u8]), HpackError> {
    let found = if index > static_table::LENGTH {
        table.get(index - static_table::LENGTH - 1)
    } else {
        static_table::get(index)
    };
    found.ok_or(HpackError::Index)
}

/// Takes the string at the start of `rest` (§5.2); `room` is for the decoded one.
#[inline]
fn string<'a, 'block: 'a>(
    rest: &mut &'block [u8],
    room: &'a mut Vec<u8>,
) -> Result<&'a [u8], HpackError> {
    let is_coded = rest.first().is_some_and(|first| first & 0x80 != 0);
    let length = integer::take(rest, 7)?;
    let (bytes, after) = rest.split_at_checked(length).ok_or(HpackError::Truncated)?;
    *rest = after;
    if !is_coded {
        return Ok(bytes);
    }
    room.clear();
    huffman::decode(bytes, room)?;
    Ok(room)
}
