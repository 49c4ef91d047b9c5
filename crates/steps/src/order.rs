//! The test of a step by the order of the values alone.

use crate::{Shuffle, mean, sums};

const SHUFFLES: usize = 999;

/// Ways to divide a series in two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// The values before a place, and those from it on.
    Once,
    /// The values of a stretch, and those around it.
    Undone,
}

/// The share of shuffles of the values that have as clear a step as the values themselves.
///
/// A step is as clear as the variance between the two parts; each part has `least` values or more. A series that is too
/// short to be divided so has none.
pub fn share_as_clear(values: &[f64], family: Family, least: usize) -> f64 {
    let parts = if family == Family::Once { 2 } else { 3 };
    if least == 0 || values.len() < parts * least {
        return 1.0;
    }
    let middle = mean(values);
    let mut row: Vec<f64> = values.iter().map(|value| value - middle).collect();
    let scan = Scan::new(row.len(), least, family);
    // Equal clearness may differ by rounding.
    let limit = scan.clearest(&sums(row.iter().copied())) * (1.0 - 1e-9);
    let order: Vec<f64> = row.clone();
    let mut source = Shuffle::default();
    let mut sum = vec![0.0; row.len() + 1];
    let mut found = 0_usize;
    for _ in 0..SHUFFLES {
        row.copy_from_slice(&order);
        source.shuffle(&mut row);
        for (at, value) in row.iter().enumerate() {
            sum[at + 1] = sum[at] + value;
        }
        found += usize::from(scan.reaches(&sum, limit));
    }
    found as f64 / SHUFFLES as f64
}

/// All divisions of a series of one length.
struct Scan {
    count: usize,
    least: usize,
    family: Family,
    /// By the size of a part: the variance between it and the rest ÷ the square of its sum.
    weights: Vec<f64>,
}

impl Scan {
    fn new(count: usize, least: usize, family: Family) -> Self {
        let all = count as f64;
        let weight = |inside: usize| all / (inside as f64 * (all - inside as f64));
        Self {
            count,
            least,
            family,
            weights: (0..=count).map(weight).collect(),
        }
    }

    /// The first values of the parts; the part of a series that is divided once begins with the first one.
    fn begins(&self) -> std::ops::RangeInclusive<usize> {
        match self.family {
            Family::Once => 0..=0,
            Family::Undone => self.least..=self.count - 2 * self.least,
        }
    }

    /// The variances of the parts that begin here, from the sums of the centred values.
    fn variances<'a>(&'a self, sums: &'a [f64], begin: usize) -> impl Iterator<Item = f64> + 'a {
        let most = self.count - self.least;
        let before = sums[begin];
        sums[begin + self.least..=most]
            .iter()
            .zip(&self.weights[self.least..=most - begin])
            .map(move |(sum, weight)| (sum - before) * (sum - before) * weight)
    }

    fn clearest(&self, sums: &[f64]) -> f64 {
        self.begins()
            .flat_map(|begin| self.variances(sums, begin))
            .fold(0.0, f64::max)
    }

    /// True if a division is as clear as `limit`. Without a branch for each, so that several are computed at once.
    fn reaches(&self, sums: &[f64], limit: f64) -> bool {
        self.begins().any(|begin| {
            self.variances(sums, begin)
                .map(|variance| u32::from(variance >= limit))
                .sum::<u32>()
                > 0
        })
    }
}
