//! HTTP/2 in clear text: several calls at once on a connection.

use engine::Kind;
use reference::hostile::{Act, Hostile};
use serde_json::{Value, json};

use crate::rig::{Rig, Scratch, big, closed, measure, pong, requests};

/// Fields of a plan for HTTP/2 with so many streams, and more.
pub fn streams(streams: u32, more: Value) -> Value {
    let mut fields = json!({"http": "2", "http2": {"streams": streams}});
    let (Value::Object(all), Value::Object(more)) = (&mut fields, more) else {
        unreachable!("both are objects");
    };
    all.extend(more);
    fields
}

pub fn streams_send_exactly_the_count_of_each_load(rig: &Rig) {
    let mut seen = 0;
    for (load, each, more, opened) in [
        (closed(4), 1, json!({}), 4),
        (closed(3), 10, json!({}), 3),
        (closed(5), 100, json!({"threads": 2}), 5),
        (requests(5000.0, 4), 8, json!({"seed": 3}), 4),
        (
            json!({"kind": "sessions", "calls": 10, "max_open": 5, "arrivals": null}),
            4,
            json!({"burst": 8, "stop": {"count": 100}}),
            100,
        ),
        (
            closed(2),
            5,
            json!({"http2": {"streams": 5, "encoder_table": 4096}}),
            2,
        ),
        (
            closed(2),
            5,
            json!({"http2": {"streams": 5, "header_table": 0}}),
            2,
        ),
    ] {
        let measured = rig.run(&load, &streams(each, more));
        seen += 1000;
        assert_eq!(measured["calls"]["ok"], 1000, "{load} {measured}");
        assert_eq!(rig.server.requests(), seen);
        assert_eq!(measured["protocol"], "h2");
        assert_eq!(measured["connections"]["opened"], opened, "{load}");
        assert_eq!(measured["body_bytes"], 4000);
        assert_eq!(measured["first_reply"]["http"], "2");
    }
}

pub fn a_trace_has_the_fields_and_the_bodies_of_streams(rig: &Rig) {
    let post = json!({"path": "/pong", "method": "POST", "body": {"text": "one"}});
    let more = json!({
        "requests": [{"path": "/pong"}, post], "stop": {"count": 8},
        "trace": {"requests": "whole", "replies": "whole"},
    });
    let run = engine::start(&rig.plan(&closed(1), &streams(4, more))).unwrap();
    let parts = run.trace().unwrap();
    let text = |call: u64, name: &str| {
        let mut found = parts.iter().filter(|part| part.0 == call && part.1 == name);
        found
            .next()
            .map(|part| String::from_utf8(part.2.clone()).unwrap())
    };
    for call in 0..8 {
        let (head, reply) = (
            text(call, "request_head").unwrap(),
            text(call, "reply_head"),
        );
        let is_post = head.starts_with(":method: POST\r\n");
        assert!(head.contains("\r\n:path: /pong\r\n") && head.ends_with("\r\n\r\n"));
        assert_eq!(text(call, "request_body"), is_post.then(|| "one".into()));
        assert!(reply.unwrap().starts_with(":status: 200\r\n"));
        assert_eq!(text(call, "reply_body").unwrap(), "PONG");
    }
    let posts = parts.iter().filter(|part| part.1 == "request_body");
    assert_eq!((posts.count(), parts.len()), (4, 28));
}

pub fn connections_carry_the_planned_number_of_streams(rig: &Rig) {
    for (more, least) in [
        (json!({"calls_per_connection": 10}), 100),
        (json!({"keep_alive": false, "http2": {"streams": 1}}), 1000),
    ] {
        let measured = rig.run(&closed(4), &streams(3, more));
        assert_eq!(measured["calls"]["ok"], 1000, "{measured}");
        let opened = measured["connections"]["opened"].as_u64().unwrap();
        // The last connection of each may carry fewer.
        assert!((least..least + 12).contains(&opened), "{opened}");
    }
}

pub fn streams_carry_large_bodies_both_ways(rig: &Rig) {
    let name = format!("streams-{}", rig.driver);
    let right = Scratch::file(&name, &big());
    let upload = Scratch::file(&format!("{name}-up"), &vec![b'x'; 3_000_000]);
    let down = json!({"path": "/big", "expect": {"body": {"file": right.0}}});
    let up = json!({"method": "POST", "path": "/pong", "body": {"file": upload.0}, "expect": {"body": {"text": "PONG"}}});
    for settings in [
        json!({"streams": 8}),
        json!({"streams": 8, "window": 20_000, "connection_window": 65_535}),
    ] {
        let more =
            json!({"http": "2", "http2": settings, "requests": [down, up], "stop": {"count": 60}});
        let measured = rig.run(&closed(2), &more);
        assert_eq!(measured["calls"]["ok"], 60, "{measured}");
        assert!(measured["body_bytes"].as_u64().unwrap() > 30 * 550_000);
        assert!(measured["bytes_sent"].as_u64().unwrap() > 30 * 3_000_000);
        // A body of 550,000 bytes needs a window of 20,000 bytes again and again.
        let used_up = measured["http2"]["windows_used_up"].as_u64().unwrap();
        let is_small = more["http2"]["window"] == 20_000;
        assert_eq!(used_up > 30, is_small, "{used_up}");
    }
}

pub fn a_fault_of_a_stream_fails_its_call_alone(rig: &Rig) {
    let of = |fault: &str| {
        let more = json!({
            "requests": [pong(&format!("/pong?fault={fault}")), pong("/pong")],
            "stop": {"count": 40, "duration_s": 20.0, "drain_s": 1.0},
            "timeouts": {"reply_s": 0.5},
        });
        rig.run(&closed(1), &streams(4, more))
    };
    for (fault, class) in [
        ("reset", "stream_reset"),
        ("half", "stream_reset"),
        ("never", "reply_timeout"),
    ] {
        let measured = of(fault);
        assert_eq!(measured["calls"]["errors"], json!({class: 20}), "{fault}");
        assert_eq!(measured["calls"]["ok"], 20);
        assert_eq!(measured["connections"]["opened"], 1, "{fault}: {measured}");
    }
    let measured = of("close");
    let errors = &measured["calls"]["errors"];
    // A server that closes before it has read all that came resets the connection.
    let ended = ["early_close", "reset"].map(|class| errors[class].as_u64().unwrap_or(0));
    assert!(ended.iter().sum::<u64>() >= 20, "{errors}");
    assert_eq!(
        of("reset")["http2"]["resets"],
        json!({"INTERNAL_ERROR": 20})
    );
    assert_eq!(of("never")["http2"]["cancels"], 20);
}

pub fn a_server_without_http2_is_told_before_the_run(rig: &Rig) {
    let reply = b"HTTP/1.1 400 Bad\x1b Request\r\nContent-Length: 0\r\n\r\n";
    let hostile = Hostile::start(move |_| vec![Act::Send(reply.to_vec())]).unwrap();
    let address = hostile.address();
    let mut plan = rig.plan(&closed(1), &streams(2, json!({})));
    plan.target.host = address.ip().to_string();
    plan.target.port = address.port();
    let error = engine::start(&plan).unwrap().result().unwrap_err();
    assert_eq!(error.kind, Kind::Target);
    let message = error.to_string();
    assert!(message.contains("does not speak HTTP/2"), "{message}");
    assert!(message.contains("`HTTP/1.1 400 Bad Request`"), "{message}");
    plan.preflight = false;
    plan.stop.count = Some(2);
    let measured = measure(&plan);
    assert_eq!(measured["calls"]["errors"], json!({"protocol": 2}));
}
