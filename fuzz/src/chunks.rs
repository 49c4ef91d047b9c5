//! The chunk reader: **for any bytes, however they are split, it reports the same data, end or fault as a plain decoder
//! that gets all bytes at once, and no other data.**

use crate::input::Input;
use crate::transcript::Transcript;
use std::iter::once;
use wire::ReplyError;

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// The end of a chunked body.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// The body ended, with this many bytes of input left.
    Ended {
        left: usize,
    },
    /// The input ended before the body.
    CutShort,
    Fault(ReplyError),
}

/// Panics unless the sentence above holds for this input.
pub fn hold(data: &[u8]) {
    let input = Input::of(data);
    let (expected, outcome) = decode(input.bytes);
    let whole = [HEAD, input.bytes].concat();
    let at_once = Transcript::of(once(&whole[..]), false, None);
    check(&at_once, &expected, &outcome, input.bytes);
    let bytewise = once(HEAD).chain(input.bytes.chunks(1));
    check(
        &Transcript::of(bytewise, false, None),
        &expected,
        &outcome,
        input.bytes,
    );
    let apart: Vec<Box<[u8]>> = input.pieces().map(Box::from).collect();
    let pieces = once(HEAD).chain(apart.iter().map(|piece| &piece[..]));
    check(
        &Transcript::of(pieces, false, None),
        &expected,
        &outcome,
        input.bytes,
    );
}

/// Checks the data and the outcome of the first reply. This target ignores what follows it.
fn check(transcript: &Transcript, expected: &[u8], outcome: &Outcome, bytes: &[u8]) {
    let end = transcript.marks.get(1).map(|&(length, _)| length);
    let body = &transcript.bodies[..end.unwrap_or(transcript.bodies.len())];
    assert_eq!(body, expected, "the data of {bytes:?}");
    let seen = match (end, &transcript.end) {
        (Some(_), _) => Outcome::Ended {
            left: HEAD.len() + bytes.len() - transcript.first_end.unwrap_or_default(),
        },
        (None, Some(Err(ReplyError::Truncated))) => Outcome::CutShort,
        (None, Some(Err(fault))) => Outcome::Fault(*fault),
        (None, other) => panic!("expected an end or a fault, got {other:?}"),
    };
    assert_eq!(&seen, outcome, "the outcome of {bytes:?}");
}

/// The plain decoder of RFC 9112 §7.1, written from the grammar, independently of the reader.
fn decode(bytes: &[u8]) -> (Vec<u8>, Outcome) {
    let (mut data, mut rest) = (Vec::new(), bytes);
    let outcome = loop {
        let size = match size_line(&mut rest) {
            Ok(size) => size,
            Err(outcome) => break outcome,
        };
        if size == 0 {
            break trailers(rest);
        }
        let take = usize::try_from(size).map_or(rest.len(), |size| size.min(rest.len()));
        data.extend_from_slice(&rest[..take]);
        rest = &rest[take..];
        match rest {
            [b'\r', b'\n', after @ ..] => rest = after,
            [] | [b'\r'] => break Outcome::CutShort,
            _ => break Outcome::Fault(ReplyError::BadChunk),
        }
    };
    (data, outcome)
}

/// `1*HEXDIG *BWS [ ";" *(any but CR and LF) ] CR LF`
fn size_line(rest: &mut &[u8]) -> Result<u64, Outcome> {
    let digits = rest
        .iter()
        .take_while(|byte| byte.is_ascii_hexdigit())
        .count();
    let text = str::from_utf8(&rest[..digits]).unwrap_or_default();
    let significant = text.trim_start_matches('0');
    if significant.len() > 16 {
        return Err(Outcome::Fault(ReplyError::ChunkTooLarge));
    }
    let size = u64::from_str_radix(significant, 16).unwrap_or(0);
    let mut after = &rest[digits..];
    if digits == 0 && !after.is_empty() {
        return Err(Outcome::Fault(ReplyError::BadChunk));
    }
    let blanks = after
        .iter()
        .take_while(|&&byte| byte == b' ' || byte == b'\t')
        .count();
    after = &after[blanks..];
    if after.first() == Some(&b';') {
        let extension = after
            .iter()
            .take_while(|&&byte| byte != b'\r' && byte != b'\n')
            .count();
        after = &after[extension..];
    }
    match after {
        [b'\r', b'\n', next @ ..] => {
            *rest = next;
            Ok(size)
        }
        [] | [b'\r'] => Err(Outcome::CutShort),
        _ => Err(Outcome::Fault(ReplyError::BadChunk)),
    }
}

/// Skips lines, each ended by LF, up to an empty line: LF or CR LF. Only an empty line may start with CR.
fn trailers(mut rest: &[u8]) -> Outcome {
    loop {
        match rest {
            [b'\n', after @ ..] | [b'\r', b'\n', after @ ..] => {
                return Outcome::Ended { left: after.len() };
            }
            [] | [b'\r'] => return Outcome::CutShort,
            [b'\r', ..] => return Outcome::Fault(ReplyError::BadChunk),
            _ => match rest.iter().position(|&byte| byte == b'\n') {
                Some(end) => rest = &rest[end + 1..],
                None => return Outcome::CutShort,
            },
        }
    }
}
