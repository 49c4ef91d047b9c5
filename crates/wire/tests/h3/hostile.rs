//! Servers that break the rules: the connection or the stream ends, with the code of the standard, and memory is bounded.

use wire::h3::{Fault, Record};

use crate::{CONTROL, Seen, connected, data, frame, get, headers, output, pong, read};

/// The code with which a client closes a connection, when a server sends this on the stream of its first request.
fn on_request(bytes: &[u8], end: bool) -> String {
    let end = end.then_some(Record::End { stream: 0 });
    fault(&[&[data(0, bytes)][..], end.as_slice()].concat())
}

/// The same for its first stream in one direction.
fn on_stream(bytes: &[u8]) -> String {
    fault(&[data(3, bytes)])
}

fn fault(records: &[Record]) -> String {
    let mut client = connected(2, 10);
    client.open(&get()).unwrap();
    output(&mut client);
    match read(&mut client, records) {
        Ok(seen) => format!("no fault: {seen:?}"),
        Err(fault) => {
            let closed = format!("closed {:#x}", fault.code().0);
            assert_eq!(output(&mut client).last(), Some(&(0, closed)));
            fault.code().to_string()
        }
    }
}

#[test]
fn frames_that_are_not_allowed_on_a_request_close_the_connection() {
    for (kind, code) in [
        (2, "H3_FRAME_UNEXPECTED"),
        (6, "H3_FRAME_UNEXPECTED"),
        (8, "H3_FRAME_UNEXPECTED"),
        (9, "H3_FRAME_UNEXPECTED"),
        (4, "H3_FRAME_UNEXPECTED"),
        (7, "H3_FRAME_UNEXPECTED"),
        (0xd, "H3_FRAME_UNEXPECTED"),
        (3, "H3_ID_ERROR"),
        (5, "H3_ID_ERROR"),
    ] {
        assert_eq!(on_request(&frame(kind, &[0]), false), code, "{kind}");
    }
}

#[test]
fn parts_of_a_reply_out_of_order_close_the_connection() {
    let trailers = headers(&[("x", "1")]);
    let twice = [pong(), trailers.clone(), trailers.clone()].concat();
    let behind = [pong(), trailers, frame(0, b"more")].concat();
    for bytes in [frame(0, b"no head"), twice, behind] {
        assert_eq!(on_request(&bytes, false), "H3_FRAME_UNEXPECTED");
    }
}

#[test]
fn a_stream_that_ends_inside_a_frame_closes_the_connection() {
    let reply = pong();
    assert_eq!(
        on_request(&reply[..reply.len() - 1], true),
        "H3_FRAME_ERROR"
    );
    assert_eq!(on_request(&[1], true), "H3_FRAME_ERROR");
    assert_eq!(on_request(&[0x40], true), "H3_FRAME_ERROR");
}

#[test]
fn blocks_that_cannot_be_decoded_close_the_connection() {
    for block in [&[0, 0, 0x80][..], &[1, 0], &[], &[0, 0, 0x51, 0x81, 0xff]] {
        let code = on_request(&frame(1, block), false);
        assert_eq!(code, "QPACK_DECOMPRESSION_FAILED", "{block:?}");
    }
    let bomb = [&[0, 0][..], &[0xd9; 3000]].concat();
    assert_eq!(on_request(&frame(1, &bomb), false), "H3_EXCESSIVE_LOAD");
}

#[test]
fn lengths_beyond_all_bounds_take_no_memory() {
    // A block of 2^62 - 1 bytes; an unknown frame of as many, which is skipped.
    let huge = [0xff; 8];
    let begin = |kind: u8| [&[kind][..], &huge].concat();
    assert_eq!(on_request(&begin(1), false), "H3_EXCESSIVE_LOAD");
    assert_eq!(
        on_stream(&[CONTROL, &begin(7)].concat()),
        "H3_EXCESSIVE_LOAD"
    );
    assert!(on_request(&begin(0x21), false).starts_with("no fault"));
    assert_eq!(on_request(&begin(0x21), true), "H3_FRAME_ERROR");
}

#[test]
fn blocks_that_begin_on_many_streams_and_never_end_are_limited_together() {
    let mut client = connected(100, 100);
    let begun = [&[1, 0x80, 0, 0xff, 0xff][..], &vec![0; 60_000]].concat();
    for number in 0..17 {
        client.open(&get()).unwrap();
        assert_eq!(read(&mut client, &[data(number * 4, &begun)]), Ok(vec![]));
    }
    client.open(&get()).unwrap();
    let failed = read(&mut client, &[data(17 * 4, &begun)]);
    assert_eq!(failed, Err(Fault::HeadTooLarge));
}

#[test]
fn frames_without_use_are_limited() {
    let empty = frame(0x21, b"").repeat(10_001);
    assert_eq!(on_request(&empty, false), "H3_EXCESSIVE_LOAD");
    let data = [headers(&[(":status", "200")]), frame(0, b"").repeat(10_001)].concat();
    assert_eq!(on_request(&data, false), "H3_EXCESSIVE_LOAD");
    let control = [CONTROL, &empty].concat();
    assert_eq!(on_stream(&control), "H3_EXCESSIVE_LOAD");
}

#[test]
fn control_streams_that_break_the_rules_close_the_connection() {
    let settings = |payload: &[u8]| [&[0][..], &frame(4, payload)].concat();
    let then = |frame: Vec<u8>| [CONTROL, &frame].concat();
    for (bytes, code, reason) in [
        (vec![0, 7, 1, 0], "H3_MISSING_SETTINGS", "GOAWAY first"),
        (then(frame(4, b"")), "H3_FRAME_UNEXPECTED", "SETTINGS twice"),
        (then(frame(0, b"x")), "H3_FRAME_UNEXPECTED", "DATA"),
        (then(frame(1, b"x")), "H3_FRAME_UNEXPECTED", "HEADERS"),
        (then(frame(7, &[1])), "H3_ID_ERROR", "no id of a request"),
        (then(frame(7, &[])), "H3_FRAME_ERROR", "no id"),
        (then(frame(7, &[4, 0])), "H3_FRAME_ERROR", "more than an id"),
        (
            settings(&[2, 0]),
            "H3_SETTINGS_ERROR",
            "a setting of HTTP/2",
        ),
        (settings(&[6]), "H3_FRAME_ERROR", "half of a setting"),
        (vec![1, 0], "H3_ID_ERROR", "a push"),
        (vec![2, 0x3f], "QPACK_ENCODER_STREAM_ERROR", "a table"),
        (
            vec![3, 0x80],
            "QPACK_DECODER_STREAM_ERROR",
            "an acknowledgement",
        ),
    ] {
        assert_eq!(on_stream(&bytes), code, "{reason}");
        // Byte by byte, the meaning is the same.
        let single: Vec<_> = bytes.chunks(1).map(|byte| data(3, byte)).collect();
        assert_eq!(fault(&single), code, "{reason}, byte by byte");
    }
    let larger = [CONTROL, &frame(7, &[4]), &frame(7, &[8])].concat();
    let mut client = connected(2, 10);
    let seen = read(&mut client, &[data(3, &larger)]);
    assert!(matches!(seen, Err(Fault::Violated { .. })), "{seen:?}");
}

#[test]
fn a_control_stream_may_be_neither_closed_nor_opened_twice() {
    let closed = fault(&[data(3, CONTROL), Record::End { stream: 3 }]);
    assert_eq!(closed, "H3_CLOSED_CRITICAL_STREAM");
    let reset = Record::Reset { stream: 3, code: 0 };
    assert_eq!(
        fault(&[data(3, CONTROL), reset]),
        "H3_CLOSED_CRITICAL_STREAM"
    );
    let twice = fault(&[data(3, CONTROL), data(7, CONTROL)]);
    assert_eq!(twice, "H3_STREAM_CREATION_ERROR");
}

#[test]
fn streams_of_unknown_kinds_are_ignored() {
    let mut client = connected(2, 10);
    for id in (3..400).step_by(4) {
        let records = [data(id, &[0x21, 1, 2, 3]), Record::End { stream: id }];
        assert_eq!(read(&mut client, &records), Ok(vec![]));
    }
}

#[test]
fn replies_that_are_not_valid_end_their_stream_only() {
    let with = |fields: &[(&str, &str)]| headers(fields);
    let body = |length: &str, body: &[u8]| {
        let head = headers(&[(":status", "200"), ("content-length", length)]);
        [head, frame(0, body)].concat()
    };
    for (bytes, words) in [
        (with(&[("server", "x")]), "the status is not"),
        (with(&[(":status", "101")]), "the status is not"),
        (with(&[(":status", "200"), ("Upper", "x")]), "the name of"),
        (
            with(&[(":status", "200"), ("connection", "x")]),
            "a header field belongs",
        ),
        (body("3", b"four"), "the body has another length"),
        (body("5", b"four"), "the body has another length"),
        (with(&[(":status", "100")]), "the stream ended before"),
        (Vec::new(), "the stream ended before"),
        (
            with(&[(":status", "100")]).repeat(33),
            "more than 32 interim",
        ),
    ] {
        let mut client = connected(2, 10);
        let stream = client.open(&get()).unwrap();
        let other = client.open(&get()).unwrap();
        output(&mut client);
        let seen = read(&mut client, &[data(0, &bytes), Record::End { stream: 0 }]).unwrap();
        let last = seen.last().unwrap();
        assert!(
            matches!(last, Seen::Malformed(found, error) if *found == stream && error.starts_with(words)),
            "{words}: {last:?}"
        );
        assert_eq!(output(&mut client), [(0, "reset 0x10e".into())]);
        let seen = read(&mut client, &[data(4, &pong()), Record::End { stream: 4 }]).unwrap();
        assert_eq!(seen.last(), Some(&Seen::End(other)));
    }
}

#[test]
fn bytes_that_are_no_records_are_a_fault() {
    let mut client = connected(2, 10);
    assert!(matches!(client.next(&[0; 5]), Err(Fault::Records(_))));
}
