//! The validity tests: each with data that it must reject and data that it must accept.

use tally::{
    Intervals, Means, Sample, Times, anderson_darling, dickey_fuller, erlang, irwin_hall, spearman,
};

/// Random numbers in [0, 1), the same each time (`SplitMix64`).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn gap(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }
}

#[test]
fn a_sample_keeps_all_of_a_short_stream_and_an_even_share_of_a_long_one() {
    let mut sample = Sample::new(1);
    (0..100_u32).for_each(|value| sample.offer(value));
    assert_eq!(sample.kept(), (0..100).collect::<Vec<_>>());
    (100..1_000_000_u32).for_each(|value| sample.offer(value));
    let kept = sample.kept();
    assert!((Sample::<u32>::MOST / 2..=Sample::<u32>::MOST).contains(&kept.len()));
    for (place, value) in kept.iter().enumerate() {
        // 1,000,000 values in strata of 256: one of each, in order.
        assert_eq!(*value as usize / 256, place);
    }
    let offsets = kept.iter().map(|value| f64::from(value % 256));
    let mean = offsets.sum::<f64>() / kept.len() as f64;
    assert!(
        (mean - 127.5).abs() < 5.0,
        "at a random place of it: {mean}"
    );
}

#[test]
fn anderson_and_darling_exceed_their_limits_as_often_as_their_tables_say() {
    let mut random = Random(7);
    let mut beyond = [0; 3];
    for _ in 0..4000 {
        let mut values: Vec<f64> = (0..100).map(|_| random.unit()).collect();
        let statistic = anderson_darling(&mut values).unwrap();
        for (count, limit) in beyond.iter_mut().zip([2.492, 3.857, 6.0]) {
            *count += i32::from(statistic > limit);
        }
    }
    // 5 %, 1 % and 0.1 % of 4,000, within four standard deviations.
    assert!((145..=255).contains(&beyond[0]), "{beyond:?}");
    assert!((15..=65).contains(&beyond[1]), "{beyond:?}");
    assert!(beyond[2] <= 12, "{beyond:?}");
}

#[test]
fn exponential_gaps_fit_their_law_and_even_ones_do_not() {
    let mut random = Random(3);
    let mut sums: Vec<f64> = (0..2000)
        .map(|_| erlang(3, (0..3).map(|_| random.gap()).sum()))
        .collect();
    assert!(anderson_darling(&mut sums).unwrap() < 3.9);
    let mut even: Vec<f64> = (0..2000)
        .map(|_| erlang(3, (0..3).map(|_| 2.0 * random.unit()).sum()))
        .collect();
    assert!(anderson_darling(&mut even).unwrap() > 50.0);
    assert_eq!(anderson_darling(&mut []), None);
    assert!(anderson_darling(&mut [0.0, 1.0]).unwrap().is_finite());
}

#[test]
fn sums_of_even_gaps_follow_irwin_and_hall() {
    // One gap is uniform, two have a triangular distribution, many a normal one, without a step where the formula
    // changes.
    assert!((irwin_hall(1, 0.5) - 0.25).abs() < 1e-12);
    assert!((irwin_hall(2, 1.0) - 0.125).abs() < 1e-12);
    assert!((irwin_hall(12, 12.0) - 0.5).abs() < 1e-9);
    assert!((irwin_hall(13, 13.0) - 0.5).abs() < 1e-6);
    let mut random = Random(5);
    for k in [1, 4, 12, 30] {
        let mut values: Vec<f64> = (0..2000)
            .map(|_| irwin_hall(k, (0..k).map(|_| 2.0 * random.unit()).sum()))
            .collect();
        let statistic = anderson_darling(&mut values).unwrap();
        assert!(statistic < 3.9, "{k} gaps: {statistic}");
    }
}

#[test]
fn erlang_s_law_is_the_exponential_one_for_one_arrival_and_holds_for_many() {
    assert!((erlang(1, 1.0) - (1.0 - (-1.0_f64).exp())).abs() < 1e-12);
    assert!((erlang(1000, 1000.0) - 0.504_205).abs() < 1e-5);
    assert!((erlang(5, 0.0), erlang(5, 1e4)) == (0.0, 1.0));
}

#[test]
fn ranks_that_rise_together_correlate_and_shuffled_ones_do_not() {
    let rising: Vec<(f32, f32)> = (0..100).map(|i| (i as f32, (i * i) as f32)).collect();
    assert!((spearman(&rising).unwrap() - 1.0).abs() < 1e-12);
    let falling: Vec<(f32, f32)> = (0..100).map(|i| (i as f32, -i as f32)).collect();
    assert!((spearman(&falling).unwrap() + 1.0).abs() < 1e-12);
    let mut random = Random(9);
    let loose: Vec<(f32, f32)> = (0..4000)
        .map(|_| (random.unit() as f32, random.unit() as f32))
        .collect();
    assert!(spearman(&loose).unwrap().abs() < 0.06);
    assert_eq!(spearman(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
    // With ties: 1 2.5 2.5 4 against 1 2 3 4 (scipy gives the same).
    let ties = [(1.0, 1.0), (2.0, 2.0), (2.0, 3.0), (3.0, 4.0)];
    assert!((spearman(&ties).unwrap() - 0.948_683_298).abs() < 1e-9);
}

#[test]
fn a_series_that_comes_back_to_its_mean_is_told_from_one_that_does_not() {
    let mut random = Random(11);
    let steady: Vec<f64> = (0..100).map(|_| 1e6 + 1e4 * random.gap()).collect();
    assert!(dickey_fuller(&steady).unwrap() < -3.5);
    let mut walk = || {
        let mut at = 1e6;
        let steps = std::iter::repeat_with(|| {
            at += 1e4 * (random.unit() - 0.5);
            at
        });
        dickey_fuller(&steps.take(100).collect::<Vec<_>>()).unwrap()
    };
    // By definition the limit takes one random walk in twenty for steady.
    let wander = (0..200).filter(|_| walk() > -2.86).count();
    assert!((178..=200).contains(&wander), "{wander} of 200");
    let grows: Vec<f64> = (0..100)
        .map(|i| 1e6 + 1e4 * f64::from(i) + 1e4 * random.unit())
        .collect();
    assert!(dickey_fuller(&grows).unwrap() > -2.86);
    let steps: Vec<f64> = (0..100)
        .map(|i| if i < 50 { 1e6 } else { 2e6 } + 1e4 * random.unit())
        .collect();
    assert!(dickey_fuller(&steps).unwrap() > -2.86);
    assert_eq!(dickey_fuller(&steady[..49]), None);
    assert_eq!(dickey_fuller(&[5.0; 50]), None);
}

#[test]
fn means_stay_in_their_memory_however_long_the_run() {
    let mut means = Means::new();
    for tenth in 0..3000_u64 {
        means.record(tenth * 100_000_000, tenth);
        means.record(tenth * 100_000_000 + 99_999_999, tenth + 2);
    }
    assert_eq!(means.width_ns(), 800_000_000);
    let seen = means.within(300_000_000_000);
    assert_eq!(seen.len(), 375);
    assert!((seen[0] - 4.5).abs() < 1e-12 && (seen[374] - 2996.5).abs() < 1e-12);
    let mut short = Means::new();
    short.record(50_000_000, 1000);
    short.merge(&means);
    assert_eq!(short.width_ns(), 800_000_000);
    assert!((short.within(800_000_000)[0] - (72.0 + 1000.0) / 17.0).abs() < 1e-9);
    assert_eq!(short.within(799_999_999), Vec::<f64>::new());
}

/// Ten seconds of a thousand calls, one in a hundred of them slow: spread evenly, or all in one second.
fn with_slow_calls(clustered: bool) -> (Times, Intervals) {
    let (mut times, mut intervals) = (Times::new(), Intervals::new());
    let mut random = Random(13);
    for call in 0..10_000_u64 {
        let second = (call / 1000).cast_signed();
        let slow = if clustered {
            call % 1000 < 200 && second == 5
        } else {
            random.unit() < 0.02
        };
        let ns = if slow { 50_000_000 } else { 1_000_000 } + call;
        times.record(ns);
        intervals.ok(second, ns);
    }
    (times, intervals)
}

#[test]
fn slow_calls_that_come_together_say_less_than_those_that_come_alone() {
    let (times, intervals) = with_slow_calls(false);
    let effect = intervals.design_effect(0.98);
    assert!((0.2..3.0).contains(&effect.unwrap()), "{effect:?}");
    let alone = times.percentile(0.5, intervals.design_effect(0.5));
    assert!(alone.half_width().unwrap() < 0.01);

    let (times, intervals) = with_slow_calls(true);
    let effect = intervals.design_effect(0.97);
    assert!(effect.unwrap() > 100.0, "{effect:?}");
    let p97 = times.percentile(0.97, effect);
    assert_eq!((p97.high_ns, p97.half_width()), (None, None));
    assert!(
        times.percentile(0.97, None).high_ns.is_some(),
        "as independent calls"
    );
}

#[test]
fn four_seconds_are_too_few_to_tell_clusters() {
    let mut intervals = Intervals::new();
    (-3..4).for_each(|second| intervals.ok(second, 1000));
    assert_eq!(intervals.design_effect(0.5), None);
    intervals.ok(4, 1000);
    assert_eq!(intervals.design_effect(0.5), Some(1.0));
}

#[test]
fn an_interval_holds_its_percentile_as_often_as_it_says() {
    let mut random = Random(17);
    let mut held = 0;
    for _ in 0..400 {
        let mut times = Times::new();
        (0..2000).for_each(|_| times.record((random.gap() * 1e6) as u64));
        let p90 = times.percentile(0.9, None);
        let truth = (10.0_f64.ln() * 1e6) as u64;
        held += i32::from(p90.low_ns.unwrap() <= truth && truth <= p90.high_ns.unwrap());
    }
    // 95 % of 400, within three standard deviations.
    assert!((366..=396).contains(&held), "{held} of 400");
}
