//! The spacing of arrivals in time.

use serde::{Deserialize, Serialize};

/// The spacing of arrivals at a given rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spacing {
    /// Even gaps; the first arrival is at the start.
    Constant,
    /// Gaps with a uniform distribution around the mean gap; from 0 to twice the mean unless its spread is smaller.
    Uniform,
    /// Gaps with an exponential distribution: independent arrivals (a Poisson process).
    Exponential,
}

impl Spacing {
    /// A gap with mean 1, from a random number in [0, 1).
    pub(crate) fn gap(self, unit: f64, spread: f64) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Uniform => 1.0 + spread * (2.0 * unit - 1.0),
            Self::Exponential => -(1.0 - unit).ln(),
        }
    }
}
