//! The header fields of a reply, for people to read. The engine itself needs only [`Head`](crate::Head).

use httparse::{Header, ParserConfig, Response, Status};
use std::mem::MaybeUninit;

use crate::head::empty_lines;
use crate::limits::MAX_HEADERS;
use crate::version::Version;

/// The version, status and header lines of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The version of the reply.
    pub version: Version,
    /// Its status.
    pub status: u16,
    /// Names and values, in the order in which they came. Bytes that are not UTF-8 are replaced.
    pub headers: Vec<(String, String)>,
}

/// Reads the first head in `bytes` that is not interim. `None`: it is not complete, or not HTTP.
#[must_use]
pub fn fields(mut bytes: &[u8]) -> Option<Fields> {
    loop {
        bytes = &bytes[empty_lines(bytes)..];
        let mut headers = [const { MaybeUninit::<Header>::uninit() }; MAX_HEADERS];
        let mut response = Response::new(&mut []);
        let parsed = ParserConfig::default().parse_response_with_uninit_headers(
            &mut response,
            bytes,
            &mut headers,
        );
        let Ok(Status::Complete(length)) = parsed else {
            return None;
        };
        let status = response.code?;
        if !(100..200).contains(&status) {
            return Some(Fields {
                version: match response.version {
                    Some(0) => Version::V10,
                    _ => Version::V11,
                },
                status,
                headers: response.headers.iter().map(text).collect(),
            });
        }
        bytes = &bytes[length..];
    }
}

fn text(header: &Header) -> (String, String) {
    let value = String::from_utf8_lossy(header.value);
    (header.name.to_owned(), value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interim_replies_are_skipped_and_bytes_that_are_no_text_are_replaced() {
        let bytes = b"HTTP/1.1 103 Early\r\nLink: a\r\n\r\n\r\nHTTP/1.0 404 No\r\nServer: a\xff\r\nA:\r\n\r\nbody";
        let found = fields(bytes).unwrap();
        assert_eq!((found.version, found.status), (Version::V10, 404));
        let expected = [("Server", "a\u{fffd}"), ("A", "")];
        assert_eq!(found.headers, expected.map(|(n, v)| (n.into(), v.into())));
    }

    #[test]
    fn heads_without_end_and_other_protocols_have_no_fields() {
        for bytes in [
            &b"HTTP/1.1 200 OK\r\nA: b\r\n"[..],
            b"SSH-2.0\r\n\r\n",
            b"",
            b"HTTP/1.1 100 C\r\n\r\n",
        ] {
            assert_eq!(fields(bytes), None, "{bytes:?}");
        }
    }
}
