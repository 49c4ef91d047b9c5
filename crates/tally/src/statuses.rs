//! Counts of replies by status code.

use crate::packed;
use serde::ser::{Serialize, SerializeMap, Serializer};

const FIRST: u16 = 100;
const LAST: u16 = 599;
const COUNT: usize = (LAST - FIRST) as usize + 1;

/// Counts of replies by status code from 100 to 599, and of all other codes together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statuses {
    counts: Box<[u64; COUNT]>,
    other: u64,
}

impl Default for Statuses {
    fn default() -> Self {
        Self::new()
    }
}

impl Statuses {
    /// No replies yet.
    #[must_use]
    pub fn new() -> Self {
        Statuses {
            counts: Box::new([0; COUNT]),
            other: 0,
        }
    }

    /// Counts a reply.
    #[inline]
    pub fn record(&mut self, status: u16) {
        let index = usize::from(status.wrapping_sub(FIRST));
        *self.counts.get_mut(index).unwrap_or(&mut self.other) += 1;
    }

    /// Number of replies with this status.
    #[must_use]
    pub fn count(&self, status: u16) -> u64 {
        let index = usize::from(status.wrapping_sub(FIRST));
        self.counts.get(index).copied().unwrap_or_default()
    }

    /// Adds the counts of another thread.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts.iter()) {
            *mine += theirs;
        }
        self.other += other.other;
    }

    /// Resets all counts.
    pub fn reset(&mut self) {
        self.counts.fill(0);
        self.other = 0;
    }
}

packed!(Statuses { counts, other });

/// Serialises the codes that occurred as a map: `{"200": 12, "other": 1}`.
impl Serialize for Statuses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (status, count) in (FIRST..=LAST)
            .zip(self.counts.iter())
            .filter(|(_, count)| **count > 0)
        {
            map.serialize_entry(&status.to_string(), count)?;
        }
        if self.other > 0 {
            map.serialize_entry("other", &self.other)?;
        }
        map.end()
    }
}
