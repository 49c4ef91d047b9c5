//! Lasting steps of a series: where it divides best, by chance how often, and how large a step must be.
//!
//! Pure: there is no clock and no input, and the shuffles come from a fixed seed. The tests, their limits and their
//! sources are in `python/httpdyno/history/steps/`; here are the loops over all divisions of a series.

#![forbid(unsafe_code)]

mod divisions;
mod neighbours;
mod order;
mod power;
mod shuffle;
mod split;

pub use divisions::{Series, Stretch};
pub use neighbours::chance_of_neighbours;
pub use order::{Family, share_as_clear};
pub use power::step_errors;
pub use shuffle::Shuffle;
pub use split::{Split, best_split};

/// The sums of the first values: none, one, two, … of them.
fn sums(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let rest = values.into_iter().map(|value| {
        sum += value;
        sum
    });
    std::iter::once(0.0).chain(rest).collect()
}

/// The mean of at least one value.
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
