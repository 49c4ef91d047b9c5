//! How arrivals are spaced in time.

use serde::{Deserialize, Serialize};

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

impl Spacing {
    /// A gap with mean 1, drawn with `unit`, a random number in [0, 1).
    pub(crate) fn gap(self, unit: f64) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Uniform => 2.0 * unit,
            Self::Exponential => -(1.0 - unit).ln(),
        }
    }
}
