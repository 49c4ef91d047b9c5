//! Whole results: whatever bytes are merged, the engine reports them or refuses them, and does not panic.

use engine::simulation::{Counters, with_counters};
use engine::{Plan, merge};
use proptest::prelude::*;
use serde_json::{Value, json};
use tally::Packed;

use crate::server::{MS, Server, arrivals, plan, pong_after, requests, run};

fn packed(counters: &Counters) -> Vec<u8> {
    let mut bytes = Vec::new();
    counters.pack(&mut bytes);
    bytes
}

fn loads() -> [Plan; 4] {
    let closed = json!({"kind": "closed", "connections": 3});
    let random =
        json!({"spacing": "exponential", "segments": [{"from_per_s": 90.0, "to_per_s": 90.0}]});
    let sessions = json!({"kind": "sessions", "arrivals": random, "calls": 2});
    let timeouts = json!({"timeouts": {"reply_s": 0.05}});
    [
        plan(closed, json!({"stop": {"count": 40}})),
        plan(requests(50.0, 4), timeouts),
        plan(sessions, json!({})),
        plan(
            requests(50.0, 4),
            json!({"requests": [{"path": "/one"}, {"path": "/two"}]}),
        ),
    ]
}

fn counters(plan: &Plan) -> Counters {
    let answer = |number, _| {
        if number % 9 == 4 {
            vec![]
        } else {
            pong_after(MS)
        }
    };
    run(plan, Server::answering(answer)).0
}

/// The merged measurement as JSON, if the bytes are counters.
fn merged(plan: &Plan, counters: &[u8]) -> Option<Value> {
    let found = merge(plan, &[with_counters(plan, counters)]).ok()?;
    Some(serde_json::to_value(found).unwrap())
}

#[test]
fn counters_are_read_as_they_were_written() {
    for plan in loads() {
        let counters = counters(&plan);
        let bytes = packed(&counters);
        let again = Counters::unpack(&mut &bytes[..]).unwrap();
        assert_eq!(packed(&again), bytes);
        let found = merged(&plan, &bytes).unwrap();
        assert_eq!(found["calls"]["ok"], counters.calls.ok);
        let times = serde_json::to_value(counters.response.summary()).unwrap();
        assert_eq!(found["times"]["response"], times);
        let seconds = serde_json::to_value(counters.intervals.rows()).unwrap();
        assert_eq!(found["intervals"], seconds);
    }
}

#[test]
fn bytes_that_are_missing_or_follow_the_end_are_told() {
    let plan = &loads()[0];
    let bytes = packed(&counters(plan));
    for cut in (0..bytes.len()).step_by(13) {
        assert!(merged(plan, &bytes[..cut]).is_none(), "{cut} bytes");
    }
    assert!(merged(plan, &[&bytes[..], &[0]].concat()).is_none());
}

#[test]
fn fifty_results_are_one_measurement() {
    let load = json!({"kind": "requests", "connections": 100, "arrivals": arrivals(1000.0)});
    let whole = plan(load, json!({}));
    let part = |index| Plan {
        part: Some(engine::Part { index, of: 50 }),
        ..whole.clone()
    };
    let result = |index| with_counters(&part(index), &packed(&counters(&part(index))));
    let mut results: Vec<Vec<u8>> = (0..50).map(result).collect();
    results.reverse();
    let found = serde_json::to_value(merge(&whole, &results).unwrap()).unwrap();
    assert_eq!(found["calls"]["due"], 1000);
    assert_eq!(found["validity"]["arrivals"]["scheduled"], 1000);
    assert_eq!(found["validity"]["arrivals"]["off_share"], 0.0);
    let nodes = found["nodes"].as_array().unwrap();
    let names: Vec<&str> = nodes
        .iter()
        .filter_map(|node| node["name"].as_str())
        .collect();
    let ordered: Vec<String> = (1..=50).map(|number: u32| number.to_string()).collect();
    assert_eq!(names, ordered);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_are_reported_or_refused(
        load in 0..4_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let plan = &loads()[load];
        let mut bytes = packed(&counters(plan));
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        merged(plan, &bytes);
    }

    #[test]
    fn any_bytes_are_reported_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        merged(&loads()[1], &bytes);
    }
}
