//! Single calls of the reader.

use wire::{Event, Reader, ReplyError};

#[test]
fn the_end_of_a_reply_without_body_is_told_without_more_input() {
    let mut reader = Reader::new();
    let bytes = b"HTTP/1.1 204 N\r\n\r\n";
    assert!(matches!(
        reader.next(bytes, false),
        Ok((18, Event::Head(_)))
    ));
    assert!(reader.in_reply());
    assert_eq!(reader.next(b"", false), Ok((0, Event::End)));
    assert!(!reader.in_reply());
    assert_eq!(reader.next(b"", false), Ok((0, Event::NeedMore)));
}

#[test]
fn what_follows_a_reply_is_left_for_the_next_call() {
    let mut reader = Reader::new();
    let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxGARBAGE\r\n\r\n";
    let (head, _) = reader.next(bytes, false).unwrap();
    assert_eq!(
        reader.next(&bytes[head..], false),
        Ok((1, Event::Body(b"x")))
    );
    let rest = &bytes[head + 1..];
    assert_eq!(reader.next(rest, false), Ok((0, Event::End)));
    assert_eq!(rest, b"GARBAGE\r\n\r\n");
    assert_eq!(reader.next(rest, false), Err(ReplyError::Version));
}

#[test]
fn a_body_is_taken_only_whole_and_then_its_end_is_not_told_again() {
    let mut reader = Reader::new();
    let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nxyHTTP/1.1 204 N\r\n\r\n";
    assert_eq!(reader.take_body(bytes), None, "before a head");
    let (head, _) = reader.next(bytes, false).unwrap();
    assert_eq!(reader.take_body(&bytes[head..=head]), None);
    assert_eq!(reader.take_body(&bytes[head..]), Some(&b"xy"[..]));
    assert!(!reader.in_reply());
    let rest = &bytes[head + 2..];
    assert!(matches!(reader.next(rest, false), Ok((18, Event::Head(_)))));
    assert_eq!(reader.take_body(b""), Some(&b""[..]), "no body");
    assert_eq!(reader.next(b"", false), Ok((0, Event::NeedMore)));
}

#[test]
fn a_body_of_unknown_length_is_not_taken() {
    for head in [
        &b"HTTP/1.1 200 OK\r\n\r\n"[..],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ] {
        let mut reader = Reader::new();
        reader.next(head, false).unwrap();
        assert_eq!(reader.take_body(b"0\r\n\r\n"), None);
        assert!(reader.in_reply());
    }
}

#[test]
fn a_reply_is_under_way_from_its_first_byte() {
    let mut reader = Reader::new();
    assert!(!reader.in_reply());
    assert_eq!(reader.eof(), Ok(false));
    assert_eq!(reader.next(b"\r\n", false), Ok((2, Event::NeedMore)));
    assert!(!reader.in_reply(), "a stray line is no reply");
    assert_eq!(reader.next(b"H", false), Ok((1, Event::NeedMore)));
    assert!(reader.in_reply());
    assert_eq!(reader.eof(), Err(ReplyError::Truncated));
}

#[test]
fn a_new_connection_forgets_the_old_one() {
    let mut reader = Reader::new();
    reader
        .next(b"HTTP/1.1 100 C\r\n\r\nHTTP/1.1 2", false)
        .unwrap();
    reader.reset();
    assert!(!reader.in_reply());
    let next = reader.next(b"HTTP/1.1 204 N\r\n\r\n", false);
    assert!(matches!(next, Ok((18, Event::Head(_)))), "{next:?}");
}
