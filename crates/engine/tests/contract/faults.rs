//! What goes wrong ends in the right class, and in words.

use std::net::TcpListener;

use engine::Kind;
use serde_json::{Value, json};

use crate::rig::{Rig, closed, pong, requests};

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
        let error = engine::start(&plan).err().expect("nobody is there");
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
        "neither a count nor a duration",
        "/no/such/file",
        "/a b",
        "-5",
    ] {
        assert!(error.message.contains(part), "{part} in\n{}", error.message);
    }
}

pub fn a_server_that_breaks_in_the_middle_leaves_counts_that_add_up(rig: &Rig) {
    let other = Rig::new(rig.driver);
    let plan = other.plan(
        &closed(8),
        &json!({"stop": {"duration_s": 1.0, "drain_s": 0.5}}),
    );
    let mut run = engine::start(&plan).unwrap();
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
