//! The smallest step at the end of a series that would probably be found.

/// Equally probable values of a standard deviation.
const POINTS: usize = 160;
const LARGEST: f64 = 1e4;
/// The normal distribution is tabulated from minus to plus this value.
const FARTHEST: f64 = 9.0;
const PER_UNIT: f64 = 200.0;

/// The step, in estimated standard errors, whose t exceeds `limit` in the share `power` of series of `count` values,
/// over all standard deviations that the estimate may come from. `count` is 3 or more.
pub fn step_errors(count: u32, limit: f64, power: f64) -> f64 {
    let (tested, seen) = (relative_spreads(count - 2), relative_spreads(count - 1));
    let normal = Normal::new();
    let (mut low, mut high) = (0.0, LARGEST);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        let sum: f64 = seen
            .iter()
            .flat_map(|seen| tested.iter().map(move |tested| (seen, tested)))
            .map(|(seen, tested)| normal.below(middle * seen - limit * tested))
            .sum();
        if sum / ((POINTS * POINTS) as f64) < power {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Values of estimated ÷ true standard deviation with equal chances: √(χ² ÷ f).
fn relative_spreads(freedom: u32) -> Vec<f64> {
    const FROM: f64 = 1e-4;
    const TO: f64 = 5.0;
    const STEPS: usize = 20_000;
    let width = (TO - FROM) / (STEPS - 1) as f64;
    let grid = |at: usize| FROM + at as f64 * width;
    let freedom = f64::from(freedom);
    let logs: Vec<f64> = (0..STEPS)
        .map(|at| (freedom - 1.0) * grid(at).ln() - freedom * grid(at) * grid(at) / 2.0)
        .collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sums = crate::sums(logs.iter().map(|log| (log - most).exp()));
    let sums = &sums[1..];
    let all = sums[STEPS - 1];
    (0..POINTS)
        .map(|at| {
            let chance = (at as f64 + 0.5) / POINTS as f64 * all;
            let above = sums.partition_point(|&sum| sum <= chance);
            if above == 0 {
                return grid(0);
            }
            let (before, after) = (sums[above - 1], sums[above]);
            grid(above - 1) + width * (chance - before) / (after - before)
        })
        .collect()
}

/// The normal distribution, interpolated between the values of a table.
struct Normal {
    table: Vec<f64>,
}

impl Normal {
    /// Simpson's rule over so short steps is exact to 12 digits.
    fn new() -> Self {
        let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let steps = (2.0 * FARTHEST * PER_UNIT) as usize;
        let areas = (0..steps).map(|at| {
            let x = at as f64 / PER_UNIT - FARTHEST;
            let half = 0.5 / PER_UNIT;
            (density(x) + 4.0 * density(x + half) + density(x + 2.0 * half)) * half / 3.0
        });
        Self {
            table: crate::sums(areas),
        }
    }

    /// The chance of a value below `x`.
    fn below(&self, x: f64) -> f64 {
        let place = (x.clamp(-FARTHEST, FARTHEST) + FARTHEST) * PER_UNIT;
        let at = (place as usize).min(self.table.len() - 2);
        self.table[at] + (place - at as f64) * (self.table[at + 1] - self.table[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_normal_distribution() {
        let normal = Normal::new();
        // Abramowitz and Stegun, "Handbook of Mathematical Functions", table 26.1.
        for (x, known) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (2.0, 0.977_249_868_051_821),
            (3.0, 0.998_650_101_968_370),
            (-1.0, 0.158_655_253_931_457),
            (9.0, 1.0),
            (20.0, 1.0),
            (-20.0, 0.0),
        ] {
            assert!((normal.below(x) - known).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn a_standard_deviation_is_estimated_without_bias_of_its_square() {
        for freedom in [1, 2, 5, 30, 400] {
            let found = relative_spreads(freedom);
            assert!(found.is_sorted());
            let square = found.iter().map(|x| x * x).sum::<f64>() / POINTS as f64;
            assert!((square - 1.0).abs() < 0.03, "{freedom}: {square}");
        }
    }
}
