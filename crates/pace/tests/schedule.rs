//! The due times of arrivals.

use pace::{Arrivals, Segment, Spacing};
use proptest::prelude::*;

const S: u64 = 1_000_000_000;

fn segment(from_per_s: f64, to_per_s: f64, seconds: f64) -> Segment {
    Segment {
        from_per_s,
        to_per_s,
        seconds: Some(seconds),
    }
}

fn arrivals(spacing: Spacing, segments: &[Segment]) -> Arrivals {
    let arrivals = Arrivals {
        spacing,
        spread: 1.0,
        segments: segments.to_vec(),
        cycle: false,
    };
    arrivals.check().expect("a description that makes sense");
    arrivals
}

/// The number of arrivals in each of the first `seconds`.
fn by_second(arrivals: &Arrivals, seconds: usize) -> Vec<u64> {
    let mut counts = vec![0; seconds];
    for due_ns in arrivals.schedule(1) {
        match counts.get_mut((due_ns / S) as usize) {
            Some(count) => *count += 1,
            None => break,
        }
    }
    counts
}

#[test]
fn constant_arrivals_begin_at_the_start_and_are_evenly_spaced() {
    let due: Vec<u64> = Arrivals::constant(4.0).schedule(1).take(5).collect();
    assert_eq!(due, [0, S / 4, S / 2, 3 * S / 4, S]);
}

#[test]
fn constant_arrivals_do_not_drift() {
    let late = Arrivals::constant(3_000.0)
        .schedule(1)
        .every(1_000_000_000, 999_999_999)
        .next();
    let exact = 999_999_999_u64 * 1_000_000 / 3;
    assert_eq!(late, Some(exact));
}

#[test]
fn each_step_has_exactly_its_number_of_arrivals() {
    let steps = [
        segment(1000.0, 1000.0, 1.0),
        segment(10.0, 10.0, 2.0),
        segment(300.0, 300.0, 1.0),
    ];
    let counts = by_second(&arrivals(Spacing::Constant, &steps), 6);
    assert_eq!(
        counts,
        [1000, 10, 10, 300, 300, 300],
        "the last rate goes on"
    );
}

#[test]
fn repeated_segments_have_the_same_arrivals_in_each_round() {
    let mut wave = arrivals(
        Spacing::Constant,
        &[segment(1000.0, 1000.0, 1.0), segment(10.0, 10.0, 2.0)],
    );
    wave.cycle = true;
    let counts = by_second(&wave, 9000);
    for round in counts.chunks(3) {
        assert_eq!(round, [1000, 10, 10]);
    }
    assert!((wave.expected(3000.5) - 1_020_500.0).abs() < 1e-3);
    wave.spacing = Spacing::Exponential;
    let random: u64 = by_second(&wave, 300).chunks(3).map(|round| round[0]).sum();
    assert!((98_000..102_000).contains(&random), "{random}");
}

#[test]
fn repeated_segments_are_shared_and_skipped_as_others_are() {
    let mut wave = arrivals(
        Spacing::Constant,
        &[
            segment(0.0, 0.0, 0.5),
            segment(100.0, 300.0, 1.0),
            segment(0.0, 0.0, 0.5),
        ],
    );
    wave.cycle = true;
    let all: Vec<u64> = wave.schedule(1).take(1000).collect();
    let shares = [0, 1].map(|nth| wave.schedule(1).every(2, nth).take(500).collect::<Vec<_>>());
    for (index, due) in all.iter().enumerate() {
        assert_eq!(shares[index % 2][index / 2], *due);
    }
    let mut rest = wave.schedule(1);
    assert_eq!(rest.skip_until(4 * S), 400);
    assert_eq!(rest.next(), Some(all[400]));
}

#[test]
fn a_pause_has_no_arrivals_and_the_next_step_begins_on_time() {
    let steps = [
        segment(2.0, 2.0, 1.0),
        segment(0.0, 0.0, 1.5),
        segment(4.0, 4.0, 1.0),
    ];
    let due: Vec<u64> = arrivals(Spacing::Constant, &steps)
        .schedule(1)
        .take(4)
        .collect();
    assert_eq!(due, [0, S / 2, 5 * S / 2, 11 * S / 4]);
}

#[test]
fn arrivals_end_when_the_last_rate_is_0() {
    let ramp_down = arrivals(Spacing::Constant, &[segment(100.0, 0.0, 2.0)]);
    assert_eq!(ramp_down.schedule(1).count(), 100);
    let random = arrivals(Spacing::Exponential, &[segment(100.0, 0.0, 2.0)]);
    let due: Vec<u64> = random.schedule(1).collect();
    assert!(due.len() > 60 && due.len() < 140, "{}", due.len());
    assert!(due.iter().all(|&due_ns| due_ns <= 2 * S));
}

#[test]
#[cfg_attr(miri, ignore = "hours in an interpreter, and no memory to prove")]
fn a_ramp_has_as_many_arrivals_as_its_integral_second_by_second() {
    for (from, to) in [
        (0.0, 1000.0),
        (1000.0, 0.0),
        (500.0, 500.000_001),
        (10.0, 2000.0),
    ] {
        let ramp = arrivals(
            Spacing::Constant,
            &[segment(from, to, 10.0), segment(to, to, 1.0)],
        );
        for (second, count) in by_second(&ramp, 10).into_iter().enumerate() {
            let (begin, end) = (second as f64, second as f64 + 1.0);
            let expected = ramp.expected(end) - ramp.expected(begin);
            let per_hand = f64::midpoint(
                from + (to - from) * begin / 10.0,
                from + (to - from) * end / 10.0,
            );
            assert!((expected - per_hand).abs() < 1e-6, "{expected} {per_hand}");
            assert!(
                (count as f64 - expected).abs() <= 1.0,
                "{from}-{to} {second}: {count} {expected}"
            );
        }
    }
}

#[test]
fn expected_arrivals_are_the_integral_of_the_rate_and_go_on_at_the_last() {
    let rate = arrivals(
        Spacing::Uniform,
        &[segment(10.0, 10.0, 2.0), segment(10.0, 30.0, 4.0)],
    );
    for (seconds, expected) in [
        (0.0, 0.0),
        (1.0, 10.0),
        (2.0, 20.0),
        (4.0, 50.0),
        (6.0, 100.0),
        (7.0, 130.0),
    ] {
        assert!(
            (rate.expected(seconds) - expected).abs() < 1e-9,
            "{seconds} s"
        );
    }
}

#[test]
fn a_seed_gives_the_same_schedule_and_another_gives_another() {
    for spacing in [Spacing::Uniform, Spacing::Exponential] {
        let arrivals = Arrivals {
            spacing,
            ..Arrivals::constant(1000.0)
        };
        let due = |seed| arrivals.schedule(seed).take(1000).collect::<Vec<_>>();
        assert_eq!(due(7), due(7));
        assert_ne!(due(7), due(8));
    }
}

/// The largest distance between the distribution of gaps, scaled to mean 1, and `cumulative`.
fn kolmogorov_smirnov(spacing: Spacing, cumulative: impl Fn(f64) -> f64) -> f64 {
    const COUNT: usize = 10_000;
    let arrivals = Arrivals {
        spacing,
        ..Arrivals::constant(1000.0)
    };
    let due: Vec<u64> = arrivals.schedule(20_190_901).take(COUNT + 1).collect();
    let mut gaps: Vec<f64> = due
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as f64 / 1e6)
        .collect();
    gaps.sort_by(f64::total_cmp);
    let distance = |(index, &gap): (usize, &f64)| {
        let (below, above) = (
            index as f64 / COUNT as f64,
            (index + 1) as f64 / COUNT as f64,
        );
        (cumulative(gap) - below)
            .abs()
            .max((above - cumulative(gap)).abs())
    };
    gaps.iter().enumerate().map(distance).fold(0.0, f64::max)
}

#[test]
#[cfg_attr(miri, ignore = "hours in an interpreter, and no memory to prove")]
fn random_gaps_have_the_distribution_they_are_named_after() {
    // The 1 % critical value for 10,000 gaps; seed and gaps are fixed, so this passes always or never.
    let critical = 1.63 / 100.0;
    let exponential = |gap: f64| 1.0 - (-gap).exp();
    let uniform = |gap: f64| (gap / 2.0).clamp(0.0, 1.0);
    assert!(kolmogorov_smirnov(Spacing::Exponential, exponential) < critical);
    assert!(kolmogorov_smirnov(Spacing::Uniform, uniform) < critical);
    assert!(
        kolmogorov_smirnov(Spacing::Uniform, exponential) > critical,
        "the test tells them apart"
    );
}

#[test]
fn a_rate_of_next_to_nothing_ends_where_nanoseconds_do() {
    assert_eq!(
        Arrivals::constant(1e-300).schedule(1).collect::<Vec<_>>(),
        [0]
    );
}

fn any_spacing() -> impl Strategy<Value = Spacing> {
    prop_oneof![
        Just(Spacing::Constant),
        Just(Spacing::Uniform),
        Just(Spacing::Exponential)
    ]
}

fn any_arrivals() -> impl Strategy<Value = Arrivals> {
    let rate = || prop_oneof![Just(0.0), 0.01..1e6_f64];
    let segment = (rate(), rate(), 0.001..20.0_f64).prop_map(|(from, to, s)| segment(from, to, s));
    (
        any_spacing(),
        prop::collection::vec(segment, 1..6),
        any::<bool>(),
    )
        .prop_map(|(spacing, segments, cycle)| Arrivals {
            spacing,
            spread: 1.0,
            segments,
            cycle,
        })
        .prop_filter("something must arrive", |arrivals| arrivals.check().is_ok())
}

proptest! {
    #[test]
    fn due_times_never_decrease(arrivals in any_arrivals(), seed: u64) {
        let due: Vec<u64> = arrivals.schedule(seed).take(2000).collect();
        prop_assert!(due.is_sorted());
    }

    #[test]
    #[cfg_attr(miri, ignore = "hours in an interpreter, and no memory to prove")]
    fn constant_arrivals_keep_to_the_integral_of_any_rate(mut arrivals in any_arrivals()) {
        arrivals.spacing = Spacing::Constant;
        for (index, due_ns) in arrivals.schedule(0).take(2000).enumerate() {
            // Half a nanosecond of rounding at 1e6 per second is far below this.
            let expected = arrivals.expected(due_ns as f64 / 1e9);
            prop_assert!((expected - index as f64).abs() < 0.01, "{index}: {expected} at {due_ns} ns");
        }
    }

    #[test]
    fn the_shares_of_any_number_of_threads_are_the_whole(
        arrivals in any_arrivals(), seed: u64, of in 1_u64..9,
    ) {
        let whole: Vec<u64> = arrivals.schedule(seed).take(500).collect();
        let mut shares: Vec<_> = (0..of).map(|nth| arrivals.schedule(seed).every(of, nth)).collect();
        for (index, due_ns) in whole.iter().enumerate() {
            prop_assert_eq!(shares[index % of as usize].next(), Some(*due_ns));
        }
    }

    #[test]
    fn the_parts_of_any_number_of_nodes_and_their_threads_are_the_whole(
        mut arrivals in any_arrivals(), seed: u64, of in 1_u64..9, threads in 1_u64..4, uniform: bool,
    ) {
        arrivals.spacing = if uniform { Spacing::Uniform } else { Spacing::Constant };
        let whole: Vec<u64> = arrivals.schedule(seed).take(500).collect();
        let thread = |index: u64| arrivals.part(seed, index % of, of).every(threads, index / of);
        let mut threads: Vec<_> = (0..of * threads).map(thread).collect();
        for (index, due_ns) in whole.iter().enumerate() {
            let thread = index % threads.len();
            prop_assert_eq!(threads[thread].next(), Some(*due_ns));
        }
    }

    #[test]
    fn a_share_of_a_share_is_a_share(seed: u64, spacing in any_spacing()) {
        let schedule = Arrivals { spacing, ..Arrivals::constant(1000.0) }.schedule(seed);
        let twice: Vec<u64> = schedule.clone().every(3, 1).every(4, 2).take(50).collect();
        let once: Vec<u64> = schedule.every(12, 7).take(50).collect();
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn constant_arrivals_that_are_skipped_are_as_many_as_those_counted(
        mut arrivals in any_arrivals(), of in 1_u64..9, from in 0_u64..2000, count in 0_u64..2000,
    ) {
        arrivals.spacing = Spacing::Constant;
        let mut counted = arrivals.schedule(0).every(of, of - 1);
        let mut skipped = counted.clone();
        for _ in 0..from {
            prop_assert_eq!(counted.next(), skipped.next());
        }
        let rest: Vec<u64> = counted.take(2000).collect();
        if let Some(until) = rest.get(count as usize) {
            // Arrivals that are due at the same nanosecond stay together.
            let before = rest.partition_point(|due| due < until);
            prop_assert_eq!(skipped.skip_until(*until), before as u64);
            prop_assert_eq!(skipped.next(), Some(*until));
        }
    }

    #[test]
    fn random_arrivals_that_are_skipped_are_as_many_as_expected(
        seed: u64, spacing in any_spacing(), of in 1_u64..9, per_s in 1e3..1e6_f64,
    ) {
        let mut schedule = Arrivals { spacing, ..Arrivals::constant(per_s) }.schedule(seed).every(of, 0);
        let skipped = schedule.skip_until(10 * S) as f64;
        let expected = 10.0 * per_s / of as f64;
        prop_assert!((skipped - expected).abs() <= 1.0, "{skipped}, not {expected}");
        let next = schedule.next().expect("it goes on");
        prop_assert!(next >= 10 * S, "{next}");
    }
}

#[test]
fn uniform_gaps_stay_within_their_spread_around_the_mean() {
    let narrow = Arrivals {
        spacing: Spacing::Uniform,
        spread: 0.5,
        ..Arrivals::constant(1000.0)
    };
    let due: Vec<u64> = narrow.schedule(1).take(10_001).collect();
    let gaps: Vec<u64> = due.windows(2).map(|two| two[1] - two[0]).collect();
    assert!(gaps.iter().all(|gap| (499_999..=1_500_001).contains(gap)));
    assert!(gaps.iter().any(|gap| *gap < 510_000) && gaps.iter().any(|gap| *gap > 1_490_000));
    let mean = gaps.iter().sum::<u64>() / 10_000;
    assert!((990_000..1_010_000).contains(&mean), "{mean}");
}
