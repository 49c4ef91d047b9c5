//! Bodies that are decoded before they are compared.

use std::io::Write as _;

use driver::{Act, Nanos, Scene};
use engine::simulation::Counters;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use serde_json::{Value, json};

use crate::server::{MS, plan, run};

/// A server that gives these replies in turn.
#[derive(Clone)]
struct Replies(Vec<Vec<u8>>, usize);

impl Scene for Replies {
    fn connect(&mut self, _: Nanos, _: u64) -> (Nanos, bool) {
        (0, true)
    }

    fn receive(&mut self, _: Nanos, _: u64, _: &[u8]) -> Vec<(Nanos, Act)> {
        self.1 += 1;
        let reply = &self.0[(self.1 - 1) % self.0.len()];
        let (first, second) = reply.split_at(reply.len() - 3);
        vec![
            (MS, Act::Reply(first.to_vec())),
            (2 * MS, Act::Reply(second.to_vec())),
        ]
    }
}

pub fn reply(encoding: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

pub fn gzip(text: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

pub fn deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Calls with the right and with a wrong body, and the bytes of bodies as they came.
fn counts(replies: Vec<Vec<u8>>, expect: Value) -> (u64, u64) {
    let (ok, wrong, _) = measured(replies, expect);
    (ok, wrong)
}

/// The same, and the first failure in words.
pub fn measured(replies: Vec<Vec<u8>>, expect: Value) -> (u64, u64, String) {
    let counters = counted(replies, expect);
    let first = counters.first_failure.unwrap_or_default();
    (counters.calls.ok, counters.calls.wrong_body, first)
}

/// The counters of a run of as many calls as there are replies.
pub fn counted(replies: Vec<Vec<u8>>, expect: Value) -> Counters {
    let more = json!({
        "requests": [{"path": "/", "expect": expect}], "stop": {"count": replies.len()},
    });
    let load = json!({"kind": "closed", "connections": 1});
    run(&plan(load, more), Replies(replies, 0)).0
}

#[test]
fn a_body_is_right_by_its_content_however_it_is_compressed() {
    let replies = vec![
        reply("gzip", &gzip(b"PONG", 1)),
        reply("x-gzip", &gzip(b"PONG", 9)),
        reply("deflate", &deflate(b"PONG")),
        reply("identity", b"PONG"),
    ];
    for body in [
        json!({"text": "PONG"}),
        json!({"length": 4}),
        json!({"same": true}),
    ] {
        let found = counts(replies.clone(), json!({"body": body, "decode": "gzip"}));
        assert_eq!(found, (4, 0), "{body}");
    }
    let as_it_came = counts(replies, json!({"body": {"text": "PONG"}}));
    assert_eq!(as_it_came, (1, 3));
}

#[test]
fn a_body_that_cannot_be_decoded_or_has_another_content_is_wrong() {
    let whole = gzip(b"PONG", 6);
    let mut garbled = whole.clone();
    *garbled.last_mut().unwrap() ^= 1;
    let broken = vec![
        reply("gzip", b"PONG"),
        reply("gzip", &whole[..whole.len() - 4]),
        reply("gzip", &garbled),
        reply("br", b"PONG"),
        reply("gzip, gzip", &whole),
    ];
    for body in [
        json!({"text": "PONG"}),
        json!({"length": 4}),
        json!({"same": true}),
        json!(null),
    ] {
        let found = counts(broken.clone(), json!({"body": body, "decode": "gzip"}));
        assert_eq!(found, (0, 5), "{body}");
    }
    let other = vec![
        reply("gzip", &gzip(b"PING", 6)),
        reply("gzip", &gzip(b"PONGPONG", 6)),
    ];
    let found = counts(other, json!({"body": {"text": "PONG"}, "decode": "gzip"}));
    assert_eq!(found, (0, 2));
}

#[test]
fn a_wrong_body_is_explained_by_the_length_of_its_content_too() {
    let whole = gzip(b"PONG", 6);
    let length = whole.len();
    let explained = |body: &[u8], expected: usize| {
        let expect = json!({"body": {"length": expected}, "decode": "gzip"});
        measured(vec![reply("gzip", body)], expect).2
    };
    assert_eq!(
        explained(&whole, length),
        format!("GET /: a body of {length} bytes, 4 when decoded, that is not {length} bytes")
    );
    assert_eq!(
        explained(&whole, 3),
        format!("GET /: a body of {length} bytes, 4 or more when decoded, that is not 3 bytes")
    );
    assert_eq!(
        explained(&whole[..12], 4),
        "GET /: a body of 12 bytes that cannot be decoded"
    );
}
