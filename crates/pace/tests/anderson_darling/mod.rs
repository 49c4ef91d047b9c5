//! The Anderson–Darling test for a completely known distribution.
//!
//! A² gives weight to the tails, which matter most for a load and least to the Kolmogorov–Smirnov distance. Its
//! critical values hold for any n ≥ 5 (D'Agostino & Stephens, Goodness-of-Fit Techniques, table 4.2).

/// The critical value of A² at 1 %.
pub const CRITICAL_1_PERCENT: f64 = 3.857;

/// A² of gaps in units of their known mean, for the exponential distribution.
pub fn exponential(gaps: impl IntoIterator<Item = f64>) -> f64 {
    // A gap of 0 ns is a rounded gap of less than half a nanosecond.
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

/// A² of independent arrivals at any rate over time, by the gaps between them in rescaled time, where the rate is 1.
/// `arrived` is the expected number of arrivals up to each of them.
pub fn poisson(arrived: impl IntoIterator<Item = f64>) -> f64 {
    let mut before = 0.0;
    exponential(
        arrived
            .into_iter()
            .map(|now| now - std::mem::replace(&mut before, now)),
    )
}
