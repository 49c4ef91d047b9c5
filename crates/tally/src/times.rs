//! The distribution of one kind of time.
//!
//! An HDR histogram of nanoseconds: 3 significant digits (an error below 0.1 %) from 1 ns to 1 hour; longer times
//! count as 1 hour. Least, greatest and mean are exact; the rest is read from the histogram.

use crate::hdr;
use crate::precision::{Percentile, levels};
use hdrhistogram::Histogram;
use serde::Serialize;

/// The longest time that is told apart, 1 hour, in nanoseconds.
pub const LONGEST_NS: u64 = 3_600_000_000_000;
const SIGNIFICANT_DIGITS: u8 = 3;

/// Times of one kind, in nanoseconds.
#[derive(Clone, Debug)]
pub struct Times {
    histogram: Histogram<u64>,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u128,
    censored: u64,
    censored_min_ns: u64,
}

/// What a distribution comes to: the fields of `Time` in `measurement.py`; all zero when empty.
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
    /// How many of them are lower bounds.
    pub censored: u64,
    /// The least of those; 0 when there is none.
    pub censored_min_ns: u64,
    /// The histogram: `HdrHistogram` V2 (compressed), base64.
    pub hdr: String,
}

impl Default for Times {
    fn default() -> Self {
        Self::new()
    }
}

impl Times {
    /// No times yet; takes its whole memory (about 260 KiB) at once.
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

    /// Records `count` lower bounds: the times of calls that were given up at that age.
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

    /// How many times there are, lower bounds among them.
    #[inline]
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// The time that a share `quantile` (0 to 1) of all times does not exceed, within 0.1 %; 0 when empty.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> u64 {
        self.histogram.value_at_quantile(quantile).min(self.max_ns)
    }

    /// The percentile at `quantile` with its 95 % interval, of times that come in clusters as `design_effect` says.
    #[must_use]
    pub fn percentile(&self, quantile: f64, design_effect: Option<f64>) -> Percentile {
        let independent = self.count() as f64 / design_effect.unwrap_or(1.0).max(1.0);
        let (low, high) = levels(independent as u64, quantile);
        Percentile {
            quantile,
            value_ns: self.quantile(quantile),
            low_ns: low.map(|level| self.quantile(level)),
            high_ns: high.map(|level| self.quantile(level)),
            design_effect,
        }
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

    /// Back to none; keeps its memory.
    pub fn reset(&mut self) {
        self.histogram.reset();
        (self.min_ns, self.max_ns, self.sum_ns) = (u64::MAX, 0, 0);
        (self.censored, self.censored_min_ns) = (0, u64::MAX);
    }

    /// What the distribution comes to.
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
