//! Encodes requests.
//!
//! - Request line: method SP target SP version CRLF (RFC 9112 §3).
//! - Host is sent with every request (RFC 9112 §3.2; HTTP/1.0 allows it).
//! - Content-Length is sent if there is a body, or if the method implies one (RFC 9110 §8.6).
//! - Connection is sent if it differs from the default of the version (RFC 9112 §9.3, §9.6).
//! - Characters that would end a line early are refused (RFC 9110 §5.5: CR, LF, NUL).

use crate::fault::RequestError;
use crate::version::Version;

/// A request as the user describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The method, any token: `GET`, `POST`, …
    pub method: &'a str,
    /// The target in origin form: `/path?query`.
    pub target: &'a str,
    /// The HTTP version.
    pub version: Version,
    /// True to keep the connection open after this call.
    pub keep_alive: bool,
    /// The value of the `Host` header: `name` or `name:port`.
    pub host: &'a str,
    /// Headers of the user; they follow `Host`, and replace headers that would be added.
    pub headers: &'a [(String, String)],
    /// The body, sent as it is.
    pub body: &'a [u8],
}

/// Appends the bytes of `request` to `out`, which is unchanged after an error.
///
/// Adds these headers unless the user gave them: Host; Content-Length (with a body, or for POST, PUT and PATCH; not
/// with Transfer-Encoding); `Connection: close` (HTTP/1.1 without keep-alive) or `keep-alive` (HTTP/1.0 with it).
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

pub(crate) fn needs_length(request: &Request) -> bool {
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

pub(crate) fn check(request: &Request) -> Result<(), RequestError> {
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

/// True for a space or a control character, which would end a word of the request line.
fn breaks_word(byte: u8) -> bool {
    byte == b' ' || byte.is_ascii_control()
}

/// True for a character of a token (RFC 9110 §5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// The text with control characters escaped, for a message.
fn shown(text: &str) -> String {
    text.escape_debug().to_string()
}
