//! Endless replies: their memory is limited (`tests/memory`), and a limit or the timeout ends them.

use reference::hostile::{Act, Hostile};
use serde_json::json;

use crate::rig::{PONG, all_end_in, closed, ends, run, send};

/// Sends `start`, then `again` without end, in writes of about 60 KB.
pub fn flood(start: &str, again: &str) -> Vec<Act> {
    let much = again.repeat(60_000 / again.len());
    vec![send(start), Act::Repeat(much.into_bytes())]
}

const OK: &str = "HTTP/1.1 200 OK\r\n";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

pub fn heads_and_framing_without_end_are_refused(driver: &str) {
    let cases = [
        ("headers", flood(OK, "A: b\r\n")),
        ("one header", flood(OK, "x")),
        ("a phrase", flood("HTTP/1.1 200 ", "x")),
        (
            "interim replies",
            flood("", "HTTP/1.1 100 Continue\r\n\r\n"),
        ),
        ("a chunk's size", flood(CHUNKED, "0")),
        ("a chunk's extension", flood(&format!("{CHUNKED}1;"), "x")),
        ("trailers", flood(&format!("{CHUNKED}0\r\n"), "A: b\r\n")),
    ];
    all_end_in(driver, "protocol", &cases, &json!({}));
}

pub fn a_body_without_end_is_ended_by_the_timeout(driver: &str) {
    let cases = [
        ("chunks", flood(CHUNKED, "1\r\nx\r\n")),
        ("until it is closed", flood(&format!("{OK}\r\n"), "x")),
        (
            "2^64 - 1 bytes",
            flood(
                &format!("{OK}Content-Length: 18446744073709551615\r\n\r\n"),
                "x",
            ),
        ),
        (
            "a chunk of 2^64 - 1 bytes",
            flood(&format!("{CHUNKED}ffffffffffffffff\r\n"), "x"),
        ),
        ("empty lines before the head", flood("", "\r\n")),
    ];
    all_end_in(
        driver,
        "reply_timeout",
        &cases,
        &json!({"timeouts": {"reply_s": 0.2}}),
    );
    let same = json!({
        "requests": [{"path": "/", "expect": {"body": {"same": true}}}],
        "timeouts": {"reply_s": 0.2},
    });
    let case = [("learning", flood(&format!("{OK}\r\n"), "x"))];
    all_end_in(driver, "reply_timeout", &case, &same);
}

pub fn a_flood_does_not_hold_up_the_end_of_the_run(driver: &str) {
    let acts = flood(&format!("{OK}\r\n"), "x");
    let server = Hostile::start(move |_| acts.clone()).unwrap();
    let more = json!({
        "load": closed(4), "timeouts": {},
        "stop": {"duration_s": 0.2, "drain_s": 0.1},
    });
    let measured = run(driver, &server, &more);
    assert_eq!(ends(&measured), json!({"in_flight": 4}));
    let drain = measured["drain_s"].as_f64().unwrap();
    assert!((0.1..1.0).contains(&drain), "waited {drain} s of 0.1 s");
}

pub fn a_flood_on_one_connection_leaves_the_others_their_turn(driver: &str) {
    let acts = flood(&format!("{OK}\r\n"), "x");
    let server = Hostile::start(move |n| match n {
        0 => acts.clone(),
        _ => vec![send(PONG)],
    })
    .unwrap();
    let more = json!({
        "load": closed(2), "timeouts": {"reply_s": 0.5},
        "stop": {"count": 200, "duration_s": 5.0},
    });
    let measured = run(driver, &server, &more);
    assert_eq!(ends(&measured), json!({"ok": 199, "reply_timeout": 1}));
}
