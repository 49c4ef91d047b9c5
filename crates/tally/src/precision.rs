//! The precision of a percentile: the order statistics between which it lies with 95 % confidence.
//!
//! The number of n independent values that lie below the p-quantile has the binomial distribution of n trials with
//! probability p, whatever the distribution of the values. So the quantiles of that binomial are ranks that bound the
//! p-quantile (David and Nagaraja, Order Statistics, §7.1). Calls are not quite independent: n is divided by the design
//! effect of their clusters (Kish, Survey Sampling, 1965), which [`crate::Intervals::design_effect`] estimates.

use serde::Serialize;

/// A percentile and its 95 % confidence interval: the fields of `Percentile` in `measurement.py`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Percentile {
    pub quantile: f64,
    pub value_ns: u64,
    /// `None`: too few times to bound it.
    pub low_ns: Option<u64>,
    pub high_ns: Option<u64>,
    /// The factor by which clusters raise the variance of the count beyond it; `None`: too few seconds.
    pub design_effect: Option<f64>,
}

impl Percentile {
    /// The percentile of `count` times, of which `at` gives that at a quantile.
    pub(crate) fn new(
        count: u64,
        quantile: f64,
        design_effect: Option<f64>,
        at: impl Fn(f64) -> u64,
    ) -> Self {
        let independent = count as f64 / design_effect.unwrap_or(1.0).max(1.0);
        let (low, high) = levels(independent as u64, quantile);
        Self {
            quantile,
            value_ns: at(quantile),
            low_ns: low.map(&at),
            high_ns: high.map(&at),
            design_effect,
        }
    }

    /// Half the width of the interval as a share of the percentile; `None` if a side has no bound.
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        let (low, high) = (self.low_ns?, self.high_ns?);
        (self.value_ns > 0).then(|| (high - low) as f64 / 2.0 / self.value_ns as f64)
    }
}

/// One minus the confidence.
const ALPHA: f64 = 0.05;

/// The shares of `n` independent values between which the `quantile` lies with 95 % confidence. `None`: too few values
/// to bound it on that side.
#[must_use]
pub fn levels(n: u64, quantile: f64) -> (Option<f64>, Option<f64>) {
    let below = count_below(n, quantile);
    let above = count_below(n, 1.0 - quantile);
    // The rank of a bound: the number of values beyond it.
    let low = below.map(|count| count as f64 / n as f64);
    let high = above.map(|count| (n + 1 - count) as f64 / n as f64);
    (low, high)
}

/// The greatest rank r with P(fewer than r successes in n trials with probability `p`) ≤ α/2; `None` if there is none.
fn count_below(n: u64, p: f64) -> Option<u64> {
    let expected = n as f64 * p;
    let deviation = (expected * (1.0 - p)).sqrt();
    // Terms ten standard deviations below the mean do not matter.
    let first = (expected - 10.0 * deviation).max(0.0).floor() as u64;
    let mut term = log_binomial(n, first, p).exp();
    let (mut sum, mut rank) = (0.0, first);
    while rank < n && sum + term <= ALPHA / 2.0 {
        sum += term;
        term *= (n - rank) as f64 / (rank + 1) as f64 * p / (1.0 - p);
        rank += 1;
    }
    (rank > 0).then_some(rank)
}

/// The logarithm of the probability of exactly `k` successes in `n` trials with probability `p`, 0 < p < 1.
fn log_binomial(n: u64, k: u64, p: f64) -> f64 {
    let choose = log_factorial(n) - log_factorial(k) - log_factorial(n - k);
    choose + k as f64 * p.ln() + (n - k) as f64 * (-p).ln_1p()
}

/// ln n!, from 16 on by Stirling's series (relative error below 1e-12).
fn log_factorial(n: u64) -> f64 {
    if n < 16 {
        return (2..=n).map(|i| (i as f64).ln()).sum();
    }
    let x = n as f64;
    let correction = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5));
    x * x.ln() - x + (2.0 * std::f64::consts::PI * x).ln() / 2.0 + correction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranks_are_those_of_the_binomial_tables() {
        // The median of 20 values lies between the 6th and the 15th (David and Nagaraja, table 7.1).
        assert_eq!(levels(20, 0.5), (Some(6.0 / 20.0), Some(15.0 / 20.0)));
        assert_eq!(levels(100, 0.5), (Some(0.40), Some(0.61)));
    }

    #[test]
    fn too_few_values_leave_a_tail_open() {
        // 0.99³⁶⁸ is the first power below 2.5 %.
        assert_eq!(levels(368, 0.99).1, Some(1.0));
        assert_eq!(levels(367, 0.99).1, None);
        assert_eq!(levels(5, 0.5), (None, None));
        assert_eq!(levels(0, 0.99), (None, None));
    }

    #[test]
    fn many_values_come_to_the_normal_law() {
        let n = 100_000_000_u64;
        let (low, high) = levels(n, 0.99);
        let half = 1.959_96 * (0.99 * 0.01 / n as f64).sqrt();
        assert!((0.99 - low.unwrap() - half).abs() < 2e-8);
        assert!((high.unwrap() - 0.99 - half).abs() < 2e-8);
    }
}
