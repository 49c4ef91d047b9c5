//! A table of replies, each read whole and byte by byte.

use crate::{bytewise, read, whole};

/// Description, bytes, events; `closed`: the close ended the reply, as it should.
type Case = (&'static str, &'static str, &'static str);

const LENGTHS: &[Case] = &[
    (
        "a length says where the body ends",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "200 kept Length(5), `hello`, end",
    ),
    (
        "a length of 0 is a reply without body",
        "HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n",
        "200 kept Length(0), end",
    ),
    (
        "equal lengths, in a list or in lines, are one",
        "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nhi",
        "200 kept Length(2), `hi`, end",
    ),
    (
        "without a length the body goes on until the close",
        "HTTP/1.1 200 OK\r\n\r\nall of it",
        "200 last Close, `all of it`, closed",
    ),
    (
        "a 204 has no body whatever its headers say",
        "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
        "204 kept None, end",
    ),
    (
        "a 304 tells the length of what it does not send",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        "304 kept None, end",
    ),
    (
        "a phrase may be missing and lines may end with LF alone",
        "HTTP/1.1 200\nContent-Length: 1\n\nx",
        "200 kept Length(1), `x`, end",
    ),
    (
        "pipelined replies may be glued, or have a stray line between",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nbHTTP/1.1 204 N\r\n\r\n",
        "200 kept Length(1), `a`, end, 200 kept Length(1), `b`, end, 204 kept None, end",
    ),
    (
        "interim replies are swallowed",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\nx",
        "404 kept Length(1), `x`, end",
    ),
];

const CHUNKED: &[Case] = &[
    (
        "chunks are data only",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n",
        "200 kept Chunked, `abc0123456789`, end",
    ),
    (
        "extensions, blanks after a size, leading zeros and trailers are skipped",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, Chunked\r\n\r\n0003 ; a=\"b\"\r\nabc\r\n2 \r\nde\r\n00;x\r\nT: 1\r\nU: 2\r\n\r\n",
        "200 kept Chunked, `abcde`, end",
    ),
    (
        "a reply after the last chunk is the next reply",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 204 N\r\n\r\n",
        "200 kept Chunked, end, 204 kept None, end",
    ),
    (
        "chunked wins over a length, and the connection is not kept",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        "200 last Chunked, `x`, end",
    ),
    (
        "chunked wins even over a bad length",
        "HTTP/1.1 200 OK\r\nContent-Length: -9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "200 last Chunked, end",
    ),
    (
        "a last coding that is not chunked means until the close",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\nContent-Length: 1\r\n\r\nxyz",
        "200 last Close, `xyz`, closed",
    ),
];

const PERSISTENCE: &[Case] = &[
    (
        "close in a list of any case ends the connection",
        "HTTP/1.1 200 OK\r\nConnection: foo, CLOSE\r\nContent-Length: 0\r\n\r\n",
        "200 last Length(0), end",
    ),
    (
        "close wins over keep-alive",
        "HTTP/1.1 200 OK\r\nConnection: close\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
        "200 last Length(0), end",
    ),
    (
        "HTTP/1.0 is not kept by habit",
        "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
        "1.0 200 last Length(1), `x`, end",
    ),
    (
        "HTTP/1.0 is kept if it says so",
        "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\nx",
        "1.0 200 kept Length(1), `x`, end",
    ),
    (
        "HTTP/1.0 with chunks is read and not kept",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "1.0 200 last Chunked, end",
    ),
];

const BAD_HEADS: &[Case] = &[
    ("another protocol", "SSH-2.0-OpenSSH_9.2\r\n", " Version"),
    ("another version", "HTTP/2.0 200 OK\r\n\r\n", " Version"),
    (
        "a status of letters",
        "HTTP/1.1 abc OK\r\n\r\n",
        " BadHead(\"the status is not three digits and a phrase\")",
    ),
    (
        "a blank before a colon",
        "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
        " BadHead(\"the name of a header contains an invalid byte\")",
    ),
    (
        "a sign in a length",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
        " BadContentLength",
    ),
    (
        "an empty length",
        "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
        " BadContentLength",
    ),
    (
        "a length of 2^64",
        "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n",
        " BadContentLength",
    ),
    (
        "lengths that differ",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        " ConflictingLengths",
    ),
    (
        "what follows a 101 is no reply",
        "HTTP/1.1 103 E\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        "switch, `HTTP/1.1 200 OK\r\n\r\n`, closed",
    ),
    (
        "a head cut off",
        "HTTP/1.1 200 OK\r\nContent-",
        " Truncated",
    ),
    (
        "a close after an interim reply",
        "HTTP/1.1 100 Continue\r\n\r\n",
        " Truncated",
    ),
    (
        "a body cut off",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "200 kept Length(5), `hell` Truncated",
    ),
];

/// The bytes after a chunked head.
const BAD_CHUNKS: &[Case] = &[
    ("a chunk without a size", "\r\n", " BadChunk"),
    ("a size that is not hexadecimal", "5g\r\n", " BadChunk"),
    ("digits after a blank", "5 5\r\n", " BadChunk"),
    ("a size line that ends with LF alone", "1\nx", " BadChunk"),
    ("data longer than its size", "1\r\nxy", ", `x` BadChunk"),
    ("data that ends with LF alone", "1\r\nx\n", ", `x` BadChunk"),
    (
        "a chunk of 2^64 bytes",
        "10000000000000000\r\n",
        " ChunkTooLarge",
    ),
    (
        "chunks cut off before the last",
        "1\r\nx\r\n",
        ", `x` Truncated",
    ),
    (
        "chunks cut off in the trailers",
        "0\r\nA: b\r\n",
        " Truncated",
    ),
];

fn check(cases: &[Case], before: &str, seen_before: &str) {
    for (sentence, bytes, seen) in cases {
        let (bytes, seen) = (format!("{before}{bytes}"), format!("{seen_before}{seen}"));
        assert_eq!(whole(bytes.as_bytes()).to_string(), seen, "{sentence}");
        assert_eq!(
            bytewise(bytes.as_bytes()).to_string(),
            seen,
            "{sentence}, byte by byte"
        );
    }
}

#[test]
fn the_end_of_a_reply_is_found() {
    check(LENGTHS, "", "");
}

#[test]
fn chunks_are_joined() {
    check(CHUNKED, "", "");
}

#[test]
fn whether_the_connection_is_kept_follows_version_header_and_framing() {
    check(PERSISTENCE, "", "");
}

#[test]
fn heads_that_are_wrong_are_refused() {
    check(BAD_HEADS, "", "");
}

#[test]
fn chunks_that_are_wrong_are_refused() {
    check(
        BAD_CHUNKS,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "200 kept Chunked",
    );
}

#[test]
fn the_answer_to_head_has_no_body() {
    for framing in [
        "Content-Length: 5\r\n",
        "Transfer-Encoding: chunked\r\n",
        "",
    ] {
        let bytes = format!("HTTP/1.1 200 OK\r\n{framing}\r\n");
        assert_eq!(
            read([bytes.as_bytes()], true).to_string(),
            "200 kept None, end",
            "{framing}"
        );
    }
}
