//! Calls on streams of HTTP/3, against simulated servers. QUIC is left out: a server gets records, and answers with them.

use std::cell::RefCell;
use std::rc::Rc;

use driver::{Act, Nanos, Scene};
use engine::CompiledPlan;
use serde_json::{Value, json};
use wire::h3::{Record, Records};
use wire::qpack::{PREFIX, encode_field};

use crate::http2::{closed, failures};
use crate::server::{MS, close_to, plan, requests, run};

/// The answer of a server to one request.
#[derive(Clone, Copy)]
enum Answer {
    /// `PONG` after this delay.
    Pong(Nanos),
    Nothing,
    Reset(u64),
    /// Only the streams before this id are processed, and the connection ends.
    GoAway(u8),
    /// The connection is closed with this code.
    Close(u64),
}

/// A server that allows so many streams in all, and answers the request with each number.
#[derive(Clone)]
struct Server {
    streams: u64,
    answer: fn(usize) -> Answer,
    requests: Rc<RefCell<usize>>,
}

impl Server {
    fn new(streams: u64, answer: fn(usize) -> Answer) -> Self {
        Self {
            streams,
            answer,
            requests: Rc::default(),
        }
    }
}

impl Scene for Server {
    fn connect(&mut self, _at: Nanos, _connection: u64) -> (Nanos, bool) {
        (0, true)
    }

    fn receive(&mut self, _at: Nanos, _connection: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        let mut acts = Vec::new();
        for record in Records(bytes) {
            match record {
                // The control stream: the connection has begun.
                Record::Data { stream: 2, .. } => {
                    let streams = self.streams;
                    acts.push((0, reply(&[Record::Room { streams }])));
                }
                Record::End { stream } => {
                    *self.requests.borrow_mut() += 1;
                    let answer = (self.answer)(*self.requests.borrow());
                    acts.extend(answered(stream, answer));
                }
                _ => {}
            }
        }
        acts
    }
}

fn reply(records: &[Record]) -> Act {
    let mut bytes = Vec::new();
    for record in records {
        record.write(&mut bytes);
    }
    Act::Reply(bytes)
}

fn answered(stream: u64, answer: Answer) -> Vec<(Nanos, Act)> {
    let mut block = PREFIX.to_vec();
    encode_field(&mut block, b":status", b"200");
    let pong = [&[1, block.len() as u8][..], &block, b"\0\x04PONG"].concat();
    match answer {
        Answer::Pong(delay) => {
            let bytes = &pong;
            let data = Record::Data { stream, bytes };
            vec![(delay, reply(&[data, Record::End { stream }]))]
        }
        Answer::Nothing => vec![],
        Answer::Reset(code) => vec![(MS, reply(&[Record::Reset { stream, code }]))],
        Answer::GoAway(id) => {
            let bytes = &[0, 4, 0, 7, 1, id];
            let control = Record::Data { stream: 3, bytes };
            vec![(MS, reply(&[control])), (5 * MS, Act::End)]
        }
        Answer::Close(code) => vec![(MS, reply(&[Record::Closed { code }])), (MS, Act::End)],
    }
}

fn with_streams(streams: u32, more: Value) -> Value {
    let target = json!({"host": "here", "port": 443, "tls": {"insecure": true}});
    let mut fields = json!({"target": target, "http": "3", "http2": {"streams": streams}});
    if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
        fields.extend(more);
    }
    fields
}

#[test]
fn a_closed_load_keeps_all_streams_of_its_connections_busy() {
    let server = Server::new(100_000, |_| Answer::Pong(10 * MS));
    let (counters, _) = run(&plan(closed(2), with_streams(3, json!({}))), server);
    assert_eq!(counters.calls.ok, 2 * 3 * 100);
    assert_eq!(counters.connections.opened, 2);
    assert!(close_to(counters.response.quantile(0.5), 10 * MS));
    let http2 = counters.http2.unwrap();
    assert_eq!((http2.most_streams, http2.stream_limit), (3, None));
    assert_eq!(counters.bytes.bodies, 4 * (counters.calls.ok - 6));
}

#[test]
fn a_due_call_takes_a_free_stream() {
    let server = Server::new(100_000, |_| Answer::Pong(20 * MS));
    let load = requests(500.0, 2);
    let (counters, _) = run(&plan(load, with_streams(10, json!({}))), server);
    assert!(close_to(counters.response.quantile(1.0), 20 * MS));
    assert_eq!(counters.calls.waited, 0);
}

#[test]
fn a_call_for_which_the_server_allows_no_stream_waits_and_times_out() {
    let server = Server::new(2, |_| Answer::Pong(10 * MS));
    let timeouts = json!({"timeouts": {"reply_s": 0.25}, "stop": {"count": 4}});
    let (counters, server) = run(&plan(closed(1), with_streams(4, timeouts)), server);
    assert_eq!(*server.requests.borrow(), 2);
    assert_eq!(failures(&counters), json!({"reply_timeout": 2}));
    let first = counters.first_failure.unwrap();
    assert!(first.contains("the server allows 2 at once"), "{first}");
}

#[test]
fn a_timeout_cancels_its_stream_and_no_other() {
    let server = Server::new(100_000, |number| match number % 5 {
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
fn refused_and_reset_streams_are_failures_of_their_own_with_the_codes_of_http3() {
    let server = Server::new(100_000, |number| match number % 3 {
        0 => Answer::Reset(0x10b),
        1 => Answer::Reset(0x102),
        _ => Answer::Pong(MS),
    });
    let more = json!({"stop": {"count": 300}});
    let (counters, _) = run(&plan(closed(2), with_streams(5, more)), server);
    let expected = json!({"refused_stream": 100, "stream_reset": 100});
    assert_eq!(failures(&counters), expected);
    let found = serde_json::to_value(counters.http2.unwrap().summary(5)).unwrap();
    let resets = json!({"H3_REQUEST_REJECTED": 100, "H3_INTERNAL_ERROR": 100});
    assert_eq!(found["resets"], resets);
}

#[test]
fn a_refused_call_is_sent_again_if_the_plan_says_so() {
    let server = Server::new(100_000, |number| match number {
        5 => Answer::Reset(0x10b),
        _ => Answer::Pong(MS),
    });
    let mut fields = with_streams(1, json!({"stop": {"count": 20}}));
    fields["http2"]["resend_refused"] = json!(true);
    let (counters, server) = run(&plan(closed(1), fields), server);
    assert_eq!((counters.calls.ok, *server.requests.borrow()), (20, 21));
    assert_eq!(counters.http2.unwrap().resent, 1);
}

#[test]
fn calls_behind_a_goaway_fail_and_the_next_connection_takes_over() {
    // The ids of its first two requests are 0 and 4.
    let server = Server::new(100_000, |number| match number {
        2 => Answer::GoAway(4),
        _ => Answer::Pong(2 * MS),
    });
    let more = json!({"stop": {"count": 20}});
    let (counters, _) = run(&plan(closed(1), with_streams(2, more)), server);
    assert_eq!(failures(&counters), json!({"goaway": 1}));
    assert_eq!((counters.calls.ok, counters.connections.opened), (19, 2));
}

#[test]
fn a_connection_that_the_server_closes_with_an_error_fails_its_calls_and_names_it() {
    let server = Server::new(100_000, |number| match number {
        3 => Answer::Close(0x102),
        _ => Answer::Pong(2 * MS),
    });
    let more = json!({"stop": {"count": 20}});
    let (counters, _) = run(&plan(closed(1), with_streams(1, more)), server);
    assert_eq!(failures(&counters), json!({"goaway": 1}));
    let first = counters.first_failure.unwrap();
    assert!(first.contains("H3_INTERNAL_ERROR"), "{first}");
    assert_eq!((counters.calls.ok, counters.connections.opened), (19, 2));
}

#[test]
fn what_http3_does_not_go_with_is_refused_with_all_reasons() {
    let refused = |fields: Value| {
        let error = CompiledPlan::new(&plan(closed(1), fields)).expect_err("refused");
        error.to_string()
    };
    for (field, value, reason) in [
        ("target", json!({"host": "here"}), "a target without TLS"),
        (
            "target",
            json!({"host": "here", "tls": {"insecure": true, "max_version": "1.2"}}),
            "TLS 1.2",
        ),
        ("proxy", json!({"host": "there", "port": 1}), "a proxy"),
        ("kernel_timestamps", json!(true), "kernel timestamps"),
        ("driver", json!("io_uring"), "the driver `io_uring`"),
        ("http2", json!({"header_table": 0}), "a header table"),
        ("http2", json!({"max_frame": 20_000}), "a size of frames"),
        ("burst", json!(2), "pipelining"),
    ] {
        let mut fields = with_streams(1, json!({}));
        fields[field] = value;
        let message = refused(fields);
        assert!(
            message.contains(&format!("HTTP/3 does not go with {reason}")),
            "{field}: {message}"
        );
    }
}
