//! Calls of gRPC: their messages, their statuses, and the faults of them.

use std::time::{Duration, Instant};

use reference::{Config, Page, Server};
use wire::h2::Options;

use crate::{Reply, Session, prepared, serve};

const ONE_AND_TWO: &[u8] = b"\0\0\0\0\x04\x08\x01\x10\x02";
const THREE: &[u8] = b"\0\0\0\0\x02\x08\x03";

/// Calls with a query; returns the reply, and the fields that ended it.
fn call(server: &Server, query: &str, body: &[u8]) -> (Reply, String) {
    let options = Options {
        keeps_fields: true,
        ..Options::default()
    };
    let mut session = Session::new(server, options);
    let target = format!("/httpdyno.Reference/GetSum{query}");
    let request = prepared("POST", &target, body);
    let stream = session.client.open(&request).unwrap();
    session.client.send(stream, body, true);
    let reply = session.reply(stream.id);
    let fields = session.client.last_fields().into_iter().flatten();
    let last = fields.map(|(name, value)| {
        let [name, value] = [name, value].map(String::from_utf8_lossy);
        format!("{name}:{value}\n")
    });
    (reply, last.collect())
}

#[test]
fn a_page_that_is_a_message_ends_with_the_status_ok() {
    let page = Page::new("/0", "application/grpc", THREE);
    let config = Config::new("127.0.0.1:0".parse().unwrap(), vec![page]);
    let server = Server::start(config).unwrap();
    let options = Options {
        keeps_fields: true,
        ..Options::default()
    };
    let mut session = Session::new(&server, options);
    let stream = session
        .client
        .open(&prepared("POST", "/0", ONE_AND_TWO))
        .unwrap();
    session.client.send(stream, ONE_AND_TWO, true);
    assert_eq!(session.reply(stream.id), ended(200, THREE, "end"));
    let fields = session.client.last_fields().into_iter().flatten();
    let last: Vec<_> = fields
        .map(|(name, value)| (name, value.trim_ascii()))
        .collect();
    assert_eq!(last, [(&b"grpc-status"[..], &b"0"[..])]);
}

fn ended(status: u16, body: &[u8], end: &str) -> Reply {
    Reply {
        status,
        length: None,
        body: body.to_vec(),
        end: end.to_owned(),
    }
}

#[test]
fn a_sum_has_its_status_in_the_trailers() {
    let server = serve();
    let (reply, last) = call(&server, "", ONE_AND_TWO);
    assert_eq!(reply, ended(200, THREE, "end"));
    assert_eq!(last, "grpc-status: 0\n");
    let begin = Instant::now();
    call(&server, "?delay=30ms", ONE_AND_TWO);
    assert!(begin.elapsed() >= Duration::from_millis(30));
    assert_eq!(server.requests(), 2);
}

#[test]
fn a_fault_gives_another_status_without_a_message() {
    let server = serve();
    let (reply, last) = call(&server, "?fault=grpc:14", ONE_AND_TWO);
    assert_eq!(reply, ended(200, b"", "end"));
    assert!(
        last.contains("grpc-status: 14\ngrpc-message: as the fault"),
        "{last}"
    );
    for (query, body) in [("", &b"\0\0\0\0\x09"[..]), ("?fault=grpc:0", ONE_AND_TWO)] {
        let (reply, last) = call(&server, query, body);
        assert_eq!(reply, ended(200, b"", "end"));
        assert!(last.contains("grpc-status: 3\ngrpc-message: "), "{last}");
    }
    let (reply, _) = call(&server, "?fault=half", ONE_AND_TWO);
    assert_eq!(reply, ended(200, &THREE[..3], "INTERNAL_ERROR"));
    let (reply, _) = call(&server, "?fault=status:503", ONE_AND_TWO);
    assert_eq!(reply.status, 503);
    let mut session = Session::new(&server, Options::default());
    let reply = session.ask("/pong?fault=grpc:14");
    assert_eq!(reply.body, b"fault `grpc`: only for calls of gRPC\n");
}
