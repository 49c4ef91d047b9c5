//! `/httpdyno.Reference/GetSum`: a unary gRPC call that adds two numbers ("gRPC over HTTP2",
//! <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>).
//!
//! ```proto
//! syntax = "proto3";
//! package httpdyno;
//! message Numbers { int32 a = 1; int32 b = 2; }
//! message Sum     { int32 sum = 1; }
//! service Reference { rpc GetSum(Numbers) returns (Sum); }
//! ```

pub(crate) const PATH: &[u8] = b"/httpdyno.Reference/GetSum";
pub(crate) const CONTENT_TYPE: &str = "application/grpc";
/// Most bytes of a request's body that are kept: a message with both numbers has up to 27.
pub(crate) const MOST_BODY: usize = 256;

/// The request is not a message with two numbers (`INVALID_ARGUMENT`).
pub(crate) const INVALID_ARGUMENT: u8 = 3;

/// The reply's body for a request's body; `None`: that is no message with two numbers.
pub(crate) fn sum(body: &[u8]) -> Option<Vec<u8>> {
    let [0, length @ ..] = body.first_chunk::<5>()? else {
        return None;
    };
    let mut message = &body[5..];
    if u32::from_be_bytes(*length) as usize != message.len() {
        return None;
    }
    let (mut a, mut b) = (0, 0);
    while !message.is_empty() {
        match varint(&mut message)? {
            0x08 => a = varint(&mut message)? as i32,
            0x10 => b = varint(&mut message)? as i32,
            _ => return None,
        }
    }
    let sum = a.wrapping_add(b);
    let mut reply = vec![0; 5];
    // A number that is 0 is not sent.
    if sum != 0 {
        reply.push(0x08);
        put_varint(&mut reply, i64::from(sum) as u64);
    }
    reply[4] = reply.len() as u8 - 5;
    Some(reply)
}

/// Takes a number of 7 bits per byte, the lowest first.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(fields: &[u8]) -> Vec<u8> {
        [&[0, 0, 0, 0, fields.len() as u8], fields].concat()
    }

    #[test]
    fn two_numbers_are_added_whatever_their_signs() {
        let minus_one = [255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        for (fields, sum_fields) in [
            (&b"\x08\x01\x10\x02"[..], &b"\x08\x03"[..]),
            (b"\x10\x02", b"\x08\x02"),
            (b"\x08\xac\x02\x10\x80\x01", b"\x08\xac\x03"),
            (b"", b""),
            (&[&[8][..], &minus_one, &[16, 1]].concat(), b""),
            (
                &[&[8][..], &minus_one].concat(),
                &[&[8][..], &minus_one].concat(),
            ),
        ] {
            assert_eq!(
                sum(&message(fields)),
                Some(message(sum_fields)),
                "{fields:?}"
            );
        }
    }

    #[test]
    fn anything_else_is_no_message() {
        for body in [
            &b""[..],
            b"\0\0\0\0",
            b"\0\0\0\0\x01",
            b"\0\0\0\0\0\x08",
            b"\x01\0\0\0\0",
            &message(b"\x08"),
            &message(b"\x08\xff"),
            &message(b"\x1a\x01a"),
            &message(&[&[8][..], &[255; 11]].concat()),
        ] {
            assert_eq!(sum(body), None, "{body:?}");
        }
    }
}
