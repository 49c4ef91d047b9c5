//! Parses the head of a request.
//!
//! Rules: persistence RFC 9112 §9.3; body length §6.3; `Host` §3.2; `Expect` RFC 9110 §10.1.1. Ambiguous
//! requests (both framings, two lengths, an unknown coding) are refused.

use std::mem::MaybeUninit;

use httparse::{Header, Status};

use crate::request::body::Body;
use crate::request::form::{Persistence, ReplyForm};
use crate::request::refusal::Refusal;

/// Longest head accepted, in bytes.
pub(crate) const MAX_HEAD: usize = 64 * 1024;
const MAX_HEADERS: usize = 128;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request<'a> {
    pub(crate) target: &'a [u8],
    pub(crate) form: ReplyForm,
    pub(crate) body: Option<Body>,
    pub(crate) expects_continue: bool,
    /// Length of the head in bytes.
    pub(crate) length: usize,
}

/// Parses the request at the start of `bytes`. `None`: its head is incomplete.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<Request<'_>>, Refusal> {
    let mut room = [const { MaybeUninit::<Header>::uninit() }; MAX_HEADERS];
    let mut head = httparse::Request::new(&mut []);
    let length = match head.parse_with_uninit_headers(bytes, &mut room) {
        Ok(Status::Complete(length)) if length <= MAX_HEAD => length,
        Ok(Status::Partial) if bytes.len() < MAX_HEAD => return Ok(None),
        Ok(_) | Err(httparse::Error::TooManyHeaders) => return Err(Refusal::HEAD_TOO_LARGE),
        Err(httparse::Error::Version) => {
            return Err(Refusal {
                status: 505,
                why: "unsupported version, expected HTTP/1.0 or HTTP/1.1",
            });
        }
        Err(_) => return Err(Refusal::bad("the head is not an HTTP/1.x request")),
    };
    let fields = Fields::read(head.headers)?;
    let is_http_1_0 = head.version == Some(0);
    if fields.hosts != 1 && !(is_http_1_0 && fields.hosts == 0) {
        return Err(Refusal::bad("expected exactly one `Host`"));
    }
    Ok(Some(Request {
        target: head.path.unwrap_or_default().as_bytes(),
        form: ReplyForm {
            head_only: head.method == Some("HEAD"),
            is_http_1_0,
            persistence: fields.persistence(is_http_1_0),
        },
        body: fields.body(is_http_1_0)?,
        expects_continue: fields.expects_continue && !is_http_1_0,
        length,
    }))
}

/// The header fields used here.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags of a head, each independent of the others"
)]
struct Fields {
    hosts: usize,
    close: bool,
    keep_alive: bool,
    length: Option<u64>,
    chunked: bool,
    expects_continue: bool,
}

impl Fields {
    fn read(headers: &[Header]) -> Result<Self, Refusal> {
        let mut fields = Self::default();
        for header in headers {
            fields.take(header.name, header.value)?;
        }
        Ok(fields)
    }

    fn take(&mut self, name: &str, value: &[u8]) -> Result<(), Refusal> {
        // Comparing the length first rules out nearly every field cheaply.
        match name.len() {
            4 if name.eq_ignore_ascii_case("host") => self.hosts += 1,
            6 if name.eq_ignore_ascii_case("expect") => {
                self.expects_continue |= value.eq_ignore_ascii_case(b"100-continue");
            }
            10 if name.eq_ignore_ascii_case("connection") => {
                for token in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                    self.close |= token.eq_ignore_ascii_case(b"close");
                    self.keep_alive |= token.eq_ignore_ascii_case(b"keep-alive");
                }
            }
            14 if name.eq_ignore_ascii_case("content-length") => self.take_length(value)?,
            17 if name.eq_ignore_ascii_case("transfer-encoding") => {
                if self.chunked || !value.eq_ignore_ascii_case(b"chunked") {
                    return Err(Refusal {
                        status: 501,
                        why: "unsupported transfer coding, expected `chunked`",
                    });
                }
                self.chunked = true;
            }
            _ => {}
        }
        Ok(())
    }

    fn take_length(&mut self, value: &[u8]) -> Result<(), Refusal> {
        let digits = std::str::from_utf8(value).ok();
        let digits = digits.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let length = digits.and_then(|text| text.parse().ok());
        if length.is_none() || self.length.is_some_and(|earlier| Some(earlier) != length) {
            return Err(Refusal::bad("expected one `Content-Length`, a number"));
        }
        self.length = length;
        Ok(())
    }

    fn persistence(&self, is_http_1_0: bool) -> Persistence {
        match (self.close, is_http_1_0, self.keep_alive) {
            (true, ..) | (_, true, false) => Persistence::Closed,
            (_, true, true) => Persistence::KeptOnRequest,
            (_, false, _) => Persistence::Kept,
        }
    }

    fn body(&self, is_http_1_0: bool) -> Result<Option<Body>, Refusal> {
        match (self.chunked, self.length) {
            (true, Some(_)) => Err(Refusal::bad(
                "expected `Content-Length` or chunks, not both",
            )),
            (true, None) if is_http_1_0 => Err(Refusal::bad("HTTP/1.0 has no chunks")),
            (true, None) => Ok(Some(Body::chunked())),
            (false, Some(length)) if length > 0 => Body::of_length(length).map(Some),
            (false, _) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn persistence(version: &str, connection: &str) -> Persistence {
        let text = format!("GET / HTTP/{version}\r\nHost: x\r\n{connection}\r\n");
        parse(text.as_bytes()).unwrap().unwrap().form.persistence
    }

    #[test]
    fn persistence_follows_version_and_connection_field() {
        for (version, field, expected) in [
            ("1.1", "", Persistence::Kept),
            ("1.1", "Connection: keep-alive\r\n", Persistence::Kept),
            ("1.1", "connection: CLOSE\r\n", Persistence::Closed),
            ("1.1", "Connection: upgrade, close\r\n", Persistence::Closed),
            ("1.0", "", Persistence::Closed),
            (
                "1.0",
                "Connection: Keep-Alive\r\n",
                Persistence::KeptOnRequest,
            ),
            (
                "1.0",
                "Connection: keep-alive, close\r\n",
                Persistence::Closed,
            ),
        ] {
            assert_eq!(
                persistence(version, field),
                expected,
                "HTTP/{version} {field}"
            );
        }
    }

    #[test]
    fn ambiguous_and_invalid_heads_are_refused() {
        for (head, status) in [
            ("nonsense\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505),
            (
                "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                400,
            ),
            (
                "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n",
                400,
            ),
            (
                "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n",
                413,
            ),
            (
                "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                400,
            ),
            (
                "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
                501,
            ),
            ("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ] {
            assert_eq!(
                parse(head.as_bytes()).map_err(|refusal| refusal.status),
                Err(status),
                "{head}"
            );
        }
    }

    #[test]
    fn a_head_is_bounded_whether_complete_or_not() {
        let long = "y".repeat(MAX_HEAD);
        for end in ["", "\r\n\r\n"] {
            let text = format!("GET / HTTP/1.1\r\nHost: x\r\nLong: {long}{end}");
            assert_eq!(parse(text.as_bytes()), Err(Refusal::HEAD_TOO_LARGE));
        }
        let many = "A: b\r\n".repeat(MAX_HEADERS + 1);
        let text = format!("GET / HTTP/1.1\r\n{many}\r\n");
        assert_eq!(parse(text.as_bytes()), Err(Refusal::HEAD_TOO_LARGE));
    }
}
