//! What was counted and timed: histograms, counters, intervals.
//!
//! Memory is bounded and nothing is allocated per call. Every value merges with another of its kind, and merging is
//! associative and commutative, so each thread keeps its own and they are added up at the end. What is serialised
//! here has the fields of `python/httpdyno/measurement.py`, which documents them.

#![forbid(unsafe_code)]

mod buckets;
mod calls;
mod hdr;
mod intervals;
mod means;
mod precision;
mod sample;
mod statuses;
mod times;
mod validity;

pub use calls::{Calls, ErrorClass};
pub use hdr::{TallyError, hgrm, quantiles};
pub use intervals::{FIRST_SECOND, IntervalRow, Intervals, LAST_SECOND};
pub use means::Means;
pub use precision::{Percentile, levels};
pub use sample::Sample;
pub use statuses::Statuses;
pub use times::{LONGEST_NS, TimeSummary, Times};
pub use validity::{anderson_darling, dickey_fuller, erlang, irwin_hall, spearman};
