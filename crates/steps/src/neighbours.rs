//! The chance that two divisions that differ by one value both look like a step.

use std::f64::consts::PI;

const ANGLES: u32 = 360;

/// The sum, over pairs of divisions, of the chance that both have at least this r², in a series of `count` values
/// without a step. `pairs`: the sizes of a part that has one value more in the other division, and how many such pairs
/// there are.
///
/// Such a series points into a random direction of count - 1 dimensions; its part in the plane of the two divisions is
/// longer than s with the chance (1 - s²)^((count - 3) ÷ 2).
pub fn chance_of_neighbours(r_squared: f64, count: u32, pairs: &[(u32, u32)]) -> f64 {
    let angles: Vec<(f64, f64)> = (0..ANGLES)
        .map(|at| ((f64::from(at) + 0.5) / f64::from(ANGLES) * PI).sin_cos())
        .collect();
    pairs
        .iter()
        .map(|&(size, many)| f64::from(many) * of_pair(r_squared, count, f64::from(size), &angles))
        .sum()
}

fn of_pair(r_squared: f64, count: u32, size: f64, angles: &[(f64, f64)]) -> f64 {
    let all = f64::from(count);
    // The cosine of the angle between the two divisions.
    let alike = (size * (all - size - 1.0) / ((size + 1.0) * (all - size))).sqrt();
    let unlike = (1.0 - alike * alike).max(0.0).sqrt();
    let chances = angles.iter().map(|(sine, cosine)| {
        let other = cosine * alike + sine * unlike;
        let nearest = cosine.abs().min(other.abs());
        let rest = (1.0 - r_squared / (nearest * nearest).max(1e-12)).max(0.0);
        rest.sqrt().powi(count.cast_signed() - 3)
    });
    chances.sum::<f64>() / f64::from(ANGLES)
}
