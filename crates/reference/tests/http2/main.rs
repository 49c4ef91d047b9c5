//! HTTP/2 in clear text, on the port of HTTP/1: replies, delays and faults of streams, and real clients.
#![allow(clippy::unwrap_used, reason = "a test that cannot talk has failed")]

mod grpc;
mod real_clients;
#[path = "../talk/mod.rs"]
mod talk;

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use reference::Server;
use talk::{BIG, config, connect, get, pong, rest, serve, take};
use wire::h2::{Client, Event, Options, Prepared};
use wire::{Request, Version};

/// A client with its connection, and what came of each stream.
struct Session {
    stream: TcpStream,
    client: Client,
    replies: HashMap<u32, Reply>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Reply {
    status: u16,
    length: Option<u64>,
    body: Vec<u8>,
    /// `end`, or the reason why there was none; empty: not yet.
    end: String,
}

fn prepared(method: &'static str, target: &str, body: &[u8]) -> Prepared {
    let request = Request {
        method,
        target,
        version: Version::V11,
        keep_alive: true,
        host: "localhost",
        headers: &[],
        body,
    };
    Prepared::new(&request, "http").unwrap()
}

impl Session {
    fn new(server: &Server, options: Options) -> Self {
        let mut client = Client::new(options, 4096);
        client.connect();
        let mut session = Self {
            stream: connect(server),
            client,
            replies: HashMap::new(),
        };
        session.until(|session| session.client.is_ready());
        session
    }

    fn open(&mut self, target: &str) -> u32 {
        self.client.open(&prepared("GET", target, b"")).unwrap().id
    }

    /// The reply on a stream, once it has ended.
    fn reply(&mut self, id: u32) -> Reply {
        self.until(|session| {
            session
                .replies
                .get(&id)
                .is_some_and(|reply| !reply.end.is_empty())
        });
        self.replies[&id].clone()
    }

    fn ask(&mut self, target: &str) -> Reply {
        let id = self.open(target);
        self.reply(id)
    }

    fn flush(&mut self) {
        let output = std::mem::take(self.client.output());
        self.stream.write_all(&output).unwrap();
    }

    fn until(&mut self, is_done: impl Fn(&Self) -> bool) {
        while !is_done(self) {
            self.flush();
            self.receive();
        }
    }

    fn receive(&mut self) {
        let mut room = [0; 16_384];
        let count = self.stream.read(&mut room).unwrap();
        assert!(count > 0, "the server closed the connection");
        self.take(&room[..count]);
    }

    fn take(&mut self, mut bytes: &[u8]) {
        loop {
            let (taken, event) = self.client.next(bytes).unwrap();
            bytes = &bytes[taken..];
            let (stream, end) = match event {
                Event::NeedMore => return,
                Event::Head { stream, head } => {
                    let reply = self.replies.entry(stream.id).or_default();
                    (reply.status, reply.length) = (head.status, head.length);
                    continue;
                }
                Event::Body { stream, data } => {
                    self.replies.entry(stream.id).or_default().body.extend(data);
                    continue;
                }
                Event::End { stream } => (stream, "end".to_owned()),
                Event::Reset { stream, code } => (stream, code.to_string()),
                Event::Malformed { stream, error } => (stream, format!("{error:?}")),
                _ => continue,
            };
            self.replies.entry(stream.id).or_default().end = end;
        }
    }
}

fn ok(body: &[u8]) -> Reply {
    Reply {
        status: 200,
        length: Some(body.len() as u64),
        body: body.to_vec(),
        end: "end".to_owned(),
    }
}

#[test]
fn pages_and_the_echo_are_those_of_http_1() {
    let server = serve();
    let mut session = Session::new(&server, Options::default());
    assert_eq!(session.ask("/pong"), ok(b"PONG"));
    assert_eq!(session.ask("/empty"), ok(b""));
    let echo = b"<http_test><value>a b</value></http_test>";
    assert_eq!(session.ask("/echo?value=a+b"), ok(echo));
    assert_eq!(session.ask("/nothing").status, 404);
    assert_eq!(session.ask("/pong?delay=soon").status, 400);
    let big: Vec<u8> = (0..BIG).map(|place| (place % 251) as u8).collect();
    assert!(session.ask("/big") == ok(&big));
    let head = session
        .client
        .open(&prepared("HEAD", "/big", b""))
        .unwrap()
        .id;
    let reply = session.reply(head);
    assert_eq!((reply.length, reply.body.len()), (Some(BIG as u64), 0));
    assert_eq!(server.requests(), 7);
    let mut other = connect(&server);
    other.write_all(get("/pong").as_bytes()).unwrap();
    assert_eq!(
        take(&mut other, pong().len()),
        pong(),
        "HTTP/1 on the same port"
    );
}

#[test]
fn a_request_is_answered_after_its_body() {
    let server = serve();
    let mut session = Session::new(&server, Options::default());
    let body = vec![b'x'; 3_000_000];
    let stream = session
        .client
        .open(&prepared("POST", "/pong", &body))
        .unwrap();
    let mut sent = 0;
    while sent < body.len() {
        let part = &body[sent..body.len().min(sent + 100_000)];
        sent += session
            .client
            .send(stream, part, sent + part.len() == body.len());
        session.flush();
        if session.client.body_room(stream) == 0 {
            session.receive();
        }
    }
    assert_eq!(session.reply(stream.id), ok(b"PONG"));
}

#[test]
fn streams_do_not_wait_for_each_other() {
    let server = serve();
    let mut session = Session::new(&server, Options::default());
    let begin = Instant::now();
    let slow = session.open("/pong?delay=2s");
    let never = session.open("/pong?fault=never");
    let quick = session.open("/pong");
    assert_eq!(session.reply(quick), ok(b"PONG"));
    assert!(!session.replies.contains_key(&slow));
    assert_eq!(session.reply(slow), ok(b"PONG"));
    assert!(begin.elapsed() >= Duration::from_secs(2));
    assert!(!session.replies.contains_key(&never));
    let delays = server.take_delays();
    assert_eq!(delays.len(), 1);
    assert!(delays[0] >= 2_000_000_000, "{delays:?}");
}

#[test]
fn a_fault_breaks_the_reply_of_its_stream_and_no_other() {
    let server = serve();
    let mut session = Session::new(&server, Options::default());
    for (query, status, body, end) in [
        ("fault=reset", 0, "", "INTERNAL_ERROR"),
        ("fault=half", 200, "PO", "INTERNAL_ERROR"),
        ("fault=truncate:3", 200, "PON", "INTERNAL_ERROR"),
        ("fault=truncate:0", 200, "", "INTERNAL_ERROR"),
        ("fault=status:503", 503, "PONG", "end"),
        ("fault=status:204", 204, "", "end"),
        ("fault=length%2B3", 200, "PONG", "BodyLength"),
        ("fault=length-3", 200, "P", "BodyLength"),
        ("fault=drip:1/1ms", 200, "PONG", "end"),
        ("chunked=1", 200, "PONG", "end"),
        ("until_close=1", 200, "PONG", "end"),
        ("interim=3", 200, "PONG", "end"),
        (
            "fault=slowhead",
            400,
            "fault `slowhead`: not available over HTTP/2\n",
            "end",
        ),
    ] {
        let reply = session.ask(&format!("/pong?{query}"));
        let text = String::from_utf8(reply.body).unwrap();
        assert_eq!(
            (reply.status, text.as_str(), &*reply.end),
            (status, body, end),
            "{query}"
        );
    }
    let corrupt = session.ask("/pong?fault=corrupt").body;
    let bits: u32 = corrupt
        .iter()
        .zip(b"PONG")
        .map(|(a, b)| (a ^ b).count_ones())
        .sum();
    assert_eq!((corrupt.len(), bits), (4, 1));
    assert_eq!(
        session.ask("/control/stall?for=1ms"),
        ok(b"stalled for 0.001 s\n")
    );
    assert_eq!(session.ask("/pong"), ok(b"PONG"));
}

#[test]
fn faults_of_the_connection_end_it() {
    let server = serve();
    for (fault, expected) in [("close", ""), ("garbage", "this is not HTTP")] {
        let mut session = Session::new(&server, Options::default());
        session.open(&format!("/pong?fault={fault}"));
        session.flush();
        let said = rest(&mut session.stream);
        assert!(said.contains(expected), "{fault}: {said:?}");
    }
    let mut stream = connect(&server);
    stream
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n GET / HTTP/1.1\r\n\r\n")
        .unwrap();
    assert!(rest(&mut stream).contains("expected SETTINGS"));
    let mut stream = connect(&server);
    stream.write_all(b"PRI * HTTP/2.1\r\n\r\n").unwrap();
    assert!(rest(&mut stream).starts_with("HTTP/1.1 505 "));
}

#[test]
fn large_replies_of_several_streams_come_through_small_windows() {
    let server = serve();
    let options = Options {
        window: 10_000,
        connection_window: 65_535,
        ..Options::default()
    };
    let mut session = Session::new(&server, options);
    let pages = [
        "/big",
        "/big?delay=10ms",
        "/big?chunked=1",
        "/big?delay=1ms",
        "/big",
    ];
    let ids = pages.map(|page| session.open(page));
    for id in ids {
        let reply = session.reply(id);
        assert_eq!((reply.body.len(), &*reply.end), (BIG, "end"));
    }
}

#[test]
fn a_delayed_reply_comes_whole_when_others_fill_the_output() {
    let server = serve();
    let mut session = Session::new(&server, Options::default());
    let ids: Vec<u32> = (0..20).map(|_| session.open("/big?delay=5ms")).collect();
    session.flush();
    // By the server's own clock, all are due before the first byte is read.
    let mut other = Session::new(&server, Options::default());
    let later = other.open("/pong?delay=50ms");
    assert_eq!(other.reply(later).end, "end");
    for id in ids {
        assert_eq!(session.reply(id).body.len(), BIG);
    }
}

#[test]
fn a_preface_may_come_in_pieces_and_a_client_that_cancels_is_forgotten() {
    let server = serve();
    let mut session = Session {
        stream: connect(&server),
        client: Client::new(Options::default(), 0),
        replies: HashMap::new(),
    };
    session.client.connect();
    let output = std::mem::take(session.client.output());
    for byte in output {
        session.stream.write_all(&[byte]).unwrap();
        std::thread::yield_now();
    }
    session.until(|session| session.client.is_ready());
    for _ in 0..300 {
        let stream = session
            .client
            .open(&prepared("GET", "/pong?fault=never", b""))
            .unwrap();
        session.client.cancel(stream);
    }
    assert_eq!(
        session.ask("/pong"),
        ok(b"PONG"),
        "300 open streams would be too many"
    );
}

#[test]
fn threads_count_the_requests_of_all_connections() {
    let mut config = config();
    config.threads = 2;
    let server = Server::start(config).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut session = Session::new(&server, Options::default());
                for _ in 0..20 {
                    let ids: Vec<u32> = (0..10).map(|_| session.open("/pong")).collect();
                    for id in ids {
                        assert_eq!(session.reply(id), ok(b"PONG"));
                    }
                }
            });
        }
    });
    assert_eq!(server.requests(), 800);
}
