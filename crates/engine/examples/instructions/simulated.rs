//! The engine in virtual time.

use std::error::Error;

use driver::{Act, Nanos, Scene};
use engine::simulation::simulate;
use engine::{CompiledPlan, Plan};
use serde_json::{Value, json};

const PONG: &[u8] =
    b"HTTP/1.1 200 OK\r\nServer: one\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nPONG";
const COOKIE: &[u8] =
    b"HTTP/1.1 200 OK\r\nServer: one\r\nSet-Cookie: id=17; Path=/; HttpOnly\r\nContent-Type: text/plain\r\n\
    Content-Length: 4\r\n\r\nPONG";
const CHUNKED: &[u8] =
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nPO\r\n2\r\nNG\r\n0\r\n\r\n";
/// Bytes of the preface of HTTP/2.
const PREFACE: usize = 24;
/// Calls of a session.
const SESSION: u64 = 20;
/// The end of the first piece of a reply that comes in two.
const SPLIT: usize = 20;

/// A server that sends the same reply to each request.
#[derive(Clone)]
struct Server {
    reply: &'static [u8],
    /// Each reply comes in two pieces.
    split: bool,
    /// It speaks HTTP/2. One type for both, so that the engine is compiled once, as for each driver.
    http2: Option<Multiplexer>,
}

impl Scene for Server {
    fn connect(&mut self, _at: Nanos, _connection: u64) -> (Nanos, bool) {
        (1_000, true)
    }

    fn receive(&mut self, _at: Nanos, connection: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        if let Some(http2) = &mut self.http2 {
            return http2.receive(connection, bytes);
        }
        let requests = bytes.windows(4).filter(|four| *four == b"\r\n\r\n").count();
        if !self.split {
            return vec![(50_000, Act::Reply(self.reply.repeat(requests)))];
        }
        let (start, end) = self.reply.split_at(SPLIT);
        let acts = (0..requests as u64).flat_map(|number| {
            let at = 50_000 + 2 * number;
            [(at, start), (at + 1, end)]
        });
        acts.map(|(at, bytes)| (at, Act::Reply(bytes.to_vec())))
            .collect()
    }
}

/// A server of HTTP/2 that knows no more of it than its frames' heads: it answers each HEADERS.
#[derive(Clone, Default)]
struct Multiplexer {
    /// Connections that have sent their preface.
    begun: Vec<u64>,
}

impl Multiplexer {
    fn receive(&mut self, connection: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        let mut rest = bytes;
        if !self.begun.contains(&connection) {
            self.begun.push(connection);
            rest = &rest[PREFACE..];
        }
        let mut reply = Vec::new();
        while let [a, b, c, kind, _, stream @ ..] = rest {
            let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
            match kind {
                1 => {
                    let id = &stream[..4];
                    reply.extend([&[0, 0, 1, 1, 4], id, &[0x88]].concat());
                    reply.extend([&[0, 0, 4, 0, 1], id, b"PONG"].concat());
                }
                4 => reply.extend([0, 0, 0, 4, 0, 0, 0, 0, 0]),
                _ => {}
            }
            rest = &rest[9 + length..];
        }
        vec![(50_000, Act::Reply(reply))]
    }
}

/// Runs the load of this name until it got so many replies.
pub fn run(name: &str, calls: u64) -> Result<(), Box<dyn Error>> {
    let closed = json!({"kind": "closed", "connections": 10});
    let steady = |per_s| {
        let segment = json!({"from_per_s": per_s, "to_per_s": per_s});
        json!({"spacing": "constant", "segments": [segment]})
    };
    let sessions = |cookies| json!({"kind": "sessions", "calls": SESSION, "cookies": cookies, "arrivals": steady(1_000)});
    let (load, more) = match name {
        "closed" | "split" | "chunked" => (closed, json!({})),
        "endpoints" => {
            let request =
                |n| json!({"path": format!("/{n}"), "expect": {"body": {"text": "PONG"}}});
            let requests: Vec<Value> = (0..4).map(request).collect();
            (closed, json!({"requests": requests}))
        }
        "pipelined" => (closed, json!({"burst": 10})),
        "trace" => {
            let parts = json!({"requests": "whole", "replies": "whole", "most_bytes": 1_000_000});
            (closed, json!({"trace": parts}))
        }
        "call-log" => (closed, json!({"call_log": {"most": 1_000_000}})),
        "requests" => {
            let arrivals = steady(10_000);
            let load = json!({"kind": "requests", "connections": 10, "arrivals": arrivals});
            (load, json!({}))
        }
        "sessions" => (sessions(false), json!({"burst": 4})),
        "cookies" => (sessions(true), json!({"burst": 4})),
        "http2" => (
            closed,
            json!({"http": "2", "http2": {"streams": 10, "encoder_table": 0}}),
        ),
        _ => return Err(format!("`{name}` is no load").into()),
    };
    let in_sessions = load["kind"] == "sessions";
    let mut plan = json!({
        "target": {"host": "127.0.0.1"},
        "requests": [{"path": "/pong", "expect": {"status": [200], "body": {"text": "PONG"}}}],
        "load": load,
        "stop": {"count": if in_sessions { calls / SESSION } else { calls }},
    });
    if let (Value::Object(plan), Value::Object(more)) = (&mut plan, more) {
        plan.extend(more);
    }
    let plan: Plan = serde_json::from_value(plan)?;
    let server = Server {
        reply: match name {
            "chunked" => CHUNKED,
            "cookies" => COOKIE,
            _ => PONG,
        },
        split: name == "split",
        http2: (name == "http2").then(Multiplexer::default),
    };
    let (counters, _) = simulate(CompiledPlan::new(&plan)?, server)?;
    assert_eq!(counters.calls.ok, calls, "{:?}", counters.first_failure);
    Ok(())
}
