//! Every loop gives what its formula says, on any series.

use proptest::prelude::*;
use steps::{
    Family, Series, Shuffle, best_split, chance_of_neighbours, share_as_clear, step_errors,
};

fn series(most: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1e3..1e3, 4..most)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The mean distance of two different values; 0 for a single one.
fn inner(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if n < 2.0 {
        return 0.0;
    }
    let pairs = (0..values.len()).flat_map(|at| (0..at).map(move |other| (at, other)));
    let sum: f64 = pairs.map(|(a, b)| (values[a] - values[b]).abs()).sum();
    sum / (n * (n - 1.0) / 2.0)
}

/// Formulas 2.3 to 2.5 of Matteson and James, pair by pair.
fn divergence(left: &[f64], right: &[f64]) -> f64 {
    let (n, m) = (left.len() as f64, right.len() as f64);
    let distances = left
        .iter()
        .flat_map(|a| right.iter().map(move |b| (a - b).abs()));
    let across = distances.sum::<f64>() * 2.0 / (n * m);
    n * m / (n + m) * (across - inner(left) - inner(right))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_best_split_has_the_largest_divergence(values in series(14), least in 1_usize..3) {
        let found = best_split(&values, least).unwrap();
        let known = divergence(&values[..found.cut], &values[found.cut..found.until]);
        prop_assert!((found.divergence - known).abs() < 1e-6);
        for cut in least..=values.len() - least {
            for until in cut + least..=values.len() {
                let other = divergence(&values[..cut], &values[cut..until]);
                prop_assert!(other <= found.divergence + 1e-6);
            }
        }
    }

    #[test]
    fn a_series_that_is_too_short_has_no_split(values in series(8)) {
        prop_assert!(best_split(&values, values.len()).is_none());
        prop_assert!(best_split(&[], 0).is_none());
    }

    #[test]
    fn the_clearest_stretch_has_the_largest_t(values in series(14), most in 2_usize..20) {
        let own = vec![0.0; values.len()];
        let found = Series::new(&values, &own, 1e-6).clearest_stretch(1, most).unwrap();
        let last = values.len() - 1;
        prop_assert!(found.begin >= last.saturating_sub(most) && found.end <= last);
        prop_assert!((found.t / t_of(&values, found.begin, found.end) - 1.0).abs() < 1e-6);
        for begin in last.saturating_sub(most)..last {
            for end in begin + 1..=last {
                prop_assert!(t_of(&values, begin, end) <= found.t * (1.0 + 1e-6));
            }
        }
    }

    #[test]
    fn a_cut_is_the_stretch_that_begins_with_the_series(values in series(14)) {
        let own = vec![0.0; values.len()];
        let cuts: Vec<usize> = (1..values.len()).collect();
        let found = Series::new(&values, &own, 1e-6).clearest_cut(&cuts).unwrap();
        prop_assert!((found.t / t_of(&values, 0, found.end) - 1.0).abs() < 1e-6);
        for &cut in &cuts {
            prop_assert!(t_of(&values, 0, cut) <= found.t * (1.0 + 1e-6));
        }
    }

    #[test]
    fn no_step_is_more_certain_than_the_intervals_of_its_values(values in series(10), own in 1.0..1e4) {
        let count = values.len();
        let plain = Series::new(&values, &vec![0.0; count], 1e-6).clearest_cut(&[2]).unwrap();
        let unsure = Series::new(&values, &vec![own; count], 1e-6).clearest_cut(&[2]).unwrap();
        let error = (own / 2.0 + own / (count - 2) as f64).sqrt();
        let step = (mean(&values[..2]) - mean(&values[2..])).abs();
        prop_assert!(unsure.t <= plain.t);
        prop_assert!(unsure.t <= step / error * (1.0 + 1e-6));
    }

    #[test]
    fn the_share_does_not_depend_on_the_unit(values in series(12)) {
        for family in [Family::Once, Family::Undone] {
            let share = share_as_clear(&values, family, 1);
            let scaled: Vec<f64> = values.iter().map(|value| value * 1024.0).collect();
            prop_assert!(share > 0.0 && share <= 1.0);
            prop_assert!((share - share_as_clear(&scaled, family, 1)).abs() < 1e-9);
        }
    }

    #[test]
    fn a_shuffle_keeps_all_values(count in 0_usize..50) {
        let mut row: Vec<usize> = (0..count).collect();
        Shuffle::default().shuffle(&mut row);
        row.sort_unstable();
        prop_assert!(row.into_iter().eq(0..count));
    }

    #[test]
    fn two_divisions_seldom_have_a_large_r_together(count in 8_u32..60, r in 0.1_f64..0.9) {
        let pairs: Vec<(u32, u32)> = (2..count - 2).map(|size| (size, 1)).collect();
        let found = chance_of_neighbours(r * r, count, &pairs);
        let known: f64 = pairs.iter().map(|&(size, _)| both(r * r, count, size)).sum();
        prop_assert!((found - known).abs() <= 1e-9 * known + 1e-15);
        prop_assert!(chance_of_neighbours(r * r * 1.1, count, &pairs) <= found);
        prop_assert!(found < f64::from(count));
    }

    #[test]
    fn a_larger_limit_takes_a_larger_step(count in 4_u32..60, limit in 2.0..20.0) {
        let found = step_errors(count, limit, 0.8);
        prop_assert!(found > limit * 0.8);
        prop_assert!(step_errors(count, limit * 1.1, 0.8) > found);
        prop_assert!(step_errors(count, limit, 0.9) > found);
    }
}

/// |t| of two samples with equal variances.
fn t_of(values: &[f64], begin: usize, end: usize) -> f64 {
    let inside = &values[begin..end];
    let outside: Vec<f64> = [&values[..begin], &values[end..]].concat();
    let squares = |part: &[f64]| {
        let middle = mean(part);
        part.iter()
            .map(|x| (x - middle) * (x - middle))
            .sum::<f64>()
    };
    let freedom = values.len() as f64 - 2.0;
    let shares = 1.0 / inside.len() as f64 + 1.0 / outside.len() as f64;
    let error = ((squares(inside) + squares(&outside)) / freedom * shares).sqrt();
    (mean(inside) - mean(&outside)).abs() / error.max(1e-6)
}

/// The chance that both of two neighbours have so large an r², angle by angle.
fn both(r_squared: f64, count: u32, size: u32) -> f64 {
    let (size, all) = (f64::from(size), f64::from(count));
    let alike = (size * (all - size - 1.0) / ((size + 1.0) * (all - size))).sqrt();
    let chances = (0..360).map(|at| {
        let angle = (f64::from(at) + 0.5) / 360.0 * std::f64::consts::PI;
        let nearest = angle.cos().abs().min((angle - alike.acos()).cos().abs());
        let rest = (1.0 - r_squared / (nearest * nearest).max(1e-12)).max(0.0);
        rest.powf((all - 3.0) / 2.0)
    });
    chances.sum::<f64>() / 360.0
}

#[test]
fn a_clear_step_is_not_in_shuffled_values() {
    let once: Vec<f64> = (0..20)
        .map(|at| f64::from(at / 10) + 0.01 * f64::from(at % 3))
        .collect();
    assert!(share_as_clear(&once, Family::Once, 2) < 0.01);
    let undone: Vec<f64> = (0..30)
        .map(|at| f64::from(u8::from(at / 10 == 1)))
        .collect();
    assert!(share_as_clear(&undone, Family::Undone, 2) < 0.01);
    assert!(share_as_clear(&undone, Family::Once, 2) > 0.01);
    assert!(share_as_clear(&[1.0, 2.0], Family::Once, 2) > 0.99);
}

#[test]
fn the_first_orders_are_those_of_numpy() {
    let mut source = Shuffle::default();
    let orders: Vec<Vec<u8>> = (0..2)
        .map(|_| {
            let mut row: Vec<u8> = (0..10).collect();
            source.shuffle(&mut row);
            row
        })
        .collect();
    assert_eq!(orders, ORDERS);
}

/// The first two orders of ten numbers by `NumPy`'s `default_rng(20_260_101).permuted`.
const ORDERS: [[u8; 10]; 2] = [
    [7, 5, 3, 1, 4, 6, 9, 8, 0, 2],
    [7, 6, 1, 4, 3, 5, 2, 9, 8, 0],
];
