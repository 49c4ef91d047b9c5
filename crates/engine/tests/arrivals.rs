//! The engine spaces requests as planned: the Anderson–Darling test of exponential arrivals, in virtual time, by the
//! times at which a simulated server received requests.

#[path = "../../pace/tests/anderson_darling/mod.rs"]
mod anderson_darling;

use anderson_darling::{CRITICAL_1_PERCENT, poisson};
use driver::{Act, Nanos, Scene};
use engine::simulation::simulate;
use engine::{CompiledPlan, Plan};
use serde_json::{Value, json};

const PONG: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nPONG";
const NS_PER_S: f64 = 1e9;

/// A server that answers after 0.1 ms, and keeps the times of its requests.
#[derive(Clone, Default)]
struct Server {
    asked: Vec<Nanos>,
}

impl Scene for Server {
    fn connect(&mut self, _: Nanos, _: u64) -> (Nanos, bool) {
        (0, true)
    }

    fn receive(&mut self, at: Nanos, _: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        let requests = bytes.windows(4).filter(|w| w == b"\r\n\r\n").count();
        self.asked.extend(std::iter::repeat_n(at, requests));
        (0..requests)
            .map(|_| (100_000, Act::Reply(PONG.to_vec())))
            .collect()
    }
}

/// The times of requests in 10 s of a load with 2,000 arrivals per second on average.
fn asked(kind: &str, spacing: &str, seed: u64) -> Vec<Nanos> {
    let mut load = json!({"kind": kind, "arrivals": {
        "spacing": spacing, "segments": [{"from_per_s": 2000.0, "to_per_s": 2000.0}],
    }});
    match kind {
        "requests" => load["connections"] = Value::from(64),
        _ => load["calls"] = Value::from(1),
    }
    let plan: Plan = serde_json::from_value(json!({
        "target": {"host": "127.0.0.1"},
        "requests": [{"path": "/pong", "expect": {"status": [200], "body": {"text": "PONG"}}}],
        "load": load,
        "stop": {"duration_s": 10.0},
        "seed": seed,
    }))
    .expect("a plan");
    let order = CompiledPlan::new(&plan).expect("a plan that can be run");
    let (counters, server) = simulate(order, Server::default()).expect("a run");
    assert_eq!(counters.calls.due, counters.calls.ok);
    assert_eq!(counters.calls.ok, server.asked.len() as u64);
    server.asked
}

/// A² of the times of requests, for independent arrivals.
fn misfit(asked: &[Nanos]) -> f64 {
    poisson(asked.iter().map(|&at| at as f64 / NS_PER_S * 2_000.0))
}

#[test]
fn requests_and_sessions_go_out_as_independent_arrivals_do() {
    for kind in ["requests", "sessions"] {
        for seed in 1..=3 {
            let asked = asked(kind, "exponential", seed);
            assert!(
                (19_300..20_700).contains(&asked.len()),
                "{} {kind}",
                asked.len()
            );
            let misfit = misfit(&asked);
            assert!(misfit < CRITICAL_1_PERCENT, "{kind}, seed {seed}: {misfit}");
        }
    }
}

#[test]
fn the_test_of_fit_tells_other_spacings_apart() {
    for spacing in ["constant", "uniform"] {
        let misfit = misfit(&asked("requests", spacing, 1));
        assert!(misfit > 2.0 * CRITICAL_1_PERCENT, "{spacing}: {misfit}");
    }
}

#[test]
fn constant_requests_and_sessions_are_exactly_so_many() {
    for kind in ["requests", "sessions"] {
        let asked = asked(kind, "constant", 1);
        let due: Vec<Nanos> = (0..20_000).map(|index| index * 500_000).collect();
        assert_eq!(asked, due, "{kind}");
    }
}
