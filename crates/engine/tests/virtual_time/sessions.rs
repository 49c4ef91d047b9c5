//! Sessions that follow scripts or one another, fail or retry, and keep cookies.

use engine::CompiledPlan;
use serde_json::json;

use crate::recording::{DELAY, Recording, Seen, completed_and_failed, pong, sessions};
use crate::server::{MS, PONG, SECOND, arrivals, close_to, run};
use crate::translated::run_twice;

const BUSY: &[u8] = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n";

#[test]
fn a_script_sends_its_steps_in_order_each_followed_by_its_own_pause() {
    let script = json!([[
        {"requests": [1], "think_s": 0.1},
        {"requests": [2, 3, 3], "think_s": 0.2},
        {"requests": [0]},
    ]]);
    let plan = sessions(json!({}), json!({"scripts": script}));
    let (counters, server) = run(&plan, Recording::answering(pong));
    assert_eq!(server.targets(), ["/1", "/2", "/3", "/3", "/0"]);
    assert_eq!(server.times(), [0, 21, 21, 21, 62]);
    assert_eq!(server.connections(), [1; 5]);
    assert_eq!(completed_and_failed(&counters), (1, 0));
    assert_eq!((counters.calls.due, counters.calls.ok), (5, 5));
}

#[test]
fn sessions_follow_the_scripts_in_turn() {
    let scripts = json!([[{"requests": [1]}], [{"requests": [2]}, {"requests": [3]}]]);
    let more = json!({"scripts": scripts, "stop": {"count": 3}});
    let (counters, server) = run(&sessions(json!({}), more), Recording::answering(pong));
    assert_eq!(server.targets(), ["/1", "/2", "/3", "/1"]);
    assert_eq!((counters.calls.due, counters.sessions.completed), (4, 3));
}

#[test]
fn scripted_sessions_that_never_begin_leave_their_calls_unsent() {
    let scripts = json!([[{"requests": [1]}], [{"requests": [2]}, {"requests": [3, 4, 5]}]]);
    let load = json!({"max_open": 1, "arrivals": arrivals(10.0)});
    let stop = json!({"duration_s": 1.0, "drain_s": 0.0});
    let more = json!({"scripts": scripts, "stop": stop, "timeouts": {"reply_s": null}});
    let server = Recording::answering(|_, _| Vec::new());
    let (counters, server) = run(&sessions(load, more), server);
    assert_eq!(server.targets(), ["/1"]);
    // Five sessions of one call and five of four.
    let calls = &counters.calls;
    assert_eq!((calls.due, calls.in_flight, calls.unsent), (25, 1, 24));
    assert_eq!((counters.sessions.due, counters.sessions.started), (10, 1));
}

#[test]
fn the_first_call_of_a_step_may_be_alone_and_the_others_follow_its_reply() {
    let script = json!([[{"requests": [0, 1, 2], "first_alone": true, "think_s": 0.1},
                         {"requests": [3, 4], "first_alone": true}]]);
    let plan = sessions(json!({}), json!({"scripts": script}));
    let (_, server) = run(&plan, Recording::answering(pong));
    assert_eq!(server.targets(), ["/0", "/1", "/2", "/3", "/4"]);
    assert_eq!(server.times(), [0, 1, 1, 22, 23]);
    assert_eq!(server.connections(), [1; 5]);
    let script = json!([[{"requests": [0, 1, 2, 3], "first_alone": true}]]);
    let load = json!({"most_pipelined": 1, "most_connections": 3});
    let plan = sessions(load, json!({"scripts": script}));
    let (_, server) = run(&plan, Recording::answering(pong));
    assert_eq!(server.times(), [0, 1, 1, 1]);
    assert_eq!(server.connections(), [1, 1, 2, 3]);
}

#[test]
fn longer_bursts_than_may_be_pipelined_go_out_in_parts_or_on_more_connections() {
    let more = json!({"burst": 5});
    let load = json!({"calls": 5, "most_pipelined": 2});
    let (_, server) = run(&sessions(load, more.clone()), Recording::answering(pong));
    assert_eq!(server.times(), [0, 0, 1, 1, 2]);
    assert_eq!(server.connections(), [1; 5]);
    let load = json!({"calls": 5, "most_pipelined": 2, "most_connections": 2});
    let (counters, server) = run(&sessions(load, more), Recording::answering(pong));
    assert_eq!(server.times(), [0, 0, 0, 0, 1]);
    assert_eq!(server.connections(), [1, 1, 2, 2, 1]);
    assert_eq!(server.targets(), ["/0", "/1", "/2", "/3", "/4"]);
    assert_eq!((counters.sessions.connections, counters.calls.ok), (2, 5));
}

#[test]
fn without_arrivals_a_session_begins_when_one_ends() {
    let load = json!({"arrivals": null, "calls": 2, "max_open": 2});
    let plan = sessions(load, json!({"stop": {"count": 5}}));
    let (counters, server) = run(&plan, Recording::answering(pong));
    assert_eq!(server.times(), [0, 0, 1, 1, 2, 2, 3, 3, 4, 5]);
    assert_eq!((server.connects, counters.connections.peak_open), (5, 2));
    assert_eq!(completed_and_failed(&counters), (5, 0));
    assert_eq!(counters.lag.count(), 0, "no call of a closed load is late");
}

#[test]
fn a_server_that_refuses_is_not_flooded_with_sessions() {
    let load = json!({"arrivals": null, "max_open": 3});
    let mut server = Recording::answering(pong);
    server.accepts = false;
    let plan = sessions(load, json!({"stop": {"duration_s": 0.1}}));
    let (counters, server) = run(&plan, server);
    assert_eq!(server.connects, 300, "every millisecond");
    assert_eq!(completed_and_failed(&counters), (0, 300));
}

#[test]
fn a_wrong_reply_may_end_its_session() {
    let load = json!({"calls": 5, "on_wrong": "fail"});
    let second = |number: usize, _: &str| if number == 1 { BUSY } else { PONG }.to_vec();
    let (counters, server) = run(
        &sessions(load, json!({"burst": 2})),
        Recording::answering(second),
    );
    assert_eq!(server.seen.len(), 2);
    let calls = &counters.calls;
    assert_eq!((calls.ok, calls.wrong_status, calls.unsent), (1, 1, 3));
    assert_eq!(completed_and_failed(&counters), (0, 1));
    let ends = counters.session_ends.unwrap();
    assert_eq!(ends.lengths, [0, 0, 1]);
    assert!(close_to(ends.fail_time.quantile(1.0), DELAY));
}

#[test]
fn a_wrong_reply_may_be_asked_for_again_until_it_is_right() {
    let load = json!({"calls": 3, "on_wrong": "retry"});
    let busy = |number: usize, _: &str| if (1..4).contains(&number) { BUSY } else { PONG }.to_vec();
    let (counters, server) = run(&sessions(load, json!({})), Recording::answering(busy));
    assert_eq!(server.targets(), ["/0", "/1", "/1", "/1", "/1", "/2"]);
    assert_eq!(server.times(), [0, 1, 2, 3, 4, 5]);
    let calls = &counters.calls;
    assert_eq!((calls.due, calls.ok, calls.wrong_status), (6, 3, 3));
    assert_eq!(completed_and_failed(&counters), (1, 0));
    assert_eq!(
        counters.session_ends.unwrap().lengths,
        [0, 0, 0, 0, 0, 0, 1]
    );
}

#[test]
fn a_session_gives_up_a_call_after_a_hundred_retries() {
    let load = json!({"calls": 2, "on_wrong": "retry"});
    let never = |_: usize, _: &str| BUSY.to_vec();
    let (counters, server) = run(&sessions(load, json!({})), Recording::answering(never));
    assert_eq!(server.seen.len(), 101);
    assert_eq!(completed_and_failed(&counters), (0, 1));
    assert_eq!(counters.calls.unsent, 1);
}

#[test]
fn cookies_of_a_session_are_sent_with_its_later_requests_and_no_other_s() {
    let set = |number: usize, target: &str| {
        let header = match target {
            "/0" => format!("Set-Cookie: id={number}; Path=/\r\nset-cookie: a=b\r\n"),
            "/2" => "Set-Cookie: a=; Max-Age=0\r\n".into(),
            _ => String::new(),
        };
        format!("HTTP/1.1 200 OK\r\n{header}Content-Length: 4\r\n\r\nPONG").into_bytes()
    };
    let script = json!([[{"requests": [0]}, {"requests": [1, 2]}, {"requests": [3]}]]);
    let more = json!({"scripts": script, "stop": {"count": 2}});
    let plan = sessions(json!({"cookies": true}), more);
    let seen = |server: &Recording| server.seen.iter().map(|one| one.head.clone()).collect();
    let (counters, server) = run_twice::<_, Vec<_>>(&plan, Recording::answering(set), seen);
    let cookies: Vec<_> = server.seen.iter().map(Seen::cookie).collect();
    let (first, second) = (Some("id=0; a=b"), Some("id=4; a=b"));
    let expected = [
        [None, first, first, Some("id=0")],
        [None, second, second, Some("id=4")],
    ];
    assert_eq!(cookies, expected.concat());
    let bytes: usize = server.seen.iter().map(|seen| seen.head.len() + 4).sum();
    assert_eq!(counters.bytes.sent, bytes as u64);
}

#[test]
fn cookies_of_a_session_extend_those_of_its_requests() {
    let set = |_: usize, _: &str| {
        b"HTTP/1.1 200 OK\r\nSet-Cookie: id=1\r\nContent-Length: 4\r\n\r\nPONG".to_vec()
    };
    let request = json!({"path": "/{sequence:5}", "placeholders": true, "headers": [
        ["Cookie", "lang={choice:de}"], ["X-Last", "{{x}}"],
    ]});
    let more = json!({"requests": [request], "scripts": [[{"requests": [0]}, {"requests": [0]}]]});
    let plan = sessions(json!({"cookies": true}), more);
    let seen = |server: &Recording| server.seen.iter().map(|one| one.head.clone()).collect();
    let (_, server) = run_twice::<_, Vec<_>>(&plan, Recording::answering(set), seen);
    let cookies: Vec<_> = server.seen.iter().map(Seen::cookie).collect();
    assert_eq!(cookies, [Some("lang=de"), Some("lang=de; id=1")]);
    assert_eq!(server.targets(), ["/5", "/6"]);
}

#[test]
fn sessions_are_timed_from_their_begin_to_their_end() {
    let load = json!({"calls": 3, "arrivals": arrivals(100.0)});
    let more = json!({"think_s": 0.1, "stop": {"count": 4}, "timeouts": {"reply_s": 0.5}});
    let third_never = |number: usize, _: &str| {
        if number == 3 {
            Vec::new()
        } else {
            PONG.to_vec()
        }
    };
    let (counters, _) = run(&sessions(load, more), Recording::answering(third_never));
    let ends = counters.session_ends.unwrap();
    assert_eq!((ends.lifetime.count(), ends.fail_time.count()), (3, 1));
    assert!(close_to(ends.lifetime.quantile(0.5), 3 * DELAY + 200 * MS));
    assert!(close_to(ends.fail_time.quantile(1.0), SECOND / 2));
    assert_eq!(ends.lengths, [1, 0, 0, 3]);
}

#[test]
fn faults_of_scripts_and_sessions_are_listed_together() {
    let scripts = json!([[], [{"requests": []}, {"requests": [99], "think_s": -1.0}]]);
    let load = json!({"calls": 0, "most_pipelined": 0, "most_connections": 101});
    let plan = sessions(load, json!({"scripts": scripts, "threads": 0}));
    let error = CompiledPlan::new(&plan).unwrap_err();
    let expected = "\
threads `0`: expected 1 to 1,024
calls per session `0`: expected at least 1
most pipelined calls `0`: expected at least 1
connections per session `101`: expected 1 to 100
script 0 has no step: expected at least one
script 1, step 0, `0` requests: expected 1 to 10000
script 1, step 1, request `99`: expected 0 to 9
script 1, step 1, think time `-1` s: expected 0 s to 604800 s (a week)";
    assert_eq!(error.message, expected);
    let closed = json!({"kind": "closed", "connections": 1});
    let many = vec![json!([]); 20];
    let error =
        CompiledPlan::new(&crate::server::plan(closed, json!({"scripts": many}))).unwrap_err();
    let lines: Vec<&str> = error.message.lines().collect();
    assert_eq!(lines.len(), 12);
    assert_eq!(
        lines[0],
        "scripts with the load `closed`: expected the load `sessions`"
    );
    assert_eq!(lines[11], "… and 10 more faults in the scripts");
}
