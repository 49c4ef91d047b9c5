//! Where the cookies of a session go in an encoded request.

/// The place for cookies in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CookiePlace {
    /// Number of bytes before the cookies.
    pub at: usize,
    /// They extend a `Cookie` header of the request.
    pub extends: bool,
}

impl CookiePlace {
    /// The place in an encoded request: at the end of its `Cookie` header (RFC 6265 §5.4 allows only one), or behind
    /// its last header.
    pub fn of(request: &[u8]) -> Self {
        let mut at = 0;
        for line in request.split_inclusive(|&byte| byte == b'\n') {
            if matches!(line, b"\r\n" | b"\n") {
                break;
            }
            let name = line.split(|&byte| byte == b':').next();
            if at > 0 && name.is_some_and(|name| name.eq_ignore_ascii_case(b"cookie")) {
                return Self {
                    at: at + line.trim_ascii_end().len(),
                    extends: true,
                };
            }
            at += line.len();
        }
        Self { at, extends: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_go_behind_the_last_header_or_extend_the_one_that_is_there() {
        let place = |request: &[u8]| {
            let place = CookiePlace::of(request);
            (request[..place.at].to_vec(), place.extends)
        };
        let plain = b"GET /cookie: HTTP/1.1\r\nHost: a\r\n\r\nCookie: no\r\n";
        assert_eq!(
            place(plain),
            (b"GET /cookie: HTTP/1.1\r\nHost: a\r\n".to_vec(), false)
        );
        let given = b"GET / HTTP/1.1\r\ncookie: a=b\r\nHost: a\r\n\r\n";
        assert_eq!(
            place(given),
            (b"GET / HTTP/1.1\r\ncookie: a=b".to_vec(), true)
        );
    }
}
