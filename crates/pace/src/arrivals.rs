//! Arrivals as the user describes them, and what can be wrong with the description.

use crate::curve::Curve;
use crate::schedule::Schedule;
use crate::segment::Segment;
use crate::spacing::Spacing;
use serde::{Deserialize, Serialize};
use thiserror::Error;

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

    /// The highest rate, per second.
    #[must_use]
    pub fn highest_per_s(&self) -> f64 {
        let segments = self.segments.iter();
        segments.fold(0.0, |most, s| most.max(s.from_per_s).max(s.to_per_s))
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
