//! Faults: the ways to break a reply.

use std::str::FromStr;
use std::time::Duration;

use crate::duration::parse_duration;

/// Default interval between the bytes of a slow head.
const SLOW_HEAD: Duration = Duration::from_millis(10);

/// A way to break a reply, as written after `fault=`. A truncated reply ends the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `reset`: resets the connection (RST) instead of replying.
    Reset,
    /// `close`: closes the connection (FIN) before any byte.
    Close,
    /// `half`: sends the head and the first half of the body, then FIN.
    Half,
    /// `truncate:N`: sends the first N bytes of the reply, head included, then FIN.
    Truncate(usize),
    /// `drip:BYTES/INTERVAL`: sends the whole reply in pieces of this size, one per interval.
    Drip { bytes: usize, interval: Duration },
    /// `slowhead` or `slowhead:INTERVAL`: sends the head byte by byte, then the body at once.
    SlowHead(Duration),
    /// `garbage`: sends bytes that are not HTTP, then FIN.
    Garbage,
    /// `corrupt`: flips one bit of a random byte of the body.
    Corrupt,
    /// `status:CODE`: sends the page with this status.
    Status(u16),
    /// `never`: sends no reply and keeps the connection open.
    Never,
    /// `grpc:CODE`: ends a call of gRPC with this status and without a message.
    Grpc(u8),
    /// `length+N`, `length-N`: makes `Content-Length` larger or smaller than the body by N.
    Length(i64),
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "fault `{text}`: expected `reset`, `close`, `half`, `truncate:N`, `drip:BYTES/INTERVAL`, \
                 `slowhead`, `garbage`, `corrupt`, `status:CODE`, `never`, `grpc:CODE`, `length+N` or `length-N`"
            )
        };
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match (kind, rest) {
            ("reset", "") => Ok(Self::Reset),
            ("close", "") => Ok(Self::Close),
            ("half", "") => Ok(Self::Half),
            ("truncate", count) => count.parse().map(Self::Truncate).map_err(|_| wrong()),
            ("drip", pace) => drip(pace).ok_or_else(wrong),
            ("slowhead", "") => Ok(Self::SlowHead(SLOW_HEAD)),
            ("slowhead", interval) => parse_duration(interval).map(Self::SlowHead),
            ("garbage", "") => Ok(Self::Garbage),
            ("corrupt", "") => Ok(Self::Corrupt),
            ("status", code) => status(code).ok_or_else(wrong),
            ("never", "") => Ok(Self::Never),
            ("grpc", code) => grpc(code).ok_or_else(wrong),
            _ => text
                .strip_prefix("length")
                .and_then(length)
                .ok_or_else(wrong),
        }
    }
}

fn drip(pace: &str) -> Option<Fault> {
    let (bytes, interval) = pace.split_once('/')?;
    let bytes = bytes.parse().ok().filter(|bytes| *bytes > 0)?;
    Some(Fault::Drip {
        bytes,
        interval: parse_duration(interval).ok()?,
    })
}

fn status(code: &str) -> Option<Fault> {
    let code = code
        .parse()
        .ok()
        .filter(|code| (200..=599).contains(code))?;
    Some(Fault::Status(code))
}

fn grpc(code: &str) -> Option<Fault> {
    let code = code.parse().ok().filter(|code| (1..=16).contains(code))?;
    Some(Fault::Grpc(code))
}

fn length(signed: &str) -> Option<Fault> {
    let is_signed = signed.starts_with(['+', '-']);
    let change: i64 = signed.parse().ok()?;
    (is_signed && change.abs() <= i64::from(u32::MAX)).then_some(Fault::Length(change))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_read() {
        let interval = Duration::from_millis(100);
        for (text, fault) in [
            ("reset", Fault::Reset),
            ("close", Fault::Close),
            ("half", Fault::Half),
            ("truncate:12", Fault::Truncate(12)),
            ("drip:1/100ms", Fault::Drip { bytes: 1, interval }),
            ("slowhead", Fault::SlowHead(SLOW_HEAD)),
            ("slowhead:100ms", Fault::SlowHead(interval)),
            ("garbage", Fault::Garbage),
            ("corrupt", Fault::Corrupt),
            ("status:503", Fault::Status(503)),
            ("never", Fault::Never),
            ("grpc:14", Fault::Grpc(14)),
            ("length+5", Fault::Length(5)),
            ("length-5", Fault::Length(-5)),
        ] {
            assert_eq!(text.parse(), Ok(fault), "{text}");
        }
    }

    #[test]
    fn a_malformed_fault_is_refused() {
        for text in [
            "",
            "crash",
            "reset:1",
            "truncate",
            "truncate:-1",
            "drip",
            "drip:0/1ms",
            "drip:1",
            "status:99",
            "status:600",
            "length",
            "length5",
            "length+",
            "length+9999999999",
            "never:ever",
            "grpc",
            "grpc:0",
            "grpc:17",
        ] {
            let message = text.parse::<Fault>().unwrap_err();
            assert!(message.contains("expected"), "{text}: {message}");
        }
    }
}
