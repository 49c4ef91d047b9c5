//! E-divisive means: the place where a series divides best into two different parts.

/// A place to divide a series: its first part is `[..cut]`, its second `[cut..until]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    pub divergence: f64,
    pub cut: usize,
    pub until: usize,
}

/// The split with the largest divergence, the first of equal ones; none for fewer than twice `least` values.
///
/// The divergence is the energy distance of the two parts, times nm ÷ (n + m) for their lengths n and m: formula 5 of
/// Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", Journal of
/// the American Statistical Association 109 (2014). Both have `least` values or more, and one at least.
pub fn best_split(values: &[f64], least: usize) -> Option<Split> {
    let (count, least) = (values.len(), least.max(1));
    let sums = Distances::new(values);
    let mut best: Option<Split> = None;
    for cut in least..(count + 1).saturating_sub(least) {
        for until in cut + least..=count {
            let divergence = sums.divergence(cut, until);
            if best.is_none_or(|best| divergence > best.divergence) {
                best = Some(Split {
                    divergence,
                    cut,
                    until,
                });
            }
        }
    }
    best
}

/// Sums of the distances between each of the first t values and each of the first k.
struct Distances {
    sums: Vec<f64>,
    width: usize,
}

impl Distances {
    fn new(values: &[f64]) -> Self {
        let width = values.len() + 1;
        let mut sums = vec![0.0; width * width];
        let mut columns = vec![0.0; values.len()];
        for (t, one) in values.iter().enumerate() {
            let mut sum = 0.0;
            for (k, (column, other)) in columns.iter_mut().zip(values).enumerate() {
                *column += (one - other).abs();
                sum += *column;
                sums[(t + 1) * width + k + 1] = sum;
            }
        }
        Self { sums, width }
    }

    fn between(&self, t: usize, k: usize) -> f64 {
        self.sums[t * self.width + k]
    }

    fn divergence(&self, cut: usize, until: usize) -> f64 {
        let (n, m) = (cut as f64, (until - cut) as f64);
        let inner = self.between(cut, cut);
        let across = self.between(cut, until) - inner;
        // Twice the sum over the pairs within each part.
        let left = inner;
        let right = self.between(until, until) - 2.0 * self.between(cut, until) + inner;
        let of_pairs = |own: f64, other: f64, sum: f64| {
            let pairs = (n + m) * (own - 1.0).max(1.0);
            if own > 1.0 { other / pairs * sum } else { 0.0 }
        };
        2.0 / (n + m) * across - of_pairs(n, m, left) - of_pairs(m, n, right)
    }
}
