//! A simulated server that keeps what sessions send, and plans of sessions.

use driver::{Act, Nanos, Scene};
use engine::Plan;
use engine::simulation::Counters;
use serde_json::{Value, json};

use crate::server::{MS, PONG, arrivals, plan};

pub const CLOSING: &[u8] = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nPONG";
/// The delay of each reply.
pub const DELAY: Nanos = 5 * MS;

/// A request as it came: its time, the number of its connection from 1, its head.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub at: Nanos,
    pub connection: u64,
    pub head: String,
}

impl Seen {
    pub fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    pub fn cookie(&self) -> Option<&str> {
        self.head
            .lines()
            .find_map(|line| line.strip_prefix("Cookie: "))
    }
}

/// A server that answers each request as `answer` says, by its number and its target. After a reply with
/// `Connection: close`, it closes the connection and ignores what else comes on it.
#[derive(Clone)]
pub struct Recording {
    pub answer: fn(usize, &str) -> Vec<u8>,
    pub accepts: bool,
    pub seen: Vec<Seen>,
    closed: Vec<u64>,
    pub connects: u64,
    /// Close each connection after so many replies, and say so or not.
    pub closes_after: Option<(usize, bool)>,
}

impl Recording {
    pub fn answering(answer: fn(usize, &str) -> Vec<u8>) -> Self {
        Self {
            answer,
            accepts: true,
            seen: Vec::new(),
            closed: Vec::new(),
            connects: 0,
            closes_after: None,
        }
    }

    pub fn targets(&self) -> Vec<&str> {
        self.seen.iter().map(Seen::target).collect()
    }

    /// The times in units of the delay of a reply.
    pub fn times(&self) -> Vec<u64> {
        self.seen.iter().map(|seen| seen.at / DELAY).collect()
    }

    pub fn connections(&self) -> Vec<u64> {
        self.seen.iter().map(|seen| seen.connection).collect()
    }
}

impl Scene for Recording {
    fn connect(&mut self, _: Nanos, _: u64) -> (Nanos, bool) {
        self.connects += 1;
        (0, self.accepts)
    }

    fn receive(&mut self, at: Nanos, connection: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let mut acts = Vec::new();
        for head in text.split_terminator("\r\n\r\n") {
            if self.closed.contains(&connection) {
                continue;
            }
            let seen = Seen {
                at,
                connection,
                head: head.into(),
            };
            let mut reply = (self.answer)(self.seen.len(), seen.target());
            self.seen.push(seen);
            let replies = self
                .connections()
                .iter()
                .filter(|of| **of == connection)
                .count();
            let last = self.closes_after.filter(|(most, _)| replies == *most);
            if let Some((_, true)) = last {
                reply = CLOSING.to_vec();
            }
            let closes =
                String::from_utf8_lossy(&reply).contains("Connection: close") || last.is_some();
            acts.push((DELAY, Act::Reply(reply)));
            if closes {
                acts.push((DELAY, Act::End));
                self.closed.push(connection);
            }
        }
        acts
    }
}

pub fn pong(_: usize, _: &str) -> Vec<u8> {
    PONG.to_vec()
}

/// A plan of sessions for pages `/0` to `/9`. The fields of `load` and `more` replace the defaults.
pub fn sessions(load: Value, more: Value) -> Plan {
    let pages: Vec<Value> = (0..10)
        .map(|page| json!({"path": format!("/{page}"), "expect": {"status": [200]}}))
        .collect();
    let mut whole = json!({"kind": "sessions", "arrivals": arrivals(1.0)});
    let mut fields = json!({"requests": pages, "stop": {"count": 1}});
    for (all, new) in [(&mut whole, load), (&mut fields, more)] {
        if let (Value::Object(all), Value::Object(new)) = (all, new) {
            all.extend(new);
        }
    }
    plan(whole, fields)
}

pub fn completed_and_failed(counters: &Counters) -> (u64, u64) {
    (counters.sessions.completed, counters.sessions.failed)
}
