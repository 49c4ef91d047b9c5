//! The low latency settings that a run requests, and their record in the measurement.

use std::fs;
use std::time::Duration;

use engine::Phase;
use serde_json::{Value, json};

use crate::rig::{Rig, closed, requests};

/// Policies of this process's engine threads, from `/proc/self/task/*/stat` (field 41 of `proc_pid_stat(5)`).
fn policies() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let stats = tasks.filter_map(|task| fs::read_to_string(task.path().join("stat")).ok());
    stats
        .filter(|stat| stat.contains("(httpdyno-"))
        .filter_map(|stat| stat.split(' ').nth(40).map(str::to_owned))
        .collect()
}

const FIFO: &str = "1";

pub fn what_is_granted_is_recorded_and_holds_in_the_run(rig: &Rig) {
    let more = json!({"low_latency": true, "stop": {"duration_s": 0.3}});
    let run = engine::start(&rig.plan(&requests(200.0, 4), &more)).unwrap();
    assert!(run.wait(Phase::Measuring, Duration::from_secs(20)));
    let found = policies();
    let measured = serde_json::to_value(run.result().unwrap()).unwrap();
    let low_latency = &measured["engine"]["low_latency"];
    for (name, word) in [
        ("shallow_idle", "/dev/cpu_dma_latency"),
        ("real_time", "real-time priority"),
    ] {
        let grant = &low_latency[name];
        match grant["reason"].as_str() {
            None => assert_eq!(grant["granted"], true, "{name}"),
            Some(reason) => {
                assert_eq!(grant["granted"], false, "{name}");
                assert!(reason.contains(word), "{reason}");
            }
        }
    }
    let granted = low_latency["real_time"]["granted"] == true;
    assert_eq!(
        found.iter().any(|policy| policy == FIFO),
        granted,
        "{found:?}"
    );
}

pub fn real_time_priority_is_for_paced_loads_that_sleep_on_processors_of_their_own(rig: &Rig) {
    let asked = |load: &Value, more: Value| {
        let measured = rig.run(load, &more);
        measured["engine"]["low_latency"].clone()
    };
    let stop = json!({"count": 20});
    let without = asked(&requests(200.0, 4), json!({"stop": stop}));
    assert_eq!(without, Value::Null);
    for (load, field, word) in [
        (closed(2), "keep_alive", "closed load"),
        (requests(200.0, 4), "spin", "spinning"),
        (
            requests(200.0, 4),
            "shared_cpus",
            "processors of the server",
        ),
    ] {
        let more = json!({"low_latency": true, field: true, "stop": stop});
        let found = asked(&load, more);
        assert_eq!(found["real_time"]["granted"], false);
        let reason = found["real_time"]["reason"].as_str().unwrap();
        assert!(reason.contains(word), "{reason}");
    }
}
