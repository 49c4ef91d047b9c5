//! TLS without failures: versions, loads, resumption, sizes, times.

use std::time::Duration;

use serde_json::{Value, json};

use crate::papers::PAPERS;
use crate::rig::{Rig, big, measure, plan, pong};
use crate::terminator::Manners;

fn version(of: &'static str) -> Value {
    json!({"min_version": of, "max_version": of})
}

pub fn connections_are_kept_and_counts_agree_in_both_versions(driver: &'static str) {
    let rig = Rig::new(driver, &Manners::default());
    for (of, cipher) in [("1.2", "TLS_ECDHE_"), ("1.3", "TLS_AES_")] {
        let measured = rig.run(&version(of), &json!({}));
        assert_eq!(measured["calls"]["ok"], 60);
        assert_eq!(measured["connections"]["opened"], 4);
        let made = &measured["handshakes"];
        assert_eq!(made["version"], of);
        assert!(
            made["cipher"].as_str().unwrap().starts_with(cipher),
            "{made}"
        );
    }
    let measured = rig.run(&json!({}), &json!({}));
    assert_eq!(
        measured["handshakes"]["version"], "1.3",
        "the newest of both"
    );
}

pub fn each_load_sends_exactly_its_count(driver: &'static str) {
    let rig = Rig::new(driver, &Manners::default());
    let arrivals =
        json!({"spacing": "constant", "segments": [{"from_per_s": 400.0, "to_per_s": 400.0}]});
    let sessions = json!({"kind": "sessions", "calls": 3, "arrivals": arrivals});
    for (load, threads, calls) in [
        (json!({"kind": "closed", "connections": 7}), 3, 60),
        (
            json!({"kind": "requests", "connections": 8, "arrivals": arrivals}),
            2,
            60,
        ),
        (sessions, 1, 180),
    ] {
        let measured = rig.run(&json!({}), &json!({"load": load, "threads": threads}));
        assert_eq!(measured["calls"]["ok"], calls, "{load}");
        assert_eq!(measured["calls"]["due"], calls, "{load}");
    }
}

pub fn values_are_written_into_encrypted_requests(driver: &'static str) {
    let rig = Rig::new(driver, &Manners::default());
    // The reference server answers other paths with 404, and a body of another length with 400.
    let request = json!({
        "method": "POST", "path": "/{choice:pong}?{uuid}", "placeholders": true,
        "headers": [["Content-Type", "application/json"]],
        "body": {"text": r#"{"n": {sequence:95}}"#},
        "expect": {"status": [200], "body": {"text": "PONG"}},
    });
    for burst in [1, 5] {
        let more = json!({"requests": [request, pong()], "burst": burst, "threads": 2});
        assert_eq!(rig.run(&json!({}), &more)["calls"]["ok"], 60);
    }
}

pub fn sessions_are_resumed_unless_that_is_turned_off(driver: &'static str) {
    let rig = Rig::new(driver, &Manners::default());
    for of in ["1.2", "1.3"] {
        let mut tls = version(of);
        for resume in [true, false] {
            tls["resume"] = resume.into();
            let more = json!({
                "keep_alive": false, "load": {"kind": "closed", "connections": 1},
            });
            let measured = rig.run(&tls, &more);
            let made = &measured["handshakes"];
            let resumed = made["resumed"].as_u64().unwrap();
            assert_eq!(resumed > 50, resume, "TLS {of}: {made}");
            assert_eq!(resumed > 0, resume, "TLS {of}: {made}");
            assert_eq!(measured["connections"]["opened"], 60);
        }
    }
}

pub fn large_replies_and_bursts_come_byte_for_byte(driver: &'static str) {
    let rig = Rig::new(driver, &Manners::default());
    let right = PAPERS.file(&format!("{driver}-big"), &big());
    let request = json!({"path": "/big", "expect": {"body": {"file": right}}});
    let measured = rig.run(&json!({}), &json!({"requests": [request], "burst": 3}));
    assert_eq!(measured["body_bytes"], 60 * 550_015);
    let more = json!({"requests": [pong(), request], "burst": 16, "stop": {"count": 320}});
    assert_eq!(rig.run(&json!({}), &more)["calls"]["ok"], 320);
    std::fs::remove_file(right).unwrap();
}

pub fn a_large_upload_arrives_although_the_server_reads_slowly(driver: &'static str) {
    let manners = Manners {
        reads_after: Duration::from_micros(500),
        ..Manners::default()
    };
    let rig = Rig::new(driver, &manners);
    let body: String = (0..6_000_000_u32)
        .map(|n| char::from(b'a' + (n % 23) as u8))
        .collect();
    let echo = json!({
        "method": "POST", "path": "/pong", "body": {"text": body},
        "expect": {"status": [200], "body": {"text": "PONG"}},
    });
    let more = json!({"requests": [echo], "stop": {"count": 8, "duration_s": 20.0}});
    let measured = rig.run(&json!({}), &more);
    assert_eq!(measured["calls"]["ok"], 8);
    assert!(measured["bytes_sent"].as_u64().unwrap() > 8 * 6_000_000);
}

/// RFC 9112 §9.8: what only the close delimits is complete only where TLS was closed in order.
pub fn a_reply_that_the_close_ends_is_complete_with_close_notify_alone(driver: &'static str) {
    let mut until_close = pong();
    until_close["path"] = "/pong?until_close=1".into();
    let more = json!({"requests": [until_close]});
    let rig = Rig::new(driver, &Manners::default());
    let measured = rig.run(&json!({}), &more);
    assert_eq!(measured["calls"]["ok"], 60);
    assert_eq!(measured["connections"]["opened"], 60);

    let rig = Rig::new(driver, &without_goodbye());
    let measured = measure(&plan(driver, rig.door.address, &json!({}), &more)).unwrap();
    assert_eq!(measured["calls"]["errors"], json!({"early_close": 60}));
    assert_eq!(measured["connections"]["closed_by_server"], 60);
    let words = measured["first_failure"].as_str().unwrap();
    assert!(words.contains("without TLS's close_notify"), "{words}");
}

pub fn a_reply_that_is_whole_without_the_close_needs_no_close_notify(driver: &'static str) {
    let rig = Rig::new(driver, &without_goodbye());
    for path in ["/pong", "/pong?chunked=1"] {
        let mut closing = pong();
        closing["path"] = path.into();
        let more = json!({"requests": [closing], "keep_alive": false});
        let measured = rig.run(&json!({}), &more);
        assert_eq!(measured["calls"]["ok"], 60, "{path}");
        assert_eq!(measured["connections"]["opened"], 60, "{path}");
    }
}

fn without_goodbye() -> Manners {
    Manners {
        says_goodbye: false,
        ..Manners::default()
    }
}

pub fn a_handshake_is_no_part_of_connecting(driver: &'static str) {
    let manners = Manners {
        begins_after: Duration::from_millis(50),
        ..Manners::default()
    };
    let rig = Rig::new(driver, &manners);
    let more = json!({"keep_alive": false, "stop": {"count": 20, "duration_s": 20.0}});
    let measured = rig.run(&json!({}), &more);
    let times = &measured["times"];
    assert_eq!(times["connect"]["count"], 20);
    assert_eq!(times["tls"]["count"], 20);
    let least = |time: &str| times[time]["min_ns"].as_u64().unwrap();
    // The kernel accepts the connection before the server does, and the engine may notice that late.
    assert!(least("connect") < 25_000_000, "{} ns", least("connect"));
    assert!(least("tls") >= 25_000_000, "{} ns", least("tls"));
    assert!(least("response") >= least("connect") + least("tls"));
}

pub fn streams_of_http2_are_encrypted_and_their_protocol_is_negotiated(driver: &'static str) {
    let protocols = &["http/1.1", "h2"];
    let rig = Rig::new(
        driver,
        &Manners {
            protocols,
            ..Manners::default()
        },
    );
    let requests = json!([pong(), {"path": "/big", "expect": {"body": {"length": big().len()}}}]);
    let more = json!({"http": "2", "http2": {"streams": 5}, "requests": requests});
    let measured = rig.run(&json!({}), &more);
    assert_eq!(measured["calls"]["ok"], 60);
    assert_eq!(measured["connections"]["opened"], 4);
    assert_eq!(measured["protocol"], "h2");
}
