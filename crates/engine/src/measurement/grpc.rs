//! The counts of gRPC: the statuses of the measured calls that were answered.

use std::collections::BTreeMap;

use serde::Serialize;
use tally::packed;

/// The names of the statuses, from 0 (<https://grpc.io/docs/guides/status-codes/>).
const NAMES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];
/// The name of all statuses that have none.
const OTHER: &str = "other";

/// The name of a status.
pub fn status_name(status: u32) -> &'static str {
    NAMES.get(status as usize).copied().unwrap_or(OTHER)
}

/// Counts by status. Those without a name are counted together.
#[derive(Clone, Debug, Default)]
pub struct GrpcCounts {
    statuses: [u64; NAMES.len() + 1],
}

packed!(GrpcCounts { statuses });

impl GrpcCounts {
    #[inline]
    pub fn add(&mut self, status: u32) {
        self.statuses[(status as usize).min(NAMES.len())] += 1;
    }

    /// Adds the counts of another thread.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.statuses.iter_mut().zip(other.statuses) {
            *mine += theirs;
        }
    }

    /// The counts as they are reported.
    pub fn summary(&self) -> GrpcResult {
        let counts = (0..).zip(self.statuses).filter(|(_, count)| *count > 0);
        GrpcResult {
            statuses: counts
                .map(|(status, count)| (status_name(status), count))
                .collect(),
        }
    }
}

/// The counts of gRPC, as they are reported.
#[derive(Clone, Debug, Serialize)]
pub struct GrpcResult {
    /// Measured calls that were answered, by the name of their status.
    statuses: BTreeMap<&'static str, u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_statuses_are_sums_and_those_without_a_name_are_counted_together() {
        let of = |statuses: &[u32]| {
            let mut counts = GrpcCounts::default();
            for status in statuses {
                counts.add(*status);
            }
            counts
        };
        let mut all = of(&[0, 0, 16, 17]);
        all.merge(&of(&[14, 0, u32::MAX]));
        let expected = [
            ("OK", 3),
            ("UNAVAILABLE", 1),
            ("UNAUTHENTICATED", 1),
            ("other", 2),
        ];
        assert_eq!(all.summary().statuses, BTreeMap::from(expected));
    }
}
