//! Failed calls by their kind: few kinds, most of which never occur.

use crate::calls::ErrorClass;
use crate::pack::{self, Damaged, Packed};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The way in which a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    WrongStatus,
    WrongBody,
    Error(ErrorClass),
}

/// Number of kinds.
const KINDS: u8 = ErrorClass::COUNT as u8 + 2;

impl Failure {
    /// The place of the kind: those of wrong replies, then the classes of errors.
    const fn place(self) -> u8 {
        match self {
            Failure::WrongStatus => 0,
            Failure::WrongBody => 1,
            Failure::Error(class) => class as u8 + 2,
        }
    }
}

/// The name of the kind at a place, as in `Calls`.
const fn name(place: u8) -> &'static str {
    match place {
        0 => "wrong_status",
        1 => "wrong_body",
        class => ErrorClass::ALL[class as usize - 2].name(),
    }
}

/// Counts by kind. The first call of a kind allocates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// The place of a kind and its count, in order of the place.
    counts: Vec<(u8, u64)>,
}

impl Failures {
    /// `n` calls failed in this way.
    pub fn add(&mut self, failure: Failure, n: u64) {
        self.add_at(failure.place(), n);
    }

    /// Adds the counts of others.
    pub fn merge(&mut self, other: &Self) {
        for &(place, count) in &other.counts {
            self.add_at(place, count);
        }
    }

    fn add_at(&mut self, place: u8, n: u64) {
        match self.counts.binary_search_by_key(&place, |one| one.0) {
            Ok(at) => self.counts[at].1 += n,
            Err(at) => self.counts.insert(at, (place, n)),
        }
    }
}

/// A map from names to counts, without the kinds that did not occur.
impl Serialize for Failures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.counts.len()))?;
        for (place, count) in &self.counts {
            map.serialize_entry(name(*place), count)?;
        }
        map.end()
    }
}

impl Packed for Failures {
    fn pack(&self, to: &mut Vec<u8>) {
        (self.counts.len() as u64).pack(to);
        for (place, count) in &self.counts {
            u16::from(*place).pack(to);
            count.pack(to);
        }
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let mut found = Failures::default();
        for _ in 0..pack::length(from, KINDS.into())? {
            let place = u16::unpack(from)?;
            pack::expect(place < KINDS.into(), "a kind of failure is unknown")?;
            found.add_at(place as u8, u64::unpack(from)?);
        }
        Ok(found)
    }
}
