//! Zipf's distribution: the value of rank k has a share proportional to 1/k^exponent.
//!
//! Exact, in constant memory, by rejection-inversion (Hörmann and Derflinger, Rejection-Inversion to Generate Variates
//! from Monotone Discrete Distributions, ACM TOMACS 6(3), 1996), whose names for functions are used here.

use crate::plan::placeholders::draws::{after, unit};

/// A distribution over the ranks from 1 to `ranks`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zipf {
    ranks: f64,
    exponent: f64,
    /// The integrals that the ends of the ranks have.
    first: f64,
    last: f64,
    /// A rank is accepted at once if the inverse is no further below it.
    squeeze: f64,
}

impl Zipf {
    /// Of at least one rank, with an exponent above 0.
    pub fn new(ranks: u64, exponent: f64) -> Self {
        let mut zipf = Self {
            ranks: ranks as f64,
            exponent,
            first: 0.0,
            last: 0.0,
            squeeze: 0.0,
        };
        zipf.first = zipf.integral(1.5) - 1.0;
        zipf.last = zipf.integral(zipf.ranks + 0.5);
        zipf.squeeze = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.h(2.0));
        zipf
    }

    /// The rank that follows from a random number, from 1 on.
    pub fn rank(&self, mut draw: u64) -> u64 {
        loop {
            let u = self.last + unit(draw) * (self.first - self.last);
            let x = self.inverse(u);
            let k = (x + 0.5).floor().clamp(1.0, self.ranks);
            if k - x <= self.squeeze || u >= self.integral(k + 0.5) - self.h(k) {
                return k as u64;
            }
            draw = after(draw);
        }
    }

    fn h(&self, x: f64) -> f64 {
        (-self.exponent * x.ln()).exp()
    }

    fn integral(&self, x: f64) -> f64 {
        let ln = x.ln();
        let t = (1.0 - self.exponent) * ln;
        // (e^t - 1) / t, whose limit at 0 is 1.
        let share = if t.abs() > 1e-8 {
            t.exp_m1() / t
        } else {
            1.0 + t / 2.0
        };
        share * ln
    }

    fn inverse(&self, x: f64) -> f64 {
        // Rounding may lead below -1, of which there is no logarithm.
        let t = (x * (1.0 - self.exponent)).max(-1.0);
        let share = if t.abs() > 1e-8 {
            t.ln_1p() / t
        } else {
            1.0 - t / 2.0
        };
        (share * x).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::placeholders::draws::Draws;

    #[test]
    fn ranks_have_the_shares_that_the_exponent_says() {
        const DRAWN: u64 = 200_000;
        for (ranks, exponent) in [(10, 1.0), (50, 1.1), (20, 0.5), (30, 2.5), (1, 1.0)] {
            let (zipf, draws) = (Zipf::new(ranks, exponent), Draws::new(1, 0, 0));
            let mut counts = vec![0_u64; ranks as usize];
            for call in 0..DRAWN {
                counts[zipf.rank(draws.first(call)) as usize - 1] += 1;
            }
            let weight = |k: u64| (k as f64).powf(-exponent);
            let all: f64 = (1..=ranks).map(weight).sum();
            let chi: f64 = (1..=ranks)
                .map(|k| {
                    let expected = DRAWN as f64 * weight(k) / all;
                    (counts[k as usize - 1] as f64 - expected).powi(2) / expected
                })
                .sum();
            let freedom = (ranks - 1) as f64;
            // The chance of more is 1 in 30,000: four standard deviations of chi-square.
            let most = freedom + 4.0 * (2.0 * freedom).sqrt();
            assert!(chi <= most, "{ranks} ranks, {exponent}: {chi} > {most}");
        }
    }

    #[test]
    fn the_largest_ranges_end() {
        for exponent in [1e-3, 1.0, 20.0] {
            let (zipf, draws) = (Zipf::new(1 << 53, exponent), Draws::new(7, 0, 0));
            for call in 0..10_000 {
                assert!((1..=1 << 53).contains(&zipf.rank(draws.first(call))));
            }
        }
    }
}
