//! The last head: most servers send the same one again and again, except for the date, which changes once a second.

use crate::head::Head;

/// Longer heads are parsed each time.
const LONGEST: usize = 1024;

/// The bytes of the last complete head and its content, shared by all connections of a thread.
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
    /// No head yet; allocates all its memory (1 KiB) at once.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bytes: Vec::with_capacity(LONGEST),
            meaning: None,
        }
    }

    /// The content of the head at the start of `input`, if it is the same as the last one. Its bytes end with an empty
    /// line, so input that starts with them starts with that head, whatever follows.
    #[inline]
    pub(crate) fn begins(&self, input: &[u8], head_only: bool) -> Option<Head> {
        let (head, to_head) = self.meaning?;
        (to_head == head_only && input.starts_with(&self.bytes)).then_some(head)
    }

    /// The number of bytes of the last head.
    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.bytes.len()
    }

    /// Keeps a head that arrived in one piece, with the empty lines and interim replies before it.
    #[inline]
    pub(crate) fn remember(&mut self, bytes: &[u8], head: Head, head_only: bool) {
        if bytes.len() <= LONGEST {
            self.bytes.clear();
            self.bytes.extend_from_slice(bytes);
            self.meaning = Some((head, head_only));
        }
    }
}
