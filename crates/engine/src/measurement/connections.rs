//! The connections of a run: counts, lifetimes, and how they failed. Warm-up included.

use std::collections::BTreeMap;

use driver::Nanos;
use serde::Serialize;
use tally::{ErrorClass, TimeSummary, Times, packed};

/// Counts of the connections of one thread, or of several that were merged.
#[derive(Clone, Debug, Default)]
pub struct ConnectionCounts {
    /// Attempts to connect.
    pub begun: u64,
    pub opened: u64,
    pub failed: u64,
    pub closed_by_server: u64,
    /// Closed by the engine because the server sent bytes that belong to no reply.
    pub excess_data: u64,
    pub open: u64,
    pub peak_open: u64,
    /// Most attempts to connect in one iteration of the loop.
    pub begun_together: u64,
    /// Connections that ended in an error, at the index of its class.
    errors: [u64; ErrorClass::COUNT],
    /// The lifetimes of connections with at least one reply; `None` until there is one.
    lifetime: Option<Box<Times>>,
    /// Attempts to connect in this iteration.
    together: u64,
}

packed!(ConnectionCounts {
    begun,
    opened,
    failed,
    closed_by_server,
    excess_data,
    open,
    peak_open,
    begun_together,
    errors,
    lifetime,
    together
});

impl ConnectionCounts {
    /// A new iteration of the loop begins.
    #[inline]
    pub fn turn(&mut self) {
        self.together = 0;
    }

    /// An attempt to connect begins. Returns its number, from 0 on.
    pub fn begin(&mut self) -> u32 {
        let number = self.begun;
        self.begun += 1;
        self.together += 1;
        self.begun_together = self.begun_together.max(self.together);
        number as u32
    }

    /// A connection is ready for requests.
    pub fn connected(&mut self) {
        self.opened += 1;
        self.open += 1;
        self.peak_open = self.peak_open.max(self.open);
    }

    /// A connection with at least one reply was closed at this age.
    pub fn lived(&mut self, age: Nanos) {
        self.lifetime.get_or_insert_default().record(age);
    }

    /// A connection ended in an error.
    pub fn broke(&mut self, class: ErrorClass) {
        self.errors[class as usize] += 1;
    }

    /// Adds the counts of another thread. Their peaks may be at different moments: the sum is an upper bound.
    pub fn merge(&mut self, other: &Self) {
        self.begun += other.begun;
        self.opened += other.opened;
        self.failed += other.failed;
        self.closed_by_server += other.closed_by_server;
        self.excess_data += other.excess_data;
        self.open += other.open;
        self.peak_open += other.peak_open;
        self.begun_together = self.begun_together.max(other.begun_together);
        for (mine, theirs) in self.errors.iter_mut().zip(other.errors) {
            *mine += theirs;
        }
        if let Some(theirs) = &other.lifetime {
            self.lifetime.get_or_insert_default().merge(theirs);
        }
    }

    /// The counts as they are reported.
    pub fn summary(&self) -> Connections {
        let classes = ErrorClass::ALL.iter().zip(self.errors);
        Connections {
            begun: self.begun,
            opened: self.opened,
            failed: self.failed,
            closed_by_server: self.closed_by_server,
            excess_data: self.excess_data,
            peak_open: self.peak_open,
            begun_together: self.begun_together,
            errors: classes
                .filter(|(_, count)| *count > 0)
                .map(|(class, count)| (class.name(), count))
                .collect(),
            lifetime: match &self.lifetime {
                Some(lifetime) => lifetime.summary(),
                None => Times::new().summary(),
            },
        }
    }
}

/// The connections of a run, as they are reported.
#[derive(Clone, Debug, Serialize)]
pub struct Connections {
    begun: u64,
    opened: u64,
    failed: u64,
    closed_by_server: u64,
    excess_data: u64,
    peak_open: u64,
    begun_together: u64,
    errors: BTreeMap<&'static str, u64>,
    lifetime: TimeSummary,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_counts_are_sums_and_the_most_begun_together_is_a_maximum() {
        let of = |turns: &[u32]| {
            let mut counts = ConnectionCounts::default();
            for begun in turns {
                counts.turn();
                (0..*begun).for_each(|_| {
                    counts.begin();
                });
            }
            counts.broke(ErrorClass::Reset);
            counts.lived(7);
            counts
        };
        let mut all = of(&[1, 5, 2]);
        all.merge(&of(&[3, 3]));
        let found = all.summary();
        assert_eq!((found.begun, found.begun_together), (14, 5));
        assert_eq!(found.errors, BTreeMap::from([("reset", 2)]));
        assert_eq!((found.lifetime.count, found.lifetime.max_ns), (2, 7));
    }
}
