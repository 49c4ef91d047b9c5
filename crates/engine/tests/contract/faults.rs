//! Failures end in the right class, with a message.

use std::net::TcpListener;

use engine::Kind;
use serde_json::{Value, json};

use crate::rig::{Rig, arrivals, closed, pong, requests};

pub fn each_fault_of_a_server_ends_in_its_class(rig: &Rig) {
    for (fault, class) in [
        ("close", "early_close"),
        ("truncate:30", "early_close"),
        ("length+3", "reply_timeout"),
        ("never", "reply_timeout"),
        ("drip:1/50ms", "reply_timeout"),
        ("garbage", "protocol"),
    ] {
        let errors = errors_of(rig, fault);
        assert_eq!(errors, json!({class: 20}), "{fault}");
    }
    let reset = errors_of(rig, "reset");
    assert_eq!(reset, json!({"reset": 20}));
    for (fault, kind) in [("status:503", "wrong_status"), ("corrupt", "wrong_body")] {
        let measured = run_with(rig, fault);
        assert_eq!(
            measured["calls"][kind], 20,
            "{fault}: {}",
            measured["calls"]
        );
    }
}

fn run_with(rig: &Rig, fault: &str) -> Value {
    let request = pong(&format!("/pong?fault={fault}"));
    let more = json!({
        "requests": [request],
        "stop": {"count": 20, "drain_s": 1.0},
        "timeouts": {"reply_s": 0.25},
    });
    rig.run(&closed(10), &more)
}

fn errors_of(rig: &Rig, fault: &str) -> Value {
    let measured = run_with(rig, fault);
    assert!(measured["first_failure"].is_string(), "{fault}");
    measured["calls"]["errors"].clone()
}

pub fn a_server_that_is_not_there_is_told_before_the_run(rig: &Rig) {
    let closed_port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    for (target, said) in [
        (json!({"host": "127.0.0.1", "port": closed_port}), "refused"),
        (
            json!({"host": "no-such-host.invalid", "port": 80}),
            "cannot be resolved",
        ),
        (
            json!({"host": "x", "unix": "/no/such/socket"}),
            "No such file",
        ),
    ] {
        let plan = rig.plan(&closed(1), &json!({"target": target}));
        let result = engine::start(&plan).and_then(|run| run.result());
        let error = result.expect_err("nobody is there");
        assert_eq!(error.kind, Kind::Target);
        assert!(error.message.contains(said), "{}", error.message);
        assert!(error.hint.is_some() || said == "No such file");
    }
}

pub fn faults_of_a_plan_are_told_all_at_once(rig: &Rig) {
    let more = json!({
        "requests": [{"path": "/a b"}, {"path": "/", "body": {"file": "/no/such/file"}}],
        "burst": 0,
        "think_s": -1.0,
        "stop": {},
    });
    let plan = rig.plan(&requests(-5.0, 0), &more);
    let error = engine::start(&plan).err().expect("the plan is at fault");
    assert_eq!(error.kind, Kind::Usage);
    for part in [
        "burst",
        "think time",
        "connections `0`",
        "the run would never end",
        "/no/such/file",
        "/a b",
        "-5",
    ] {
        assert!(error.message.contains(part), "{part} in\n{}", error.message);
    }
}

pub fn what_no_machine_could_do_is_refused_with_its_bound(rig: &Rig) {
    let sessions = json!({"kind": "sessions", "calls": 100_000, "arrivals": arrivals(1e5)});
    for (load, more, fault) in [
        (
            requests(1e9, 1),
            json!({}),
            "a rate of `1,000,000,000` calls per second: expected at most 100,000,000",
        ),
        (
            sessions,
            json!({}),
            "a rate of `10,000,000,000` calls per second",
        ),
        (
            closed(1),
            json!({"burst": u32::MAX}),
            "burst `4294967295`: expected 1 to 10,000",
        ),
        (
            closed(1_000_000),
            json!({"burst": 1000}),
            "1,000,000,000 calls at once: expected at most 67,108,864",
        ),
        (
            closed(1),
            json!({"timeouts": {"reply_s": 1e20}}),
            "reply timeout `100000000000000000000` s: expected 0.000001 s to 604800 s (a week)",
        ),
    ] {
        let error = engine::start(&rig.plan(&load, &more))
            .err()
            .expect("it is refused");
        assert_eq!(error.kind, Kind::Usage);
        assert!(
            error.message.contains(fault),
            "{fault} in\n{}",
            error.message
        );
    }
}

pub fn a_server_that_breaks_in_the_middle_leaves_counts_that_add_up(rig: &Rig) {
    let other = Rig::new(rig.driver);
    let plan = other.plan(
        &closed(8),
        &json!({"stop": {"duration_s": 1.0, "drain_s": 0.5}}),
    );
    let run = engine::start(&plan).unwrap();
    while other.server.requests() < 100 {
        std::thread::yield_now();
    }
    other.server.stop();
    let measurement = run.result().unwrap();
    measurement.calls.check().unwrap();
    let calls = serde_json::to_value(&measurement).unwrap()["calls"].clone();
    assert!(calls["ok"].as_u64().unwrap() >= 90, "{calls}");
    assert!(calls["errors"]["refused"].as_u64().unwrap() > 0, "{calls}");
}
