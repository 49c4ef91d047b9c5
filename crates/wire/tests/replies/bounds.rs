//! The limits of replies.

use crate::{bytewise, read, whole};
use wire::{MAX_HEAD, MAX_HEADERS, MAX_INTERIM, ReplyError};

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

#[test]
fn a_head_of_just_the_bound_is_read_and_one_byte_more_is_refused() {
    let frame = "HTTP/1.1 204 N\r\nA: \r\n\r\n".len();
    let of = |size: usize| format!("HTTP/1.1 204 N\r\nA: {}\r\n\r\n", "x".repeat(size - frame));
    for piece in [1, 7, MAX_HEAD * 2] {
        let fits = of(MAX_HEAD);
        assert_eq!(
            read(fits.as_bytes().chunks(piece), false).end,
            Ok(false),
            "{piece}"
        );
        let exceeds = of(MAX_HEAD + 1);
        let refused = read(exceeds.as_bytes().chunks(piece), false).end;
        assert_eq!(refused, Err(ReplyError::HeadTooLarge), "{piece}");
    }
}

#[test]
fn header_lines_are_bounded() {
    let of = |lines: usize| format!("HTTP/1.1 204 N\r\n{}\r\n", "A: b\r\n".repeat(lines));
    assert_eq!(whole(of(MAX_HEADERS).as_bytes()).end, Ok(false));
    let refused = Err(ReplyError::TooManyHeaders);
    assert_eq!(whole(of(MAX_HEADERS + 1).as_bytes()).end, refused);
    assert_eq!(bytewise(of(MAX_HEADERS + 1).as_bytes()).end, refused);
}

#[test]
fn interim_replies_are_bounded_for_each_reply() {
    let of = |count: u8| "HTTP/1.1 100 C\r\n\r\n".repeat(usize::from(count));
    let reply = format!("{}HTTP/1.1 204 N\r\n\r\n", of(MAX_INTERIM));
    assert_eq!(whole(reply.repeat(3).as_bytes()).end, Ok(false));
    let refused = Err(ReplyError::TooManyInterim);
    assert_eq!(whole(of(MAX_INTERIM + 1).as_bytes()).end, refused);
    assert_eq!(bytewise(of(MAX_INTERIM + 1).as_bytes()).end, refused);
}

#[test]
fn size_lines_and_trailers_are_bounded() {
    let long = "x".repeat(MAX_HEAD);
    for (rest, error) in [
        (format!("1;{long}"), ReplyError::ChunkLineTooLong),
        ("0".repeat(MAX_HEAD + 1), ReplyError::ChunkLineTooLong),
        (format!("0\r\nA: {long}"), ReplyError::TrailersTooLarge),
        (
            format!("0\r\n{}", "A: b\r\n".repeat(MAX_HEAD / 4)),
            ReplyError::TrailersTooLarge,
        ),
    ] {
        assert_eq!(whole(format!("{CHUNKED}{rest}").as_bytes()).end, Err(error));
    }
}

#[test]
fn the_bound_of_a_size_line_is_for_each_of_them() {
    let chunk = format!("1;{}\r\nx\r\n", "e".repeat(MAX_HEAD / 2));
    let bytes = format!("{CHUNKED}{}0\r\n\r\n", chunk.repeat(4));
    assert_eq!(
        whole(bytes.as_bytes()).to_string(),
        "200 kept Chunked, `xxxx`, end"
    );
}
