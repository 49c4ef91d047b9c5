//! Requests and replies between a client and a server in memory.

use crate::{
    DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, RST_STREAM, asked, block, client, frame, head,
    request, sent, settings, stream, told,
};
use wire::h2::{Client, ErrorCode, Event, Options, Prepared, Server};
use wire::{Request, Version};

#[test]
fn a_request_and_its_reply_cross_a_connection() {
    let (mut client, mut server) = (
        Client::new(Options::default(), 0),
        Server::new(Options::default()),
    );
    client.connect();
    let get = request("GET", b"");
    assert_eq!(client.open(&get), Some(stream(0)));
    assert_eq!(
        client.open(&get),
        None,
        "one stream until the settings are known"
    );
    let story = asked(&mut server, client.output()).unwrap();
    assert_eq!(story, "opened 0 opened 0 1=GET/a?b=c 1.");
    client.output().clear();
    server.respond(
        stream(0),
        &block(&[(":status", "200"), ("content-length", "4")]),
        false,
    );
    assert_eq!(server.send(stream(0), b"PONG", true), 4);
    let story = told(&mut client, server.output()).unwrap();
    server.output().clear();
    assert_eq!(story, "settings opened 0 1=200(4) 1:PONG 1.");
    assert_eq!((client.open_streams(), server.open_streams()), (0, 0));
    assert_eq!(
        asked(&mut server, client.output()).unwrap(),
        "",
        "the acknowledgement"
    );
    assert_eq!(client.room(), 100);
}

#[test]
fn requests_are_encoded_as_they_mean_in_http_1() {
    let headers = [
        ("X-Id", " 7 "),
        ("Connection", "close"),
        ("TE", "trailers"),
        ("Host", "other:1"),
        ("Upgrade", "h2c"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let post = Request {
        method: "POST",
        target: "/p",
        version: Version::V11,
        keep_alive: false,
        host: "localhost",
        headers: &headers,
        body: b"abc",
    };
    let prepared = Prepared::new(&post, "https").unwrap();
    let options = Options {
        keeps_fields: true,
        ..Options::default()
    };
    for table in [0, 4096] {
        let (mut client, mut server) = (Client::new(options, table), Server::new(options));
        client.connect();
        let stream = client.open(&prepared).unwrap();
        assert_eq!(client.send(stream, b"abc", true), 3);
        let story = asked(&mut server, client.output()).unwrap();
        assert_eq!(story, "opened 0 opened 0 1=POST/p 1:abc 1.");
        let request = server.request();
        assert_eq!(
            (request.authority(), request.length()),
            (&b"other:1"[..], Some(3))
        );
        let fields: Vec<_> = request
            .fields()
            .map(|(name, value)| [name, b"=", value].concat())
            .collect();
        let fields = String::from_utf8(fields.join(&b';')).unwrap();
        assert_eq!(fields, "x-id= 7;te= trailers;content-length= 3");
    }
    let bad = Request {
        target: "/a b",
        ..post
    };
    assert!(Prepared::new(&bad, "http").is_err());
}

#[test]
fn an_encoder_with_a_table_needs_a_byte_for_a_field_that_it_sent_before() {
    let get = request("GET", b"");
    let mut lengths = Vec::new();
    let mut client = Client::new(Options::default(), 4096);
    client.connect();
    told(&mut client, &settings(&[])).unwrap();
    let mut server = Server::new(Options::default());
    for _ in 0..3 {
        client.open(&get).unwrap();
        asked(&mut server, client.output()).unwrap();
        assert_eq!(server.request().authority(), b"localhost:8080");
        lengths.push(sent(client.output()).last().unwrap().2.len());
        client.output().clear();
    }
    assert!(
        lengths[0] > lengths[1] && lengths[1] == lengths[2],
        "{lengths:?}"
    );
}

#[test]
fn the_parts_of_a_reply_come_in_order_whatever_frames_they_are_in() {
    let get = request("GET", b"");
    let ok: &[(&str, &str)] = &[(":status", "200")];
    let early: &[(&str, &str)] = &[(":status", "103"), ("link", "</a>")];
    let trailers: &[(&str, &str)] = &[("grpc-status", "0")];
    for (bytes, story, what) in [
        (head(END_STREAM, ok), "1=200 1.", "no body"),
        (
            [
                head(0, ok),
                frame(DATA, 0, 1, b"ab"),
                frame(DATA, END_STREAM, 1, b"c"),
            ]
            .concat(),
            "1=200 1:abc 1.",
            "two frames",
        ),
        (
            [
                head(0, ok),
                frame(DATA, 0, 1, b"ab"),
                frame(DATA, END_STREAM, 1, b""),
            ]
            .concat(),
            "1=200 1:ab 1.",
            "an empty last frame",
        ),
        (
            [head(0, ok), frame(DATA, 8 | END_STREAM, 1, b"\x03ab\0\0\0")].concat(),
            "1=200 1:ab 1.",
            "padding",
        ),
        (
            [head(0, early), head(0, early), head(END_STREAM, ok)].concat(),
            "1=200 1.",
            "interim replies",
        ),
        (
            [
                head(0, ok),
                frame(DATA, 0, 1, b"ab"),
                head(END_STREAM, trailers),
            ]
            .concat(),
            "1=200 1:ab 1.",
            "trailers",
        ),
        (
            {
                let block = block(&[(":status", "404"), ("x", "0123456789")]);
                [
                    frame(
                        HEADERS,
                        END_STREAM | 0x28,
                        1,
                        &[&[2, 0, 0, 0, 3, 7][..], &block[..3], &[0; 2]].concat(),
                    ),
                    frame(9, 0, 1, &block[3..5]),
                    frame(9, 0, 1, b""),
                    frame(9, END_HEADERS, 1, &block[5..]),
                ]
                .concat()
            },
            "1=404 1.",
            "a block in four frames, with padding and a priority",
        ),
        (
            [
                frame(77, 255, 9, &[1; 300]),
                frame(2, 0, 5, &[0; 5]),
                head(END_STREAM, ok),
            ]
            .concat(),
            "1=200 1.",
            "unknown frames and priorities",
        ),
    ] {
        let mut client = client(b"", &[&get]);
        assert_eq!(told(&mut client, &bytes).as_deref(), Ok(story), "{what}");
        assert!(!client.in_reply(), "{what}");
    }
}

#[test]
fn the_fields_that_end_a_reply_are_known_at_its_end_and_data_has_none() {
    let ok: &[(&str, &str)] = &[(":status", "200")];
    let both: &[(&str, &str)] = &[(":status", "200"), ("grpc-status", "5")];
    let trailers: &[(&str, &str)] = &[("grpc-status", "0"), ("a", "b")];
    let data = |flags, bytes: &[u8]| frame(DATA, flags, 1, bytes);
    for (bytes, last) in [
        (head(END_STREAM, both), Some("grpc-status=5;")),
        ([head(0, both), data(END_STREAM, b"x")].concat(), None),
        ([head(0, both), data(END_STREAM, b"")].concat(), None),
        (
            [head(0, ok), data(0, b"x"), head(END_STREAM, trailers)].concat(),
            Some("grpc-status=0;a=b;"),
        ),
        (
            [head(0, both), head(END_STREAM, trailers)].concat(),
            Some("grpc-status=0;a=b;"),
        ),
    ] {
        let keeps_fields = Options {
            keeps_fields: true,
            ..Options::default()
        };
        let mut client = Client::new(keeps_fields, 0);
        // The blocks of the second reply may be those of the first one, which are not decoded again.
        for _ in 0..2 {
            client.connect();
            told(&mut client, &settings(&[])).unwrap();
            client.open(&request("GET", b"")).unwrap();
            let mut rest = &bytes[..];
            loop {
                let (taken, event) = client.next(rest).unwrap();
                rest = &rest[taken..];
                if matches!(event, Event::End { .. }) {
                    break;
                }
            }
            let fields = client.last_fields().map(|fields| {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
                fields
                    .flat_map(|(name, value)| [text(name), "=".into(), text(value), ";".into()])
                    .collect::<String>()
            });
            assert_eq!(fields.as_deref(), last);
        }
    }
}

#[test]
fn replies_of_several_streams_may_be_mixed_and_lanes_are_used_again() {
    let get = request("GET", b"");
    let mut client = client(b"", &[&get, &get, &get]);
    let ok = block(&[(":status", "200")]);
    let bytes = [
        frame(HEADERS, END_HEADERS, 5, &ok),
        frame(HEADERS, END_HEADERS, 1, &ok),
        frame(DATA, 0, 5, b"five"),
        frame(DATA, END_STREAM, 1, b"one"),
        frame(DATA, END_STREAM, 5, b"+"),
    ]
    .concat();
    let story = told(&mut client, &bytes).unwrap();
    assert_eq!(story, "5=200 1=200 5:five 1:one 1. 5:+ 5.");
    let next = client.open(&get).unwrap();
    assert_eq!((next.id, next.lane), (7, 2), "the lane that was freed last");
    assert_eq!(client.open_streams(), 2);
}

#[test]
fn the_servers_limit_of_streams_holds_even_when_it_changes() {
    let get = request("GET", b"");
    let mut client = client(&settings(&[(3, 2)]), &[&get, &get]);
    assert_eq!((client.room(), client.open(&get)), (0, None));
    told(&mut client, &settings(&[(3, 1)])).unwrap();
    told(&mut client, &head(END_STREAM, &[(":status", "204")])).unwrap();
    assert_eq!(client.room(), 0, "one is open still");
    told(&mut client, &settings(&[(3, 5000)])).unwrap();
    assert_eq!(client.room(), 99, "our own limit is 100");
}

#[test]
fn a_goaway_names_each_stream_that_was_not_processed_and_the_others_go_on() {
    let get = request("GET", b"");
    let mut client = client(b"", &[&get, &get, &get, &get]);
    let goaway = |last: u32, code: u32| {
        frame(
            GOAWAY,
            0,
            0,
            &[&last.to_be_bytes()[..], &code.to_be_bytes(), b"bye"].concat(),
        )
    };
    assert_eq!(
        told(&mut client, &goaway(u32::MAX >> 1, 0)).unwrap(),
        "goaway NO_ERROR"
    );
    assert_eq!((client.room(), client.is_spent()), (0, true));
    assert_eq!(
        told(&mut client, &goaway(3, 11)).unwrap(),
        "goaway ENHANCE_YOUR_CALM 5- 7-"
    );
    assert_eq!(
        told(&mut client, &goaway(5, 0)).unwrap(),
        "goaway NO_ERROR",
        "an id is not raised"
    );
    let story = told(&mut client, &head(END_STREAM, &[(":status", "200")])).unwrap();
    assert_eq!(story, "1=200 1.");
    assert_eq!(client.open_streams(), 1);
    client.connect();
    assert_eq!(
        (client.open_streams(), client.room()),
        (0, 1),
        "a new connection"
    );
}

#[test]
fn a_stream_that_the_server_resets_says_why() {
    let get = request("GET", b"");
    let mut client = client(b"", &[&get, &get]);
    let bytes = [
        frame(RST_STREAM, 0, 1, &[0, 0, 0, 7]),
        frame(RST_STREAM, 0, 3, &[0, 0, 9, 0]),
        frame(RST_STREAM, 0, 3, &[0, 0, 0, 8]),
    ]
    .concat();
    assert_eq!(
        told(&mut client, &bytes).unwrap(),
        "1!REFUSED_STREAM 3!error code 2304"
    );
}

#[test]
fn what_still_comes_of_a_stream_that_we_cancelled_is_ignored_but_counted() {
    let get = request("GET", b"");
    let mut client = client(b"", &[&get, &get]);
    client.cancel(stream(0));
    assert_eq!(client.output()[..], frame(RST_STREAM, 0, 1, &[0, 0, 0, 8]));
    client.output().clear();
    let data = frame(DATA, 0, 1, &[b'x'; 16_384]);
    let late = [head(0, &[(":status", "200")]), data.repeat(600)].concat();
    assert_eq!(told(&mut client, &late).unwrap(), "");
    let windows = sent(client.output());
    assert_eq!(
        windows.len(),
        1,
        "the window of the connection is opened again"
    );
    assert_eq!((windows[0].0, windows[0].1), (8, 0));
    client.cancel(stream(0));
    assert_eq!(sent(client.output()).len(), 1, "only once");
}

#[test]
fn a_reply_that_ends_before_its_request_stops_the_request() {
    let post = request("POST", b"0123456789");
    let mut client = client(b"", &[&post]);
    assert_eq!(client.send(stream(0), b"01234", false), 5);
    client.output().clear();
    let bytes = [
        head(END_STREAM, &[(":status", "413")]),
        frame(RST_STREAM, 0, 1, &[0; 4]),
    ]
    .concat();
    assert_eq!(told(&mut client, &bytes).unwrap(), "1=413 1.");
    assert_eq!(sent(client.output())[0].0, RST_STREAM);
    assert_eq!(client.send(stream(0), b"56789", true), 0);

    let mut server = crate::server(&crate::get(0, 1));
    server.respond(stream(0), &block(&[(":status", "413")]), true);
    let frames: Vec<_> = sent(server.output())
        .into_iter()
        .map(|(kind, ..)| kind)
        .collect();
    assert_eq!(frames, [HEADERS, RST_STREAM]);
    assert_eq!(server.open_streams(), 0);
    server.go_away(ErrorCode::NO_ERROR);
    assert_eq!(sent(server.output()).last().unwrap().0, GOAWAY);
}
