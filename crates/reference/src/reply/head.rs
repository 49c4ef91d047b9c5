//! The bytes of a reply: status line and header fields (RFC 9112 §4, §5), and chunks with a trailer (§7.1).

use crate::request::form::Persistence;

/// The declaration of the body's size in the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Length(u64),
    Chunked,
    Absent,
}

pub(crate) const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
pub(crate) const EARLY_HINTS: &[u8] = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n";

/// Size of a chunk in bytes. The last one may be shorter.
const CHUNK: usize = 4096;

pub(crate) fn head(
    status: u16,
    content_type: &str,
    size: Size,
    persistence: Persistence,
) -> Vec<u8> {
    let size = match size {
        Size::Length(length) => format!("Content-Length: {length}\r\n"),
        Size::Chunked => "Transfer-Encoding: chunked\r\nTrailer: X-Trailer\r\n".to_owned(),
        Size::Absent => String::new(),
    };
    let reason = reason(status);
    let connection = persistence.field();
    format!(
        "HTTP/1.1 {status} {reason}\r\nServer: httpdyno-reference\r\n\
         Content-Type: {content_type}\r\n{size}{connection}\r\n"
    )
    .into_bytes()
}

/// Encodes a body in chunks, with the last chunk and a trailer.
pub(crate) fn chunked(body: &[u8]) -> Vec<u8> {
    let mut coded = Vec::with_capacity(body.len() + body.len() / CHUNK * 8 + 64);
    for chunk in body.chunks(CHUNK) {
        coded.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        coded.extend_from_slice(chunk);
        coded.extend_from_slice(b"\r\n");
    }
    coded.extend_from_slice(b"0\r\nX-Trailer: end\r\n\r\n");
    coded
}

/// True for statuses whose replies never have a body (RFC 9110 §6.4.1).
pub(crate) fn is_bodiless(status: u16) -> bool {
    matches!(status, 204 | 304)
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "Status",
    }
}
