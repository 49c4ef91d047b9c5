//! The records of single calls: the call log, the trace, the first reply, and the facts of connections.

use driver::{Act, Nanos};
use engine::RECORD_BYTES;
use engine::simulation::Counters;
use serde_json::{Value, json};

use crate::server::{MS, PONG, SECOND, Server, plan, pong_after, requests, run};

/// A record, as the engine encodes it: times in milliseconds, then the other fields.
#[derive(Debug, PartialEq)]
struct Record {
    due: u64,
    sent: u64,
    connect_began: u64,
    connected: u64,
    first_byte: u64,
    done: u64,
    body_bytes: u64,
    connection: u32,
    header_bytes: u32,
    status: u16,
    error: u8,
    flags: u8,
}

fn records(counters: &Counters) -> Vec<Record> {
    let bytes = counters.records.call_log.as_ref().unwrap().to_bytes();
    let record = |bytes: &[u8]| {
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let short = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        Record {
            due: long(0) / MS,
            sent: long(8) / MS,
            connect_began: long(16) / MS,
            connected: long(24) / MS,
            first_byte: long(32) / MS,
            done: long(40) / MS,
            body_bytes: long(48),
            connection: short(56),
            header_bytes: short(64),
            status: u16::from_le_bytes([bytes[68], bytes[69]]),
            error: bytes[70],
            flags: bytes[71],
        }
    };
    bytes.chunks(RECORD_BYTES).map(record).collect()
}

fn logged(more: Value) -> Value {
    let mut fields = json!({"call_log": {}});
    let (Value::Object(all), Value::Object(more)) = (&mut fields, more) else {
        unreachable!("both are objects");
    };
    all.extend(more);
    fields
}

fn closed(connections: u32) -> Value {
    json!({"kind": "closed", "connections": connections})
}

#[test]
fn each_measured_call_has_a_record_with_its_times_and_sizes() {
    let mut server = Server::answering(|_, _| pong_after(20 * MS));
    server.connect = 5 * MS;
    let more = json!({
        "warm_up_s": 0.3, "stop": {"duration_s": 0.4}, "calls_per_connection": 2,
    });
    let (counters, _) = run(&plan(requests(10.0, 1), logged(more)), server);
    let found = records(&counters);
    assert_eq!(found.len(), 4, "the warm-up is not recorded");
    for (index, record) in found.iter().enumerate() {
        let due = 300 + 100 * index as u64;
        // Three calls of the warm-up: the first measured one is the second on its connection.
        let opens = index % 2 == 1;
        let sent = if opens { due + 5 } else { due };
        let expected = Record {
            due,
            sent,
            connect_began: if opens { due } else { 0 },
            connected: if opens { due + 5 } else { 0 },
            first_byte: sent + 20,
            done: sent + 20,
            body_bytes: 4,
            connection: [1, 2, 2, 3][index],
            header_bytes: PONG.len() as u32 - 4,
            status: 200,
            error: 0,
            flags: 4,
        };
        assert_eq!(*record, expected);
    }
}

#[test]
fn failed_calls_are_recorded_with_their_class_and_what_came_of_their_reply() {
    let answer = |number, _| match number {
        0 => vec![
            (MS, Act::Reply(PONG[..PONG.len() - 1].to_vec())),
            (3 * MS, Act::End),
        ],
        1 => vec![(MS, Act::Reply(PONG[..20].to_vec())), (3 * MS, Act::Reset)],
        2 => vec![(
            MS,
            Act::Reply(b"HTTP/1.0 500 No\r\nContent-Length: 0\r\n\r\n".to_vec()),
        )],
        _ => vec![],
    };
    let stop = json!({"stop": {"count": 4, "duration_s": 1.0, "drain_s": 0.5}});
    let (counters, _) = run(&plan(closed(1), logged(stop)), Server::answering(answer));
    let head = PONG.len() as u32 - 4;
    let found: Vec<_> = records(&counters)
        .into_iter()
        .map(|r| {
            (
                r.error,
                r.flags,
                r.status,
                r.header_bytes,
                r.body_bytes,
                r.done,
            )
        })
        .collect();
    let expected = [
        (7, 0, 200, head, 3, 3),
        (6, 0, 0, 20, 0, 6),
        (0, 1, 500, 38, 0, 7),
        (20, 0, 0, 0, 0, 1500),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_call_that_fails_before_its_reply_has_nothing_of_the_one_before() {
    let answer = |number: usize, _| match number {
        0 => vec![(MS, Act::Reply(PONG.to_vec()))],
        1 => vec![(MS, Act::Reset)],
        _ => vec![(
            MS,
            Act::Reply(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nPING".to_vec()),
        )],
    };
    let same = json!([{"path": "/pong", "expect": {"body": {"same": true}}}]);
    let more = json!({"requests": same, "stop": {"count": 3}});
    let (counters, _) = run(&plan(closed(1), logged(more)), Server::answering(answer));
    let found = records(&counters);
    let sizes: Vec<_> = found
        .iter()
        .map(|one| (one.header_bytes > 0, one.body_bytes))
        .collect();
    assert_eq!(sizes, [(true, 4), (false, 0), (true, 4)]);
    // The first reply is still the one to compare with.
    assert_eq!((counters.calls.ok, counters.calls.wrong_body), (1, 1));
}

#[test]
fn the_call_log_ends_at_its_limit_and_is_not_kept_unless_asked_for() {
    let server = || Server::answering(|_, _| pong_after(MS));
    let (counters, _) = run(
        &plan(requests(100.0, 4), json!({"call_log": {"most": 7}})),
        server(),
    );
    assert_eq!((records(&counters).len(), counters.calls.ok), (7, 100));
    let (counters, _) = run(&plan(requests(100.0, 4), json!({})), server());
    assert!(counters.records.call_log.is_none());
}

#[test]
fn a_burst_is_recorded_call_by_call() {
    let answer = |number, _| match number {
        0..4 => pong_after(MS),
        _ => vec![(MS, Act::Reset)],
    };
    let more = json!({"burst": 3, "stop": {"count": 6, "drain_s": 0.1}});
    let (counters, _) = run(&plan(closed(1), logged(more)), Server::answering(answer));
    let ends: Vec<u8> = records(&counters).iter().map(|one| one.error).collect();
    assert_eq!(ends, [0, 0, 0, 0, 6, 6]);
    assert_eq!(counters.calls.ok, 4);
}

#[test]
fn connections_are_counted_by_error_however_many_calls_fail_with_them() {
    let resetting = Server::answering(|_, _| vec![(MS, Act::Reset)]);
    let more = json!({"burst": 3, "stop": {"count": 6, "drain_s": 0.1}});
    let (counters, _) = run(&plan(closed(1), more.clone()), resetting);
    assert_eq!(counters.calls.failed(), 6);
    let found = serde_json::to_value(counters.connections.summary()).unwrap();
    assert_eq!(
        (&found["errors"], &found["begun"]),
        (&json!({"reset": 2}), &json!(2))
    );
    assert_eq!(found["lifetime"]["count"], 0, "no reply");

    let mut refusing = Server::answering(|_, _| vec![]);
    refusing.accepts = false;
    let (counters, _) = run(&plan(closed(1), more), refusing);
    let found = serde_json::to_value(counters.connections.summary()).unwrap();
    assert_eq!(
        (&found["errors"], &found["opened"]),
        (&json!({"refused": 2}), &json!(0))
    );
}

#[test]
fn a_lifetime_lasts_from_connecting_to_closing() {
    let mut server = Server::answering(|_, _| pong_after(20 * MS));
    server.connect = 5 * MS;
    let more = json!({"calls_per_connection": 2, "stop": {"count": 10}});
    let (counters, _) = run(&plan(closed(1), more), server);
    let lifetime = &serde_json::to_value(counters.connections.summary()).unwrap()["lifetime"];
    assert_eq!(lifetime["count"], 5);
    assert_eq!(
        (&lifetime["min_ns"], &lifetime["max_ns"]),
        (&json!(45 * MS), &json!(45 * MS))
    );
}

#[test]
fn connections_begun_in_one_iteration_are_counted_together() {
    let server = || Server::answering(|_, _| pong_after(MS));
    let (counters, _) = run(&plan(closed(64), json!({"stop": {"count": 640}})), server());
    assert_eq!(
        (
            counters.connections.begun_together,
            counters.connections.begun
        ),
        (64, 64)
    );
    let more = json!({"stop": {"count": 20}, "keep_alive": false});
    let (counters, _) = run(&plan(requests(100.0, 64), more), server());
    assert_eq!(
        (
            counters.connections.begun_together,
            counters.connections.begun
        ),
        (1, 20)
    );
}

#[test]
fn the_parts_of_replies_are_counted_apart() {
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let early = b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n";
    let answer = |number, _| {
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let early: &[u8] = b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n";
        let body = b"2\r\nPO\r\n2;x\r\nNG\r\n0\r\nA: b\r\nC: d\r\n\r\n";
        let all = [if number == 0 { early } else { b"" }, head, body].concat();
        let (first, second) = all.split_at(all.len() - 30);
        vec![
            (MS, Act::Reply(first.to_vec())),
            (2 * MS, Act::Reply(second.to_vec())),
        ]
    };
    let (counters, _) = run(
        &plan(closed(1), json!({"stop": {"count": 10}})),
        Server::answering(answer),
    );
    assert_eq!(counters.calls.ok, 10);
    let found = serde_json::to_value(counters.replies).unwrap();
    let expected = json!({
        "header_bytes": 10 * head.len() + early.len(),
        "content_bytes": 40,
        "footer_bytes": 120,
        "largest": head.len() + early.len() + 4 + 12,
        "checked": 10,
        "wrong": 0,
        "unlike": 0,
        "other_size": 0,
        "same_other": 0,
    });
    assert_eq!(found, expected);
}

/// The first bytes of a reply, one every 50 ms.
fn dribble(bytes: usize) -> Vec<(Nanos, Act)> {
    (0_u64..)
        .zip(&PONG[..bytes])
        .map(|(index, byte)| (index * 50 * MS, Act::Reply(vec![*byte])))
        .collect()
}

#[test]
fn a_server_that_makes_no_progress_is_left_after_the_idle_timeout() {
    let more = json!({
        "timeouts": {"idle_s": 0.08, "reply_s": null}, "stop": {"count": 1}, "call_log": {},
    });
    let first = |server| {
        let (counters, _) = run(&plan(closed(1), more.clone()), server);
        let record = records(&counters).remove(0);
        (record.error, record.done)
    };
    let (error, _) = first(Server::answering(|_, _| dribble(PONG.len())));
    assert_eq!(error, 0, "each byte is progress");
    let cut = first(Server::answering(|_, _| dribble(3)));
    assert_eq!(cut, (3, 180), "80 ms after the last byte");
    let silent = first(Server::answering(|_, _| vec![]));
    assert_eq!(silent, (2, 80), "no first byte");
}

#[test]
fn the_first_byte_timeout_takes_the_place_of_the_idle_timeout_and_connecting_has_both() {
    let more = json!({
        "timeouts": {"idle_s": 0.1, "first_byte_s": 0.3, "connect_s": 5.0, "reply_s": null},
        "stop": {"count": 1}, "call_log": {},
    });
    let (counters, _) = run(
        &plan(closed(1), more.clone()),
        Server::answering(|_, _| pong_after(250 * MS)),
    );
    assert_eq!(counters.calls.ok, 1);
    let silent = Server::answering(|_, _| vec![]);
    let (counters, _) = run(&plan(closed(1), more.clone()), silent);
    assert_eq!(
        (records(&counters)[0].error, records(&counters)[0].done),
        (2, 300)
    );
    let mut far = Server::answering(|_, _| pong_after(MS));
    far.connect = SECOND;
    let (counters, _) = run(&plan(closed(1), more), far);
    assert_eq!(
        (records(&counters)[0].error, records(&counters)[0].done),
        (1, 100)
    );
}
