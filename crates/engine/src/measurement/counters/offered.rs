//! The offered rate, by the due times of calls.

use driver::Nanos;
use tally::packed;

/// The due times of the first and the last measured calls, and how many were due at the last.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offered {
    first: Option<Nanos>,
    last: Nanos,
    at_last: u64,
}

packed!(Offered {
    first,
    last,
    at_last
});

impl Offered {
    #[inline]
    /// `count` calls fell due at `at`.
    pub fn add(&mut self, count: u64, at: Nanos) {
        self.first.get_or_insert(at);
        self.last = at;
        self.at_last = count;
    }

    /// Counts times from `begin` on.
    pub fn rebase(&mut self, begin: Nanos) {
        self.first = self.first.map(|first| first.saturating_sub(begin));
        self.last = self.last.saturating_sub(begin);
    }

    /// The calls that were due last.
    pub fn at_last(&self) -> u64 {
        self.at_last
    }

    /// Adds the calls of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.first = match (self.first, other.first) {
            (Some(mine), Some(theirs)) => Some(mine.min(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
        if other.last > self.last {
            self.last = other.last;
            self.at_last = other.at_last;
        }
    }

    /// The rate of `due` calls from the first due time to the last, which leaves out the wait for the last replies of a
    /// counted run. `None` if all were due at once.
    pub fn per_s(&self, due: u64) -> Option<f64> {
        let first = self.first.filter(|first| self.last > *first)?;
        let seconds = (self.last - first) as f64 / 1e9;
        Some((due - self.at_last) as f64 / seconds)
    }
}
