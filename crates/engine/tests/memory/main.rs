//! The memory of the engine, measured by a counting allocator: nothing per call, little per connection, and no more for
//! a hostile server. The counts are those of the process, so these tests run one after the other.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop there"
)]

mod counting;
mod frugal;

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use counting::Counting;
use engine::{Plan, Run};
use frugal::Frugal;
use reference::hostile::{Act, Hostile};
use serde_json::{Value, json};

#[global_allocator]
static MEMORY: Counting = Counting::new();

/// Most bytes that the engine may hold for an idle connection, spare capacity included.
const MOST_IDLE: usize = 512;
/// Allocations per second that are not made by calls: progress is published ten times, each time with quantiles.
const A_SECOND: u64 = 256;
/// Most bytes that a hostile server may make the engine hold in addition to a plain one: 1 MiB.
const MOST_HOSTILE: usize = 1 << 20;
/// Most bytes held for a peer of HTTP/2 that reads nothing, the buffers of `io_uring` included: 16 MiB.
const MOST_UNREAD: usize = 16 << 20;
const PATIENCE: Duration = Duration::from_secs(20);

const PONG: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nPONG";

fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn plan(driver: &str, address: SocketAddr, more: &Value) -> Plan {
    let mut plan = json!({
        "target": {"host": address.ip(), "port": address.port()},
        "driver": driver,
        "requests": [{"path": "/", "expect": {"status": [200], "body": {"text": "PONG"}}}],
        "stop": {"duration_s": 600.0, "drain_s": 0.0},
    });
    let (Value::Object(fields), Value::Object(more)) = (&mut plan, more) else {
        unreachable!("both are objects");
    };
    fields.extend(more.clone());
    serde_json::from_value(plan).unwrap()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "{what} did not come about");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn end(run: &Run) {
    run.stop();
    run.stop();
    run.result().unwrap().calls.check().unwrap();
}

/// Allocations and seconds between the calls with these numbers.
fn allocations(driver: &str, server: &Frugal, more: &Value, from: u64, to: u64) -> (u64, u64) {
    let run = engine::start(&plan(driver, server.address, more)).unwrap();
    until("the warm-up", || server.requests() >= from);
    let (begun, before) = (Instant::now(), MEMORY.allocations());
    until("the last call", || server.requests() >= to);
    let asked = MEMORY.allocations() - before;
    let seconds = begun.elapsed().as_secs() + 1;
    end(&run);
    (asked, seconds)
}

fn nothing_is_allocated_per_call(driver: &str) {
    let _alone = alone();
    let steady =
        json!({"spacing": "constant", "segments": [{"from_per_s": 15e3, "to_per_s": 15e3}]});
    let closed = json!({"load": {"kind": "closed", "connections": 8}});
    let requests = json!({"load": {"kind": "requests", "connections": 8, "arrivals": steady}});
    let mut endpoints = closed.clone();
    endpoints["requests"] = json!([{"path": "/one"}, {"path": "/two"}, {"path": "/three"}]);
    let (head, body) = PONG.split_at(20);
    let split: &'static [&'static [u8]] = Box::leak(Box::new([head, body]));
    for reply in [&[PONG], split] {
        for load in [&closed, &requests, &endpoints] {
            let server = Frugal::start(8, reply);
            let (asked, seconds) = allocations(driver, &server, load, 3_000, 15_000);
            assert!(
                asked <= A_SECOND * seconds,
                "{asked} in {seconds} s of 12,000 calls: {load}"
            );
        }
    }
}

fn nothing_is_allocated_for_streams(driver: &str) {
    let _alone = alone();
    let upload = json!({"method": "POST", "path": "/", "body": {"text": "x".repeat(3_000)}});
    let plain = json!({"path": "/", "expect": {"status": [200], "body": {"text": "PONG"}}});
    // Where the socket is full, what is left of an upload waits in memory of its own: of some calls, not of each.
    for (requests, table, waits) in [
        (json!([plain]), 0, 0),
        (json!([plain, upload]), 4096, 2_400),
    ] {
        let more = json!({
            "http": "2", "http2": {"streams": 10, "encoder_table": table}, "requests": requests,
            "load": {"kind": "closed", "connections": 4},
        });
        let server = Frugal::start_http2(4, &[b"PO", b"NG"]);
        let (asked, seconds) = allocations(driver, &server, &more, 3_000, 15_000);
        assert!(
            asked <= A_SECOND * seconds + waits,
            "{asked} in {seconds} s of 12,000 calls"
        );
    }
}

fn nothing_is_allocated_for_values(driver: &str) {
    let _alone = alone();
    let mut more = json!({
        "load": {"kind": "closed", "connections": 8},
        "requests": [{
            "method": "POST", "path": "/{random:1:10000}?{uuid}", "placeholders": true,
            "headers": [["X-At", "{now}"], ["Content-Type", "application/json"]],
            "body": {"text": r#"{"n": {zipf:1:10000:1.1}, "c": "{choice:a,bb}"}"#},
        }],
    });
    for http in ["1.1", "2"] {
        more["http"] = json!(http);
        let server = match http {
            "2" => Frugal::start_http2(8, &[b"PONG"]),
            _ => Frugal::start(8, &[PONG]),
        };
        let (asked, seconds) = allocations(driver, &server, &more, 3_000, 15_000);
        assert!(
            asked <= A_SECOND * seconds,
            "HTTP/{http}: {asked} in {seconds} s of 12,000 calls"
        );
    }
}

/// A request whose replies have values, as sessions of such a load keep them.
fn login() -> Value {
    let keep = |name: &str, kind: &str, text: &str| json!({"name": name, "source": {kind: text}});
    json!({"path": "/login", "keep": [
        keep("token", "json", "/user/token"),
        keep("id", "regex", "\"id\": ([0-9]+)"),
        keep("csrf", "header", "X-Csrf"),
        keep("sid", "cookie", "sid"),
    ]})
}

fn nothing_is_allocated_for_kept_values(driver: &str) {
    let _alone = alone();
    let reply: &[u8] = b"HTTP/1.1 200 OK\r\nX-Csrf: c1\r\nSet-Cookie: sid=s1; Path=/\r\nContent-Length: 52\r\n\r\n\
        {\"user\": {\"id\": 7, \"token\": \"c2d8f0cc7a004a13afb7\"}}";
    let (first, second) = reply.split_at(100);
    let split: &'static [&'static [u8]] = Box::leak(Box::new([first, second]));
    let whole: &'static [&'static [u8]] = Box::leak(Box::new([reply]));
    let more = json!({
        "load": {"kind": "sessions", "arrivals": null, "max_open": 8},
        "requests": [login(), {
            "path": "/{id}?{token}", "placeholders": true,
            "headers": [["X-Csrf", "{csrf}"], ["Cookie", "sid={sid}"]],
        }],
        "scripts": [[{"requests": [0]}, {"requests": [1]}, {"requests": [1]}, {"requests": [1]}]],
    });
    for reply in [whole, split] {
        let server = Frugal::start(8, reply);
        let (asked, seconds) = allocations(driver, &server, &more, 3_000, 15_000);
        assert!(
            asked <= A_SECOND * seconds,
            "{asked} in {seconds} s of 12,000 calls"
        );
    }
}

/// Bytes held for this many open and idle connections.
fn held_idle(driver: &str, server: &Frugal, connections: u64) -> usize {
    let before = MEMORY.held();
    let more = json!({
        "load": {"kind": "closed", "connections": connections}, "think_s": 600.0,
    });
    let run = engine::start(&plan(driver, server.address, &more)).unwrap();
    until("the last reply", || run.progress().ok == connections);
    let held = MEMORY.held() - before;
    end(&run);
    held
}

fn an_idle_connection_takes_little(driver: &str) {
    let _alone = alone();
    let (head, body) = PONG.split_at(20);
    let split: &'static [&'static [u8]] = Box::leak(Box::new([head, body]));
    for reply in [&[PONG], split] {
        let server = Frugal::start(600, reply);
        // Just above a power of two, where lists that double have most spare capacity.
        let (few, many) = (
            held_idle(driver, &server, 260),
            held_idle(driver, &server, 520),
        );
        let each = many.saturating_sub(few) / 260;
        assert!(
            (32..=MOST_IDLE).contains(&each),
            "{each} bytes a connection: {few} of 260, {many} of 520"
        );
    }
}

/// Most bytes held during a run of one call to a server that acts in this way.
fn peak_of(driver: &str, acts: Vec<Act>, more: &Value) -> usize {
    let server = Hostile::start(move |_| acts.clone()).unwrap();
    let plan = plan(driver, server.address(), more);
    let before = MEMORY.held();
    MEMORY.take_peak();
    let measured = engine::start(&plan).unwrap().result().unwrap();
    assert_eq!(measured.calls.ended(), 1);
    MEMORY.take_peak() - before
}

fn a_flood_takes_no_more_than_a_plain_reply(driver: &str) {
    let _alone = alone();
    let closed = json!({
        "load": {"kind": "closed", "connections": 1}, "timeouts": {"reply_s": 0.25},
        "stop": {"count": 1, "duration_s": 5.0},
    });
    floods_take_little(driver, &closed);
    let mut sessions = closed;
    sessions["load"] = json!({"kind": "sessions", "arrivals": null});
    sessions["requests"] = json!([login()]);
    sessions["scripts"] = json!([[{"requests": [0]}]]);
    floods_take_little(driver, &sessions);
}

fn floods_take_little(driver: &str, more: &Value) {
    let plain = peak_of(driver, vec![Act::Send(PONG.to_vec())], more);
    for (start, again) in [
        ("HTTP/1.1 200 OK\r\n", "A: b\r\n"),
        ("HTTP/1.1 200 OK\r\n", "x"),
        ("HTTP/1.1 200 OK\r\n\r\n", "x"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "1\r\nx\r\n",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
            "A: b\r\n",
        ),
        ("", "\r\n"),
        ("", "HTTP/1.1 100 Continue\r\n\r\n"),
        ("", "\u{1}\u{2}\u{3}"),
    ] {
        let flood = Act::Repeat(again.repeat(30_000 / again.len()).into_bytes());
        let acts = vec![Act::Send(start.as_bytes().to_vec()), flood];
        let peak = peak_of(driver, acts, more);
        let beyond = peak.saturating_sub(plain);
        assert!(
            beyond <= MOST_HOSTILE,
            "{beyond} bytes more for {start:?} and {again:?}"
        );
    }
}

/// A frame of HTTP/2: its kind, its flags, its stream, its payload.
fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    let head = [&length[1..], &[kind, flags, 0, 0, 0, stream]].concat();
    [&head, payload].concat()
}

fn a_flood_of_frames_takes_no_more_than_a_plain_reply(driver: &str) {
    let _alone = alone();
    let more = json!({
        "http": "2", "preflight": false, "load": {"kind": "closed", "connections": 1},
        "timeouts": {"reply_s": 0.25}, "stop": {"count": 1, "duration_s": 5.0},
    });
    let after_settings = |acts: Vec<Act>| {
        let pause = Act::Pause(Duration::from_millis(20));
        [vec![Act::Send(frame(4, 0, 0, &[])), pause], acts].concat()
    };
    let head = frame(1, 4, 1, &[0x88]);
    let reply = [head.clone(), frame(0, 1, 1, b"PONG")].concat();
    let plain = peak_of(driver, after_settings(vec![Act::Send(reply)]), &more);
    let field = &[0x40, 2, b'a', b'b', 1, b'c'];
    for (name, start, again) in [
        (
            "CONTINUATION",
            frame(1, 0, 1, &[0x88]),
            frame(9, 0, 1, field),
        ),
        (
            "large CONTINUATION",
            frame(1, 0, 1, &[0x88]),
            frame(9, 0, 1, &[0; 16_000]),
        ),
        (
            "heads of other streams",
            head.clone(),
            frame(1, 4, 1, field),
        ),
        ("DATA", head.clone(), frame(0, 0, 1, &[b'x'; 16_000])),
        (
            "padding",
            head,
            frame(0, 8, 1, &[[250].as_slice(), &[0; 250]].concat()),
        ),
        ("PING", vec![], frame(6, 0, 0, &[0; 8])),
        ("SETTINGS", vec![], frame(4, 0, 0, &[0, 1, 0, 0, 255, 255])),
        ("unknown frames", vec![], frame(99, 0, 1, &[0; 16_000])),
    ] {
        let flood = Act::Repeat(again.repeat(60_000 / again.len()));
        let acts = after_settings(vec![Act::Send(start), flood]);
        let beyond = peak_of(driver, acts, &more).saturating_sub(plain);
        assert!(beyond <= MOST_HOSTILE, "{beyond} bytes more for {name}");
    }
}

/// A server of HTTP/2 that reads nothing after its settings, while calls time out and others follow.
fn a_server_that_reads_nothing_is_not_sent_for_ever(driver: &str) {
    let _alone = alone();
    let settings = Act::Send(vec![0, 0, 0, 4, 0, 0, 0, 0, 0]);
    let acts = vec![settings, Act::Deaf(Duration::from_secs(3))];
    let server = Hostile::start(move |_| acts.clone()).unwrap();
    let more = json!({
        "http": "2", "http2": {"streams": 100}, "load": {"kind": "closed", "connections": 1},
        "requests": [{"path": "/", "headers": [["X", "x".repeat(8_000)]]}],
        "timeouts": {"reply_s": 0.001}, "stop": {"duration_s": 1.0, "drain_s": 0.0},
    });
    let plan = plan(driver, server.address(), &more);
    let before = MEMORY.held();
    MEMORY.take_peak();
    let measured = engine::start(&plan).unwrap().result().unwrap();
    measured.calls.check().unwrap();
    let peak = MEMORY.take_peak() - before;
    assert!(measured.calls.failed() > 1_000, "{:?}", measured.calls);
    assert!(peak <= MOST_UNREAD, "{peak} bytes");
}

macro_rules! on_both_drivers {
    ($($case:ident),* $(,)?) => {
        mod io_uring {
            $(#[test] fn $case() { crate::$case("io_uring"); })*
        }
        mod epoll {
            $(#[test] fn $case() { crate::$case("epoll"); })*
        }
    };
}

on_both_drivers!(
    nothing_is_allocated_per_call,
    nothing_is_allocated_for_streams,
    a_server_that_reads_nothing_is_not_sent_for_ever,
    nothing_is_allocated_for_values,
    nothing_is_allocated_for_kept_values,
    an_idle_connection_takes_little,
    a_flood_takes_no_more_than_a_plain_reply,
    a_flood_of_frames_takes_no_more_than_a_plain_reply,
);
