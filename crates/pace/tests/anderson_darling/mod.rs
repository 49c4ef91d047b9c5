//! The test of Anderson and Darling: whether a sample comes from a distribution that is wholly known.
//!
//! A² weighs the tails, where a load is made and where Kolmogorov and Smirnov's distance sees little. Its critical
//! values for a wholly known distribution hold for any n ≥ 5 (D'Agostino & Stephens, Goodness-of-Fit Techniques,
//! table 4.2).

/// Beyond this A² a sample of the distribution is found once in 100.
pub const CRITICAL_1_PERCENT: f64 = 3.857;

/// A² of gaps in units of their mean, which is known, against the exponential distribution.
pub fn exponential(gaps: impl IntoIterator<Item = f64>) -> f64 {
    // A gap of 0 ns is one of less than half a nanosecond, rounded.
    let mut gaps: Vec<f64> = gaps.into_iter().map(|gap| gap.max(1e-12)).collect();
    gaps.sort_by(f64::total_cmp);
    let count = gaps.len() as f64;
    let terms = gaps
        .iter()
        .zip(gaps.iter().rev())
        .enumerate()
        .map(|(index, (low, high))| {
            // ln F(x) and ln(1 − F(x)) of F(x) = 1 − exp(−x).
            (2.0 * index as f64 + 1.0) * ((-(-low).exp_m1()).ln() - high)
        });
    -count - terms.sum::<f64>() / count
}

/// A² of arrivals that shall know nothing of each other: of the gaps between them in the time of the process, where
/// the rate is 1, so at any rate over time. `arrived` is the expected number of arrivals by each of them.
pub fn poisson(arrived: impl IntoIterator<Item = f64>) -> f64 {
    let mut before = 0.0;
    exponential(
        arrived
            .into_iter()
            .map(|now| now - std::mem::replace(&mut before, now)),
    )
}
