//! Arrivals have their distribution: exponential ones by the Anderson–Darling test, constant ones by count.

mod anderson_darling;

use anderson_darling::{CRITICAL_1_PERCENT, poisson};
use pace::{Arrivals, Segment, Spacing};
use proptest::prelude::*;

const COUNT: usize = 20_000;
const NS_PER_S: f64 = 1e9;

fn segment(from_per_s: f64, to_per_s: f64, seconds: f64) -> Segment {
    Segment {
        from_per_s,
        to_per_s,
        seconds: Some(seconds),
    }
}

/// A² of the first arrivals of a schedule, tested at the rates of `claimed`.
fn misfit(made: &Arrivals, seed: u64, claimed: &Arrivals) -> f64 {
    let due = made.schedule(seed).take(COUNT);
    poisson(due.map(|due_ns| claimed.expected(due_ns as f64 / NS_PER_S)))
}

fn at(spacing: Spacing, rate: f64) -> Arrivals {
    Arrivals {
        spacing,
        ..Arrivals::constant(rate)
    }
}

#[test]
#[cfg_attr(miri, ignore = "hours in an interpreter, and no memory to prove")]
fn exponential_arrivals_fit_at_every_rate() {
    // Seeds are fixed, so this passes always or never. Of 100 schedules, 1 is expected beyond the critical value of 1
    // %; more than 5 would occur once in 200 times.
    for rate in [1.0, 1_000.0, 50_000.0] {
        let made = at(Spacing::Exponential, rate);
        let beyond = (0..100).filter(|&seed| misfit(&made, seed, &made) > CRITICAL_1_PERCENT);
        assert!(beyond.count() <= 5, "at {rate} per second");
    }
}

#[test]
#[cfg_attr(miri, ignore = "hours in an interpreter, and no memory to prove")]
fn exponential_arrivals_fit_through_steps_and_ramps() {
    let made = Arrivals {
        spacing: Spacing::Exponential,
        spread: 1.0,
        segments: vec![
            segment(100.0, 5_000.0, 3.0),
            segment(50.0, 50.0, 2.0),
            segment(5_000.0, 0.0, 4.0),
            segment(1_000.0, 1_000.0, 1.0),
        ],
        cycle: false,
    };
    let beyond = (0..20).filter(|&seed| misfit(&made, seed, &made) > CRITICAL_1_PERCENT);
    assert!(beyond.count() <= 2);
}

#[test]
#[cfg_attr(miri, ignore = "hours in an interpreter, and no memory to prove")]
fn the_test_of_fit_tells_other_spacings_and_a_rate_that_is_5_percent_off() {
    let claimed = at(Spacing::Exponential, 1_000.0);
    for (made, what) in [
        (at(Spacing::Constant, 1_000.0), "constant"),
        (at(Spacing::Uniform, 1_000.0), "uniform"),
        (at(Spacing::Exponential, 1_050.0), "too fast"),
        (at(Spacing::Exponential, 950.0), "too slow"),
    ] {
        let misfit = misfit(&made, 1, &claimed);
        assert!(misfit > 2.0 * CRITICAL_1_PERCENT, "{what}: {misfit}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "hours in an interpreter, and no memory to prove")]
fn a_schedule_shared_by_threads_fits_when_put_together_again() {
    let made = at(Spacing::Exponential, 20_000.0);
    let mut due: Vec<u64> = (0..4)
        .flat_map(|nth| made.schedule(5).every(4, nth).take(COUNT / 4))
        .collect();
    due.sort_unstable();
    let arrived = due
        .iter()
        .map(|&due_ns| made.expected(due_ns as f64 / NS_PER_S));
    assert!(poisson(arrived) < CRITICAL_1_PERCENT);
}

/// The arrivals of all parts in the first `seconds`, in order.
fn merged(made: &Arrivals, seed: u64, of: u64, seconds: u64) -> Vec<u64> {
    let until = seconds * 1_000_000_000;
    let part = |index| {
        made.part(seed, index, of)
            .take_while(move |due| *due < until)
    };
    let mut due: Vec<u64> = (0..of).flat_map(part).collect();
    due.sort_unstable();
    due
}

#[test]
#[cfg_attr(miri, ignore = "hours in an interpreter, and no memory to prove")]
fn exponential_parts_with_random_numbers_of_their_own_fit_when_put_together() {
    let steady = at(Spacing::Exponential, 1_000.0);
    let ramp = Arrivals {
        segments: vec![segment(200.0, 2_000.0, 20.0)],
        ..steady.clone()
    };
    for (made, of) in [(&steady, 2), (&steady, 7), (&steady, 50), (&ramp, 3)] {
        let beyond = (0..20).filter(|&seed| {
            let arrived = merged(made, seed, of, 20).into_iter();
            let expected = arrived.map(|due_ns| made.expected(due_ns as f64 / NS_PER_S));
            poisson(expected) > CRITICAL_1_PERCENT
        });
        assert!(beyond.count() <= 2, "{of} parts");
    }
}

#[test]
fn no_part_of_exponential_arrivals_repeats_another() {
    let made = at(Spacing::Exponential, 1_000.0);
    let mut due = merged(&made, 3, 8, 2);
    let count = due.len();
    due.dedup();
    assert!(
        count - due.len() <= 2,
        "{} of {count} at once",
        count - due.len()
    );
}

/// A step with a rate that is a multiple of 4 per second, for quarters of a second: a whole number of arrivals.
fn step() -> impl Strategy<Value = (u32, u32)> {
    ((0..500_u32).prop_map(|rate| 4 * rate), 1..12_u32)
}

proptest! {
    #[test]
    fn each_of_any_steps_has_exactly_its_number_of_constant_arrivals(
        steps in prop::collection::vec(step(), 1..8),
    ) {
        let segments = steps.iter().map(|&(rate, quarters)| {
            segment(f64::from(rate), f64::from(rate), f64::from(quarters) / 4.0)
        });
        let ended = std::iter::once(segment(0.0, 0.0, 1.0));
        let arrivals = Arrivals {
            segments: segments.chain(ended).collect(),
            ..Arrivals::constant(1.0)
        };
        prop_assume!(arrivals.check().is_ok());
        let due: Vec<u64> = arrivals.schedule(0).collect();
        let mut begin_ns = 0;
        for &(rate, quarters) in &steps {
            let end_ns = begin_ns + u64::from(quarters) * 250_000_000;
            let count = due.iter().filter(|due_ns| (begin_ns..end_ns).contains(due_ns)).count();
            prop_assert_eq!(count, (rate * quarters / 4) as usize);
            begin_ns = end_ns;
        }
        prop_assert_eq!(due.len() as u32, steps.iter().map(|(rate, quarters)| rate * quarters / 4).sum::<u32>());
    }

    #[test]
    fn a_constant_rate_has_exactly_its_number_of_arrivals_in_every_second(rate in 1..50_000_u32) {
        let due: Vec<u64> = Arrivals::constant(f64::from(rate)).schedule(0).take(3 * rate as usize + 1).collect();
        for second in 0..=3 {
            let first = due[second * rate as usize];
            prop_assert_eq!(first, second as u64 * 1_000_000_000);
        }
    }
}
