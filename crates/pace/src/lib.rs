//! When to send: arrivals as the user describes them → the times at which they fall due.
//!
//! Pure: no clock, and a seed for randomness. An [`Arrivals`] is a rate over time (steps and ramps) and how
//! arrivals are spaced at that rate; its [`Schedule`] iterates over due times in nanoseconds since the start.
//!
//! | httperf | here |
//! | --- | --- |
//! | `--period=dT` | constant spacing at 1/T |
//! | `--period=uT1,T2` | uniform spacing: gaps from 0 to twice the mean, that is T1 = 0 and T2 = 2/rate |
//! | `--period=eT` | exponential spacing (a Poisson process) at 1/T |
//! | `--period=vT1,D1,T2,D2,…` | constant spacing, one segment of D seconds at 1/T each; it does not start again after the last |

#![forbid(unsafe_code)]

mod arrivals;
mod curve;
mod schedule;
mod segment;
mod spacing;

pub use arrivals::{Arrivals, ArrivalsError};
pub use schedule::Schedule;
pub use segment::Segment;
pub use spacing::Spacing;
