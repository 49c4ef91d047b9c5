//! A stop request ends a run in whatever phase it is, long before its timeouts and its duration would.

use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use engine::{Phase, Plan, Run};
use reference::hostile::{Act, Hostile, deaf_listener};
use serde_json::{Value, json};

use crate::rig::{PONG, closed, plan, send};

/// Longer than any test: what ends within a test was not ended by this.
const FOR_EVER: f64 = 86_400.0;

fn begin(plan: &Plan, phase: Phase) -> Run {
    let run = engine::start(plan).unwrap();
    while run.progress().phase < phase {
        run.wait(phase, Duration::from_secs(1));
    }
    run
}

/// Requests `stops` stops; the measurement, whose counts add up.
fn stopped(run: &Run, stops: u32) -> Value {
    for _ in 0..stops {
        run.stop();
    }
    let measurement = run.result().unwrap();
    measurement.calls.check().unwrap();
    let measured = serde_json::to_value(&measurement).unwrap();
    assert_eq!(measured["stopped_by"], "interrupt");
    measured
}

fn endless(more: &Value) -> Value {
    let mut plan = json!({
        "stop": {"duration_s": FOR_EVER, "drain_s": FOR_EVER},
        "timeouts": {"connect_s": FOR_EVER, "reply_s": FOR_EVER},
    });
    let (Value::Object(fields), Value::Object(more)) = (&mut plan, more) else {
        unreachable!("both are objects");
    };
    fields.extend(more.clone());
    plan
}

pub fn while_the_target_does_not_accept(driver: &str) {
    let listener = deaf_listener().unwrap();
    let address = listener.local_addr().unwrap();
    let _fills_the_backlog = TcpStream::connect(address).unwrap();
    let run = engine::start(&plan(driver, address, &endless(&json!({})))).unwrap();
    assert_eq!(run.progress().phase, Phase::Connecting);
    let measured = stopped(&run, 1);
    assert_eq!(measured["calls"]["due"], 0);
    assert_eq!(measured["connections"]["opened"], 0);
}

pub fn while_the_target_does_not_answer_the_handshake(driver: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let target = json!({"host": "127.0.0.1", "port": address.port(), "tls": {"insecure": true}});
    let plan = plan(driver, address, &endless(&json!({"target": target})));
    let run = engine::start(&plan).unwrap();
    // The handshake has begun.
    let _accepted = listener.accept().unwrap();
    assert_eq!(run.progress().phase, Phase::Connecting);
    assert_eq!(stopped(&run, 1)["calls"]["due"], 0);
}

pub fn in_the_warm_up(driver: &str) {
    let server = Hostile::start(|_| vec![send(PONG)]).unwrap();
    let more = endless(&json!({"warm_up_s": FOR_EVER, "load": closed(2)}));
    let run = begin(&plan(driver, server.address(), &more), Phase::WarmUp);
    while server.requests() < 10 {
        std::thread::yield_now();
    }
    let measured = stopped(&run, 1);
    assert_eq!(measured["calls"]["due"], 0);
    assert_ne!(measured["warm_up_calls"]["ok"], 0);
    assert_eq!(measured["warm_up_calls"]["in_flight"], 0);
}

pub fn while_replies_do_not_come(driver: &str) {
    let deaf = Act::Deaf(Duration::from_secs(600));
    let server = Hostile::start(move |_| vec![deaf.clone()]).unwrap();
    let plan = plan(
        driver,
        server.address(),
        &endless(&json!({"load": closed(3)})),
    );
    let run = begin(&plan, Phase::Measuring);
    while server.requests() < 3 {
        std::thread::yield_now();
    }
    // The first stop waits for the replies; the second does not.
    run.stop();
    assert!(run.wait(Phase::Draining, Duration::from_secs(60)));
    assert!(!run.wait(Phase::Done, Duration::ZERO));
    assert_eq!(stopped(&run, 1)["calls"]["in_flight"], 3);
}

pub fn at_a_rate_that_nobody_could_hold(driver: &str) {
    let server = Hostile::start(|_| vec![send(PONG)]).unwrap();
    for spacing in ["constant", "exponential"] {
        // Ten million calls fall due in a tenth of a second; each that never began is counted.
        let rate = json!({"from_per_s": 1e8, "to_per_s": 1e8});
        let arrivals = json!({"spacing": spacing, "segments": [rate]});
        let load = json!({"kind": "requests", "connections": 1, "arrivals": arrivals});
        let more = endless(&json!({"load": load, "threads": 1}));
        let run = begin(&plan(driver, server.address(), &more), Phase::Measuring);
        while run.progress().elapsed_s < 0.3 {
            std::thread::yield_now();
        }
        let measured = stopped(&run, 1);
        let calls = &measured["calls"];
        let (due, unsent) = (
            calls["due"].as_f64().unwrap(),
            calls["unsent"].as_f64().unwrap(),
        );
        let expected = 1e8 * measured["window_s"].as_f64().unwrap();
        assert!(
            (due / expected - 1.0).abs() < 0.01,
            "{due} due, not {expected}"
        );
        assert!(unsent / due > 0.9, "{unsent} of {due} never began");
        assert_eq!(
            measured["times"]["response"]["count"], calls["due"],
            "{spacing}"
        );
    }
}
