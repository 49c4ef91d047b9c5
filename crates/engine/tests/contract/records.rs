//! The records of single calls, and the settings of sockets.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use engine::{Plan, RECORD_BYTES};
use serde_json::{Value, json};

use crate::rig::{Rig, big, closed, measure, pong, requests, sessions};

/// Runs a plan; returns the measurement and the number of distinct connections in its call log, whose records are in
/// order.
fn logged(plan: &Plan) -> (Value, Vec<u32>) {
    let run = engine::start(plan).unwrap();
    let measured = serde_json::to_value(run.result().unwrap()).unwrap();
    let log = run.call_log().unwrap();
    let done = |record: &[u8]| u64::from_le_bytes(record[40..48].try_into().unwrap());
    let times: Vec<u64> = log.chunks(RECORD_BYTES).map(done).collect();
    assert!(times.is_sorted());
    let connection = |record: &[u8]| u32::from_le_bytes(record[56..60].try_into().unwrap());
    (measured, log.chunks(RECORD_BYTES).map(connection).collect())
}

pub fn the_call_log_has_every_call_and_connection_of_all_threads(rig: &Rig) {
    for (load, more) in [
        (closed(6), json!({"keep_alive": false})),
        (closed(6), json!({"burst": 5, "calls_per_connection": 10})),
        (requests(5000.0, 32), json!({})),
        (sessions(500.0, 4), json!({"stop": {"count": 250}})),
    ] {
        let mut fields = json!({"threads": 3, "call_log": {}});
        let (Value::Object(all), Value::Object(more)) = (&mut fields, more) else {
            unreachable!("both are objects");
        };
        all.extend(more);
        let (measured, connections) = logged(&rig.plan(&load, &fields));
        assert_eq!(connections.len(), 1000, "{load}: {measured}");
        let distinct = BTreeSet::from_iter(connections).len() as u64;
        assert_eq!(measured["connections"]["opened"], distinct, "{load}");
        assert_eq!(measured["connections"]["begun"], distinct, "{load}");
    }
}

pub fn lifetimes_and_parts_of_replies_are_measured(rig: &Rig) {
    let more = json!({
        "requests": [pong("/pong?chunked=1&interim=1")], "calls_per_connection": 5,
        "stop": {"count": 100},
    });
    let measured = rig.run(&closed(4), &more);
    // The last connection of each of the four may carry fewer calls.
    let lifetimes = measured["connections"]["lifetime"]["count"]
        .as_u64()
        .unwrap();
    assert!((20..=23).contains(&lifetimes), "{lifetimes}");
    let replies = &measured["replies"];
    assert_eq!(replies["content_bytes"], 400);
    let [header, footer] =
        ["header_bytes", "footer_bytes"].map(|name| replies[name].as_u64().unwrap());
    assert_eq!(
        replies["largest"],
        (header + footer) / 100 + 4,
        "all have the same length"
    );
    let received = measured["bytes_received"].as_u64().unwrap();
    assert!(header + footer + 400 < received, "chunks have framing");
}

pub fn the_first_reply_shows_its_head(rig: &Rig) {
    let measured = rig.run(&closed(4), &json!({"requests": [pong("/pong?interim=2")]}));
    let first = &measured["first_reply"];
    assert_eq!(
        (&first["status"], &first["http"]),
        (&json!(200), &json!("1.1"))
    );
    assert_eq!(first["body_bytes"], 4);
    let headers = first["headers"].as_array().unwrap();
    assert!(headers.contains(&json!(["Content-Length", "4"])), "{first}");
}

pub fn the_trace_has_what_was_sent_and_what_came(rig: &Rig) {
    let post = json!({"path": "/pong?chunked=1", "method": "POST", "body": {"text": "one"}});
    let more = json!({
        "requests": [pong("/pong"), post], "burst": 2, "stop": {"count": 4},
        "trace": {"requests": "whole", "replies": "whole"},
    });
    let plan = rig.plan(&closed(1), &more);
    let run = engine::start(&plan).unwrap();
    let parts = run.trace().unwrap();
    let text = |call: u64, name: &str| {
        let mut found = parts.iter().filter(|part| part.0 == call && part.1 == name);
        found
            .next()
            .map(|part| String::from_utf8(part.2.clone()).unwrap())
    };
    for call in [0, 2] {
        let request = text(call, "request_head").unwrap();
        assert!(request.starts_with("GET /pong HTTP/1.1\r\n") && request.ends_with("\r\n\r\n"));
        assert_eq!(text(call, "request_body"), None);
        assert_eq!(text(call + 1, "request_body").unwrap(), "one");
        for answered in [call, call + 1] {
            let reply = text(answered, "reply_head").unwrap();
            assert!(reply.starts_with("HTTP/1.1 200 ") && reply.ends_with("\r\n\r\n"));
            assert_eq!(
                text(answered, "reply_body").unwrap(),
                "PONG",
                "without framing"
            );
        }
    }
    assert_eq!(parts.len(), 14);
}

pub fn connections_are_closed_with_a_reset_if_so_planned(rig: &Rig) {
    for resets in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let end = thread::spawn(move || {
            // The first connection only shows that the server is there.
            let _ = listener.accept().unwrap();
            let (mut stream, _) = listener.accept().unwrap();
            let mut room = [0; 1024];
            assert!(stream.read(&mut room).unwrap() > 0);
            let reply = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nPONG";
            stream.write_all(reply).unwrap();
            stream.read(&mut room)
        });
        let more = json!({
            "target": {"host": "127.0.0.1", "port": port}, "stop": {"count": 1},
            "keep_alive": false, "source": {"close_with_reset": resets},
        });
        assert_eq!(measure(&rig.plan(&closed(1), &more))["calls"]["ok"], 1);
        let end = end.join().unwrap();
        if resets {
            let error = end.unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
        } else {
            assert_eq!(end.unwrap(), 0);
        }
    }
}

pub fn small_socket_buffers_carry_large_messages(rig: &Rig) {
    let body = "x".repeat(300_000);
    let request = json!({
        "path": "/big", "method": "POST", "body": {"text": body},
        "expect": {"status": [200], "body": {"length": big().len()}},
    });
    let source = json!({"send_buffer_bytes": 4096, "receive_buffer_bytes": 16384});
    let more = json!({"requests": [request], "source": source, "stop": {"count": 6}});
    assert_eq!(rig.run(&closed(2), &more)["calls"]["ok"], 6);
}
