//! The replies of unary gRPC calls ("gRPC over HTTP2", <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>): a
//! message, and a status in the header fields that end the stream.
//!
//! ```text
//! head ─► flag (1 byte), length (4 bytes), message ─► trailers: grpc-status, grpc-message
//! head: grpc-status, grpc-message                     a call that failed needs no message
//! ```
//! Compressed messages are not requested, so a reply that has one is not valid.

use std::sync::Arc;

use wire::Fields;

use crate::measurement::call::{Call, Reply};
use crate::measurement::counters::Counters;
use crate::measurement::grpc::status_name;

/// Bytes before a message: a flag and its length.
const PREFIX: usize = 5;
/// Most bytes of a server's message about a status that are shown.
const MOST_SHOWN: usize = 200;

/// The gRPC replies of one thread, as far as they have come.
#[derive(Debug)]
pub struct GrpcReplies {
    /// For each request, true if its calls are of gRPC.
    of: Arc<[bool]>,
    /// By lane, the first bytes of the reply's body.
    prefixes: Vec<[u8; PREFIX]>,
    /// The fault of the reply that was judged last.
    fault: String,
}

impl GrpcReplies {
    /// The replies to these requests; true: they are of gRPC.
    pub fn new(of: &Arc<[bool]>) -> Self {
        Self {
            of: of.clone(),
            prefixes: Vec::new(),
            fault: String::new(),
        }
    }

    /// Adds a lane, which carries one call at a time.
    pub fn add_lane(&mut self) {
        self.prefixes.push([0; PREFIX]);
    }

    /// The fault of the reply that was judged last, for a message.
    pub fn fault(&self) -> &str {
        &self.fault
    }

    /// Takes more bytes of a body, which begin at `at`.
    #[inline]
    pub fn feed(&mut self, lane: u32, at: u64, data: &[u8]) {
        if let Some(room) = self.prefixes[lane as usize].get_mut(at as usize..) {
            let count = room.len().min(data.len());
            room[..count].copy_from_slice(&data[..count]);
        }
    }

    /// Judges the reply of a lane's call: it has a body of so many bytes, and ended with these fields. `None`: nothing but its
    /// message may be wrong.
    pub fn judge(
        &mut self,
        lane: u32,
        call: &Call,
        bytes: u64,
        last: Option<&Fields>,
        counters: &mut Counters,
    ) -> Option<Reply> {
        if !self.of[call.request as usize] {
            return None;
        }
        if call.status != 200 {
            return Some(Reply::WrongStatus);
        }
        let explains = call.measured && counters.first_failure.is_none();
        let field = |name: &[u8]| last?.clone().find(|field| field.0 == name);
        let Some(status) = field(b"grpc-status").and_then(|(_, value)| number(value)) else {
            return Some(self.invalid("no grpc-status at the end of the reply"));
        };
        if let Some(counts) = &mut counters.grpc
            && call.measured
        {
            counts.add(status);
        }
        if status > 0 {
            if explains {
                let message = field(b"grpc-message").map_or(&b""[..], |(_, value)| value);
                self.fault = words(status, message);
            }
            return Some(Reply::GrpcStatus);
        }
        let [flag, length @ ..] = self.prefixes[lane as usize];
        let length = u64::from(u32::from_be_bytes(length));
        let whole = length + PREFIX as u64;
        let fault = match flag {
            _ if bytes == 0 => "the status OK without a message",
            _ if bytes < PREFIX as u64 => "a truncated message",
            1 => "a compressed message, which was not requested",
            2.. => "a body that is no message of gRPC",
            0 if bytes < whole => "a truncated message",
            0 if bytes > whole => "more than one message",
            0 => return None,
        };
        Some(self.invalid(fault))
    }

    #[cold]
    fn invalid(&mut self, fault: &str) -> Reply {
        self.fault.clear();
        self.fault.push_str(fault);
        Reply::Invalid
    }
}

/// A number of digits alone.
fn number(value: &[u8]) -> Option<u32> {
    let value = value.trim_ascii();
    let is_number = !value.is_empty() && value.len() <= 9 && value.iter().all(u8::is_ascii_digit);
    let add = |number: u32, digit: &u8| number * 10 + u32::from(digit - b'0');
    is_number.then(|| value.iter().fold(0, add))
}

/// A status with the server's message about it, decoded, for people.
#[cold]
fn words(status: u32, message: &[u8]) -> String {
    let mut words = format!("grpc-status {status} ({})", status_name(status));
    let (mut bytes, mut rest) = (Vec::new(), message.trim_ascii());
    while let [first, after @ ..] = rest
        && bytes.len() < MOST_SHOWN
    {
        let pair = after.get(..2).filter(|_| *first == b'%');
        let decoded = pair.and_then(hexadecimal);
        bytes.push(decoded.unwrap_or(*first));
        rest = &after[if decoded.is_some() { 2 } else { 0 }..];
    }
    if !bytes.is_empty() {
        words.push_str(": ");
    }
    for letter in String::from_utf8_lossy(&bytes).chars() {
        if letter.is_control() {
            words.extend(letter.escape_default());
        } else {
            words.push(letter);
        }
    }
    if !rest.is_empty() {
        words.push('…');
    }
    words
}

fn hexadecimal(pair: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let value = digit(pair[0])? * 16 + digit(pair[1])?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_about_a_status_is_decoded_bounded_and_printable() {
        for (message, shown) in [
            (&b""[..], "grpc-status 14 (UNAVAILABLE)"),
            (
                b" a%20b%c3%a9 100% %zz %4",
                "grpc-status 14 (UNAVAILABLE): a bé 100% %zz %4",
            ),
            (
                b"%1b[31m\x07%0a",
                "grpc-status 14 (UNAVAILABLE): \\u{1b}[31m\\u{7}\\n",
            ),
            (b"%ff", "grpc-status 14 (UNAVAILABLE): \u{fffd}"),
        ] {
            assert_eq!(words(14, message), shown);
        }
        let long = words(99, &[b'x'; 10_000]);
        assert_eq!(
            long,
            format!("grpc-status 99 (other): {}…", "x".repeat(MOST_SHOWN))
        );
    }

    #[test]
    fn a_status_has_nothing_but_digits() {
        let read = [&b"0"[..], b" 14 ", b"007", b"", b"+1", b"1x", b"9999999999"].map(number);
        let none = None;
        assert_eq!(read, [Some(0), Some(14), Some(7), none, none, none, none]);
    }
}
