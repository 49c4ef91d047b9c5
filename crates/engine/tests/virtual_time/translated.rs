//! HTTP/2 for simulated servers of HTTP/1: they see the same requests as text, and their replies go on streams.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use driver::{Act, Nanos, Scene};
use engine::simulation::Counters;
use engine::{Http, Plan};
use wire::h2::{Options, Server, ServerEvent, Stream};
use wire::hpack::encode_field;

use crate::server::run;

/// The protocol of one connection: the server of its streams, and the requests that are not complete.
struct Connection {
    server: Server,
    requests: HashMap<u32, Vec<u8>>,
}

/// A server of HTTP/1 behind HTTP/2.
#[derive(Clone)]
pub struct Translated<S> {
    pub of: S,
    connections: Rc<RefCell<HashMap<u64, Connection>>>,
}

impl<S> Translated<S> {
    pub fn new(of: S) -> Self {
        let connections = Rc::default();
        Self { of, connections }
    }
}

impl<S: Scene> Scene for Translated<S> {
    fn connect(&mut self, at: Nanos, connection: u64) -> (Nanos, bool) {
        let options = Options {
            keeps_fields: true,
            ..Options::default()
        };
        let opened = Connection {
            server: Server::new(options),
            requests: HashMap::new(),
        };
        self.connections.borrow_mut().insert(connection, opened);
        self.of.connect(at, connection)
    }

    fn receive(&mut self, at: Nanos, connection: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        let mut all = self.connections.borrow_mut();
        let Connection { server, requests } = all.get_mut(&connection).unwrap();
        let (mut rest, mut acts) = (bytes, Vec::new());
        loop {
            let (used, event) = server.next(rest).unwrap();
            rest = &rest[used..];
            match event {
                ServerEvent::NeedMore => break,
                ServerEvent::Head { stream, .. } => {
                    requests.insert(stream.id, head(server));
                }
                ServerEvent::Body { stream, data } => {
                    requests.get_mut(&stream.id).unwrap().extend(data);
                }
                ServerEvent::End { stream } => {
                    let request = requests.remove(&stream.id).unwrap();
                    let reply = self.of.receive(at, connection, &request);
                    acts.extend(answer(server, stream, reply));
                }
                _ => {}
            }
        }
        let now = std::mem::take(server.output());
        acts.push((0, Act::Reply(now)));
        acts
    }
}

/// The head of a request, as HTTP/1 has it.
fn head(server: &Server) -> Vec<u8> {
    let request = server.request();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let [method, path, host] = [request.method(), request.path(), request.authority()].map(text);
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n");
    for (name, value) in request.fields() {
        let words = text(name);
        let words = words.split('-').map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        });
        let name = words.collect::<Vec<_>>().join("-");
        for part in [&name, ": ", &text(value.trim_ascii()), "\r\n"] {
            head.push_str(part);
        }
    }
    (head + "\r\n").into_bytes()
}

/// The acts of a server on a stream: the head of a reply when the first part of it is due, the end of it when the last is.
fn answer(server: &mut Server, stream: Stream, acts: Vec<(Nanos, Act)>) -> Vec<(Nanos, Act)> {
    let (mut first, mut last, mut reply) = (None, 0, Vec::new());
    for (delay, act) in acts {
        if let Act::Reply(bytes) = act {
            first.get_or_insert(delay);
            last = delay;
            reply.extend(bytes);
        }
    }
    let Some(first) = first else {
        return Vec::new();
    };
    // The answers to what came before go their own way.
    let before = std::mem::take(server.output());
    let end = reply
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8(reply[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let mut block = Vec::new();
    encode_field(
        &mut block,
        b":status",
        &lines.next().unwrap().as_bytes()[9..12],
    );
    for line in lines {
        let (name, value) = line.split_once(':').unwrap();
        encode_field(
            &mut block,
            name.to_lowercase().as_bytes(),
            value.trim().as_bytes(),
        );
    }
    let body = &reply[end + 4..];
    server.respond(stream, &block, body.is_empty());
    let (some, rest) = body.split_at(body.len() / 2);
    if !body.is_empty() {
        assert_eq!(server.send(stream, some, false), some.len());
    }
    let begin = std::mem::take(server.output());
    if !body.is_empty() {
        assert_eq!(server.send(stream, rest, true), rest.len());
    }
    let end = std::mem::replace(server.output(), before);
    vec![(first, Act::Reply(begin)), (last, Act::Reply(end))]
}

/// Runs a plan over HTTP/1 and over HTTP/2 against the same server, which sees the same. Returns the counters and the
/// server of HTTP/1.
pub fn run_twice<S: Scene + Clone, T: PartialEq + std::fmt::Debug>(
    plan: &Plan,
    server: S,
    seen: impl Fn(&S) -> T,
) -> (Counters, S) {
    let over_streams = Plan {
        http: Http::V2,
        ..plan.clone()
    };
    let (same, again) = run(&over_streams, Translated::new(server.clone()));
    let (counters, server) = run(plan, server);
    assert_eq!(seen(&server), seen(&again.of));
    assert_eq!(counters.first_failure, same.first_failure);
    assert_eq!(
        serde_json::to_value(&counters.calls).unwrap(),
        serde_json::to_value(&same.calls).unwrap()
    );
    assert_eq!(
        (counters.sessions.completed, counters.sessions.failed),
        (same.sessions.completed, same.sessions.failed)
    );
    (counters, server)
}
