//! A client that is broken or hostile.

use crate::{
    DATA, END_HEADERS, END_STREAM, HEADERS, PREFACE, RST_STREAM, answer, asked, block, frame, get,
    last_code, sent, server, settings, stream,
};
use wire::h2::{ErrorCode, Fault, Options, Server};

#[test]
fn invalid_requests_are_reset_and_reported_to_nobody() {
    let valid = [(":method", "GET"), (":scheme", "http"), (":path", "/")];
    let without =
        |name: &str| -> Vec<_> { valid.into_iter().filter(|field| field.0 != name).collect() };
    let with = |field| [&valid[..], &[field]].concat();
    for (fields, what) in [
        (without(":method"), "no method"),
        (without(":scheme"), "no scheme"),
        (without(":path"), "no path"),
        (with((":path", "/b")), "two paths"),
        (with((":status", "200")), "a status"),
        (
            with((":authority", "a\r\nb: c")),
            "a line break in the authority",
        ),
        (
            [&[("a", "b")][..], &valid].concat(),
            "a field before the method",
        ),
        (with(("Accept", "x")), "upper case"),
        (with(("te", "gzip")), "a TE"),
        (with(("upgrade", "h2c")), "an upgrade"),
        (with(("content-length", "1")), "a length without a body"),
    ] {
        let mut server = server(b"");
        let request = frame(HEADERS, END_HEADERS | END_STREAM, 1, &block(&fields));
        assert_eq!(asked(&mut server, &request).unwrap(), "", "{what}");
        assert_eq!(last_code(server.output()), 1, "{what}");
        assert_eq!(sent(server.output())[0].0, RST_STREAM);
        assert_eq!(
            asked(&mut server, &get(END_STREAM, 3)).unwrap(),
            "3=GET/ 3.",
            "{what}"
        );
    }
}

#[test]
fn a_body_has_the_length_that_its_head_says_and_trailers_end_it() {
    let fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/"),
        ("content-length", "3"),
    ];
    let head = frame(HEADERS, END_HEADERS, 1, &block(&fields));
    let trailers = frame(HEADERS, END_HEADERS | END_STREAM, 1, &block(&[("a", "b")]));
    let pseudo = frame(
        HEADERS,
        END_HEADERS | END_STREAM,
        1,
        &block(&[(":path", "/")]),
    );
    let endless = frame(HEADERS, END_HEADERS, 1, &block(&[("a", "b")]));
    let three = frame(DATA, 0, 1, b"abc");
    for (rest, story) in [
        (frame(DATA, END_STREAM, 1, b"abc"), "1=POST/ 1:abc 1."),
        (
            [three.clone(), trailers.clone()].concat(),
            "1=POST/ 1:abc 1.",
        ),
        (frame(DATA, END_STREAM, 1, b"ab"), "1=POST/ 1:ab 1!"),
        (frame(DATA, 0, 1, b"abcd"), "1=POST/ 1:abc 1!"),
        (trailers, "1=POST/ 1!"),
        ([three.clone(), pseudo].concat(), "1=POST/ 1:abc 1!"),
        ([three, endless].concat(), "1=POST/ 1:abc 1!"),
    ] {
        let mut server = server(b"");
        let bytes = [head.clone(), rest].concat();
        assert_eq!(asked(&mut server, &bytes).unwrap(), story);
    }
}

#[test]
fn streams_above_the_limit_are_refused_and_the_others_go_on() {
    let options = Options {
        streams: 2,
        ..Options::default()
    };
    let mut server = Server::new(options);
    let bytes = [
        PREFACE,
        &settings(&[]),
        &get(END_STREAM, 1),
        &get(END_STREAM, 3),
        &get(END_STREAM, 5),
    ]
    .concat();
    let story = asked(&mut server, &bytes).unwrap();
    assert_eq!(story, "opened 0 1=GET/ 1. 3=GET/ 3.");
    assert_eq!(last_code(server.output()), ErrorCode::REFUSED_STREAM.0);
    server.respond(stream(0), &block(&[(":status", "204")]), true);
    assert_eq!(
        asked(&mut server, &get(END_STREAM, 7)).unwrap(),
        "7=GET/ 7."
    );
}

#[test]
#[cfg_attr(miri, ignore = "an hour in an interpreter")]
fn streams_that_are_opened_and_reset_at_once_end_the_connection() {
    let mut id = 1;
    let mut pair = |end| {
        let bytes = [get(end, id), frame(RST_STREAM, 0, id, &[0, 0, 0, 8])].concat();
        id += 2;
        bytes
    };
    let mut server = server(b"");
    let refused = (0..5_000).find_map(|_| asked(&mut server, &pair(END_STREAM)).err());
    assert!(matches!(refused, Some(Fault::Flood(_))), "{refused:?}");
    assert_eq!(last_code(server.output()), 11);
    assert_eq!(server.open_streams(), 0);
}

#[test]
#[cfg_attr(miri, ignore = "an hour in an interpreter")]
fn cancels_among_answered_requests_do_not_end_it() {
    let mut server = server(b"");
    for round in 0..5_000 {
        let id = 4 * round + 1;
        answer(&mut server, &get(END_STREAM, id), b"PONG").unwrap();
        let cancelled = [
            get(END_STREAM, id + 2),
            frame(RST_STREAM, 0, id + 2, &[0, 0, 0, 8]),
        ]
        .concat();
        assert!(asked(&mut server, &cancelled).unwrap().ends_with('!'));
        server.output().clear();
    }
}

#[test]
fn a_stream_that_was_reset_by_us_may_be_finished_by_the_client() {
    let mut server = server(&get(0, 1));
    server.reset(stream(0), ErrorCode::INTERNAL_ERROR);
    let late = frame(DATA, END_STREAM, 1, b"late");
    assert_eq!(asked(&mut server, &late).unwrap(), "");
    assert_eq!(
        asked(&mut server, &get(END_STREAM, 5)).unwrap(),
        "5=GET/ 5."
    );
    assert_eq!(
        asked(&mut server, &frame(DATA, 0, 5, b"x")),
        Err(Fault::StreamClosed),
        "this one was not"
    );
}
