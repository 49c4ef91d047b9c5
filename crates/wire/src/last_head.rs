//! The head that came last: most servers send the same one over and over, but for a date once a second.

use crate::head::Head;

/// A longer head is parsed each time.
const LONGEST: usize = 1024;

/// The bytes of the last whole head and their meaning, shared by all connections of a thread.
#[derive(Debug)]
pub struct LastHead {
    bytes: Vec<u8>,
    meaning: Option<(Head, bool)>,
}

impl Default for LastHead {
    fn default() -> Self {
        Self::new()
    }
}

impl LastHead {
    /// None yet; takes its whole memory (1 KiB) at once.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bytes: Vec::with_capacity(LONGEST),
            meaning: None,
        }
    }

    /// What the head at the start of `input` means, if it is the same as the last. The bytes end with an empty line,
    /// so an input that begins with them begins with that head, whatever follows.
    #[inline]
    pub(crate) fn begins(&self, input: &[u8], head_only: bool) -> Option<Head> {
        let (head, to_head) = self.meaning?;
        (to_head == head_only && input.starts_with(&self.bytes)).then_some(head)
    }

    /// Bytes of the last head.
    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.bytes.len()
    }

    /// Keeps a head that came whole, empty lines and interim replies before it included.
    #[inline]
    pub(crate) fn remember(&mut self, bytes: &[u8], head: Head, head_only: bool) {
        if bytes.len() <= LONGEST {
            self.bytes.clear();
            self.bytes.extend_from_slice(bytes);
            self.meaning = Some((head, head_only));
        }
    }
}
