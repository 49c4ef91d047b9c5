//! The dynamic table (RFC 7541 §2.3.2, §4): the last fields of a connection, within a size in bytes.

use std::collections::VecDeque;

/// Bytes that each entry counts beside its name and value (§4.1).
pub(crate) const OVERHEAD: usize = 32;
/// The size before any setting (RFC 9113 §6.5.2).
pub(crate) const INITIAL_SIZE: usize = 4096;

/// The place of an entry's name in `bytes`, moved by `moved`; its value follows.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: usize,
    name: u32,
    value: u32,
}

impl Entry {
    fn length(self) -> usize {
        self.name as usize + self.value as usize
    }
}

#[derive(Debug)]
pub(crate) struct DynamicTable {
    /// Names and values, the oldest entry first, after `dropped` bytes of entries that are gone.
    bytes: Vec<u8>,
    dropped: usize,
    /// Bytes removed from the front of `bytes` so far.
    moved: usize,
    /// The oldest first.
    entries: VecDeque<Entry>,
    size: usize,
    most: usize,
}

impl DynamicTable {
    /// An empty table; allocates nothing.
    pub(crate) const fn new(most: usize) -> Self {
        Self {
            bytes: Vec::new(),
            dropped: 0,
            moved: 0,
            entries: VecDeque::new(),
            size: 0,
            most,
        }
    }

    /// Most bytes of the entries, each with its overhead.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Empties the table; keeps its memory.
    pub(crate) fn reset(&mut self, most: usize) {
        self.set_most(0);
        self.most = most;
    }

    /// Changes the size; drops the oldest entries that exceed it.
    pub(crate) fn set_most(&mut self, most: usize) {
        self.most = most;
        self.make_room(0);
    }

    /// The entry with this index, from 0 for the newest.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<(&[u8], &[u8])> {
        let place = self.entries.len().checked_sub(index + 1)?;
        let entry = *self.entries.get(place)?;
        let at = entry.at.wrapping_sub(self.moved);
        let bytes = self.bytes.get(at..at + entry.length())?;
        Some(bytes.split_at(entry.name as usize))
    }

    /// Adds an entry, which drops the oldest ones. One that is larger than the table only empties it (§4.4).
    pub(crate) fn insert(&mut self, name: &[u8], value: &[u8]) {
        let length = name.len() + value.len();
        if !self.make_room(length + OVERHEAD) {
            return;
        }
        self.compact(length);
        self.entries.push_back(Entry {
            at: self.bytes.len().wrapping_add(self.moved),
            name: name.len() as u32,
            value: value.len() as u32,
        });
        self.bytes.extend_from_slice(name);
        self.bytes.extend_from_slice(value);
        self.size += length + OVERHEAD;
    }

    /// The index of the first entry with this name, and that of the first with this value, too.
    pub(crate) fn find(&self, name: &[u8], value: &[u8]) -> (Option<usize>, Option<usize>) {
        let (mut of_name, mut of_both) = (None, None);
        for index in 0..self.entries.len() {
            match self.get(index) {
                Some(found) if found == (name, value) => {
                    of_both = of_both.or(Some(index));
                }
                Some((found, _)) if found == name => of_name = of_name.or(Some(index)),
                _ => {}
            }
        }
        (of_name, of_both)
    }

    /// Drops the oldest entries until `size` more bytes fit. Returns false if they never do.
    fn make_room(&mut self, size: usize) -> bool {
        while self.size + size > self.most {
            let Some(oldest) = self.entries.pop_front() else {
                return false;
            };
            self.size -= oldest.length() + OVERHEAD;
            self.dropped += oldest.length();
        }
        true
    }

    /// Moves the entries to the front when the memory is full and at least half of it is of dropped ones.
    fn compact(&mut self, length: usize) {
        let is_full = self.bytes.len() + length > self.bytes.capacity();
        if is_full && self.dropped * 2 >= self.bytes.len() {
            self.bytes.drain(..self.dropped);
            self.moved = self.moved.wrapping_add(self.dropped);
            self.dropped = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_age_and_the_oldest_are_dropped() {
        let mut table = DynamicTable::new(2 * (OVERHEAD + 4));
        for (name, value) in [("a", "one"), ("b", "two"), ("c", "six")] {
            table.insert(name.as_bytes(), value.as_bytes());
        }
        assert_eq!(table.get(0), Some((&b"c"[..], &b"six"[..])));
        assert_eq!(table.get(1), Some((&b"b"[..], &b"two"[..])));
        assert_eq!(table.get(2), None);
        assert_eq!(table.find(b"b", b"two"), (None, Some(1)));
        assert_eq!(table.find(b"b", b"x"), (Some(1), None));
        table.set_most(OVERHEAD + 4);
        assert_eq!(table.get(1), None);
        table.insert(b"too", b"large");
        assert_eq!(table.get(0), None, "a too large entry empties the table");
    }

    #[test]
    #[cfg_attr(miri, ignore = "an hour in an interpreter")]
    fn the_memory_of_a_table_is_bounded_by_its_size() {
        let mut table = DynamicTable::new(1000);
        for round in 0..100_000_usize {
            let value = vec![b'x'; round % 97];
            table.insert(&round.to_le_bytes(), &value);
            let newest = table
                .get(0)
                .map(|(name, value)| (name.to_vec(), value.len()));
            assert_eq!(newest, Some((round.to_le_bytes().to_vec(), round % 97)));
            assert!(table.size <= 1000);
        }
        assert!(
            table.bytes.capacity() <= 4 * 1000,
            "{}",
            table.bytes.capacity()
        );
        assert!(table.entries.capacity() <= 2 * 1000 / OVERHEAD);
    }
}
