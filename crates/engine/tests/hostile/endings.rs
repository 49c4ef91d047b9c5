//! Connections that end too early, and replies that do not come.

use std::time::Duration;

use reference::hostile::{Act, Hostile};
use serde_json::json;

use crate::rig::{PONG, all_end_in, closed, ends, measure, plan, run, send};

/// Makes a call for each byte of a reply: call n gets the first n bytes, and then `act`.
fn cut(driver: &str, reply: &'static [u8], act: &Act) -> serde_json::Value {
    let act = act.clone();
    let server = Hostile::start(move |n| {
        let prefix = &reply[..n as usize];
        vec![send(prefix), act.clone()]
    })
    .unwrap();
    let more = json!({"stop": {"count": reply.len(), "duration_s": 10.0, "drain_s": 1.0}});
    run(driver, &server, &more)
}

const CHUNKED: &[u8] =
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nPO\r\n2;x=y\r\nNG\r\n0\r\nT: t\r\n\r\n";

pub fn a_reset_at_every_byte_of_a_reply_is_a_reset(driver: &str) {
    for reply in [PONG, CHUNKED] {
        let measured = cut(driver, reply, &Act::Reset);
        assert_eq!(ends(&measured), json!({"reset": reply.len()}));
        assert_eq!(measured["connections"]["opened"], reply.len());
    }
}

pub fn a_close_at_every_byte_of_a_reply_is_an_early_close(driver: &str) {
    for (reply, act) in [
        (PONG, Act::Close),
        (CHUNKED, Act::Close),
        (PONG, Act::HalfClose),
    ] {
        let measured = cut(driver, reply, &act);
        assert_eq!(ends(&measured), json!({"early_close": reply.len()}));
        assert_eq!(measured["connections"]["closed_by_server"], reply.len());
    }
}

pub fn a_body_that_the_close_ends_is_whole_only_when_it_is_closed(driver: &str) {
    let endless = "HTTP/1.1 200 OK\r\n\r\nPONG";
    for (act, class) in [
        (Act::Close, "ok"),
        (Act::HalfClose, "ok"),
        (Act::Reset, "reset"),
        (Act::Deaf(Duration::from_millis(400)), "reply_timeout"),
    ] {
        let cases = [(class, vec![send(endless), act])];
        let more = json!({"timeouts": {"reply_s": 0.2}});
        all_end_in(driver, class, &cases, &more);
    }
}

pub fn a_half_closed_connection_is_not_used_again(driver: &str) {
    let reply = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nPONG";
    let server = Hostile::start(move |_| vec![send(reply), Act::HalfClose]).unwrap();
    let more = json!({"stop": {"count": 20, "duration_s": 5.0}, "load": closed(4)});
    assert_eq!(ends(&run(driver, &server, &more)), json!({"ok": 20}));
    assert_eq!((server.requests(), server.connections()), (20, 20));
}

pub fn a_reset_before_the_request_is_read_fails_that_call_only(driver: &str) {
    let server = Hostile::start(|n| {
        let act = if n % 2 == 0 { Act::Reset } else { send(PONG) };
        vec![act]
    })
    .unwrap();
    let more = json!({"stop": {"count": 40, "duration_s": 5.0}});
    let measured = run(driver, &server, &more);
    assert_eq!(ends(&measured), json!({"ok": 20, "reset": 20}));
    assert_eq!(server.requests(), 40);
}

pub fn no_answer_and_a_slow_answer_end_by_their_timeouts(driver: &str) {
    let deaf = Act::Deaf(Duration::from_millis(600));
    let slow = Act::Drip(PONG.to_vec(), Duration::from_millis(40));
    let deaf_too = deaf.clone();
    let one_byte = move || vec![send("H"), deaf_too.clone()];
    for (class, acts, timeouts) in [
        (
            "first_byte_timeout",
            vec![deaf.clone()],
            json!({"first_byte_s": 0.1, "reply_s": 9.0}),
        ),
        ("reply_timeout", vec![deaf.clone()], json!({"reply_s": 0.1})),
        (
            "reply_timeout",
            one_byte(),
            json!({"first_byte_s": 0.3, "reply_s": 0.4}),
        ),
        (
            "reply_timeout",
            vec![slow],
            json!({"first_byte_s": 0.3, "reply_s": 0.5}),
        ),
    ] {
        let name = format!("{class} with {timeouts}");
        let cases = [(name.as_str(), acts)];
        all_end_in(driver, class, &cases, &json!({"timeouts": timeouts}));
    }
    // Without a timeout the drain ends the run.
    let server = Hostile::start(move |_| one_byte()).unwrap();
    let more = json!({
        "timeouts": {"reply_s": null}, "load": closed(3),
        "stop": {"duration_s": 0.1, "drain_s": 0.1},
    });
    assert_eq!(ends(&run(driver, &server, &more)), json!({"in_flight": 3}));
}

pub fn a_server_that_does_not_read_ends_by_the_timeout(driver: &str) {
    let deaf = || vec![Act::Deaf(Duration::from_millis(600))];
    let body = "x".repeat(20_000_000);
    let more = json!({
        "requests": [{"method": "POST", "path": "/", "body": {"text": body}}],
        "timeouts": {"reply_s": 0.3},
    });
    all_end_in(
        driver,
        "reply_timeout",
        &[("20 MB, not read", deaf())],
        &more,
    );
}

pub fn a_server_that_goes_away_leaves_every_call_accounted_for(driver: &str) {
    for (load, stop) in [
        (closed(4), json!({"duration_s": 0.6, "drain_s": 0.5})),
        (
            json!({"kind": "requests", "connections": 4, "arrivals": {"spacing": "constant",
                "segments": [{"from_per_s": 500.0, "to_per_s": 500.0}]}}),
            json!({"duration_s": 0.6, "drain_s": 0.5}),
        ),
    ] {
        // Each reply ends its connection, so that each call opens a new one.
        let reply = "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nPONG";
        let mut server = Hostile::start(move |_| vec![send(reply), Act::Close]).unwrap();
        let more = json!({"load": load, "stop": stop});
        let plan = plan(driver, server.address(), &more);
        let running = std::thread::spawn(move || measure(&plan));
        while server.requests() < 30 {
            std::thread::yield_now();
        }
        server.refuse();
        let calls = &running.join().unwrap()["calls"];
        let (ok, refused) = (&calls["ok"], &calls["errors"]["refused"]);
        assert!(ok.as_u64().unwrap() >= 25, "{calls}");
        assert!(refused.as_u64().unwrap() >= 4, "{calls}");
    }
}
