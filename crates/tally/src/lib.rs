//! Counters, histograms and statistics.
//!
//! Memory is bounded and nothing is allocated per call. Each type can be merged with another of its kind; merging is
//! associative and commutative, so each thread has its own and they are merged at the end. The serialised fields are
//! those of `python/httpdyno/measurement.py`, which documents them.

#![forbid(unsafe_code)]

mod blocks;
mod buckets;
mod calls;
mod failures;
mod hdr;
mod intervals;
mod means;
mod over_time;
pub mod pack;
mod precision;
mod sample;
mod statuses;
mod times;
mod validity;

pub use blocks::{Blocks, Stretch};
pub use buckets::Spread;
pub use calls::{Calls, ErrorClass, Errors};
pub use failures::{Failure, Failures};
pub use hdr::{TallyError, hgrm, quantiles};
pub use intervals::{FIRST_SECOND, IntervalRow, Intervals, LAST_SECOND, Second};
pub use means::Means;
pub use over_time::{MOST_BINS, TimeBin};
pub use pack::{Damaged, Packed};
pub use precision::{Percentile, levels};
pub use sample::Sample;
pub use statuses::Statuses;
pub use times::{LONGEST_NS, TimeSummary, Times};
pub use validity::{anderson_darling, dickey_fuller, erlang, irwin_hall, spearman};
