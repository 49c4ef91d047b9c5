//! Limits of the operating system: backlog, ports, descriptors, threads.

use std::io::Write;
use std::process::{Command, Stdio};

use engine::Plan;
use reference::hostile::{Hostile, deaf_listener};
use serde_json::{Value, json};

use crate::rig::{PONG, closed, ends, measure, plan, run, send};

pub fn a_full_backlog_is_a_connect_timeout(driver: &str) {
    // The connection that is made before a run takes the only place in the backlog.
    let listener = deaf_listener().unwrap();
    let more = json!({
        "load": closed(6), "timeouts": {"connect_s": 0.2, "reply_s": 0.3},
        "stop": {"count": 6, "duration_s": 3.0, "drain_s": 0.5},
    });
    let address = listener.local_addr().unwrap();
    let measured = measure(&plan(driver, address, &more));
    assert_eq!(ends(&measured), json!({"connect_timeout": 6}));
    assert_eq!(measured["connections"]["failed"], 6);
}

pub fn source_ports_that_are_used_up_are_told_as_such(driver: &str) {
    // Ports below the range of the kernel, so that no other program has them.
    let first = if driver == "epoll" { 23_110 } else { 23_120 };
    let server = Hostile::start(|_| vec![send(PONG)]).unwrap();
    let ports = json!({"addresses": ["127.0.0.9"], "ports": [first, first + 2]});
    // Five at once on three ports: two find no port.
    let more = json!({
        "load": closed(5), "source": ports, "think_s": 30.0,
        "stop": {"duration_s": 0.05, "drain_s": 0.1},
    });
    let measured = run(driver, &server, &more);
    assert_eq!(ends(&measured), json!({"ok": 3, "addresses": 2}));
    // One after the other, each closed by the engine: a port in TIME_WAIT can be used again, but not one whose last
    // connection the server has not closed yet.
    let more = json!({
        "calls_per_connection": 1, "source": ports,
        "stop": {"count": 9, "duration_s": 5.0},
    });
    let server = Hostile::start(|_| vec![send(PONG)]).unwrap();
    let calls = run(driver, &server, &more)["calls"].clone();
    let ok = calls["ok"].as_u64().unwrap();
    let none_left = calls["errors"]["addresses"].as_u64().unwrap_or(0);
    assert!(ok >= 4 && ok + none_left == 9, "{calls}");
    assert_eq!(server.connections(), ok);
}

/// Runs a plan in a process with `limit` descriptors, `taken` of which are in use; returns its measurement or its
/// error.
fn limited(plan: &Plan, limit: u32, taken: u32) -> Result<Value, String> {
    let taken = format!(
        "for fd in $(seq 10 {}); do eval \"exec $fd</dev/null\"; done",
        9 + taken
    );
    after(&format!("ulimit -n {limit}; {taken}"), plan)
}

/// Runs a plan in a process of its own, after a line of shell; returns its measurement or its error.
fn after(setup: &str, plan: &Plan) -> Result<Value, String> {
    let mut child = Command::new("bash")
        .args(["-c", &format!("{setup}; exec \"$0\" \"$@\"")])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "limits::child", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let json = serde_json::to_vec(plan).unwrap();
    child.stdin.take().unwrap().write_all(&json).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    match said.lines().find(|line| line.starts_with('{')) {
        Some(measured) => Ok(serde_json::from_str(measured).unwrap()),
        None => Err(said),
    }
}

/// Runs the plan on standard input; prints its measurement or its error as a line.
#[test]
#[ignore = "it is the child process of the tests of limits"]
fn child() {
    let plan: Plan = serde_json::from_reader(std::io::stdin()).unwrap();
    match engine::start(&plan).and_then(|run| run.result()) {
        Ok(measurement) => println!("\n{}", serde_json::to_string(&measurement).unwrap()),
        Err(error) => println!("\n{error}"),
    }
}

pub fn descriptors_that_run_out_are_told_as_such(driver: &str) {
    let server = Hostile::start(|_| vec![send(PONG)]).unwrap();
    let more = json!({
        "load": closed(60), "think_s": 30.0,
        "stop": {"duration_s": 0.3, "drain_s": 0.1},
    });
    let plan = plan(driver, server.address(), &more);
    let measured = limited(&plan, 128, 90).unwrap();
    let calls = &measured["calls"];
    let (ok, errors) = (calls["ok"].as_u64().unwrap(), &calls["errors"]);
    let out_of = errors["descriptors"].as_u64().unwrap();
    assert!((20..38).contains(&ok), "{calls}");
    assert_eq!(errors.as_object().unwrap().len(), 1, "{calls}");
    assert_eq!(calls["due"], ok + out_of, "{calls}");
    assert_eq!(calls["due"], calls["sent"], "{calls}");
}

pub fn more_connections_than_descriptors_are_refused_before_the_run(driver: &str) {
    let server = Hostile::start(|_| vec![send(PONG)]).unwrap();
    let plan = plan(driver, server.address(), &json!({"load": closed(100)}));
    let said = limited(&plan, 120, 0).unwrap_err();
    assert!(
        said.contains("`100` connections need 164 open files"),
        "{said}"
    );
    assert_eq!(server.requests(), 0);
}

pub fn a_thread_that_cannot_be_started_ends_the_run_with_its_reason(driver: &str) {
    let server = Hostile::start(|_| vec![send(PONG)]).unwrap();
    let more = json!({"threads": 1000, "load": closed(1000), "stop": {"duration_s": 0.3}});
    let plan = plan(driver, server.address(), &more);
    // Address space for a dozen stacks of 64 MiB. What is left when the next one does not fit is enough for the heap of
    // those that run: with small stacks their own allocations would fail, too, and abort the process.
    let limits = "export RUST_MIN_STACK=67108864; ulimit -v 1000000";
    let said = after(limits, &plan).unwrap_err();
    assert!(said.contains(" of 1000 cannot be started: "), "{said}");
    assert_eq!(server.requests(), 0);
}
