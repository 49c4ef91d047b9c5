//! A small histogram of one second's times: dense while the second is recorded, sparse afterwards. [`Spread`] is one of many
//! seconds.
//!
//! Each value below 128 ns has its own bucket; above, each power of two is divided into 64. So a bucket is at most 1/64
//! of its values wide, and its middle is within 0.8 % of each of them.

use crate::times::LONGEST_NS;

const SUB_BITS: u32 = 6;
const SUB: u64 = 1 << SUB_BITS;
/// Number of buckets up to the longest time.
const COUNT: usize = index(LONGEST_NS) as usize + 1;

/// The bucket of a time.
#[inline]
const fn index(ns: u64) -> u16 {
    let shift = (ns | SUB).ilog2() - SUB_BITS;
    (shift as u64 * SUB + (ns >> shift)) as u16
}

/// The time in the middle of a bucket.
const fn middle(index: u16) -> u64 {
    let index = index as u64;
    if index < 2 * SUB {
        return index;
    }
    let shift = index / SUB - 1;
    least(index as u16) + (1 << shift) / 2
}

/// The least time of a bucket.
const fn least(index: u16) -> u64 {
    let index = index as u64;
    if index < 2 * SUB {
        return index;
    }
    let shift = index / SUB - 1;
    (index - shift * SUB) << shift
}

/// The counts of all buckets, for seconds that are being recorded.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    counts: Box<[u32; COUNT]>,
    total: u64,
}

impl Dense {
    pub(crate) fn new() -> Self {
        Dense {
            counts: Box::new([0; COUNT]),
            total: 0,
        }
    }

    #[inline]
    pub(crate) fn record(&mut self, ns: u64) {
        let count = &mut self.counts[usize::from(index(ns.min(LONGEST_NS)))];
        *count = count.saturating_add(1);
        self.total += 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.total == 0
    }

    pub(crate) fn clear(&mut self) {
        self.counts.fill(0);
        self.total = 0;
    }

    /// The buckets that are not empty, in order.
    pub(crate) fn filled(&self) -> impl Iterator<Item = (u16, u32)> {
        (0..)
            .zip(self.counts.iter().copied())
            .filter(|&(_, count)| count > 0)
    }
}

/// The counts of buckets that are not empty, for seconds that are over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sparse {
    /// Index and count, in order of the index.
    counts: Vec<(u16, u32)>,
}

impl Sparse {
    /// Records one time; allocates if its bucket is new.
    #[cold]
    pub(crate) fn record(&mut self, ns: u64) {
        self.add(std::iter::once((index(ns.min(LONGEST_NS)), 1)));
    }

    /// The counts of buckets, if they are in order and none is empty.
    pub(crate) fn of(counts: Vec<(u16, u32)>) -> Option<Self> {
        let rising = counts.windows(2).all(|two| two[0].0 < two[1].0);
        let inside = counts
            .last()
            .is_none_or(|&(last, _)| usize::from(last) < COUNT);
        let filled = counts.iter().all(|&(_, count)| count > 0);
        (rising && inside && filled).then_some(Sparse { counts })
    }

    /// Adds counts in order of their index.
    pub(crate) fn add(&mut self, counts: impl Iterator<Item = (u16, u32)>) {
        let mut merged = Vec::with_capacity(self.counts.len() + counts.size_hint().0);
        let mut mine = self.counts.iter().copied().peekable();
        for (index, count) in counts {
            while let Some(before) = mine.next_if(|&(other, _)| other < index) {
                merged.push(before);
            }
            let same = mine.next_if(|&(other, _)| other == index);
            merged.push((
                index,
                count.saturating_add(same.map_or(0, |(_, count)| count)),
            ));
        }
        merged.extend(mine);
        merged.shrink_to_fit();
        self.counts = merged;
    }

    /// The buckets that are not empty, in order.
    pub(crate) fn filled(&self) -> impl Iterator<Item = (u16, u32)> {
        self.counts.iter().copied()
    }

    /// The count of each bucket, in order, with the ends of the coarse range that it lies in: a quarter of a power of
    /// two.
    pub(crate) fn coarse(&self) -> impl Iterator<Item = ((u64, u64), u32)> {
        const TOGETHER: u16 = SUB as u16 / 4;
        self.filled().map(|(index, count)| {
            let first = index / TOGETHER * TOGETHER;
            ((least(first), least(first + TOGETHER)), count)
        })
    }

    /// Number of times.
    pub(crate) fn total(&self) -> u64 {
        self.counts.iter().map(|&(_, count)| u64::from(count)).sum()
    }

    /// Number of times beyond a bucket.
    pub(crate) fn beyond(&self, bucket: u16) -> u64 {
        let past = self.counts.partition_point(|&(index, _)| index <= bucket);
        let counts = self.counts[past..].iter();
        counts.map(|&(_, count)| u64::from(count)).sum()
    }

    /// The bucket of the time at `quantile`; 0 if there are no times.
    pub(crate) fn bucket(&self, quantile: f64) -> u16 {
        let rank = ((quantile * self.total() as f64).ceil() as u64).max(1);
        let mut seen = 0;
        let reached = self.counts.iter().find(|&&(_, count)| {
            seen += u64::from(count);
            seen >= rank
        });
        reached.map_or(0, |&(index, _)| index)
    }

    /// The time at `quantile`, within 0.8 %; 0 if there are no times.
    pub(crate) fn quantile(&self, quantile: f64) -> u64 {
        middle(self.bucket(quantile))
    }
}

/// The counts of all buckets over any number of seconds.
#[derive(Clone, Debug)]
pub struct Spread {
    counts: Box<[u64]>,
    empty: bool,
}

impl Default for Spread {
    fn default() -> Self {
        Spread {
            counts: vec![0; COUNT].into_boxed_slice(),
            empty: true,
        }
    }
}

impl Spread {
    /// Records one time.
    pub fn record(&mut self, ns: u64) {
        self.add(std::iter::once((index(ns.min(LONGEST_NS)), 1)));
    }

    pub(crate) fn add(&mut self, counts: impl Iterator<Item = (u16, u32)>) {
        for (index, count) in counts {
            self.counts[usize::from(index)] += u64::from(count);
            self.empty = false;
        }
    }

    /// Moves the times of another spread to this one.
    pub fn take(&mut self, other: &mut Self) {
        if !other.empty {
            self.merge(other);
            other.counts.fill(0);
            other.empty = true;
        }
    }

    /// Adds the times of another spread.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts.iter()) {
            *mine += theirs;
        }
        self.empty &= other.empty;
    }

    /// The times in nanoseconds, rising, each with its count. They are within 0.8 %.
    #[must_use]
    pub fn filled(&self) -> Vec<(u64, u64)> {
        (0..)
            .zip(self.counts.iter().copied())
            .filter(|&(_, count)| count > 0)
            .map(|(index, count)| (middle(index), count))
            .collect()
    }
}
