//! A segment of a rate over time.

use serde::{Deserialize, Serialize};

/// A period in which the rate changes linearly from one value to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// Arrivals per second at its start.
    pub from_per_s: f64,
    /// Arrivals per second at its end.
    pub to_per_s: f64,
    /// Its length; `None`: no end, which is for a last segment with a steady rate.
    pub seconds: Option<f64>,
}

impl Segment {
    /// Adds the faults of this segment, the one at `index`.
    pub(crate) fn check(&self, index: usize, last: bool, faults: &mut Vec<String>) {
        for (name, rate) in [("from_per_s", self.from_per_s), ("to_per_s", self.to_per_s)] {
            if !(rate.is_finite() && rate >= 0.0) {
                faults.push(format!(
                    "segment {index}: `{name}` is `{rate}`: expected a rate of 0 or more"
                ));
            }
        }
        match self.seconds {
            Some(seconds) if seconds.is_finite() && seconds > 0.0 => {}
            Some(seconds) => {
                faults.push(format!(
                    "segment {index}: `seconds` is `{seconds}`: expected more than 0"
                ));
            }
            None if !last => {
                faults.push(format!(
                    "segment {index}: `seconds` is missing: only the last segment may have no end"
                ));
            }
            None if self.from_per_s.total_cmp(&self.to_per_s).is_ne() => {
                faults.push(format!(
                    "segment {index}: `seconds` is missing: a ramp needs a length"
                ));
            }
            None => {}
        }
    }
}
