//! Flow control, in both directions, and the games that can be played with it.

use crate::{
    DATA, END_HEADERS, END_STREAM, HEADERS, WINDOW_UPDATE, block, client, frame, head, last_code,
    request, sent, settings, stream, told,
};
use wire::h2::{Client, Event, Fault, Options, Server, ServerEvent};

fn widen(stream: u32, increment: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &increment.to_be_bytes())
}

#[test]
fn a_body_is_sent_as_the_windows_and_the_largest_frame_allow() {
    let post = request("POST", b"x");
    let mut client = client(&settings(&[(4, 100_000)]), &[&post, &post]);
    let body = vec![b'x'; 200_000];
    assert_eq!(client.body_room(stream(0)), 65_535);
    assert_eq!(
        client.send(stream(0), &body, true),
        65_535,
        "the window of the connection"
    );
    assert_eq!(client.send(stream(1), &body, true), 0);
    let frames = sent(client.output());
    assert_eq!(frames.len(), 4, "of 16,384 bytes at most");
    assert_eq!(told(&mut client, &widen(0, 200_000)).unwrap(), "opened 0");
    assert_eq!(
        client.send(stream(0), &body[65_535..], true),
        34_465,
        "the window of the stream"
    );
    assert_eq!(told(&mut client, &widen(1, 1 << 20)).unwrap(), "opened 1");
    assert_eq!(client.send(stream(0), &body[100_000..], true), 100_000);
    assert_eq!(
        client.send(stream(0), b"more", true),
        0,
        "the request has ended"
    );
    assert_eq!(client.send(stream(1), b"", true), 0);
    let frames = sent(client.output());
    assert_eq!(
        frames.last(),
        Some(&(DATA, 3, vec![])),
        "an empty body needs no window"
    );
}

#[test]
fn a_window_may_fall_below_zero_and_opens_when_it_is_above_again() {
    let post = request("POST", b"x");
    let mut client = client(b"", &[&post]);
    assert_eq!(client.send(stream(0), &[0; 1000], false), 1000);
    assert_eq!(told(&mut client, &settings(&[(4, 0)])).unwrap(), "settings");
    assert_eq!(client.body_room(stream(0)), 0);
    told(&mut client, &widen(1, 1000)).unwrap();
    assert_eq!(client.body_room(stream(0)), 0, "1,000 below, 1,000 more");
    told(&mut client, &widen(1, 1)).unwrap();
    assert_eq!(client.send(stream(0), &[0; 1000], false), 1);
    told(&mut client, &settings(&[(4, 10)])).unwrap();
    assert_eq!(client.body_room(stream(0)), 10);
}

#[test]
fn a_window_is_opened_again_when_half_of_it_is_used() {
    let get = request("GET", b"");
    let options = Options {
        window: 100_000,
        connection_window: 150_000,
        ..Options::default()
    };
    let mut client = Client::new(options, 0);
    client.connect();
    told(&mut client, &settings(&[])).unwrap();
    client.open(&get).unwrap();
    client.output().clear();
    told(&mut client, &head(0, &[(":status", "200")])).unwrap();
    let mut updates = Vec::new();
    for _ in 0..100 {
        told(&mut client, &frame(DATA, 0, 1, &[0; 10_000])).unwrap();
        updates.extend(sent(client.output()));
        client.output().clear();
    }
    let of = |stream| {
        let frames = updates.iter().filter(move |(_, id, _)| *id == stream);
        frames.map(|(_, _, increment)| u32::from_be_bytes(increment[..].try_into().unwrap()))
    };
    // The last byte is left for the next time.
    assert_eq!((of(1).count(), of(1).sum::<u32>()), (20, 999_999));
    assert_eq!((of(0).count(), of(0).sum::<u32>()), (12, 959_999));
    assert_eq!(client.take_used_up(), 0);
    let last = frame(DATA, END_STREAM, 1, &[0; 16_384].repeat(3)[..16_384]);
    told(&mut client, &last).unwrap();
    assert!(
        !sent(client.output()).iter().any(|(_, id, _)| *id == 1),
        "an ended stream needs no window"
    );
}

#[test]
fn more_data_than_a_window_is_an_error() {
    let get = request("GET", b"");
    let small = Options {
        window: 70_000,
        connection_window: 65_535,
        ..Options::default()
    };
    let mut client = Client::new(small, 0);
    client.connect();
    told(&mut client, &settings(&[])).unwrap();
    client.open(&get).unwrap();
    // Padding counts: the data of these frames is one byte each.
    let padded = frame(DATA, 8, 1, &[&[255][..], &[0; 256]].concat());
    let bytes = [head(0, &[(":status", "200")]), padded].concat();
    assert_eq!(told(&mut client, &bytes).unwrap(), "1=200 1:\\x00");

    let tiny = Options {
        window: 1_000,
        max_frame: 1 << 20,
        ..Options::default()
    };
    for (acknowledged, is_error) in [(false, false), (true, true)] {
        let mut client = Client::new(tiny, 0);
        client.connect();
        let ack = if acknowledged {
            frame(4, 1, 0, b"")
        } else {
            vec![]
        };
        told(&mut client, &[settings(&[]), ack].concat()).unwrap();
        client.open(&get).unwrap();
        client.output().clear();
        let bytes = [
            head(0, &[(":status", "200")]),
            frame(DATA, 0, 1, &[0; 1_001]),
        ]
        .concat();
        let result = told(&mut client, &bytes);
        assert_eq!(
            matches!(result, Err(Fault::FlowControl(_))),
            is_error,
            "{result:?}"
        );
        if is_error {
            assert_eq!(last_code(client.output()), 3);
        }
    }
    let mut client = Client::new(
        Options {
            max_frame: 1 << 20,
            ..small
        },
        0,
    );
    client.connect();
    told(&mut client, &settings(&[])).unwrap();
    client.open(&get).unwrap();
    let bytes = [
        head(0, &[(":status", "200")]),
        frame(DATA, 0, 1, &vec![0; 65_536]),
    ]
    .concat();
    assert!(
        matches!(told(&mut client, &bytes), Err(Fault::FlowControl(_))),
        "of the connection"
    );
}

#[test]
fn a_window_above_its_limit_is_an_error_of_the_stream_or_of_the_connection() {
    let post = request("POST", b"x");
    let most = (1 << 31) - 1;
    for (bytes, story) in [
        (widen(1, most), Ok("1?Window")),
        (widen(1, 0), Ok("1?Increment")),
        (widen(0, most), Err(3)),
        (widen(0, 0), Err(1)),
        (settings(&[(4, 1 << 31)]), Err(3)),
        ([widen(1, 1000), settings(&[(4, most)])].concat(), Err(3)),
        (
            [widen(1, most - 65_535), settings(&[(4, 65_536)])].concat(),
            Err(3),
        ),
    ] {
        let mut client = client(b"", &[&post]);
        match (told(&mut client, &bytes), story) {
            (Ok(told), Ok(story)) => assert_eq!(told, story),
            (Err(_), Err(code)) => assert_eq!(last_code(client.output()), code),
            (told, story) => panic!("{told:?}, expected {story:?}"),
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "an hour in an interpreter")]
fn a_large_body_arrives_through_small_windows_whatever_is_blocked_first() {
    for (window, connection_window) in [(1_000, 65_535), (300_000, 65_535), (70_000, 1 << 20)] {
        let options = Options {
            window,
            connection_window,
            ..Options::default()
        };
        let (mut client, mut server) = (Client::new(options, 0), Server::new(Options::default()));
        let get = request("GET", b"");
        client.connect();
        client.open(&get).unwrap();
        let body: Vec<u8> = (0..500_000_u32).map(|place| (place % 251) as u8).collect();
        let (mut got, mut left, mut is_over, mut turns) = (Vec::new(), None, false, 0);
        while !is_over {
            turns += 1;
            assert!(turns < 10_000, "stalled");
            let output = std::mem::take(client.output());
            let mut rest = &output[..];
            loop {
                let (taken, event) = server.next(rest).unwrap();
                rest = &rest[taken..];
                match event {
                    ServerEvent::NeedMore => break,
                    ServerEvent::End { stream } => {
                        server.respond(stream, &block(&[(":status", "200")]), false);
                        left = Some((stream, &body[..]));
                    }
                    _ => {}
                }
            }
            if let Some((stream, rest)) = &mut left {
                let sent = server.send(*stream, rest, true);
                *rest = &rest[sent..];
            }
            let output = std::mem::take(server.output());
            let mut rest = &output[..];
            loop {
                let (taken, event) = client.next(rest).unwrap();
                rest = &rest[taken..];
                match event {
                    Event::NeedMore => break,
                    Event::Body { data, .. } => got.extend_from_slice(data),
                    Event::End { .. } => is_over = true,
                    _ => {}
                }
            }
        }
        assert!(got == body, "{window} {connection_window}");
    }
}

#[test]
fn a_long_block_is_cut_into_frames_and_joined_again() {
    let mut server = crate::server(&crate::get(END_STREAM, 1));
    let long = "x".repeat(40_000);
    server.respond(stream(0), &block(&[(":status", "200"), ("x", &long)]), true);
    let kinds: Vec<u8> = sent(server.output())
        .into_iter()
        .map(|(kind, ..)| kind)
        .collect();
    assert_eq!(kinds, [HEADERS, 9, 9]);
    assert_eq!(server.output()[4] & END_HEADERS, 0);
    let mut client = client(b"", &[&request("GET", b"")]);
    assert_eq!(told(&mut client, server.output()).unwrap(), "1=200 1.");
}
