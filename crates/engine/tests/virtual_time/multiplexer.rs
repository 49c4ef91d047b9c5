//! A simulated server of HTTP/2.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use driver::{Act, Nanos, Scene};
use wire::h2::{ErrorCode, Options, Server, ServerEvent, Stream};
use wire::hpack::encode_field;

use crate::server::MS;

/// The answer of a server to one request.
#[derive(Clone, Copy)]
pub enum Answer {
    /// `PONG` after this delay.
    Pong(Nanos),
    Nothing,
    Reset(ErrorCode),
    /// `PONG` after 10 ms, and at once a GOAWAY.
    LastPong(ErrorCode),
    /// A GOAWAY that says that only the streams up to this id are processed, and then the end of the connection.
    Unprocessed(u32),
    /// A reply without a status.
    Malformed,
    /// This body, and these fields: as trailers, or in the head if there is no body.
    Grpc(&'static [u8], &'static [(&'static str, &'static str)]),
}

/// A server of HTTP/2 that answers the request with each number.
struct State {
    options: Options,
    answer: fn(usize) -> Answer,
    connections: HashMap<u64, Server>,
    requests: usize,
    body_bytes: usize,
}

#[derive(Clone)]
pub struct Multiplexer(Rc<RefCell<State>>);

impl Multiplexer {
    pub fn new(options: Options, answer: fn(usize) -> Answer) -> Self {
        Self(Rc::new(RefCell::new(State {
            options,
            answer,
            connections: HashMap::new(),
            requests: 0,
            body_bytes: 0,
        })))
    }

    pub fn answering(answer: fn(usize) -> Answer) -> Self {
        Self::new(Options::default(), answer)
    }

    /// Requests that came whole.
    pub fn requests(&self) -> usize {
        self.0.borrow().requests
    }

    pub fn body_bytes(&self) -> usize {
        self.0.borrow().body_bytes
    }
}

impl Scene for Multiplexer {
    fn connect(&mut self, _at: Nanos, connection: u64) -> (Nanos, bool) {
        let mut state = self.0.borrow_mut();
        let server = Server::new(state.options);
        state.connections.insert(connection, server);
        (0, true)
    }

    fn receive(&mut self, _at: Nanos, connection: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        let state = &mut *self.0.borrow_mut();
        let server = state.connections.get_mut(&connection).unwrap();
        let (mut rest, mut acts, mut ended) = (bytes, Vec::new(), Vec::new());
        loop {
            let (used, event) = server.next(rest).unwrap();
            rest = &rest[used..];
            match event {
                ServerEvent::NeedMore => break,
                ServerEvent::Body { data, .. } => state.body_bytes += data.len(),
                ServerEvent::End { stream } => ended.push(stream),
                _ => {}
            }
        }
        acts.extend(sent(server, 0));
        for stream in ended {
            state.requests += 1;
            acts.extend(answered(server, stream, (state.answer)(state.requests)));
        }
        acts
    }
}

/// The bytes that a server has to send, after a delay.
fn sent(server: &mut Server, delay: Nanos) -> Option<(Nanos, Act)> {
    let bytes = std::mem::take(server.output());
    (!bytes.is_empty()).then_some((delay, Act::Reply(bytes)))
}

fn answered(server: &mut Server, stream: Stream, answer: Answer) -> Vec<(Nanos, Act)> {
    let pong = |server: &mut Server, delay| {
        let mut block = Vec::new();
        encode_field(&mut block, b":status", b"200");
        server.respond(stream, &block, false);
        server.send(stream, b"PONG", true);
        sent(server, delay)
    };
    let acts = match answer {
        Answer::Nothing => None,
        Answer::Pong(delay) => pong(server, delay),
        Answer::Reset(code) => {
            server.reset(stream, code);
            sent(server, MS)
        }
        Answer::LastPong(code) => {
            server.go_away(code);
            let mut acts: Vec<_> = sent(server, 0).into_iter().collect();
            acts.extend(pong(server, 10 * MS));
            return acts;
        }
        Answer::Unprocessed(last) => {
            let mut bytes = vec![0, 0, 8, 7, 0, 0, 0, 0, 0];
            bytes.extend(last.to_be_bytes());
            bytes.extend([0; 4]);
            return vec![(MS, Act::Reply(bytes)), (5 * MS, Act::End)];
        }
        Answer::Malformed => {
            server.respond(stream, &[], true);
            sent(server, MS)
        }
        Answer::Grpc(body, fields) => {
            let (mut head, mut last) = (Vec::new(), Vec::new());
            encode_field(&mut head, b":status", b"200");
            for (name, value) in fields {
                encode_field(&mut last, name.as_bytes(), value.as_bytes());
            }
            if body.is_empty() {
                server.respond(stream, &[head, last].concat(), true);
            } else {
                server.respond(stream, &head, false);
                server.send(stream, body, false);
                server.respond(stream, &last, true);
            }
            sent(server, MS)
        }
    };
    acts.into_iter().collect()
}
