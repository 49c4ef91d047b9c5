//! Frames that are not allowed, for both sides of a connection.

use crate::{
    ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PADDED, PING, PRIORITY,
    PUSH_PROMISE, RST_STREAM, SETTINGS, WINDOW_UPDATE, asked, block, client, frame, get, head,
    last_code, request, server, settings, told,
};
use wire::h2::{Client, Fault, Options, Server};

/// Bytes that end any connection, with the code of the GOAWAY.
fn invalid() -> Vec<(Vec<u8>, u32, &'static str)> {
    let status = block(&[(":status", "200")]);
    vec![
        (frame(77, 0, 0, &[0; 16_385]), 6, "a frame above our limit"),
        (frame(DATA, 0, 0, b"x"), 1, "DATA without a stream"),
        (
            frame(HEADERS, END_HEADERS, 0, &status),
            1,
            "HEADERS without a stream",
        ),
        (
            frame(PRIORITY, 0, 0, &[0; 5]),
            1,
            "PRIORITY without a stream",
        ),
        (frame(PRIORITY, 0, 1, &[0; 4]), 6, "PRIORITY of 4 bytes"),
        (
            frame(RST_STREAM, 0, 0, &[0; 4]),
            1,
            "RST_STREAM without a stream",
        ),
        (frame(RST_STREAM, 0, 1, &[0; 3]), 6, "RST_STREAM of 3 bytes"),
        (
            frame(RST_STREAM, 0, 99, &[0; 4]),
            1,
            "RST_STREAM of an idle stream",
        ),
        (
            frame(RST_STREAM, 0, 2, &[0; 4]),
            1,
            "RST_STREAM of a stream that nobody opens",
        ),
        (frame(SETTINGS, 0, 1, &[]), 1, "SETTINGS of a stream"),
        (frame(SETTINGS, 0, 0, &[0; 5]), 6, "SETTINGS of 5 bytes"),
        (
            frame(SETTINGS, ACK, 0, &[0; 6]),
            6,
            "an acknowledgement with settings",
        ),
        (settings(&[(2, 2)]), 1, "ENABLE_PUSH of 2"),
        (
            settings(&[(5, 16_383)]),
            1,
            "a largest frame that is too small",
        ),
        (
            settings(&[(5, 1 << 24)]),
            1,
            "a largest frame that is too large",
        ),
        (
            frame(PUSH_PROMISE, END_HEADERS, 1, &[0, 0, 0, 2, 0x82]),
            1,
            "a push",
        ),
        (frame(PING, 0, 1, &[0; 8]), 1, "PING of a stream"),
        (frame(PING, 0, 0, &[0; 7]), 6, "PING of 7 bytes"),
        (frame(GOAWAY, 0, 1, &[0; 8]), 1, "GOAWAY of a stream"),
        (frame(GOAWAY, 0, 0, &[0; 7]), 6, "GOAWAY of 7 bytes"),
        (
            frame(WINDOW_UPDATE, 0, 0, &[0; 3]),
            6,
            "WINDOW_UPDATE of 3 bytes",
        ),
        (
            frame(WINDOW_UPDATE, 0, 99, &[0, 0, 0, 1]),
            1,
            "the window of an idle stream",
        ),
        (
            frame(CONTINUATION, END_HEADERS, 1, &status),
            1,
            "CONTINUATION of nothing",
        ),
        (frame(DATA, PADDED, 1, b""), 6, "padding without its length"),
        (
            frame(DATA, PADDED, 1, b"\x03ab"),
            1,
            "padding beyond the frame",
        ),
        (
            frame(HEADERS, END_HEADERS | PADDED, 1, b"\x09\x88"),
            1,
            "padding beyond the fields",
        ),
        (
            frame(HEADERS, END_HEADERS | 0x20, 1, &[0; 4]),
            6,
            "a priority that is cut short",
        ),
        (
            [frame(HEADERS, 0, 1, &status), frame(PING, 0, 0, &[0; 8])].concat(),
            1,
            "a PING inside of a block",
        ),
        (
            [
                frame(HEADERS, 0, 1, &status),
                frame(CONTINUATION, END_HEADERS, 3, b""),
            ]
            .concat(),
            1,
            "CONTINUATION of another stream",
        ),
        (frame(DATA, 0, 99, b"x"), 1, "DATA of an idle stream"),
        (
            frame(HEADERS, END_HEADERS, 1, &[0xff; 8]),
            9,
            "a block that cannot be decoded",
        ),
        (
            frame(HEADERS, END_HEADERS, 2, &status),
            1,
            "HEADERS of an even stream",
        ),
    ]
}

#[test]
fn frames_that_are_not_allowed_end_the_connection_with_their_code() {
    for (bytes, code, what) in invalid() {
        let mut client = client(b"", &[&request("GET", b"")]);
        let refused = told(&mut client, &bytes).expect_err(what);
        assert_eq!(
            (refused.code().0, last_code(client.output())),
            (code, code),
            "{what}: {refused}"
        );
        let mut server = server(b"");
        let refused = asked(&mut server, &bytes).expect_err(what);
        if what.starts_with("padding beyond the frame") || refused == Fault::StreamClosed {
            continue;
        }
        // A server takes what opens a stream before what the fields say.
        assert_eq!(last_code(server.output()), code, "{what}: {refused}");
    }
}

#[test]
fn frames_of_a_stream_that_has_ended_are_an_error_unless_they_mean_nothing() {
    let ok = &[(":status", "200")][..];
    for (bytes, is_error, what) in [
        (frame(DATA, 0, 1, b"x"), true, "DATA"),
        (head(END_STREAM, ok), true, "HEADERS"),
        (
            frame(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]),
            false,
            "WINDOW_UPDATE",
        ),
        (frame(RST_STREAM, 0, 1, &[0; 4]), false, "RST_STREAM"),
        (frame(PRIORITY, 0, 1, &[0; 5]), false, "PRIORITY"),
    ] {
        let mut client = client(b"", &[&request("GET", b"")]);
        told(&mut client, &head(END_STREAM, ok)).unwrap();
        let expected = if is_error {
            Err(Fault::StreamClosed)
        } else {
            Ok(String::new())
        };
        assert_eq!(told(&mut client, &bytes), expected, "{what}");
        let mut server = server(&get(END_STREAM, 1));
        server.respond(crate::stream(0), &block(ok), true);
        let bytes = if what == "HEADERS" {
            get(END_STREAM, 1)
        } else {
            bytes
        };
        assert_eq!(asked(&mut server, &bytes), expected, "{what} to a server");
    }
}

#[test]
fn another_protocol_is_recognised_by_its_first_bytes() {
    for bytes in [
        &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
        b"SSH-2.0-OpenSSH_9.2\r\n",
        &frame(PING, 0, 0, &[0; 8]),
        &frame(SETTINGS, ACK, 0, &[]),
    ] {
        let mut client = Client::new(Options::default(), 0);
        client.connect();
        assert_eq!(told(&mut client, bytes), Err(Fault::NotHttp2));
        assert_eq!(last_code(client.output()), 1);
    }
    for bytes in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\rX",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x08\x06\0\0\0\0\0\0\0\0\0\0\0\0\0",
    ] {
        let mut server = Server::new(Options::default());
        assert_eq!(asked(&mut server, bytes), Err(Fault::NotHttp2));
    }
}

#[test]
fn settings_and_pings_are_answered_at_once() {
    let mut client = client(b"", &[]);
    let ping = frame(PING, 0, 0, b"12345678");
    let bytes = [ping, frame(PING, ACK, 0, &[0; 8]), settings(&[(99, 1)])].concat();
    assert_eq!(told(&mut client, &bytes).unwrap(), "settings");
    let expected = [
        frame(PING, ACK, 0, b"12345678"),
        frame(SETTINGS, ACK, 0, b""),
    ]
    .concat();
    assert_eq!(client.output()[..], expected);
}

#[test]
fn a_smaller_header_table_of_the_peer_is_confirmed_by_the_next_block() {
    let get = request("GET", b"");
    for (size, prefix) in [(4096, false), (100_000, false), (4095, true), (0, true)] {
        let mut client = client(&settings(&[(1, size)]), &[]);
        client.open(&get).unwrap();
        client.open(&get).unwrap();
        let blocks: Vec<_> = crate::sent(client.output())
            .into_iter()
            .map(|(.., block)| block)
            .collect();
        assert_eq!(blocks[0][0] == 0x20, prefix, "{size}");
        assert_ne!(blocks[1][0], 0x20, "once");
    }
}
