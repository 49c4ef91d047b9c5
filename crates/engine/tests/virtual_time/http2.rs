//! Calls on streams of HTTP/2, against simulated servers that refuse, reset and end them.

use driver::{Act, Nanos, Scene};
use engine::simulation::Counters;
use serde_json::{Value, json};
use wire::h2::{ErrorCode, Options};

use crate::multiplexer::{Answer, Multiplexer};
use crate::server::{MS, SECOND, close_to, plan, requests, run};

pub fn with_streams(streams: u32, more: Value) -> Value {
    let mut fields = json!({"http": "2", "http2": {"streams": streams}});
    if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
        fields.extend(more);
    }
    fields
}

pub fn closed(connections: u32) -> Value {
    json!({"kind": "closed", "connections": connections})
}

pub fn failures(counters: &Counters) -> Value {
    serde_json::to_value(&counters.calls).unwrap()["errors"].clone()
}

#[test]
fn a_closed_load_keeps_all_streams_of_its_connections_busy() {
    let server = Multiplexer::answering(|_| Answer::Pong(10 * MS));
    let (counters, _) = run(&plan(closed(2), with_streams(3, json!({}))), server);
    assert_eq!(counters.calls.ok, 2 * 3 * 100);
    assert_eq!(counters.connections.opened, 2);
    assert!(close_to(counters.response.quantile(0.5), 10 * MS));
    let http2 = counters.http2.unwrap();
    assert_eq!((http2.most_streams, http2.waited_for_stream), (3, 0));
    // The last six replies come when the window is over.
    assert_eq!(counters.bytes.bodies, 4 * (counters.calls.ok - 6));
}

#[test]
fn a_call_that_waits_for_a_stream_is_timed_from_when_it_was_due() {
    let one = Options {
        streams: 1,
        ..Options::default()
    };
    let server = Multiplexer::new(one, |_| Answer::Pong(10 * MS));
    let (counters, _) = run(&plan(closed(1), with_streams(4, json!({}))), server);
    assert_eq!(counters.connections.opened, 1);
    assert!(close_to(counters.response.quantile(0.5), 40 * MS));
    assert!(close_to(counters.service.quantile(0.5), 10 * MS));
    let http2 = counters.http2.unwrap();
    assert_eq!((http2.stream_limit, http2.most_streams), (Some(1), 1));
    assert!(http2.waited_for_stream >= counters.calls.ok - 1);
    assert!(close_to(http2.stream_wait.quantile(0.5), 30 * MS));
}

#[test]
fn a_server_that_allows_no_stream_gets_no_request_and_its_calls_time_out() {
    let none = Options {
        streams: 0,
        ..Options::default()
    };
    let server = Multiplexer::new(none, |_| Answer::Pong(0));
    let timeouts = json!({"timeouts": {"reply_s": 0.25}});
    let (counters, server) = run(&plan(closed(1), with_streams(2, timeouts)), server);
    assert_eq!(server.requests(), 0);
    assert_eq!(failures(&counters), json!({"reply_timeout": 8}));
    let first = counters.first_failure.unwrap();
    assert!(first.contains("no free stream"), "{first}");
}

#[test]
fn a_due_call_takes_a_free_stream_and_waits_when_all_are_taken() {
    let server = Multiplexer::answering(|_| Answer::Pong(20 * MS));
    let load = requests(500.0, 2);
    let (counters, _) = run(&plan(load.clone(), with_streams(10, json!({}))), server);
    assert_eq!(counters.connections.opened, 2);
    assert!(close_to(counters.response.quantile(1.0), 20 * MS));
    assert_eq!(counters.calls.waited, 0);

    let server = Multiplexer::answering(|_| Answer::Pong(20 * MS));
    let (counters, _) = run(&plan(load, with_streams(1, json!({}))), server);
    assert!(counters.calls.waited > 50);
    assert!(counters.response.quantile(1.0) > SECOND / 2);
}

#[test]
fn a_timeout_cancels_its_stream_and_no_other() {
    let server = Multiplexer::answering(|number| match number % 5 {
        0 => Answer::Nothing,
        _ => Answer::Pong(10 * MS),
    });
    let more = json!({"timeouts": {"reply_s": 0.05}, "stop": {"count": 100}});
    let (counters, _) = run(&plan(closed(1), with_streams(4, more)), server);
    assert_eq!(failures(&counters), json!({"reply_timeout": 20}));
    assert_eq!((counters.calls.ok, counters.connections.opened), (80, 1));
    assert_eq!(counters.http2.unwrap().cancels, 20);
}

#[test]
fn refused_and_reset_streams_and_malformed_replies_are_failures_of_their_own() {
    let server = Multiplexer::answering(|number| match number % 4 {
        0 => Answer::Reset(ErrorCode::REFUSED_STREAM),
        1 => Answer::Reset(ErrorCode::INTERNAL_ERROR),
        2 => Answer::Malformed,
        _ => Answer::Pong(MS),
    });
    let more = json!({"stop": {"count": 400}});
    let (counters, _) = run(&plan(closed(2), with_streams(5, more)), server);
    let expected = json!({"refused_stream": 100, "stream_reset": 100, "protocol": 100});
    assert_eq!(failures(&counters), expected);
    assert_eq!((counters.calls.ok, counters.connections.opened), (100, 2));
}

#[test]
fn after_a_goaway_open_streams_end_and_the_successor_carries_the_others() {
    let server = Multiplexer::answering(|number| match number % 50 {
        0 => Answer::LastPong(ErrorCode::NO_ERROR),
        _ => Answer::Pong(10 * MS),
    });
    let more = json!({"stop": {"count": 1000}});
    let (counters, _) = run(&plan(closed(1), with_streams(10, more)), server);
    assert_eq!((counters.calls.ok, counters.calls.failed()), (1000, 0));
    let http2 = counters.http2.unwrap();
    assert_eq!(http2.waited_for_stream, 0);
    // The last GOAWAY comes with the last call, or after it.
    assert!((20..=21).contains(&counters.connections.opened));
    assert_eq!(counters.connections.open, 0);
}

#[test]
fn calls_that_a_goaway_leaves_out_fail_as_such_and_those_before_as_their_connection() {
    let server = Multiplexer::answering(|number| match number {
        4 => Answer::Unprocessed(3),
        1..4 => Answer::Nothing,
        _ => Answer::Pong(MS),
    });
    let more = json!({"stop": {"count": 50}});
    let (counters, _) = run(&plan(closed(1), with_streams(4, more)), server);
    let expected = json!({"goaway": 2, "early_close": 2});
    assert_eq!(failures(&counters), expected);
    assert_eq!((counters.calls.ok, counters.connections.opened), (46, 2));
}

#[test]
fn a_body_waits_for_the_windows_of_the_server() {
    let small = Options {
        window: 10,
        ..Options::default()
    };
    let server = Multiplexer::new(small, |_| Answer::Pong(MS));
    let body = json!([{"path": "/", "method": "POST", "body": {"text": "0123456789".repeat(10)}}]);
    let more = json!({"stop": {"count": 20}, "requests": body});
    let (counters, server) = run(&plan(closed(1), with_streams(2, more)), server);
    assert_eq!((counters.calls.ok, counters.calls.failed()), (20, 0));
    assert_eq!(server.body_bytes(), 20 * 100);
    assert!(counters.http2.unwrap().blocked_on_window >= 20);
}

#[test]
fn a_body_larger_than_a_send_arrives_whole() {
    let server = Multiplexer::answering(|_| Answer::Pong(MS));
    let body = json!([{"path": "/", "method": "POST", "body": {"text": "x".repeat(300_000)}}]);
    let more = json!({"stop": {"count": 9}, "requests": body});
    let (counters, server) = run(&plan(closed(1), with_streams(3, more)), server);
    assert_eq!((counters.calls.ok, counters.calls.failed()), (9, 0));
    assert_eq!(server.body_bytes(), 9 * 300_000);
}

#[test]
fn calls_per_connection_are_streams_after_which_the_next_connection_follows() {
    let server = Multiplexer::answering(|_| Answer::Pong(10 * MS));
    let more = json!({"stop": {"count": 100}, "calls_per_connection": 10});
    let (counters, _) = run(&plan(closed(1), with_streams(4, more)), server);
    assert_eq!((counters.calls.ok, counters.connections.opened), (100, 10));
    let server = Multiplexer::answering(|_| Answer::Pong(10 * MS));
    let more = json!({"stop": {"count": 100}, "keep_alive": false});
    let (counters, _) = run(&plan(closed(2), with_streams(1, more)), server);
    assert_eq!((counters.calls.ok, counters.connections.opened), (100, 100));
}

#[test]
fn the_bursts_of_a_session_are_streams_of_its_connection() {
    let load = |calls: u32| {
        let arrivals =
            json!({"spacing": "constant", "segments": [{"from_per_s": 10.0, "to_per_s": 10.0}]});
        json!({"kind": "sessions", "calls": calls, "arrivals": arrivals})
    };
    let server = Multiplexer::answering(|_| Answer::Pong(10 * MS));
    let more = json!({"stop": {"count": 5}, "burst": 6, "think_s": 0.05});
    let (counters, _) = run(&plan(load(12), with_streams(3, more)), server);
    assert_eq!(counters.calls.ok, 60);
    assert_eq!(
        (counters.sessions.completed, counters.sessions.connections),
        (5, 5)
    );
    assert_eq!(
        (counters.connections.opened, counters.connections.open),
        (5, 0)
    );
    // Two bursts of two rounds of three streams, and a pause between them.
    let lifetime = &counters.session_ends.unwrap().lifetime;
    let lasted = lifetime.quantile(0.5);
    assert!(close_to(lasted, 90 * MS), "{lasted}");

    let server = Multiplexer::answering(|number| match number {
        2 => Answer::Reset(ErrorCode::INTERNAL_ERROR),
        _ => Answer::Pong(10 * MS),
    });
    let more = json!({"stop": {"count": 5}, "burst": 6});
    let (counters, _) = run(&plan(load(12), with_streams(3, more)), server);
    assert_eq!(
        (counters.sessions.completed, counters.sessions.failed),
        (4, 1)
    );
    assert_eq!((counters.calls.ok, counters.calls.in_flight), (48, 2));
    assert_eq!(failures(&counters), json!({"stream_reset": 1}));
    assert_eq!(
        (counters.connections.opened, counters.connections.open),
        (5, 0)
    );
}

#[test]
fn sessions_that_follow_one_another_outlive_goaways_and_wrong_replies() {
    let server = Multiplexer::answering(|number| match number % 50 {
        0 => Answer::LastPong(ErrorCode::NO_ERROR),
        _ => Answer::Pong(MS),
    });
    let load = json!({"kind": "sessions", "calls": 10, "max_open": 3, "arrivals": null, "on_wrong": "fail"});
    let wrong = json!([{"path": "/", "expect": {"status": [404]}}]);
    let more = json!({"stop": {"count": 100}, "burst": 4});
    let (counters, _) = run(&plan(load.clone(), with_streams(4, more)), server);
    assert_eq!(
        (counters.calls.ok, counters.sessions.completed),
        (1000, 100)
    );
    assert_eq!(counters.connections.open, 0);
    let server = Multiplexer::answering(|_| Answer::Pong(MS));
    let more = json!({"stop": {"count": 100}, "burst": 4, "requests": wrong});
    let (counters, _) = run(&plan(load, with_streams(4, more)), server);
    assert_eq!((counters.calls.ok, counters.sessions.failed), (0, 100));
    assert_eq!(counters.calls.wrong_status + counters.calls.in_flight, 400);
}

/// A server whose network takes this long each way.
#[derive(Clone)]
struct Far(Multiplexer, Nanos);

impl Scene for Far {
    fn connect(&mut self, at: Nanos, connection: u64) -> (Nanos, bool) {
        self.0.connect(at, connection);
        (self.1, true)
    }

    fn receive(&mut self, at: Nanos, connection: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        let acts = self.0.receive(at, connection, bytes);
        let delayed = acts.into_iter().map(|(delay, act)| (delay + self.1, act));
        delayed.collect()
    }
}

#[test]
fn a_connection_that_makes_progress_is_not_idle() {
    let server = Multiplexer::answering(|_| Answer::Pong(MS));
    let more = json!({"stop": {"count": 6}, "timeouts": {"connect_s": 1.0, "idle_s": 0.2}});
    let far = Far(server, 150 * MS);
    let (counters, _) = run(&plan(closed(1), with_streams(3, more)), far);
    assert_eq!((counters.calls.ok, counters.connections.opened), (6, 1));
    assert!(close_to(
        counters.http2.unwrap().setup.quantile(0.5),
        300 * MS
    ));
}

/// A server that answers the first bytes of a connection with these bytes.
#[derive(Clone)]
struct Fixed(Vec<(Nanos, Act)>, u64);

impl Scene for Fixed {
    fn connect(&mut self, _at: Nanos, _connection: u64) -> (Nanos, bool) {
        self.1 += 1;
        (0, true)
    }

    fn receive(&mut self, _at: Nanos, _connection: u64, _bytes: &[u8]) -> Vec<(Nanos, Act)> {
        self.0.clone()
    }
}

const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
const NO_WINDOW: &[u8] = &[0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0];

#[test]
fn servers_that_are_of_no_use_fail_calls_and_are_not_flooded_with_connections() {
    let http1 = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    let goaway = [
        SETTINGS,
        &[0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ]
    .concat();
    let cases = [
        (
            vec![(MS, Act::Reply(http1.to_vec()))],
            "protocol",
            "not HTTP/2",
        ),
        (
            vec![(MS, Act::Reply([SETTINGS, NO_WINDOW].concat()))],
            "protocol",
            "widened by 0 bytes",
        ),
        (
            vec![(MS, Act::Reply(goaway))],
            "goaway",
            "before it took a call",
        ),
        (vec![(MS, Act::End)], "early_close", "settings of HTTP/2"),
        (vec![], "connect_timeout", "no settings of HTTP/2"),
    ];
    for (acts, class, words) in cases {
        let more = json!({"stop": {"duration_s": 1.0}, "timeouts": {"connect_s": 0.1}});
        let (counters, server) = run(&plan(closed(1), with_streams(3, more)), Fixed(acts, 0));
        let failed = failures(&counters);
        assert!(
            failed[class].as_u64().is_some_and(|count| count > 0),
            "{class}: {failed}"
        );
        assert_eq!((counters.calls.ok, counters.connections.open), (0, 0));
        let first = counters.first_failure.unwrap();
        assert!(first.contains(words), "{first}");
        assert!(server.1 < 20, "{class}: {} connections", server.1);
    }
}

#[test]
fn what_streams_cannot_carry_is_refused_in_words() {
    let refused = |more: Value| {
        let fault = engine::CompiledPlan::new(&plan(closed(1), with_streams(4, more)));
        fault
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    for (more, words) in [
        (json!({"burst": 2}), "pipelining"),
        (json!({"keep_alive": false}), "one call a connection"),
        (
            json!({
                "trace": {"requests": "whole", "replies": "whole", "most_bytes": 9},
                "requests": [{"path": "/{random:1:9}", "placeholders": true}],
            }),
            "a trace of requests that vary",
        ),
        (
            json!({"http": "1.1"}),
            "settings of HTTP/2 with another version",
        ),
        (json!({"http2": {"streams": 0}}), "streams of HTTP/2 `0`"),
    ] {
        let message = refused(more);
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(refused(json!({})), "");
}
