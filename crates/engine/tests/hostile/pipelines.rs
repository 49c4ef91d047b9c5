//! Several replies on one connection, split into segments in every way.

use std::time::Duration;

use reference::hostile::{Act, Hostile};
use serde_json::json;

use crate::rig::{PONG, ends, run, send};

/// A pause long enough that the bytes before and after it are usually received separately.
const APART: Duration = Duration::from_micros(300);

/// Four replies with the body `PONG`, in every framing that keeps the connection open.
fn four_replies() -> Vec<u8> {
    let mut all = PONG.to_vec();
    all.extend_from_slice(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nP\r\n3\r\nONG\r\n0\r\n\r\n",
    );
    all.extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
    all.extend_from_slice(PONG);
    all.extend_from_slice(b"\r\n");
    all.extend_from_slice(PONG);
    all
}

pub fn replies_glued_and_split_at_every_byte_are_told_apart(driver: &str) {
    let replies = four_replies();
    let splits = replies.len() as u64 + 1;
    let server = Hostile::start_in_groups(4, move |n| {
        let (left, right) = replies.split_at((n / 4) as usize);
        vec![send(left), Act::Pause(APART), send(right)]
    })
    .unwrap();
    let more = json!({"burst": 4, "stop": {"count": 4 * splits, "duration_s": 10.0}});
    let measured = run(driver, &server, &more);
    assert_eq!(ends(&measured), json!({"ok": 4 * splits}));
    assert_eq!(server.connections(), 1);
}

pub fn bytes_after_the_replies_end_the_connection_and_no_call(driver: &str) {
    for surplus in [b"x", PONG, b"HTTP/1.1 200 OK\r\n", &[0; 10_000]] {
        let mut bytes = PONG.to_vec();
        bytes.extend_from_slice(surplus);
        let server = Hostile::start(move |_| vec![send(&bytes)]).unwrap();
        let more = json!({"stop": {"count": 10, "duration_s": 5.0}, "think_s": 0.002});
        let measured = run(driver, &server, &more);
        assert_eq!(
            ends(&measured),
            json!({"ok": 10}),
            "{} bytes",
            surplus.len()
        );
        assert_eq!(server.connections(), 10, "{} bytes", surplus.len());
        assert_eq!(measured["connections"]["excess_data"], 10);
    }
}

pub fn replies_that_are_missing_fail_only_their_calls(driver: &str) {
    let three = PONG.repeat(3);
    for (last, class) in [
        (Act::Close, "early_close"),
        (Act::Reset, "reset"),
        (send("garbage\r\n"), "protocol"),
        (Act::Deaf(Duration::from_millis(400)), "reply_timeout"),
        (
            send("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"),
            "wrong_status",
        ),
        (
            send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
            "wrong_body",
        ),
    ] {
        let acts = vec![send(&three), Act::Pause(Duration::from_millis(20)), last];
        let server = Hostile::start_in_groups(4, move |_| acts.clone()).unwrap();
        let more = json!({
            "burst": 4, "stop": {"count": 4, "duration_s": 5.0}, "timeouts": {"reply_s": 0.3},
        });
        let measured = run(driver, &server, &more);
        assert_eq!(ends(&measured), json!({"ok": 3, class: 1}));
    }
    // A reply that ends the connection fails the calls behind it in the same way.
    let last = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nPONG";
    let server = Hostile::start_in_groups(4, move |_| vec![send(last)]).unwrap();
    let more = json!({"burst": 4, "stop": {"count": 4, "duration_s": 5.0}});
    let measured = run(driver, &server, &more);
    assert_eq!(ends(&measured), json!({"ok": 1, "early_close": 3}));
}

pub fn bytes_on_an_idle_connection_end_it_and_are_counted(driver: &str) {
    let late = vec![send(PONG), Act::Pause(Duration::from_millis(20)), send("x")];
    let server = Hostile::start(move |_| late.clone()).unwrap();
    let more = json!({"stop": {"count": 3, "duration_s": 5.0}, "think_s": 0.2});
    let measured = run(driver, &server, &more);
    assert_eq!(ends(&measured), json!({"ok": 3}));
    // The run ends with the third reply, before its late byte comes.
    assert_eq!(measured["connections"]["excess_data"], 2);
    assert_eq!(server.connections(), 3);
}
