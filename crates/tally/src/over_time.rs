//! A run over time, in a bounded number of bins: what charts show of it.

use crate::buckets::Sparse;
use crate::failures::Failures;
use crate::intervals::Intervals;
use serde::Serialize;

/// The lengths of bins, in seconds. The last one makes 240 bins of the longest run.
const LENGTHS: [u64; 11] = [1, 2, 5, 10, 15, 30, 60, 120, 180, 300, 375];
/// Most bins of a run.
pub const MOST_BINS: u64 = 240;

/// Some seconds of a run together: the fields of `TimeBin` in `measurement/over_time.py`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TimeBin {
    /// The first of its seconds.
    pub second: i64,
    /// The number of its seconds.
    pub seconds: u64,
    pub due: u64,
    pub ok: u64,
    /// Failed calls by the way in which they failed.
    pub failures: Failures,
    pub p50_ns: u64,
    pub p90_ns: u64,
    pub p99_ns: u64,
    pub max_ns: u64,
    /// The response times of right replies: from, to (exclusive), and how many; four ranges per power of two.
    pub times: Vec<(u64, u64, u64)>,
}

impl Intervals {
    /// The seconds of the window, at most [`MOST_BINS`] bins of one length.
    #[must_use]
    pub fn bins(&self) -> Vec<TimeBin> {
        let count = self.end().max(0).cast_unsigned();
        let fits = |length: &&u64| count.div_ceil(**length) <= MOST_BINS;
        let length = LENGTHS.iter().find(fits).copied().unwrap_or(count);
        (0..count)
            .step_by(length.max(1) as usize)
            .map(|first| self.bin(first.cast_signed(), length.min(count - first)))
            .collect()
    }

    fn bin(&self, second: i64, seconds: u64) -> TimeBin {
        let mut all = self.whole(second);
        for next in second + 1..second + seconds.cast_signed() {
            all.merge(&self.whole(next));
        }
        let quantile = |quantile| all.times.quantile(quantile).min(all.max_ns);
        TimeBin {
            second,
            seconds,
            due: all.due,
            ok: all.ok,
            p50_ns: quantile(0.5),
            p90_ns: quantile(0.9),
            p99_ns: quantile(0.99),
            max_ns: all.max_ns,
            times: ranges(&all.times),
            failures: all.failures,
        }
    }
}

/// The times in coarse ranges, without those that are empty.
fn ranges(times: &Sparse) -> Vec<(u64, u64, u64)> {
    let mut found: Vec<(u64, u64, u64)> = Vec::new();
    for ((from, to), count) in times.coarse() {
        match found.last_mut().filter(|last| last.0 == from) {
            Some(last) => last.2 += u64::from(count),
            None => found.push((from, to, count.into())),
        }
    }
    found
}
