//! The seconds of a run.

use proptest::prelude::*;
use tally::{FIRST_SECOND, Failure, IntervalRow, Intervals, LAST_SECOND, Spread};

/// An event of a second.
#[derive(Clone, Copy, Debug)]
enum Event {
    Due(u64),
    Sent(u64),
    Ok(u64),
    Failed(u64),
}

fn of(events: &[(i64, Event)]) -> Intervals {
    let mut intervals = Intervals::new();
    for &(second, event) in events {
        match event {
            Event::Due(n) => intervals.due(second, n),
            Event::Sent(n) => intervals.sent(second, n),
            Event::Ok(ns) => intervals.ok(second, ns),
            Event::Failed(n) => intervals.failed(second, Failure::WrongBody, n),
        }
    }
    intervals
}

#[test]
fn a_row_has_the_fields_of_the_measurement() {
    let intervals = of(&[
        (-1, Event::Due(3)),
        (-1, Event::Sent(2)),
        (-1, Event::Ok(100)),
        (-1, Event::Failed(1)),
    ]);
    let expected = serde_json::json!([
        {"second": -1, "due": 3, "sent": 2, "ok": 1, "failed": 1, "sessions": 0, "p50_ns": 100, "p99_ns": 100, "max_ns": 100}
    ]);
    assert_eq!(serde_json::to_value(intervals.rows()).unwrap(), expected);
}

#[test]
fn seconds_without_events_are_rows_of_zeros() {
    let rows = of(&[(2, Event::Due(1)), (-1, Event::Due(2))]).rows();
    let due: Vec<_> = rows.iter().map(|row| (row.second, row.due)).collect();
    assert_eq!(due, [(-1, 2), (0, 0), (1, 0), (2, 1)]);
    assert_eq!(rows[1], IntervalRow::default());
    assert!(Intervals::new().rows().is_empty());
}

#[test]
fn late_times_reach_their_second_however_late() {
    let mut events: Vec<_> = (0..20).map(|second| (second, Event::Ok(1_000))).collect();
    events.extend((0..20).map(|second| (second, Event::Ok(64))));
    let rows = of(&events).rows();
    assert_eq!(rows.len(), 20);
    for row in rows {
        assert_eq!(
            (row.ok, row.p50_ns, row.max_ns),
            (2, 64, 1_000),
            "second {}",
            row.second
        );
    }
}

#[test]
fn a_second_that_is_over_has_the_numbers_of_its_row() {
    let intervals = of(&[(0, Event::Ok(50)), (0, Event::Ok(90)), (1, Event::Due(1))]);
    let numbers = |second| {
        let one = intervals.second(second);
        (one.ok, one.quantile(0.5), one.quantile(0.99))
    };
    assert_eq!(numbers(0), (2, 50, 90));
    for absent in [1, -1, 2, i64::MIN, i64::MAX] {
        assert_eq!(numbers(absent), (0, 0, 0), "{absent}");
    }
}

#[test]
fn the_spread_of_seconds_has_every_time_and_the_age_of_every_timeout_once() {
    let mut one = of(&[(0, Event::Ok(50)), (0, Event::Ok(90)), (1, Event::Ok(50))]);
    one.timed_out(1_000_000);
    let mut spread = Spread::default();
    for _ in 0..2 {
        one.take_timed_out(&mut spread);
    }
    for second in 0..3 {
        one.second(second).add_to(&mut spread);
    }
    let mut all = Spread::default();
    for _ in 0..2 {
        all.take(&mut spread);
    }
    let filled = all.filled();
    assert_eq!(filled[..2], [(50, 2), (90, 1)]);
    let (age, count) = filled[2];
    assert_eq!((filled.len(), count), (3, 1));
    assert!(age.abs_diff(1_000_000) <= 8_000, "{age}");
    assert!(spread.filled().is_empty());
}

#[test]
fn the_same_second_of_two_threads_is_merged_from_its_times() {
    let mut one = of(&[(0, Event::Ok(50)), (0, Event::Ok(60))]).second(0);
    one.merge(&of(&[(0, Event::Ok(90)); 6]).second(0));
    assert_eq!((one.ok, one.quantile(0.5), one.quantile(0.1)), (8, 90, 50));
}

#[test]
fn seconds_beyond_the_bounds_count_at_the_bounds() {
    let late = of(&[
        (LAST_SECOND, Event::Ok(1)),
        (i64::MAX, Event::Ok(2)),
        (i64::MAX, Event::Due(5)),
    ]);
    let rows = late.rows();
    assert_eq!(
        (rows.len(), rows[0].second, rows[0].ok, rows[0].due),
        (1, LAST_SECOND, 2, 5)
    );
    let early = of(&[(i64::MIN, Event::Sent(1)), (FIRST_SECOND, Event::Sent(1))]);
    assert_eq!((early.rows().len(), early.rows()[0].sent), (1, 2));
    let all = of(&[(i64::MAX, Event::Due(1)), (i64::MIN, Event::Due(1))]);
    assert_eq!(all.rows().len(), 100_000);
}

/// The exact time at a rank.
fn exact(times: &[u64], quantile: f64) -> u64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted[((quantile * times.len() as f64).ceil() as usize).max(1) - 1]
}

fn any_events() -> impl Strategy<Value = Vec<(i64, Event)>> {
    let event = prop_oneof![
        (0..100_u64).prop_map(Event::Due),
        (0..100_u64).prop_map(Event::Sent),
        (0..100_u64).prop_map(Event::Failed),
        (0..5_000_000_000_u64).prop_map(Event::Ok),
        (0..300_u64).prop_map(Event::Ok),
    ];
    prop::collection::vec((-8..12_i64, event), 0..80)
}

/// Merges from left to right.
fn sum(parts: &[&Intervals]) -> Vec<IntervalRow> {
    let mut all = Intervals::new();
    for part in parts {
        all.merge(part);
    }
    all.rows()
}

proptest! {
    #[test]
    fn quantiles_are_within_their_stated_error(
        times in prop::collection::vec(prop_oneof![0..200_u64, 0..3_600_000_000_000_u64], 1..200),
    ) {
        let events: Vec<_> = times.iter().map(|&ns| (3, Event::Ok(ns))).collect();
        let row = of(&events).rows()[0];
        for (seen, quantile) in [(row.p50_ns, 0.5), (row.p99_ns, 0.99)] {
            let truth = exact(&times, quantile);
            let error = seen.abs_diff(truth) as f64;
            prop_assert!(error <= truth as f64 * 0.008, "{quantile}: {seen}, in truth {truth}");
        }
        prop_assert_eq!(Some(row.max_ns), times.iter().copied().max());
    }

    #[test]
    fn merging_loses_nothing_and_its_order_does_not_matter(
        a in any_events(), b in any_events(), c in any_events(),
    ) {
        let together = of(&[a.clone(), b.clone(), c.clone()].concat()).rows();
        let (a, b, c) = (of(&a), of(&b), of(&c));
        prop_assert_eq!(&sum(&[&a, &b, &c]), &together);
        prop_assert_eq!(&sum(&[&c, &a, &b]), &together);
        let mut inner = b.clone();
        inner.merge(&c);
        prop_assert_eq!(&sum(&[&a, &inner]), &together);
        let mut onto = a.clone();
        onto.merge(&inner);
        prop_assert_eq!(&onto.rows(), &together);
    }

    #[test]
    fn recording_goes_on_after_a_merge(a in any_events(), b in any_events()) {
        let mut merged = Intervals::new();
        merged.merge(&of(&a));
        let mut continued = of(&a);
        for &(second, event) in &b {
            if let Event::Ok(ns) = event {
                merged.ok(second, ns);
                continued.ok(second, ns);
            }
        }
        prop_assert_eq!(merged.rows(), continued.rows());
    }
}
