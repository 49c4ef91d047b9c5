//! The results of several machines, merged.

use driver::Wall;
use engine::{Part, Plan, merge, start, start_at};
use serde_json::{Value, json};

use crate::rig::{Rig, closed, requests, sessions};

fn part(plan: &Plan, index: u32, of: u32) -> Plan {
    Plan {
        part: Some(Part { index, of }),
        ..plan.clone()
    }
}

/// The measurement of a run as JSON, and its whole result.
fn run(plan: &Plan) -> (Value, Vec<u8>) {
    let run = start(plan).unwrap();
    let measurement = serde_json::to_value(run.result().unwrap()).unwrap();
    (measurement, run.whole().unwrap())
}

fn merged(plan: &Plan, results: &[Vec<u8>]) -> Value {
    serde_json::to_value(merge(plan, results).unwrap()).unwrap()
}

pub fn a_result_merged_alone_is_that_of_its_run(rig: &Rig) {
    for (load, more) in [
        (closed(5), json!({"threads": 2, "low_latency": true})),
        (
            requests(5000.0, 32),
            json!({"stop": {"duration_s": 0.3}, "warm_up_s": 0.05}),
        ),
        (
            sessions(500.0, 3),
            json!({"stop": {"count": 100}, "burst": 3}),
        ),
        (closed(2), json!({"requests": [{"path": "/missing"}]})),
    ] {
        let plan = rig.plan(&load, &more);
        let (alone, whole) = run(&plan);
        let mut found = merged(&plan, &[whole]);
        let nodes = found["nodes"].take();
        assert_eq!(nodes[0]["ok"], alone["calls"]["ok"]);
        assert_eq!(nodes[0]["p99_ns"], alone["times"]["response"]["p99_ns"]);
        assert_eq!(found, alone, "{}", plan.load.kind());
    }
}

pub fn parts_merged_count_every_call_of_the_plan(rig: &Rig) {
    let mut seen = 0;
    for load in [closed(7), requests(5000.0, 32), sessions(2000.0, 1)] {
        let plan = rig.plan(&load, &json!({"threads": 2}));
        let results: Vec<Vec<u8>> = (0..3).map(|index| run(&part(&plan, index, 3)).1).collect();
        let found = merged(&plan, &results);
        assert_eq!(found["calls"]["ok"], 1000, "{load}");
        assert_eq!(found["times"]["response"]["count"], 1000);
        assert_eq!(found["engine"]["threads"], 6);
        assert_eq!(found["nodes"].as_array().unwrap().len(), 3);
        seen += 1000;
        assert_eq!(rig.server.requests(), seen);
    }
}

pub fn two_runs_start_at_the_same_instant(rig: &Rig) {
    let plan = rig.plan(&requests(1000.0, 4), &json!({"stop": {"count": 20}}));
    let at = Wall::now_ns() + 400_000_000;
    let runs = [0, 1].map(|index| start_at(&part(&plan, index, 2), Some(at)).unwrap());
    for run in &runs {
        run.result().unwrap();
        assert!(run.started_at_ns().unwrap().abs_diff(at) < 1_000_000);
    }
    let results = runs.map(|run| run.whole().unwrap());
    let found = merged(&plan, &results);
    assert_eq!(found["calls"]["due"], 20);
    let past = start_at(&plan, Some(at)).err().unwrap();
    assert!(past.message.contains("is in the past"), "{}", past.message);
}

pub fn results_cut_short_are_refused(rig: &Rig) {
    let plan = rig.plan(
        &sessions(2000.0, 2),
        &json!({"stop": {"count": 20}, "burst": 2}),
    );
    let (_, whole) = run(&plan);
    assert!(whole.len() < 64 * 1024, "{} bytes", whole.len());
    for cut in (0..whole.len()).step_by(97) {
        assert!(merge(&plan, &[&whole[..cut]]).is_err(), "{cut} bytes");
    }
}
