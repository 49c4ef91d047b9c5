//! A run in bins of time.

use proptest::prelude::*;
use tally::{
    ErrorClass, FIRST_SECOND, Failure, Intervals, LAST_SECOND, LONGEST_NS, MOST_BINS, Packed,
};

#[test]
fn a_bin_has_the_fields_of_the_measurement() {
    let mut intervals = Intervals::new();
    intervals.due(-1, 9);
    intervals.due(0, 4);
    intervals.ok(0, 1_000);
    intervals.ok(0, 1_001);
    intervals.failed(0, Failure::Error(ErrorClass::Reset), 1);
    intervals.failed(0, Failure::WrongStatus, 2);
    intervals.failed(0, Failure::WrongBody, 1);
    let expected = serde_json::json!([{
        "second": 0, "seconds": 1, "due": 4, "ok": 2,
        "failures": {"wrong_status": 2, "wrong_body": 1, "reset": 1},
        "p50_ns": 1001, "p90_ns": 1001, "p99_ns": 1001, "max_ns": 1001,
        "times": [[896, 1024, 2]]
    }]);
    assert_eq!(serde_json::to_value(intervals.bins()).unwrap(), expected);
    assert!(Intervals::new().bins().is_empty());
}

#[test]
fn a_bin_of_several_seconds_has_the_percentiles_of_all_of_their_calls() {
    let mut intervals = Intervals::new();
    for second in 0..480 {
        let ns = if second % 2 == 0 { 64 } else { 100_000 };
        for _ in 0..10 {
            intervals.ok(second, ns);
        }
    }
    let bins = intervals.bins();
    assert_eq!(bins.len(), 240);
    for (place, bin) in (0..).zip(&bins) {
        assert_eq!((bin.second, bin.seconds, bin.ok), (2 * place, 2, 20));
        assert_eq!(bin.p50_ns, 64);
        assert!(bin.p90_ns.abs_diff(100_000) < 800, "within 0.8 %");
        assert_eq!(
            bin.times.iter().map(|one| one.2).collect::<Vec<_>>(),
            [10, 10]
        );
    }
}

#[test]
fn the_longest_run_has_no_more_bins_than_a_chart_can_show() {
    for last in [
        0,
        239,
        240,
        481,
        3_600,
        86_400,
        LAST_SECOND,
        LAST_SECOND + 7,
    ] {
        let mut intervals = Intervals::new();
        intervals.due(FIRST_SECOND, 1);
        intervals.due(last, 1);
        let bins = intervals.bins();
        assert!(bins.len() as u64 <= MOST_BINS, "{last}: {}", bins.len());
        let seconds: u64 = bins.iter().map(|bin| bin.seconds).sum();
        assert_eq!(seconds, last.min(LAST_SECOND) as u64 + 1);
        assert_eq!(bins.last().map(|bin| bin.due), Some(1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 1 } else { 64 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_time_is_in_one_range_that_holds_it(times in prop::collection::vec(prop_oneof![0..4_000_u64, 0..LONGEST_NS], 1..60)) {
        for ns in &times {
            let mut one = Intervals::new();
            one.ok(0, *ns);
            let found = one.bins().remove(0).times;
            prop_assert_eq!(found.len(), 1);
            let (from, to, count) = found[0];
            prop_assert!(from <= *ns && *ns < to && count == 1, "{ns}: {from} to {to}");
            prop_assert!(*ns < 128 || to <= from / 4 * 5 + 4, "{from} to {to}");
        }
        let mut all = Intervals::new();
        for ns in &times {
            all.ok(0, *ns);
        }
        let found = all.bins().remove(0).times;
        prop_assert!(found.windows(2).all(|two| two[0].1 <= two[1].0));
        prop_assert_eq!(found.iter().map(|one| one.2).sum::<u64>(), times.len() as u64);
    }

    #[test]
    fn failures_are_read_as_they_were_written(failed in prop::collection::vec((0..5_i64, 0..16_usize, 1..9_u64), 0..40)) {
        let mut intervals = Intervals::new();
        for (second, kind, count) in failed {
            let failure = match kind {
                0 => Failure::WrongStatus,
                1 => Failure::WrongBody,
                class => Failure::Error(ErrorClass::ALL[class - 2]),
            };
            intervals.failed(second, failure, count);
        }
        let mut bytes = Vec::new();
        intervals.pack(&mut bytes);
        let read = Intervals::unpack(&mut bytes.as_slice()).unwrap();
        prop_assert_eq!(read.bins(), intervals.bins());
    }
}
