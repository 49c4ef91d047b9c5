//! The memory of a connection.

use crate::memory::allocated_by;
use crate::request;
use wire::h2::{Client, Event, Options, Server};

/// Sends this many requests over `streams` at once, and reads their replies.
fn exchange(client: &mut Client, server: &mut Server, rounds: u32, streams: u32) {
    let get = request("GET", b"");
    exchange_prepared(client, server, rounds, streams, &get);
}

fn exchange_prepared(
    client: &mut Client,
    server: &mut Server,
    rounds: u32,
    streams: u32,
    get: &wire::h2::Prepared,
) {
    let body = [b'x'; 1_000];
    for _ in 0..rounds {
        let mut open = 0;
        for _ in 0..streams {
            open += u32::from(client.open(get).is_some());
        }
        let (mut rest, mut ended) = (&client.output()[..], 0);
        answer_all(server, &mut rest, &body);
        client.output().clear();
        let output = std::mem::take(server.output());
        let mut rest = &output[..];
        loop {
            let (taken, event) = client.next(rest).unwrap();
            rest = &rest[taken..];
            match event {
                Event::NeedMore => break,
                Event::End { .. } => ended += 1,
                _ => {}
            }
        }
        assert_eq!(ended, open);
        *server.output() = output;
        server.output().clear();
    }
}

fn answer_all(server: &mut Server, rest: &mut &[u8], body: &[u8]) {
    const HEAD: &[u8] = b"\x88\x0f\x0d\x041000";
    loop {
        let (taken, event) = server.next(rest).unwrap();
        *rest = &rest[taken..];
        match event {
            wire::h2::ServerEvent::NeedMore => return,
            wire::h2::ServerEvent::End { stream } => {
                server.respond(stream, HEAD, false);
                assert_eq!(server.send(stream, body, true), body.len());
            }
            _ => {}
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "an hour in an interpreter")]
fn nothing_is_allocated_for_a_request_once_the_connection_is_warm() {
    for table in [0, 4096] {
        let (mut client, mut server) = (
            Client::new(Options::default(), table),
            Server::new(Options::default()),
        );
        client.connect();
        let get = request("GET", b"");
        exchange_prepared(&mut client, &mut server, 20, 10, &get);
        let ((), memory) =
            allocated_by(|| exchange_prepared(&mut client, &mut server, 500, 10, &get));
        assert_eq!(memory, 0, "bytes for 5,000 requests, table of {table}");
        client.connect();
        server = Server::new(Options::default());
        exchange_prepared(&mut client, &mut server, 20, 10, &get);
    }
}

#[test]
fn an_idle_connection_is_small() {
    let (client, memory) = allocated_by(|| {
        Client::new(
            Options {
                streams: 1,
                ..Options::default()
            },
            0,
        )
    });
    assert!(
        size_of_val(&client) + memory <= 1024,
        "{} + {memory}",
        size_of_val(&client)
    );
}

#[test]
fn a_connection_is_used_again_after_it_was_lost() {
    let mut client = Client::new(Options::default(), 4096);
    for _ in 0..5 {
        client.connect();
        let mut server = Server::new(Options::default());
        exchange(&mut client, &mut server, 3, 4);
        client.open(&request("GET", b"")).unwrap();
        let rubbish = client.next(&[0xff; 9]);
        assert!(rubbish.is_err());
    }
}
