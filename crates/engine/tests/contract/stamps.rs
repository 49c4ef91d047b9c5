//! Times by kernel timestamps, compared with the engine's own and with what the server did.

use serde_json::{Value, json};

use crate::rig::{Rig, Scratch, big, closed, pong, requests, sessions};

const AT: [(f64, &str); 5] = [
    (0.5, "p50_ns"),
    (0.9, "p90_ns"),
    (0.99, "p99_ns"),
    (0.999, "p999_ns"),
    (1.0, "max_ns"),
];

fn stamped(rig: &Rig, load: &Value, more: &Value) -> Value {
    let mut fields = json!({"kernel_timestamps": true});
    let Value::Object(all) = &mut fields else {
        unreachable!("it is an object");
    };
    all.extend(more.as_object().unwrap().clone());
    let measured = rig.run(load, &fields);
    let (kernel, times) = (&measured["kernel"], &measured["times"]);
    let count = |of: &Value| of.as_u64().unwrap();
    assert_eq!(
        count(&kernel["stamped"]) + count(&kernel["unstamped"]),
        count(&times["service"]["count"]),
        "{load} {more}: each right call is stamped or not"
    );
    for time in ["kernel", "kernel_gap"] {
        assert_eq!(times[time]["count"], kernel["stamped"], "{load} {more}");
    }
    assert_eq!(kernel["clock_set_ns"], Value::Null);
    measured
}

fn at(time: &Value, key: &str) -> u64 {
    time[key].as_u64().unwrap()
}

#[test]
fn the_kernel_sees_no_less_than_the_server_held_and_no_more_than_the_engine_served() {
    let rig = Rig::new("auto");
    let more = json!({"requests": [pong("/pong?delay=5ms")], "stop": {"count": 200}});
    let measured = stamped(&rig, &requests(400.0, 64), &more);
    assert_eq!(measured["engine"]["driver"], "epoll");
    let reason = measured["engine"]["driver_reason"].as_str().unwrap();
    assert!(reason.contains("kernel timestamps"), "{reason}");
    assert_eq!(measured["kernel"]["stamped"], 200);
    let mut held = rig.server.take_delays();
    held.sort_unstable();
    let (kernel, service) = (&measured["times"]["kernel"], &measured["times"]["service"]);
    assert!(at(kernel, "min_ns") >= held[0]);
    for (share, key) in AT {
        let rank = (share * held.len() as f64).ceil() as usize;
        let (held, seen, served) = (held[rank - 1], at(kernel, key), at(service, key));
        assert!(
            held <= seen && seen <= served,
            "{key}: {held} held, {seen} seen, {served} served"
        );
    }
    let gap = measured["times"]["kernel_gap"]["mean_ns"].as_f64().unwrap();
    let means = service["mean_ns"].as_f64().unwrap() - kernel["mean_ns"].as_f64().unwrap();
    assert!((gap - means).abs() < 1.0, "{gap} ns of {means} ns");
}

#[test]
fn every_call_of_every_load_is_stamped() {
    let rig = Rig::new("epoll");
    let file = Scratch::file("big-stamped", &big());
    let upload = json!({
        "method": "POST", "path": "/pong", "body": {"file": file.0},
        "expect": {"status": [200], "body": {"text": "PONG"}},
    });
    let large = json!({"path": "/big", "expect": {"body": {"file": file.0}}});
    let few = json!({"count": 60});
    for (load, more) in [
        (closed(16), json!({})),
        (closed(8), json!({"keep_alive": false})),
        (closed(8), json!({"calls_per_connection": 10})),
        (closed(7), json!({"threads": 3})),
        (requests(5000.0, 32), json!({})),
        (sessions(500.0, 10), json!({"stop": {"count": 100}})),
        (closed(4), json!({"requests": [large], "stop": few})),
        (closed(4), json!({"requests": [upload], "stop": few})),
        (closed(4), json!({"requests": [pong("/pong?chunked=1")]})),
    ] {
        let measured = stamped(&rig, &load, &more);
        assert_eq!(
            measured["kernel"]["unstamped"], 0,
            "{load} {more}: {measured}"
        );
        assert_eq!(measured["kernel"]["stamped"], measured["calls"]["ok"]);
    }
}

#[test]
fn ipv6_is_stamped_as_ipv4_is() {
    let rig = Rig::listening("epoll", "[::1]:0");
    let measured = stamped(&rig, &closed(4), &json!({}));
    assert_eq!(measured["kernel"]["stamped"], 1000);
}

#[test]
fn of_a_pipelined_burst_the_replies_that_end_what_is_read_are_stamped() {
    let rig = Rig::new("epoll");
    let measured = stamped(&rig, &closed(4), &json!({"burst": 10}));
    let stamped = at(&measured["kernel"], "stamped");
    // Only the last reply of a burst has no reply behind it; the server answers together what it read together.
    assert!((100..1000).contains(&stamped), "{stamped} of 100 bursts");
}

#[test]
fn a_reply_that_only_the_end_of_the_connection_ends_has_no_stamp() {
    let rig = Rig::new("epoll");
    let more = json!({"requests": [pong("/pong?until_close=1")], "stop": {"count": 60}});
    let measured = stamped(&rig, &closed(4), &more);
    assert_eq!(measured["calls"]["ok"], 60);
    assert_eq!(measured["kernel"]["unstamped"], 60);
}

#[test]
fn faults_end_in_the_same_classes_with_stamps_as_without() {
    let rig = Rig::new("epoll");
    let fault = "/pong?fault=reset";
    let more = json!({"requests": [pong(fault)], "stop": {"count": 20}});
    let measured = stamped(&rig, &closed(2), &more);
    assert_eq!(measured["calls"]["errors"], json!({"reset": 20}));
}

#[test]
fn without_being_asked_for_there_are_no_kernel_times() {
    let measured = Rig::new("epoll").run(&closed(2), &json!({}));
    assert_eq!(measured["kernel"], Value::Null);
    assert_eq!(measured["times"]["kernel"], Value::Null);
    assert_eq!(measured["times"]["kernel_gap"], Value::Null);
}

#[test]
fn what_the_kernel_cannot_stamp_is_refused_before_the_run() {
    let socket = Scratch::path("stamps.sock");
    let unix = Rig::listening("auto", &format!("unix:{}", socket.0.display()));
    for (rig, said) in [(Rig::new("io_uring"), "`io_uring`"), (unix, "Unix socket")] {
        let plan = rig.plan(&closed(1), &json!({"kernel_timestamps": true}));
        let error = engine::start(&plan).err().expect("it cannot be stamped");
        assert_eq!(error.kind, engine::Kind::Usage);
        assert!(error.message.contains(said), "{}", error.message);
        assert_eq!(rig.server.requests(), 0);
    }
}
