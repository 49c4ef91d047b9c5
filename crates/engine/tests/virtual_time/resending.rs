//! Calls that a server of HTTP/2 did not process, and that are sent again.

use serde_json::{Value, json};
use wire::h2::ErrorCode;

use crate::http2::{closed, failures, with_streams};
use crate::multiplexer::{Answer, Multiplexer};
use crate::server::{MS, close_to, plan, run};

/// A closed load whose refused calls are sent again.
fn resending(count: u64, streams: u32, more: Value) -> Value {
    let settings = json!({"streams": streams, "resend_refused": true});
    let mut fields = json!({"stop": {"count": count}, "http2": settings});
    if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
        fields.extend(more);
    }
    with_streams(streams, fields)
}

#[test]
fn a_refused_call_is_sent_again_once_if_that_is_planned() {
    let server = Multiplexer::answering(|number| match number % 10 {
        0 => Answer::Reset(ErrorCode::REFUSED_STREAM),
        _ => Answer::Pong(10 * MS),
    });
    let (counters, server) = run(&plan(closed(1), resending(100, 1, json!({}))), server);
    assert_eq!((counters.calls.ok, counters.calls.failed()), (100, 0));
    assert_eq!(server.requests(), 111);
    let http2 = counters.http2.unwrap();
    assert_eq!((http2.resent, http2.waited_for_stream), (11, 0));
    // From when the call was due: the refusal comes after 1 ms, the reply 10 ms later.
    assert!(close_to(counters.response.quantile(1.0), 11 * MS));
    assert!(close_to(counters.service.quantile(1.0), 10 * MS));

    let server = Multiplexer::answering(|_| Answer::Reset(ErrorCode::REFUSED_STREAM));
    let more = json!({"calls_per_connection": 3});
    let (counters, server) = run(&plan(closed(1), resending(50, 2, more)), server);
    assert_eq!(failures(&counters), json!({"refused_stream": 50}));
    assert_eq!(
        (server.requests(), counters.http2.unwrap().resent),
        (100, 50)
    );
}

#[test]
fn calls_that_a_goaway_leaves_out_are_sent_again_if_that_is_planned() {
    let server = Multiplexer::answering(|number| match number {
        4 => Answer::Unprocessed(3),
        1..4 => Answer::Nothing,
        _ => Answer::Pong(MS),
    });
    let (counters, _) = run(&plan(closed(1), resending(50, 4, json!({}))), server);
    assert_eq!(failures(&counters), json!({"early_close": 2}));
    assert_eq!((counters.calls.ok, counters.connections.opened), (48, 2));
    assert_eq!(counters.http2.unwrap().resent, 2);
}
