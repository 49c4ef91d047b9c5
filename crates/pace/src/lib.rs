//! Schedules of arrivals: from their description to the times at which they are due.
//!
//! Pure: there is no clock, and randomness comes from a seed. [`Arrivals`] is a rate over time (steps and ramps) and a
//! spacing at that rate; its [`Schedule`] iterates over due times in nanoseconds since the start.
//!
//! | httperf | here |
//! | --- | --- |
//! | `--period=dT` | constant spacing at 1/T |
//! | `--period=uT1,T2` | uniform spacing at 2/(T1 + T2), with a spread of (T2 − T1)/(T1 + T2) |
//! | `--period=eT` | exponential spacing (a Poisson process) at 1/T |
//! | `--period=vT1,D1,T2,D2,…` | constant spacing, a segment of D seconds at 1/T each, repeated (`cycle`) |

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
