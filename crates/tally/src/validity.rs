//! Tests of the assumptions behind a measurement, after Lancet (Kogias, Mallon and Bugnion, USENIX ATC 2019): arrivals
//! have the planned distribution, times do not drift, calls are independent.
//!
//! Each test returns a statistic; the thresholds belong to the verdict.

/// Fewest values for the Dickey–Fuller test. With 50, it takes one steady series in five for a drifting one; with 100,
/// one in a hundred.
const FEWEST_MEANS: usize = 50;

/// The statistic A² of Anderson and Darling (1954) for a uniform distribution on 0 to 1, with all parameters known.
/// Values of another distribution are first mapped by its distribution function.
///
/// A² of values that have the distribution exceeds 2.49 once in 20 times, 3.86 once in 100, 6.0 once in 1,000
/// (Marsaglia and Marsaglia, Evaluating the Anderson–Darling Distribution, 2004). `None` without values.
#[must_use]
pub fn anderson_darling(uniform: &mut [f64]) -> Option<f64> {
    if uniform.is_empty() {
        return None;
    }
    uniform.sort_by(f64::total_cmp);
    let n = uniform.len();
    // Values that round to 0 or 1 are moved to the nearest one that has a logarithm.
    let inside = |u: f64| u.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
    let sum: f64 = (0..n)
        .map(|i| {
            let (low, high) = (inside(uniform[i]), inside(uniform[n - 1 - i]));
            (2 * i + 1) as f64 * (low.ln() + (-high).ln_1p())
        })
        .sum();
    Some(-(n as f64) - sum / n as f64)
}

/// The probability that `k` arrivals of a Poisson process of rate 1 take at most `x` (Erlang distribution).
#[must_use]
pub fn erlang(k: u64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    // 1 − Σ e⁻ˣ xⁱ/i! over i < k, each term from the logarithm of the previous one.
    let (mut log_term, mut sum) = (-x, 0.0);
    for i in 0..k {
        sum += log_term.exp();
        log_term += x.ln() - ((i + 1) as f64).ln();
    }
    (1.0 - sum).clamp(0.0, 1.0)
}

/// The probability that `k` gaps with a uniform distribution on 0 to 2 add up to at most `x` (Irwin–Hall distribution).
/// For more than 12 it is the normal approximation, which is within 0.002.
#[must_use]
pub fn irwin_hall(k: u64, x: f64) -> f64 {
    let half = x / 2.0;
    if k > 12 {
        let deviation = (k as f64 / 12.0).sqrt();
        return normal((half - k as f64 / 2.0) / deviation);
    }
    let (mut choose, mut factorial, mut sum) = (1.0, 1.0, 0.0);
    for j in 0..=k {
        if (j as f64) < half {
            let term = choose * (half - j as f64).powi(k as i32);
            sum += if j % 2 == 0 { term } else { -term };
        }
        choose *= (k - j) as f64 / (j + 1) as f64;
        factorial *= if j == 0 { 1.0 } else { j as f64 };
    }
    (sum / factorial).clamp(0.0, 1.0)
}

/// The standard normal distribution function, within 1e-7 (Abramowitz and Stegun 26.2.17).
fn normal(z: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let terms = [
        0.319_381_530,
        -0.356_563_782,
        1.781_477_937,
        -1.821_255_978,
        1.330_274_429,
    ];
    let series = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * t);
    let above = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * series;
    if z >= 0.0 { 1.0 - above } else { above }
}

/// Spearman's rank correlation, -1 to 1; equal values share their mean rank. `None` below 3 pairs, or if all values of
/// a side are equal.
#[must_use]
pub fn spearman(pairs: &[(f32, f32)]) -> Option<f64> {
    if pairs.len() < 3 {
        return None;
    }
    let first = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let second = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    let middle = f64::midpoint(pairs.len() as f64, 1.0);
    let (mut product, mut one, mut other) = (0.0, 0.0, 0.0);
    for (a, b) in first.iter().zip(&second) {
        let (a, b) = (a - middle, b - middle);
        product += a * b;
        one += a * a;
        other += b * b;
    }
    (one > 0.0 && other > 0.0).then(|| product / (one * other).sqrt())
}

fn ranks(values: &[f32]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let same = |&&i: &&usize| values[i].total_cmp(&values[order[from]]).is_eq();
        let to = from + order[from..].iter().take_while(same).count();
        let shared = (from + 1 + to) as f64 / 2.0;
        order[from..to].iter().for_each(|&i| ranks[i] = shared);
        from = to;
    }
    ranks
}

/// The augmented Dickey–Fuller statistic of a series, with a constant and (n-1)^(1/3) lagged differences (Said and
/// Dickey 1984; the number of lags of Banerjee et al. 1993).
///
/// Above -2.86 a unit root, which makes a series drift, cannot be rejected at 5 % (`MacKinnon` 2010); a steady series
/// lies far below. `None` below 50 values, or if all are equal.
#[must_use]
pub fn dickey_fuller(series: &[f64]) -> Option<f64> {
    if series.len() < FEWEST_MEANS {
        return None;
    }
    let lags = ((series.len() - 1) as f64).cbrt() as usize;
    // Scaled, so that pivots of the solution can be distinguished from zero.
    let scale = series
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let centre = series[0];
    let values: Vec<f64> = series
        .iter()
        .map(|value| (value - centre) / scale)
        .collect();
    let change = |at: usize| values[at] - values[at - 1];
    let rows: Vec<(Vec<f64>, f64)> = (lags + 1..values.len())
        .map(|at| {
            let lagged = (1..=lags).map(|lag| change(at - lag));
            let row = [values[at - 1], 1.0].into_iter().chain(lagged).collect();
            (row, change(at))
        })
        .collect();
    t_of_first(&rows)
}

/// Ordinary least squares: the first coefficient divided by its standard error.
fn t_of_first(rows: &[(Vec<f64>, f64)]) -> Option<f64> {
    let width = rows.first()?.0.len();
    let freedom = rows.len().checked_sub(width).filter(|left| *left > 0)?;
    let mut normal = vec![vec![0.0; width + 2]; width];
    for (row, seen) in rows {
        for i in 0..width {
            for j in 0..width {
                normal[i][j] += row[i] * row[j];
            }
            normal[i][width] += row[i] * seen;
        }
    }
    // The last column yields the first column of the inverse, whose first entry is the variance of the first
    // coefficient.
    normal[0][width + 1] = 1.0;
    eliminate(&mut normal)?;
    let residuals: f64 = rows
        .iter()
        .map(|(row, seen)| {
            let fitted: f64 = (0..width).map(|i| row[i] * normal[i][width]).sum();
            (seen - fitted).powi(2)
        })
        .sum();
    let variance = residuals / freedom as f64 * normal[0][width + 1];
    (variance > 0.0).then(|| normal[0][width] / variance.sqrt())
}

/// Gauss–Jordan elimination with partial pivoting; `None` if the matrix is singular.
fn eliminate(rows: &mut [Vec<f64>]) -> Option<()> {
    for column in 0..rows.len() {
        let greatest = (column..rows.len())
            .max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, greatest);
        let pivot = rows[column][column];
        if pivot.abs() < 1e-14 {
            return None;
        }
        rows[column].iter_mut().for_each(|cell| *cell /= pivot);
        let solved = rows[column].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if index != column {
                row.iter_mut()
                    .zip(&solved)
                    .for_each(|(cell, above)| *cell -= factor * above);
            }
        }
    }
    Some(())
}
