//! Plans against a hostile server, and the ends of their calls.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use engine::{Phase, Plan};
use reference::hostile::{Act, Hostile};
use serde_json::{Map, Value, json};

pub const PONG: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nPONG";
/// Additional time that a busy machine may take for a run: 5 s.
const PATIENCE: Duration = Duration::from_secs(5);

pub fn send(bytes: impl AsRef<[u8]>) -> Act {
    Act::Send(bytes.as_ref().to_vec())
}

pub fn closed(connections: u32) -> Value {
    json!({"kind": "closed", "connections": connections})
}

/// A plan of one call on one connection. The fields of `more` replace the defaults.
pub fn plan(driver: &str, address: SocketAddr, more: &Value) -> Plan {
    let mut plan = json!({
        "target": {"host": address.ip(), "port": address.port()},
        "driver": driver,
        "requests": [{"path": "/", "expect": {"status": [200], "body": {"text": "PONG"}}}],
        "load": closed(1),
        "stop": {"count": 1, "duration_s": 5.0, "drain_s": 1.0},
        "timeouts": {"connect_s": 1.0, "reply_s": 2.0},
    });
    let (Value::Object(fields), Value::Object(more)) = (&mut plan, more) else {
        unreachable!("both are objects");
    };
    fields.extend(more.clone());
    serde_json::from_value(plan).unwrap()
}

/// Runs a plan; returns the measurement, which came on time and whose counts add up.
pub fn measure(plan: &Plan) -> Value {
    let begun = Instant::now();
    let run = engine::start(plan).unwrap();
    let planned = plan.warm_up_s + plan.stop.duration_s.unwrap() + plan.stop.drain_s;
    let limit = Duration::from_secs_f64(planned) + PATIENCE;
    assert!(
        run.wait(Phase::Done, limit),
        "no end after {:?}",
        begun.elapsed()
    );
    let measurement = run.result().unwrap();
    measurement.calls.check().unwrap();
    let measured = serde_json::to_value(&measurement).unwrap();
    let failed = measurement.calls.failed() > 0;
    assert_eq!(measured["first_failure"].is_string(), failed, "{measured}");
    measured
}

/// Runs a plan against a server; returns the measurement.
pub fn run(driver: &str, server: &Hostile, more: &Value) -> Value {
    measure(&plan(driver, server.address(), more))
}

/// The counts of calls in a measurement by their ends, without zeros.
pub fn ends(measured: &Value) -> Value {
    let calls = &measured["calls"];
    let mut ends = Map::new();
    for name in ["unsent", "ok", "wrong_status", "wrong_body", "in_flight"] {
        if calls[name] != 0 {
            ends.insert(name.into(), calls[name].clone());
        }
    }
    ends.extend(calls["errors"].as_object().unwrap().clone());
    Value::Object(ends)
}

/// Makes one call for each case to a server that acts in this way; returns the end of each call.
pub fn each(driver: &str, cases: &[(&str, Vec<Act>)], more: &Value) -> Vec<(String, Value)> {
    cases
        .iter()
        .map(|(name, acts)| {
            let acts = acts.clone();
            let server = Hostile::start(move |_| acts.clone()).unwrap();
            ((*name).to_owned(), ends(&run(driver, &server, more)))
        })
        .collect()
}

/// Asserts that the call of each case ends in `class`.
pub fn all_end_in(driver: &str, class: &str, cases: &[(&str, Vec<Act>)], more: &Value) {
    for (name, ends) in each(driver, cases, more) {
        assert_eq!(ends, json!({class: 1}), "{name}");
    }
}
