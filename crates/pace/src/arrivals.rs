//! The description of arrivals, and its checks.

use crate::curve::Curve;
use crate::schedule::Schedule;
use crate::segment::Segment;
use crate::spacing::Spacing;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A rate over time and a spacing. The rate at the end of the last segment continues forever, unless the segments are
/// repeated; if it is 0, arrivals end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arrivals {
    /// The spacing of arrivals.
    pub spacing: Spacing,
    /// Uniform spacing: gaps from (1 − spread) to (1 + spread) times the mean.
    #[serde(default = "whole")]
    pub spread: f64,
    /// The rate, segment after segment.
    pub segments: Vec<Segment>,
    /// Repeat the segments.
    #[serde(default)]
    pub cycle: bool,
}

/// The faults of a description of arrivals.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", faults.join("; "))]
pub struct ArrivalsError {
    /// A message for each fault; never empty.
    pub faults: Vec<String>,
}

impl Arrivals {
    /// Evenly spaced arrivals at `rate` per second, without end.
    #[must_use]
    pub fn constant(rate: f64) -> Self {
        let steady = Segment {
            from_per_s: rate,
            to_per_s: rate,
            seconds: None,
        };
        Arrivals {
            spacing: Spacing::Constant,
            spread: whole(),
            segments: vec![steady],
            cycle: false,
        }
    }

    /// Checks the description, and reports all faults at once.
    pub fn check(&self) -> Result<(), ArrivalsError> {
        let mut faults = Vec::new();
        for (index, segment) in self.segments.iter().enumerate() {
            segment.check(index, index + 1 == self.segments.len(), &mut faults);
        }
        if !(0.0..=1.0).contains(&self.spread) {
            faults.push(format!("`spread` is `{}`: expected 0 to 1", self.spread));
        }
        if self.segments.is_empty() {
            faults.push("no segment is given: expected at least one".to_owned());
        } else if self
            .segments
            .iter()
            .all(|segment| segment.from_per_s == 0.0 && segment.to_per_s == 0.0)
        {
            faults.push("all rates are 0: expected at least one above 0".to_owned());
        }
        if self.cycle
            && self
                .segments
                .iter()
                .any(|segment| segment.seconds.is_none())
        {
            faults.push("the segments are to be repeated: expected `seconds` in each".to_owned());
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(ArrivalsError { faults })
        }
    }

    /// The highest rate, per second.
    #[must_use]
    pub fn highest_per_s(&self) -> f64 {
        let segments = self.segments.iter();
        segments.fold(0.0, |most, s| most.max(s.from_per_s).max(s.to_per_s))
    }

    /// True if the rate changes.
    #[must_use]
    pub fn changes(&self) -> bool {
        let mut rates = self
            .segments
            .iter()
            .flat_map(|s| [s.from_per_s, s.to_per_s]);
        let first = rates.next();
        rates.any(|rate| Some(rate) != first)
    }

    /// The due times. The schedule of a description with faults ([`Arrivals::check`]) stops at the first invalid
    /// segment.
    #[must_use]
    pub fn schedule(&self, seed: u64) -> Schedule {
        Schedule::new(self.spacing, self.spread, self.curve(), seed)
    }

    /// The due times of part `index` of `of`, which are those of the whole when all parts are put together.
    ///
    /// Constant and uniform arrivals are dealt out: part k has those whose index is k modulo `of`. An exponential part
    /// is a Poisson process of its own with 1/`of` of the rate, and their sum is one with the whole rate (superposition:
    /// Kingman, Poisson Processes, §2.2). It needs no random numbers for the arrivals of other parts.
    ///
    /// # Panics
    /// If `index` is not below `of`.
    #[must_use]
    pub fn part(&self, seed: u64, index: u64, of: u64) -> Schedule {
        if !self.is_thinned(of) {
            return self.schedule(seed).every(of, index);
        }
        assert!(index < of, "part {index} of {of} does not exist");
        let mut thinned = self.clone();
        for segment in &mut thinned.segments {
            segment.from_per_s /= of as f64;
            segment.to_per_s /= of as f64;
        }
        thinned.schedule(seed).jumped(index)
    }

    /// True if each of `of` parts is a process of its own, with a lower rate.
    #[must_use]
    pub fn is_thinned(&self, of: u64) -> bool {
        self.spacing == Spacing::Exponential && of > 1
    }

    /// The expected number of arrivals in the first `seconds`: the integral of the rate.
    #[must_use]
    pub fn expected(&self, seconds: f64) -> f64 {
        self.curve().arrivals_by(seconds)
    }

    fn curve(&self) -> Curve {
        Curve::new(&self.segments, self.cycle)
    }
}

fn whole() -> f64 {
    1.0
}
