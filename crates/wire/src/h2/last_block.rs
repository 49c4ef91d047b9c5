//! The last block of header fields of a connection: most peers send the same one again and again.

/// Longer blocks are decoded each time.
const LONGEST: usize = 256;

/// The bytes of the last decoded block, if decoding it changed nothing in the table. Its content is where the decoder wrote it.
#[derive(Debug, Default)]
pub(crate) struct LastBlock {
    bytes: Vec<u8>,
    /// The state of the table with which it was decoded.
    changes: Option<u64>,
}

impl LastBlock {
    /// True if a block has the content of the last one.
    #[inline]
    pub(crate) fn is(&self, bytes: &[u8], changes: u64) -> bool {
        self.changes == Some(changes) && self.bytes == bytes
    }

    #[inline]
    pub(crate) fn forget(&mut self) {
        self.changes = None;
    }

    #[inline]
    pub(crate) fn remember(&mut self, bytes: &[u8], changes: u64) {
        if bytes.len() <= LONGEST {
            self.bytes.clear();
            self.bytes.extend_from_slice(bytes);
            self.changes = Some(changes);
        }
    }
}
