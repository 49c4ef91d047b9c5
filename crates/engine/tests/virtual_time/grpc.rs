//! Unary gRPC calls, against simulated servers that end them in every way.

use engine::CompiledPlan;
use serde_json::{Value, json};

use crate::multiplexer::{Answer, Multiplexer};
use crate::server::{plan, run};

/// The answer to the request with this number.
type Answering = fn(usize) -> Answer;

const SUM: &[u8] = b"\0\0\0\0\x02\x08\x03";
const OK: &[(&str, &str)] = &[("grpc-status", "0")];

/// A plan of 40 calls over three streams.
fn calls(more: &Value) -> Value {
    let mut request = json!({
        "method": "POST", "path": "/a.B/Sum", "grpc": true, "body": {"base64": "AAAAAAIIAQ=="},
        "expect": {"status": [200]},
    });
    if let (Value::Object(request), Value::Object(more)) = (&mut request, more.clone()) {
        request.extend(more);
    }
    json!({
        "http": "2", "http2": {"streams": 3}, "stop": {"count": 40},
        "requests": [request],
    })
}

fn measured(answer: Answering, more: &Value) -> (Value, Value, String) {
    let load = json!({"kind": "closed", "connections": 2});
    let (counters, server) = run(&plan(load, calls(more)), Multiplexer::answering(answer));
    assert_eq!((server.requests(), server.body_bytes()), (40, 40 * 7));
    let calls = serde_json::to_value(&counters.calls).unwrap();
    let grpc = counters.grpc.map(|counts| counts.summary());
    let first = counters.first_failure.unwrap_or_default();
    (calls, serde_json::to_value(grpc).unwrap(), first)
}

#[test]
fn a_right_reply_has_the_status_ok_and_one_message() {
    for expected in [json!({}), json!({"base64": "AAAAAAIIAw=="})] {
        let expect = match &expected {
            Value::Object(map) if map.is_empty() => json!({"status": [200]}),
            body => json!({"status": [200], "body": body}),
        };
        let answer = |_| Answer::Grpc(SUM, OK);
        let (calls, grpc, first) = measured(answer, &json!({"expect": expect}));
        assert_eq!((&calls["ok"], first.as_str()), (&json!(40), ""));
        assert_eq!(grpc, json!({"statuses": {"OK": 40}}));
    }
}

#[test]
fn another_message_than_the_expected_one_is_a_wrong_body() {
    let expect = json!({"status": [200], "body": {"base64": "AAAAAAIIAw=="}});
    let answer = |number| match number % 4 {
        0 => Answer::Grpc(b"\0\0\0\0\x02\x08\x04", OK),
        1 => Answer::Grpc(b"\0\0\0\0\0", OK),
        _ => Answer::Grpc(SUM, OK),
    };
    let (calls, grpc, first) = measured(answer, &json!({"expect": expect}));
    assert_eq!(
        (&calls["ok"], &calls["wrong_body"]),
        (&json!(20), &json!(20))
    );
    assert_eq!(grpc, json!({"statuses": {"OK": 40}}));
    assert!(first.contains("a body of 5 bytes"), "{first}");
}

#[test]
fn another_status_is_a_failure_of_its_own_with_the_servers_message() {
    const BUSY: &[(&str, &str)] = &[("grpc-status", "14"), ("grpc-message", "try%20later%0a")];
    const ODD: &[(&str, &str)] = &[("grpc-status", "77")];
    let answer = |number| match number % 4 {
        0 => Answer::Grpc(b"", BUSY),
        1 => Answer::Grpc(SUM, BUSY),
        2 => Answer::Grpc(b"", ODD),
        _ => Answer::Grpc(SUM, OK),
    };
    // The first reply has no message, and is no model for others.
    let (calls, grpc, first) = measured(answer, &json!({"expect": {"body": {"same": true}}}));
    assert_eq!(calls["errors"], json!({"grpc_status": 30}));
    assert_eq!(
        (&calls["ok"], &calls["wrong_body"]),
        (&json!(10), &json!(0))
    );
    let expected = json!({"OK": 10, "UNAVAILABLE": 20, "other": 10});
    assert_eq!(grpc, json!({"statuses": expected}));
    assert_eq!(
        first,
        "POST /a.B/Sum: grpc-status 14 (UNAVAILABLE): try later\\n"
    );
}

#[test]
fn replies_that_are_not_of_grpc_are_errors_of_the_protocol() {
    const BROKEN: &[(&str, &str)] = &[("grpc-status", "fine")];
    const NONE: &[(&str, &str)] = &[("x", "y")];
    let cases: [(Answering, &str, Value); 9] = [
        (|_| Answer::Pong(0), "no grpc-status", json!({})),
        (|_| Answer::Grpc(SUM, NONE), "no grpc-status", json!({})),
        (|_| Answer::Grpc(SUM, BROKEN), "no grpc-status", json!({})),
        (
            |_| Answer::Grpc(b"", OK),
            "without a message",
            json!({"OK": 40}),
        ),
        (
            |_| Answer::Grpc(b"\0\0\0", OK),
            "a truncated message",
            json!({"OK": 40}),
        ),
        (
            |_| Answer::Grpc(b"\0\0\0\0\x03\x08\x03", OK),
            "a truncated message",
            json!({"OK": 40}),
        ),
        (
            |_| Answer::Grpc(b"\0\0\0\0\x01\x08\x03", OK),
            "more than one message",
            json!({"OK": 40}),
        ),
        (
            |_| Answer::Grpc(b"\x01\0\0\0\x02\x08\x03", OK),
            "a compressed message",
            json!({"OK": 40}),
        ),
        (
            |_| Answer::Grpc(b"<html></html>", OK),
            "no message of gRPC",
            json!({"OK": 40}),
        ),
    ];
    for (answer, words, statuses) in cases {
        let (calls, grpc, first) = measured(answer, &json!({}));
        assert_eq!(calls["errors"], json!({"protocol": 40}), "{words}");
        assert!(first.contains(words), "{first}");
        assert_eq!(grpc, json!({"statuses": statuses}));
    }
}

#[test]
fn requests_of_grpc_need_http2_and_others_have_no_statuses() {
    let mut old = calls(&json!({}));
    (old["http"], old["http2"]) = (json!("1.1"), Value::Null);
    let load = json!({"kind": "closed", "connections": 2});
    let fault = CompiledPlan::new(&plan(load, old))
        .err()
        .unwrap()
        .to_string();
    assert!(
        fault.contains("requests of gRPC with another version"),
        "{fault}"
    );
    let (_, grpc, _) = measured(|_| Answer::Pong(0), &json!({"grpc": false}));
    assert_eq!(grpc, Value::Null);
}
