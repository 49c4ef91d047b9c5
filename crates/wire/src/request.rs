//! A request as bytes.
//!
//! - Request line: method SP target SP version CRLF (RFC 9112 §3).
//! - Host is sent with every request (RFC 9112 §3.2; HTTP/1.0 allows it).
//! - Content-Length is sent when there is a body, or when the method means one (RFC 9110 §8.6).
//! - Connection says what differs from the version's habit (RFC 9112 §9.3, §9.6).
//! - Nothing that would end a line early is let through (RFC 9110 §5.5: CR, LF, NUL).

use crate::fault::RequestError;
use crate::version::Version;

/// One request, as the user described it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// `GET`, `POST`, ...: any token.
    pub method: &'a str,
    /// The target in origin form: `/path?query`.
    pub target: &'a str,
    /// The version to speak.
    pub version: Version,
    /// Whether the connection shall carry another call after this one.
    pub keep_alive: bool,
    /// The value of the Host header: `name` or `name:port`.
    pub host: &'a str,
    /// Headers of the user: they come after Host and override what would be added.
    pub headers: &'a [(String, String)],
    /// The body, sent as it is.
    pub body: &'a [u8],
}

/// Appends the bytes of `request` to `out`; on error `out` is as it was.
///
/// Adds unless the user gave them: Host; Content-Length (with a body, or for POST, PUT and PATCH; not beside
/// Transfer-Encoding); `Connection: close` (HTTP/1.1, not kept alive) or `keep-alive` (HTTP/1.0, kept alive).
pub fn encode(request: &Request, out: &mut Vec<u8>) -> Result<(), RequestError> {
    check(request)?;
    line(
        out,
        &[
            request.method,
            " ",
            request.target,
            " ",
            request.version.as_str(),
        ],
    );
    if !gives(request, "Host") {
        line(out, &["Host: ", request.host]);
    }
    for (name, value) in request.headers {
        line(out, &[name, ": ", value]);
    }
    if needs_length(request) {
        line(out, &["Content-Length: ", &request.body.len().to_string()]);
    }
    if let Some(connection) = connection(request) {
        line(out, &["Connection: ", connection]);
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(request.body);
    Ok(())
}

fn line(out: &mut Vec<u8>, parts: &[&str]) {
    for part in parts {
        out.extend_from_slice(part.as_bytes());
    }
    out.extend_from_slice(b"\r\n");
}

fn gives(request: &Request, name: &str) -> bool {
    request
        .headers
        .iter()
        .any(|(given, _)| given.eq_ignore_ascii_case(name))
}

fn needs_length(request: &Request) -> bool {
    let means_body = matches!(request.method, "POST" | "PUT" | "PATCH");
    (means_body || !request.body.is_empty())
        && !gives(request, "Content-Length")
        && !gives(request, "Transfer-Encoding")
}

fn connection(request: &Request) -> Option<&'static str> {
    if gives(request, "Connection") {
        return None;
    }
    match (request.version, request.keep_alive) {
        (Version::V11, false) => Some("close"),
        (Version::V10, true) => Some("keep-alive"),
        (Version::V11, true) | (Version::V10, false) => None,
    }
}

fn check(request: &Request) -> Result<(), RequestError> {
    if !is_token(request.method) {
        return Err(RequestError::Method(shown(request.method)));
    }
    if request.target.is_empty() || request.target.bytes().any(breaks_word) {
        return Err(RequestError::Target(shown(request.target)));
    }
    if request.host.bytes().any(breaks_word) {
        return Err(RequestError::Host(shown(request.host)));
    }
    for (name, value) in request.headers {
        if !is_token(name) {
            return Err(RequestError::HeaderName(shown(name)));
        }
        if value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
            return Err(RequestError::HeaderValue(name.clone()));
        }
    }
    Ok(())
}

/// A space or a control character ends a word of the request line.
fn breaks_word(byte: u8) -> bool {
    byte == b' ' || byte.is_ascii_control()
}

/// RFC 9110 §5.6.2.
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// The text with what would spoil a line of a message made visible.
fn shown(text: &str) -> String {
    text.escape_debug().to_string()
}
