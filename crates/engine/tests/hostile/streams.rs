//! Servers of HTTP/2 that break its rules: each costs the calls of its connection, and no more memory or time than these.

use std::time::Duration;

use reference::hostile::{Act, Hostile};
use serde_json::{Value, json};

use crate::rig::{ends, measure, plan, send};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;
const UNKNOWN: u8 = 99;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// The field `:status: 200` of the static table.
const OK: u8 = 0x88;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    let mut bytes = length[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// The head of a reply on the first stream, without its end.
fn head() -> Vec<u8> {
    frame(HEADERS, END_HEADERS, 1, &[OK])
}

/// The block of a reply's head on the first stream, with `more` behind the status.
fn block(more: &[u8]) -> Vec<u8> {
    frame(
        HEADERS,
        END_HEADERS | END_STREAM,
        1,
        &[&[OK], more].concat(),
    )
}

/// A server whose settings are these. After a pause, in which the request comes, it sends `bytes`, and `again` without end.
fn server(settings: &[u8], pause_ms: u64, bytes: &[u8], again: &[u8]) -> Hostile {
    let mut acts = vec![
        send(frame(SETTINGS, 0, 0, settings)),
        Act::Pause(Duration::from_millis(pause_ms)),
        send(bytes),
    ];
    if again.is_empty() {
        acts.push(Act::Deaf(Duration::from_secs(2)));
    } else {
        acts.push(Act::Repeat(again.repeat(60_000 / again.len() + 1)));
    }
    // The preface of a client has two empty lines.
    Hostile::start_in_groups(2, move |_| acts.clone()).unwrap()
}

/// Makes one call to such a server, and returns its end and the first failure.
fn call(driver: &str, server: &Hostile, more: &Value) -> (Value, String) {
    let mut fields = json!({"http": "2", "preflight": false});
    let (Value::Object(all), Value::Object(more)) = (&mut fields, more) else {
        unreachable!("both are objects");
    };
    all.extend(more.clone());
    let measured = measure(&plan(driver, server.address(), &fields));
    let first = measured["first_failure"].as_str().unwrap_or_default();
    (ends(&measured), first.to_owned())
}

pub fn what_breaks_a_connection_is_one_protocol_error(driver: &str) {
    let window =
        |stream: u32, increment: u32| frame(WINDOW_UPDATE, 0, stream, &increment.to_be_bytes());
    // A field of 4,000 bytes for the table, and then that field again and again.
    let bomb = [
        &[0x40, 1, b'a', 0x7f, 0xa1, 0x1e][..],
        &[b'x'; 4000],
        &[0xbe; 9000],
    ]
    .concat();
    for (name, bytes) in [
        (
            "a Huffman code that ends in EOS",
            block(&[0, 1, b'a', 0x84, 0xff, 0xff, 0xff, 0xff]),
        ),
        ("an index above the table", block(&[0xfe])),
        ("a table larger than allowed", block(&[0x3f, 0xe1, 0xff, 3])),
        ("an integer without end", block(&[0xff; 40])),
        ("fields of 36 MB in 13 KB", block(&bomb)),
        (
            "a frame that is too long",
            frame(DATA, 0, 1, &b"x".repeat(16_385)),
        ),
        (
            "a window above 2^31 - 1",
            [window(0, u32::MAX >> 1), window(0, 1)].concat(),
        ),
        ("a window widened by nothing", window(0, 0)),
        (
            "a promise",
            frame(PUSH_PROMISE, END_HEADERS, 1, &[0, 0, 0, 2, OK]),
        ),
        (
            "a reply to a request that was never sent",
            frame(HEADERS, END_HEADERS, 99, &[OK]),
        ),
        (
            "a reset of a stream that was never opened",
            frame(RST_STREAM, 0, 99, &[0; 4]),
        ),
        ("an unfinished block before another frame", {
            [frame(HEADERS, 0, 1, &[OK]), frame(PING, 0, 0, &[0; 8])].concat()
        }),
        (
            "a CONTINUATION of nothing",
            frame(CONTINUATION, END_HEADERS, 1, &[OK]),
        ),
        ("SETTINGS of 5 bytes", frame(SETTINGS, 0, 0, &[0; 5])),
        (
            "settings that are not valid",
            frame(SETTINGS, 0, 0, &[0, 5, 0, 0, 0, 1]),
        ),
        ("DATA on stream 0", frame(DATA, 0, 0, b"x")),
    ] {
        let (end, first) = call(driver, &server(&[], 20, &bytes, &[]), &json!({}));
        assert_eq!(end, json!({"protocol": 1}), "{name}: {first}");
    }
}

pub fn frames_without_end_are_a_protocol_error(driver: &str) {
    for (name, bytes, again) in [
        (
            "CONTINUATION",
            frame(HEADERS, 0, 1, &[OK]),
            frame(CONTINUATION, 0, 1, &[0, 1, b'a', 1, b'b']),
        ),
        (
            "empty CONTINUATION",
            frame(HEADERS, 0, 1, &[OK]),
            frame(CONTINUATION, 0, 1, &[]),
        ),
        ("PING", vec![], frame(PING, 0, 0, &[0; 8])),
        (
            "SETTINGS",
            vec![],
            frame(SETTINGS, 0, 0, &[0, 1, 0, 0, 16, 0]),
        ),
        ("empty DATA", head(), frame(DATA, 0, 1, &[])),
        (
            "WINDOW_UPDATE",
            vec![],
            frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]),
        ),
        ("unknown frames", vec![], frame(UNKNOWN, 0, 1, b"x")),
        (
            "GOAWAY",
            vec![],
            frame(GOAWAY, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0]),
        ),
        ("acknowledgements", vec![], frame(SETTINGS, 1, 0, &[])),
    ] {
        let (end, first) = call(driver, &server(&[], 20, &bytes, &again), &json!({}));
        assert_eq!(end, json!({"protocol": 1}), "{name}: {first}");
    }
}

pub fn a_body_without_end_and_a_window_without_room_end_by_the_timeout(driver: &str) {
    let upload = json!([{"method": "POST", "path": "/", "body": {"text": "x".repeat(9_000)}}]);
    let timeouts = json!({"reply_s": 0.6});
    let no_window = [0, 4, 0, 0, 0, 0];
    let no_stream = [0, 3, 0, 0, 0, 0];
    for (name, server, more) in [
        (
            "DATA",
            server(&[], 300, &head(), &frame(DATA, 0, 1, &[b'x'; 1000])),
            json!({"timeouts": timeouts}),
        ),
        (
            "a window of 0",
            server(&no_window, 0, &[], &[]),
            json!({"timeouts": timeouts, "requests": upload}),
        ),
        (
            "no stream",
            server(&no_stream, 0, &[], &[]),
            json!({"timeouts": timeouts}),
        ),
    ] {
        let (end, first) = call(driver, &server, &more);
        assert_eq!(end, json!({"reply_timeout": 1}), "{name}: {first}");
    }
}
