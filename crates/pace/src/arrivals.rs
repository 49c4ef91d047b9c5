//! Arrivals as the user describes them, and what can be wrong with the description.

use crate::curve::Curve;
use crate::schedule::Schedule;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// How arrivals are spaced at a given rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spacing {
    /// Evenly; the first at the start.
    Constant,
    /// Gaps drawn evenly from 0 to twice the mean gap.
    Uniform,
    /// Gaps drawn exponentially: arrivals that know nothing of each other (a Poisson process).
    Exponential,
}

/// A stretch of time in which the rate goes in a straight line from one value to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// Arrivals per second at its start.
    pub from_per_s: f64,
    /// Arrivals per second at its end.
    pub to_per_s: f64,
    /// Its length; `None` (only in the last segment, only at a steady rate): without end.
    pub seconds: Option<f64>,
}

/// A rate over time and a spacing. The rate at the end of the last segment goes on for ever; if it is 0, arrivals end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arrivals {
    /// How arrivals are spaced.
    pub spacing: Spacing,
    /// The rate, stretch after stretch.
    pub segments: Vec<Segment>,
}

/// Everything that is wrong with a description of arrivals.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", faults.join("; "))]
pub struct ArrivalsError {
    /// One sentence a fault; never empty.
    pub faults: Vec<String>,
}

impl Arrivals {
    /// Even arrivals at `rate` per second, without end.
    #[must_use]
    pub fn constant(rate: f64) -> Self {
        let steady = Segment {
            from_per_s: rate,
            to_per_s: rate,
            seconds: None,
        };
        Arrivals {
            spacing: Spacing::Constant,
            segments: vec![steady],
        }
    }

    /// Every fault of the description at once.
    pub fn check(&self) -> Result<(), ArrivalsError> {
        let mut faults = Vec::new();
        for (index, segment) in self.segments.iter().enumerate() {
            segment.check(index, index + 1 == self.segments.len(), &mut faults);
        }
        if self.segments.is_empty() {
            faults.push("no segment is given: arrivals need at least one".to_owned());
        } else if self
            .segments
            .iter()
            .all(|segment| segment.from_per_s == 0.0 && segment.to_per_s == 0.0)
        {
            faults.push("every rate is 0: nothing would ever arrive".to_owned());
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(ArrivalsError { faults })
        }
    }

    /// The due times. Of a description that [`Arrivals::check`] refuses, it ends where the sense does.
    #[must_use]
    pub fn schedule(&self, seed: u64) -> Schedule {
        Schedule::new(self.spacing, Curve::new(&self.segments), seed)
    }

    /// The expected number of arrivals in the first `seconds`: the integral of the rate.
    #[must_use]
    pub fn expected(&self, seconds: f64) -> f64 {
        Curve::new(&self.segments).arrivals_by(seconds)
    }
}

impl Segment {
    fn check(&self, index: usize, last: bool, faults: &mut Vec<String>) {
        for (name, rate) in [("from_per_s", self.from_per_s), ("to_per_s", self.to_per_s)] {
            if !(rate.is_finite() && rate >= 0.0) {
                faults.push(format!(
                    "segment {index}: `{name}` is {rate}, expected a rate of 0 or more"
                ));
            }
        }
        match self.seconds {
            Some(seconds) if seconds.is_finite() && seconds > 0.0 => {}
            Some(seconds) => {
                faults.push(format!(
                    "segment {index}: `seconds` is {seconds}, expected more than 0"
                ));
            }
            None if !last => {
                faults.push(format!(
                    "segment {index}: `seconds` is missing, only the last segment has no end"
                ));
            }
            None if self.from_per_s.total_cmp(&self.to_per_s).is_ne() => {
                faults.push(format!(
                    "segment {index}: `seconds` is missing, a ramp needs a length"
                ));
            }
            None => {}
        }
    }
}
