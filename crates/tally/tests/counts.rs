//! Counts of calls and statuses: recorded, merged, serialised.

use proptest::prelude::*;
use tally::{Calls, ErrorClass, Statuses};

/// Six calls: one right, one wrong each way, one refused, one unanswered, one never sent.
fn calls() -> Calls {
    let mut calls = Calls {
        due: 6,
        sent: 5,
        unsent: 1,
        waited: 2,
        ok: 1,
        ..Calls::default()
    };
    (calls.wrong_status, calls.wrong_body, calls.in_flight) = (1, 1, 1);
    calls.error(ErrorClass::Refused);
    calls
}

#[test]
fn every_class_is_at_its_index_and_has_its_own_name() {
    let names: Vec<_> = ErrorClass::ALL.map(ErrorClass::name).into();
    assert_eq!(
        names.join(" "),
        "connect_timeout first_byte_timeout reply_timeout socket_timeout refused reset early_close \
         protocol tls unreachable descriptors addresses file_table value_not_found refused_stream stream_reset goaway grpc_status other"
    );
    for (index, class) in ErrorClass::ALL.into_iter().enumerate() {
        assert_eq!(class as usize, index, "{class}");
    }
}

#[test]
fn calls_are_written_with_the_errors_that_occurred() {
    let expected = serde_json::json!({
        "due": 6, "sent": 5, "unsent": 1, "waited": 2, "ok": 1, "wrong_status": 1, "wrong_body": 1,
        "errors": {"refused": 1}, "in_flight": 1,
    });
    assert_eq!(serde_json::to_value(calls()).unwrap(), expected);
}

#[test]
fn calls_that_add_up_pass_the_check() {
    let calls = calls();
    assert_eq!((calls.failed(), calls.ended()), (3, 4));
    assert_eq!(calls.check(), Ok(()));
}

#[test]
fn a_call_that_was_lost_is_told_with_the_figures() {
    let lost = Calls { due: 7, ..calls() };
    let told = "7 calls fell due, but 5 were sent and 1 were not: 6 in all";
    assert_eq!(lost.check(), Err(told.to_owned()));
    let lost = Calls {
        in_flight: 0,
        ..calls()
    };
    let told = "5 calls were sent, but 4 ended and 0 are in flight: 4 in all";
    assert_eq!(lost.check(), Err(told.to_owned()));
}

#[test]
fn statuses_that_occurred_are_written_and_odd_ones_together() {
    let mut statuses = Statuses::new();
    for status in [200, 200, 100, 599, 99, 600, 999, 0] {
        statuses.record(status);
    }
    let expected = serde_json::json!({"100": 1, "200": 2, "599": 1, "other": 4});
    assert_eq!(serde_json::to_value(&statuses).unwrap(), expected);
    assert_eq!((statuses.count(200), statuses.count(404)), (2, 0));
    statuses.reset();
    assert_eq!(statuses, Statuses::new());
}

fn any_calls() -> impl Strategy<Value = Calls> {
    prop::array::uniform27(0..1_000_000_u64).prop_map(|n| {
        let mut calls = Calls {
            due: n[0],
            sent: n[1],
            unsent: n[2],
            waited: n[3],
            ..Calls::default()
        };
        (
            calls.ok,
            calls.wrong_status,
            calls.wrong_body,
            calls.in_flight,
        ) = (n[4], n[5], n[6], n[7]);
        calls.errors.copy_from_slice(&n[8..]);
        calls
    })
}

fn sum(a: &Calls, b: &Calls) -> Calls {
    let mut sum = a.clone();
    sum.merge(b);
    sum
}

proptest! {
    #[test]
    fn merging_calls_adds_every_count(a in any_calls(), b in any_calls(), c in any_calls()) {
        prop_assert_eq!(sum(&sum(&a, &b), &c), sum(&a, &sum(&b, &c)));
        let both = sum(&a, &b);
        prop_assert_eq!(&both, &sum(&b, &a));
        prop_assert_eq!(both.due + both.sent + both.unsent + both.waited + both.ended() + both.in_flight,
            [&a, &b].map(|n| n.due + n.sent + n.unsent + n.waited + n.ended() + n.in_flight).iter().sum::<u64>());
    }

    #[test]
    fn merging_statuses_is_counting_both(a: Vec<u16>, b: Vec<u16>) {
        let of = |all: &[u16]| {
            let mut statuses = Statuses::new();
            for &status in all {
                statuses.record(status);
            }
            statuses
        };
        let mut merged = of(&a);
        merged.merge(&of(&b));
        prop_assert_eq!(merged, of(&[a, b].concat()));
    }
}
