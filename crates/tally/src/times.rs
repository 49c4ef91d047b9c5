//! The distribution of one kind of time.
//!
//! An HDR histogram of nanoseconds with 3 significant digits (an error below 0.1 %) from 1 ns to 1 hour; longer times
//! count as 1 hour. Minimum, maximum and mean are exact; the other values come from the histogram.

use crate::hdr;
use crate::pack::{self, Damaged, Packed};
use crate::precision::Percentile;
use hdrhistogram::Histogram;
use serde::Serialize;

/// The longest time that is recorded, 1 hour, in nanoseconds.
pub const LONGEST_NS: u64 = 3_600_000_000_000;
const SIGNIFICANT_DIGITS: u8 = 3;

/// The distribution of times in nanoseconds.
#[derive(Clone, Debug)]
pub struct Times {
    histogram: Histogram<u64>,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u128,
    censored: u64,
    censored_min_ns: u64,
}

/// The summary of a distribution: the fields of `Time` in `measurement.py`; all zero if it is empty.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeSummary {
    pub count: u64,
    pub min_ns: u64,
    pub mean_ns: f64,
    pub stdev_ns: f64,
    pub p50_ns: u64,
    pub p75_ns: u64,
    pub p90_ns: u64,
    pub p99_ns: u64,
    pub p999_ns: u64,
    pub p9999_ns: u64,
    pub max_ns: u64,
    /// The number of lower bounds among them.
    pub censored: u64,
    /// The smallest lower bound; 0 if there is none.
    pub censored_min_ns: u64,
    /// The histogram in the compressed V2 format, as base64.
    pub hdr: String,
}

impl Default for Times {
    fn default() -> Self {
        Self::new()
    }
}

impl Times {
    /// An empty distribution; allocates all its memory (about 260 KiB) at once.
    #[must_use]
    pub fn new() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, SIGNIFICANT_DIGITS)
            .expect("these constant bounds are within what the histogram allows");
        Times {
            histogram,
            min_ns: u64::MAX,
            max_ns: 0,
            sum_ns: 0,
            censored: 0,
            censored_min_ns: u64::MAX,
        }
    }

    /// Records a time.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.add(ns, 1);
    }

    /// Records `count` lower bounds: calls that were abandoned at this age.
    #[inline]
    pub fn record_censored(&mut self, ns: u64, count: u64) {
        if count > 0 {
            self.add(ns, count);
            self.censored += count;
            self.censored_min_ns = self.censored_min_ns.min(ns);
        }
    }

    #[inline]
    fn add(&mut self, ns: u64, count: u64) {
        let ns = ns.min(LONGEST_NS);
        self.histogram.saturating_record_n(ns, count);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
        self.sum_ns += u128::from(ns) * u128::from(count);
    }

    /// The number of times, lower bounds included.
    #[inline]
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The time at `quantile` (0 to 1), within 0.1 %; 0 if there are no times.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> u64 {
        self.histogram.value_at_quantile(quantile).min(self.max_ns)
    }

    /// The percentile at `quantile` with its 95 % confidence interval, corrected by the design effect of clusters.
    #[must_use]
    pub fn percentile(&self, quantile: f64, design_effect: Option<f64>) -> Percentile {
        Percentile::new(self.count(), quantile, design_effect, |level| {
            self.quantile(level)
        })
    }

    /// Adds the times of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.histogram
            .add(&other.histogram)
            .expect("both histograms have the same constant bounds");
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.sum_ns += other.sum_ns;
        self.censored += other.censored;
        self.censored_min_ns = self.censored_min_ns.min(other.censored_min_ns);
    }

    /// Removes all times; keeps the memory.
    pub fn reset(&mut self) {
        self.histogram.reset();
        (self.min_ns, self.max_ns, self.sum_ns) = (u64::MAX, 0, 0);
        (self.censored, self.censored_min_ns) = (0, u64::MAX);
    }

    /// Summarises the distribution.
    #[must_use]
    pub fn summary(&self) -> TimeSummary {
        let count = self.count();
        TimeSummary {
            count,
            min_ns: if count == 0 { 0 } else { self.min_ns },
            mean_ns: if count == 0 {
                0.0
            } else {
                self.sum_ns as f64 / count as f64
            },
            stdev_ns: if count == 0 {
                0.0
            } else {
                self.histogram.stdev()
            },
            p50_ns: self.quantile(0.5),
            p75_ns: self.quantile(0.75),
            p90_ns: self.quantile(0.9),
            p99_ns: self.quantile(0.99),
            p999_ns: self.quantile(0.999),
            p9999_ns: self.quantile(0.9999),
            max_ns: self.max_ns,
            censored: self.censored,
            censored_min_ns: if self.censored == 0 {
                0
            } else {
                self.censored_min_ns
            },
            hdr: hdr::to_text(&self.histogram),
        }
    }
}

/// The filled buckets of the histogram, each by its distance from the one before and its count; then the exact values.
impl Packed for Times {
    fn pack(&self, to: &mut Vec<u8>) {
        let filled = || self.histogram.iter_recorded();
        (filled().count() as u64).pack(to);
        let mut before = 0;
        for bucket in filled() {
            let value = bucket.value_iterated_to();
            (value - before, bucket.count_at_value()).pack(to);
            before = value;
        }
        if self.count() > 0 {
            (self.min_ns, self.max_ns).pack(to);
            (self.sum_ns, self.censored).pack(to);
        }
        if self.censored > 0 {
            self.censored_min_ns.pack(to);
        }
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let mut times = Times::new();
        let (mut value, mut count) = (0, 0);
        for _ in 0..pack::length(from, usize::MAX)? {
            let (further, calls) = <(u64, u64)>::unpack(from)?;
            value += further;
            count += calls;
            let right = calls > 0 && value < 2 * LONGEST_NS && count <= pack::MOST;
            pack::expect(right, "a histogram has a bucket that cannot be")?;
            times.histogram.saturating_record_n(value, calls);
        }
        if count > 0 {
            (times.min_ns, times.max_ns) = Packed::unpack(from)?;
            (times.sum_ns, times.censored) = Packed::unpack(from)?;
            let right = times.min_ns <= times.max_ns && times.max_ns <= LONGEST_NS;
            pack::expect(
                right && times.censored <= count,
                "times contradict each other",
            )?;
        }
        if times.censored > 0 {
            times.censored_min_ns = u64::unpack(from)?;
        }
        Ok(times)
    }
}
