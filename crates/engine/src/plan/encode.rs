//! The requests of a plan as bytes, CONNECT to a proxy included.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use wire::h2::Prepared;

use crate::plan::{Body, Http, Plan, Proxy, Request, Target};

/// The method and path of a request, for messages.
pub fn name(request: &Request) -> String {
    format!("{} {}", request.method, request.path)
}

/// The parts of a request that are encoded.
pub struct Parts {
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Encodes a request.
///
/// # Errors
/// A message: a part of the request is not valid in HTTP, or a file cannot be read.
pub fn encode(plan: &Plan, request: &Request) -> Result<Vec<u8>, String> {
    if let Some(raw) = &request.raw {
        let raw = bytes(raw)?;
        let empty = format!("request `{}`: its bytes are empty", name(request));
        return if raw.is_empty() { Err(empty) } else { Ok(raw) };
    }
    encode_parts(plan, request, parts(request)?)
}

/// The parts of a request, as the plan has them.
///
/// # Errors
/// A message: a file cannot be read, or the body is not base64.
pub fn parts(request: &Request) -> Result<Parts, String> {
    Ok(Parts {
        target: request.path.clone(),
        headers: request.headers.clone(),
        body: body(request)?,
    })
}

/// The body of a request; nothing if it has none.
///
/// # Errors
/// A message: a file cannot be read, or the body is not base64.
pub fn body(request: &Request) -> Result<Vec<u8>, String> {
    request.body.as_ref().map_or_else(|| Ok(Vec::new()), bytes)
}

/// Encodes a request with these parts. One that is sent to a proxy has the absolute form of its target (RFC 9112
/// §3.2.2).
///
/// # Errors
/// A message: a part of the request is not valid in HTTP.
pub fn encode_parts(plan: &Plan, request: &Request, mut parts: Parts) -> Result<Vec<u8>, String> {
    let host = host(&plan.target);
    if let (Some(proxy), None) = (&plan.proxy, &plan.target.tls) {
        parts.target.insert_str(0, &format!("http://{host}"));
        parts.headers.extend(authorization(proxy));
    }
    let mut out = Vec::with_capacity(256 + parts.body.len());
    let written = wire::encode(
        &wire::Request {
            method: &request.method,
            target: &parts.target,
            version: match plan.http {
                Http::V10 => wire::Version::V10,
                Http::V11 | Http::V2 | Http::V3 => wire::Version::V11,
            },
            keep_alive: plan.keep_alive,
            host: &host,
            headers: &parts.headers,
            body: &parts.body,
        },
        &mut out,
    );
    written.map_err(|e| format!("request `{}`: {e}", name(request)))?;
    Ok(out)
}

/// Prepares the head of a request with these parts for HTTP/2.
///
/// # Errors
/// A message: a part of the request is not valid in HTTP.
pub fn prepare(plan: &Plan, request: &Request, parts: &Parts) -> Result<Prepared, String> {
    let scheme = if plan.target.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let prepared = Prepared::new(
        &wire::Request {
            method: &request.method,
            target: &parts.target,
            version: wire::Version::V11,
            keep_alive: true,
            host: &host(&plan.target),
            headers: &parts.headers,
            body: &parts.body,
        },
        scheme,
    );
    prepared.map_err(|e| format!("request `{}`: {e}", name(request)))
}

/// Encodes the CONNECT request for a tunnel to the target (RFC 9110 §9.3.6).
///
/// # Errors
/// A message: the host or the authorization is not valid in HTTP.
pub fn tunnel(plan: &Plan, proxy: &Proxy) -> Result<Vec<u8>, String> {
    let authority = format!("{}:{}", bracketed(&plan.target.host), plan.target.port);
    let mut out = Vec::new();
    let written = wire::encode(
        &wire::Request {
            method: "CONNECT",
            target: &authority,
            version: wire::Version::V11,
            keep_alive: true,
            host: &authority,
            headers: &authorization(proxy).into_iter().collect::<Vec<_>>(),
            body: &[],
        },
        &mut out,
    );
    written.map_err(|e| format!("CONNECT to `{authority}`: {e}"))?;
    Ok(out)
}

fn authorization(proxy: &Proxy) -> Option<(String, String)> {
    let value = proxy.authorization.clone()?;
    Some(("Proxy-Authorization".into(), value))
}

/// The value of the `Host` header, without the default port of the scheme (RFC 9110 §7.2).
fn host(target: &Target) -> String {
    let host = bracketed(&target.host);
    let default = if target.tls.is_some() { 443 } else { 80 };
    if target.port == default {
        host
    } else {
        format!("{host}:{}", target.port)
    }
}

/// The host as in a URL: an IPv6 address is put in brackets.
fn bracketed(host: &str) -> String {
    if host.contains(':') {
        format!("[{host}]")
    } else {
        host.into()
    }
}

fn bytes(body: &Body) -> Result<Vec<u8>, String> {
    match body {
        Body::Text(text) => Ok(text.clone().into_bytes()),
        Body::Base64(text) => decode(text),
        Body::File(path) => read(path),
    }
}

/// Decodes base64.
pub fn decode(text: &str) -> Result<Vec<u8>, String> {
    STANDARD
        .decode(text)
        .map_err(|e| format!("a body in the plan is not valid base64: {e}"))
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("`{}` cannot be read: {e}", path.display()))
}
