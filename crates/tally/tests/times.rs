//! Distributions of times, and their text formats.

use proptest::prelude::*;
use tally::{LONGEST_NS, TallyError, Times, hgrm, quantiles};

fn of(values: impl IntoIterator<Item = u64>) -> Times {
    let mut times = Times::new();
    for ns in values {
        times.record(ns);
    }
    times
}

/// True if two times are the same to 3 digits.
fn near(a: u64, b: u64) -> bool {
    a.abs_diff(b) <= b / 1000 + 1
}

#[test]
fn no_times_come_to_zero() {
    let summary = Times::new().summary();
    let zero = serde_json::json!({
        "count": 0, "min_ns": 0, "mean_ns": 0.0, "stdev_ns": 0.0, "p50_ns": 0, "p75_ns": 0, "p90_ns": 0,
        "p99_ns": 0, "p999_ns": 0, "p9999_ns": 0, "max_ns": 0, "censored": 0, "censored_min_ns": 0, "hdr": summary.hdr,
    });
    assert_eq!(serde_json::to_value(&summary).unwrap(), zero);
    assert_eq!(quantiles(&summary.hdr, &[0.5]), Ok(vec![0]));
}

#[test]
fn a_summary_has_exact_ends_and_mean_and_quantiles_to_three_digits() {
    let summary = of((1..=100_000).map(|n| n * 1_000 + 7)).summary();
    assert_eq!(
        (summary.count, summary.min_ns, summary.max_ns),
        (100_000, 1_007, 100_000_007)
    );
    assert!((summary.mean_ns - 50_000_507.0).abs() < 1e-3);
    assert!(
        (summary.stdev_ns / 28_867_513.0 - 1.0).abs() < 1e-3,
        "{}",
        summary.stdev_ns
    );
    for (seen, truth) in [
        (summary.p50_ns, 50_000_007),
        (summary.p75_ns, 75_000_007),
        (summary.p90_ns, 90_000_007),
        (summary.p99_ns, 99_000_007),
        (summary.p999_ns, 99_900_007),
        (summary.p9999_ns, 99_990_007),
    ] {
        assert!(near(seen, truth), "{seen} {truth}");
    }
}

#[test]
fn a_quantile_is_never_beyond_the_longest_time_seen() {
    let times = of([1_000_001]);
    assert_eq!(
        (times.quantile(0.5), times.quantile(1.0)),
        (1_000_001, 1_000_001)
    );
}

#[test]
fn lower_bounds_count_as_times_and_apart() {
    let mut times = of([10, 20]);
    times.record_censored(40, 1);
    let mut other = of([]);
    other.record_censored(30, 1);
    times.merge(&other);
    let summary = times.summary();
    assert_eq!(
        (summary.count, summary.censored, summary.max_ns),
        (4, 2, 40)
    );
    assert_eq!(summary.censored_min_ns, 30);
}

#[test]
fn times_beyond_an_hour_count_as_an_hour() {
    let summary = of([u64::MAX]).summary();
    assert_eq!(
        (summary.count, summary.min_ns, summary.max_ns),
        (1, LONGEST_NS, LONGEST_NS)
    );
}

#[test]
fn reset_forgets_everything() {
    let mut times = of([5]);
    times.record_censored(7, 1);
    times.reset();
    assert_eq!(times.summary(), Times::new().summary());
}

#[test]
fn the_text_form_keeps_every_count() {
    let values: Vec<u64> = (0..50_u32)
        .map(|power| 3_u64.saturating_pow(power))
        .collect();
    let times = of(values.clone());
    let asked = [0.1, 0.999, 0.5, 1.0];
    let read = quantiles(&times.summary().hdr, &asked).unwrap();
    for (quantile, ns) in asked.into_iter().zip(read) {
        assert!(near(ns, times.quantile(quantile)), "{quantile}: {ns}");
    }
}

#[test]
fn what_is_no_histogram_is_refused() {
    assert!(matches!(quantiles("?", &[0.5]), Err(TallyError::Base64(_))));
    assert!(matches!(
        quantiles("AAAA", &[0.5]),
        Err(TallyError::Format(_))
    ));
    assert!(matches!(hgrm("AAAA", 1), Err(TallyError::Format(_))));
    let hdr = of([1]).summary().hdr;
    for bad in [-0.1, 1.1, f64::NAN] {
        assert!(
            matches!(quantiles(&hdr, &[bad]), Err(TallyError::Quantile(_))),
            "{bad}"
        );
    }
    assert_eq!(hgrm(&hdr, 0), Err(TallyError::Unit));
}

#[test]
fn the_percentile_distribution_is_the_text_that_plotters_read() {
    let text = hgrm(&of([1_000, 2_000, 3_000]).summary().hdr, 1_000).unwrap();
    let expected = "       Value     Percentile TotalCount 1/(1-Percentile)

       1.000 0.000000000000          1           1.00
       1.000 0.100000000000          1           1.11
       1.000 0.200000000000          1           1.25
       1.000 0.300000000000          1           1.43
       2.000 0.400000000000          2           1.67
       2.000 0.500000000000          2           2.00
       2.000 0.550000000000          2           2.22
       2.000 0.600000000000          2           2.50
       2.000 0.650000000000          2           2.86
       3.001 0.700000000000          3           3.33
       3.001 1.000000000000          3
#[Mean    =        2.000, StdDeviation   =        0.817]
#[Max     =        3.001, Total count    =            3]
#[Buckets =           32, SubBuckets     =         2048]
";
    assert_eq!(text, expected);
}

#[test]
fn the_percentile_distribution_of_nothing_has_no_rows() {
    let text = hgrm(&Times::new().summary().hdr, 1).unwrap();
    assert_eq!(
        text.lines().filter(|line| !line.starts_with('#')).count(),
        2,
        "{text}"
    );
}

fn any_times() -> impl Strategy<Value = Vec<u64>> {
    let time = prop_oneof![0..1_000_u64, 0..10_000_000_000_u64, any::<u64>()];
    prop::collection::vec(time, 0..50)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn merging_loses_nothing_and_its_order_does_not_matter(
        a in any_times(), b in any_times(), c in any_times(),
    ) {
        let all = of(a.iter().chain(&b).chain(&c).copied()).summary();
        let mut left = of(a.clone());
        left.merge(&of(b.clone()));
        left.merge(&of(c.clone()));
        let mut right = of(c);
        right.merge(&of(b));
        let mut first = of(a);
        first.merge(&right);
        prop_assert_eq!(left.summary(), all.clone());
        prop_assert_eq!(first.summary(), all);
    }
}
