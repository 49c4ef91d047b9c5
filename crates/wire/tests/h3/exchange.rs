//! Requests and replies.

use wire::h2::Stream;
use wire::h3::Record;

use crate::{CONTROL, Seen, connected, data, frame, get, headers, output, pong, read, request};

const FIRST: Stream = Stream { id: 1, lane: 0 };

#[test]
fn a_connection_begins_with_its_settings_and_requests_are_headers_on_their_streams() {
    let mut client = connected(10, 10);
    let control = std::mem::take(client.output());
    // The type of the stream, a SETTINGS frame with one setting of 64 KiB.
    assert_eq!(control[13..], [0, 4, 5, 6, 0x80, 1, 0, 0]);
    assert_eq!(client.open(&get()), Some(FIRST));
    let second = client.open(&get()).unwrap();
    assert_eq!((second.id, second.lane), (3, 1));
    // Method, scheme and path of the static table, or by its names.
    let sent = output(&mut client);
    assert_eq!(sent.len(), 4);
    assert_eq!((sent[0].0, sent[1].clone()), (0, (0, "end".into())));
    assert_eq!((sent[2].0, sent[3].clone()), (4, (4, "end".into())));
}

#[test]
fn a_reply_is_read_in_any_split() {
    let reply = pong();
    let expected = |client: &mut wire::h3::Client, records: &[Record]| {
        let (mut body, mut ends, mut heads) = (Vec::new(), 0, 0);
        for seen in read(client, records).unwrap() {
            match seen {
                Seen::Head(_, head) => {
                    assert_eq!((head.status, head.length), (200, Some(4)));
                    heads += 1;
                }
                Seen::Body(_, bytes) => body.extend(bytes),
                Seen::End(_) => ends += 1,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((heads, &body[..], ends), (1, &b"PONG"[..], 1));
    };
    for split in 0..=reply.len() {
        let mut client = connected(1, 10);
        client.open(&get()).unwrap();
        let (one, two) = reply.split_at(split);
        expected(
            &mut client,
            &[data(0, one), data(0, two), Record::End { stream: 0 }],
        );
    }
    let mut client = connected(1, 10);
    client.open(&get()).unwrap();
    let bytes: Vec<_> = reply.chunks(1).map(|byte| data(0, byte)).collect();
    expected(
        &mut client,
        &[bytes, vec![Record::End { stream: 0 }]].concat(),
    );
}

#[test]
fn interim_replies_trailers_and_unknown_frames_are_no_part_of_a_body() {
    let mut client = connected(1, 10);
    client.open(&get()).unwrap();
    let reply = [
        headers(&[(":status", "103"), ("link", "</a>")]),
        frame(0x21, b"grease"),
        headers(&[(":status", "200")]),
        frame(0, b"abc"),
        frame(0x21, b""),
        headers(&[("x-sum", "1")]),
        frame(0x21, b"at the end"),
    ]
    .concat();
    let seen = read(&mut client, &[data(0, &reply), Record::End { stream: 0 }]).unwrap();
    assert!(matches!(seen[0], Seen::Head(_, head) if head.status == 200));
    assert_eq!(
        seen[1..],
        [Seen::Body(FIRST, b"abc".into()), Seen::End(FIRST)]
    );
}

#[test]
fn streams_are_limited_by_the_server_and_by_the_options() {
    let mut client = connected(3, 2);
    assert_eq!((client.room(), client.stream_limit()), (2, Some(2)));
    client.open(&get()).unwrap();
    client.open(&get()).unwrap();
    assert_eq!(client.open(&get()), None);
    assert_eq!(
        read(&mut client, &[Record::Room { streams: 100 }]),
        Ok(vec![])
    );
    assert_eq!(client.room(), 1);
    client.open(&get()).unwrap();
    assert_eq!(client.room(), 0);
    let seen = read(&mut client, &[data(4, &pong()), Record::End { stream: 4 }]).unwrap();
    assert_eq!(seen.len(), 3);
    assert_eq!(client.room(), 1);
    assert_eq!(connected(3, 100).stream_limit(), None);
}

#[test]
fn a_body_waits_while_its_stream_is_blocked() {
    let mut client = connected(2, 10);
    let stream = client.open(&request("POST", b"0123456789")).unwrap();
    output(&mut client);
    assert_eq!(client.send(stream, b"01234", false), 5);
    // Type and length of the frame.
    assert_eq!(output(&mut client), [(0, "7 bytes".into())]);
    assert_eq!(
        read(&mut client, &[Record::Blocked { stream: 0 }]),
        Ok(vec![])
    );
    assert_eq!(client.send(stream, b"56789", true), 0);
    assert_eq!(output(&mut client), []);
    let seen = read(&mut client, &[Record::Open { stream: 0 }]).unwrap();
    assert_eq!(seen, [Seen::Opened(Some(stream))]);
    assert_eq!(client.send(stream, b"56789", true), 5);
    assert_eq!(
        output(&mut client),
        [(0, "7 bytes".into()), (0, "end".into())]
    );
}

#[test]
fn a_server_that_wants_no_more_of_a_body_still_answers() {
    let mut client = connected(2, 10);
    let stream = client.open(&request("POST", b"0123456789")).unwrap();
    let stopped = Record::Stopped {
        stream: 0,
        code: 0x100,
    };
    read(&mut client, &[stopped]).unwrap();
    output(&mut client);
    assert_eq!(client.send(stream, b"0123456789", true), 10);
    assert_eq!(output(&mut client), []);
    let seen = read(&mut client, &[data(0, &pong()), Record::End { stream: 0 }]).unwrap();
    assert_eq!(seen[2], Seen::End(stream));
}

#[test]
fn a_reply_that_ends_before_its_request_is_sent_abandons_the_rest() {
    let mut client = connected(2, 10);
    let stream = client.open(&request("POST", b"0123456789")).unwrap();
    output(&mut client);
    let seen = read(&mut client, &[data(0, &pong()), Record::End { stream: 0 }]).unwrap();
    assert_eq!(seen[2], Seen::End(stream));
    assert_eq!(output(&mut client), [(0, "reset 0x10c".into())]);
}

#[test]
fn a_cancelled_stream_is_reset_and_what_still_comes_of_it_is_ignored() {
    let mut client = connected(1, 10);
    let stream = client.open(&get()).unwrap();
    output(&mut client);
    client.cancel(stream);
    assert_eq!(output(&mut client), [(0, "reset 0x10c".into())]);
    let seen = read(&mut client, &[data(0, &pong()), Record::End { stream: 0 }]);
    assert_eq!(seen, Ok(vec![]));
    assert_eq!(client.room(), 1);
}

#[test]
fn a_stream_that_the_server_abandons_is_told_with_its_code() {
    let mut client = connected(1, 10);
    let stream = client.open(&get()).unwrap();
    let reset = Record::Reset {
        stream: 0,
        code: 0x10b,
    };
    let seen = read(&mut client, &[reset]).unwrap();
    assert_eq!(seen, [Seen::Reset(stream, "H3_REQUEST_REJECTED".into())]);
}

#[test]
fn requests_behind_a_goaway_were_not_processed_and_those_before_it_go_on() {
    let mut client = connected(3, 10);
    let streams: Vec<_> = (0..3).map(|_| client.open(&get()).unwrap()).collect();
    // The first says that the connection will end, the second where.
    let last = [&[0xff; 7][..], &[0xfc]].concat();
    let shutdown = [CONTROL, &[7, 8], &last].concat();
    let seen = read(&mut client, &[data(3, &shutdown)]).unwrap();
    assert_eq!(seen, [Seen::GoAway("NO_ERROR".into())]);
    assert!(client.is_spent() && client.room() == 0);
    let seen = read(&mut client, &[data(3, &frame(7, &[4]))]).unwrap();
    let mut expected = vec![Seen::GoAway("NO_ERROR".into())];
    expected.extend(streams[1..].iter().copied().map(Seen::Unprocessed));
    assert_eq!(seen, expected);
    let seen = read(&mut client, &[data(0, &pong()), Record::End { stream: 0 }]).unwrap();
    assert_eq!(seen[2], Seen::End(streams[0]));
}

#[test]
fn a_connection_that_the_server_closes_takes_no_more_requests() {
    let mut client = connected(1, 10);
    let seen = read(&mut client, &[Record::Closed { code: 0x102 }]).unwrap();
    assert_eq!(seen, [Seen::GoAway("H3_INTERNAL_ERROR".into())]);
    assert_eq!(client.open(&get()), None);
    // The next one begins anew.
    client.connect();
    read(&mut client, &[Record::Room { streams: 5 }]).unwrap();
    assert_eq!(client.open(&get()), Some(FIRST));
}

#[test]
fn a_head_reply_has_no_body_whatever_its_length_says() {
    let mut client = connected(1, 10);
    let stream = client.open(&request("HEAD", b"")).unwrap();
    let head = headers(&[(":status", "200"), ("content-length", "4")]);
    let seen = read(&mut client, &[data(0, &head), Record::End { stream: 0 }]).unwrap();
    assert_eq!(seen[1], Seen::End(stream));
}
