//! The validity tests of whole runs, in virtual time.

use driver::Nanos;
use engine::simulation::{Counters, simulated};
use engine::{Plan, Validity};
use serde_json::{Value, json};

use crate::server::{MS, Server, plan, pong_after, requests, run};

fn tests(plan: &Plan, counters: &Counters) -> Value {
    serde_json::to_value(Validity::new(&simulated(plan), counters)).unwrap()
}

/// The validity tests of ten seconds against a server with these answers.
fn ten_seconds(load: Value, answer: fn(usize, Nanos) -> Vec<(Nanos, driver::Act)>) -> Value {
    let plan = plan(
        load,
        json!({"stop": {"duration_s": 10.0}, "warm_up_s": 1.0}),
    );
    let (counters, _) = run(&plan, Server::answering(answer));
    tests(&plan, &counters)
}

/// A delay that looks random: 1 ms to 2 ms.
fn scattered(number: usize, _: Nanos) -> Vec<(Nanos, driver::Act)> {
    let scattered = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44;
    pong_after(MS + scattered % MS)
}

#[test]
fn a_steady_run_passes_every_test() {
    let found = ten_seconds(requests(1000.0, 100), scattered);
    assert_eq!(found["arrivals"]["scheduled"], 10_000);
    assert_eq!(found["arrivals"]["due"], 10_000);
    assert_eq!(found["arrivals"]["off_share"], 0.0);
    assert_eq!(found["drift"]["means"], 100);
    assert!(
        found["drift"]["dickey_fuller"].as_f64().unwrap() < -2.86,
        "{found}"
    );
    assert!(
        found["dependence"]["apart"].as_f64().unwrap().abs() < 0.1,
        "{found}"
    );
    let p99 = &found["percentiles"][2];
    assert_eq!(p99["quantile"], 0.99);
    let [low, value, high] =
        ["low_ns", "value_ns", "high_ns"].map(|name| p99[name].as_u64().unwrap());
    assert!(
        low <= value && value <= high && high - low < MS / 10,
        "{p99}"
    );
}

#[test]
fn a_server_that_slows_down_is_seen_to_drift() {
    let found = ten_seconds(requests(1000.0, 100), |_, at| pong_after(MS + at / 1000));
    assert!(
        found["drift"]["dickey_fuller"].is_null()
            || found["drift"]["dickey_fuller"].as_f64() > Some(-2.86)
    );
    let half = |name: &str| found["drift"][name].as_f64().unwrap();
    assert!(
        half("second_half_ns") > 1.5 * half("first_half_ns"),
        "{found}"
    );
    assert!(
        found["dependence"]["apart"].as_f64().unwrap() > 0.9,
        "{found}"
    );
}

#[test]
fn random_arrivals_of_calls_and_of_sessions_fit() {
    let arrivals = json!({
        "spacing": "exponential",
        "segments": [{"from_per_s": 300.0, "to_per_s": 900.0, "seconds": 11.0}],
    });
    let calls = json!({"kind": "requests", "connections": 100, "arrivals": arrivals});
    let sessions = json!({"kind": "sessions", "calls": 3, "arrivals": arrivals});
    for load in [calls, sessions] {
        let found = ten_seconds(load, scattered);
        let statistic = found["arrivals"]["anderson_darling"].as_f64().unwrap();
        assert!(statistic < 3.9, "{found}");
        assert!(
            found["arrivals"]["sampled"].as_u64().unwrap() > 2000,
            "{found}"
        );
    }
}

#[test]
fn bursts_are_one_arrival_each() {
    let plan = plan(
        requests(1000.0, 100),
        json!({"burst": 5, "stop": {"duration_s": 4.0}}),
    );
    let (counters, _) = run(&plan, Server::answering(|_, _| pong_after(MS)));
    let found = tests(&plan, &counters);
    assert_eq!(found["arrivals"]["due"], 800);
    assert_eq!(found["arrivals"]["scheduled"], 800);
    assert_eq!(found["arrivals"]["off_share"], 0.0);
}

#[test]
fn a_closed_load_declares_no_arrivals_and_a_counted_one_no_number_of_them() {
    let closed = plan(
        json!({"kind": "closed", "connections": 2}),
        json!({"stop": {"count": 100}}),
    );
    let (counters, _) = run(&closed, Server::answering(scattered));
    assert!(tests(&closed, &counters)["arrivals"].is_null());
    let counted = plan(requests(100.0, 2), json!({"stop": {"count": 100}}));
    let (counters, _) = run(&counted, Server::answering(scattered));
    assert!(tests(&counted, &counters)["arrivals"]["scheduled"].is_null());
}
