//! Simulated servers, and plans to load them with.

use driver::{Act, Nanos, Scene};
use engine::simulation::{Counters, simulate};
use engine::{CompiledPlan, Plan};
use serde_json::{Value, json};

pub const MS: Nanos = 1_000_000;
pub const SECOND: Nanos = 1_000_000_000;
pub const PONG: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nPONG";

/// A server that answers each request after a delay of its own, and keeps the times of requests.
#[derive(Clone)]
pub struct Server {
    pub connect: Nanos,
    pub accepts: bool,
    pub answer: fn(number: usize, at: Nanos) -> Vec<(Nanos, Act)>,
    pub asked: Vec<Nanos>,
    pub connections: u64,
}

impl Server {
    pub fn answering(answer: fn(usize, Nanos) -> Vec<(Nanos, Act)>) -> Self {
        Self {
            connect: 0,
            accepts: true,
            answer,
            asked: Vec::new(),
            connections: 0,
        }
    }
}

impl Scene for Server {
    fn connect(&mut self, _at: Nanos, _connection: u64) -> (Nanos, bool) {
        self.connections += 1;
        (self.connect, self.accepts)
    }

    fn receive(&mut self, at: Nanos, _connection: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        let requests = bytes.windows(4).filter(|w| w == b"\r\n\r\n").count();
        let mut acts = Vec::new();
        for _ in 0..requests {
            self.asked.push(at);
            acts.extend((self.answer)(self.asked.len() - 1, at));
        }
        acts
    }
}

pub fn pong_after(delay: Nanos) -> Vec<(Nanos, Act)> {
    vec![(delay, Act::Reply(PONG.to_vec()))]
}

/// A plan with this load. The fields of `more` replace the defaults.
pub fn plan(load: Value, more: Value) -> Plan {
    let mut plan = json!({
        "target": {"host": "127.0.0.1"},
        "requests": [{"path": "/pong", "expect": {"status": [200], "body": {"text": "PONG"}}}],
        "load": load,
        "stop": {"duration_s": 1.0},
    });
    if let (Value::Object(plan), Value::Object(more)) = (&mut plan, more) {
        plan.extend(more);
    }
    serde_json::from_value(plan).unwrap()
}

pub fn arrivals(per_s: f64) -> Value {
    json!({"spacing": "constant", "segments": [{"from_per_s": per_s, "to_per_s": per_s}]})
}

pub fn requests(per_s: f64, connections: u32) -> Value {
    json!({"kind": "requests", "connections": connections, "arrivals": arrivals(per_s)})
}

/// Runs a plan against a server; returns the counters, which add up.
pub fn run<S: Scene + Clone>(plan: &Plan, server: S) -> (Counters, S) {
    let (counters, server) = simulate(CompiledPlan::new(plan).unwrap(), server).unwrap();
    counters.calls.check().unwrap();
    counters.warm_up.check().unwrap();
    (counters, server)
}

/// True if a time is as expected, within the three digits of a histogram.
pub fn close_to(time: Nanos, expected: Nanos) -> bool {
    time.abs_diff(expected) <= expected / 500
}
