//! The head of the first reply of a run: what the server calls itself, and how long its page is.

use driver::Nanos;
use serde::Serialize;
use tally::{Damaged, Packed, packed};
use wire::MAX_HEAD;

/// Most header lines that are kept.
const MOST_HEADERS: usize = 64;
/// Most bytes of header lines that are kept.
const MOST_BYTES: usize = 16 * 1024;

/// The first reply that was complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FirstReply {
    status: u16,
    http: &'static str,
    headers: Vec<(String, String)>,
    body_bytes: u64,
    #[serde(skip)]
    at: Nanos,
}

/// The search for the first reply of a thread.
#[derive(Clone, Debug, Default)]
pub enum First {
    #[default]
    Wanted,
    /// The head arrives on this connection.
    Arriving(u32, Vec<u8>),
    Known(Box<FirstReply>),
    /// Its head cannot be shown, because interim replies make it too long.
    TooLong,
}

impl First {
    /// True if nothing more is wanted.
    pub fn is_known(&self) -> bool {
        matches!(self, Self::Known(_) | Self::TooLong)
    }

    /// Bytes of a head came on a connection.
    pub fn received(&mut self, connection: u32, bytes: &[u8]) {
        match self {
            Self::Wanted => *self = Self::Arriving(connection, bytes.to_vec()),
            Self::Arriving(taken, head) if *taken == connection => head.extend_from_slice(bytes),
            Self::Arriving(..) | Self::Known(_) | Self::TooLong => {}
        }
        if matches!(self, Self::Arriving(_, head) if head.len() > MAX_HEAD) {
            *self = Self::TooLong;
        }
    }

    /// A reply was complete on a connection.
    pub fn replied(&mut self, connection: u32, body_bytes: u64, at: Nanos) {
        if let Self::Arriving(taken, head) = self
            && *taken == connection
        {
            *self = match wire::fields(head) {
                Some(fields) => Self::Known(Box::new(FirstReply {
                    status: fields.status,
                    http: fields.version.as_str().trim_start_matches("HTTP/"),
                    headers: limited(fields.headers),
                    body_bytes,
                    at,
                })),
                None => Self::TooLong,
            };
        }
    }

    /// A connection failed, perhaps the one with the head.
    pub fn failed(&mut self, connection: u32) {
        if matches!(self, Self::Arriving(taken, _) if *taken == connection) {
            *self = Self::Wanted;
        }
    }

    /// Keeps the earlier of two first replies.
    pub fn merge(&mut self, other: Self) {
        let earlier = match (&*self, &other) {
            (Self::Known(mine), Self::Known(theirs)) => theirs.at < mine.at,
            (_, Self::Known(_)) => true,
            _ => false,
        };
        if earlier {
            *self = other;
        }
    }

    /// The reply, if there was one.
    pub fn known(&self) -> Option<&FirstReply> {
        match self {
            Self::Known(reply) => Some(reply),
            _ => None,
        }
    }

    /// Counts times from `begin` on.
    pub fn rebase(&mut self, begin: Nanos) {
        if let Self::Known(reply) = self {
            reply.at = reply.at.saturating_sub(begin);
        }
    }
}

/// The reply, if it is known.
impl Packed for First {
    fn pack(&self, to: &mut Vec<u8>) {
        self.known().cloned().pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let reply = Option::unpack(from)?;
        Ok(reply.map_or(Self::TooLong, Self::Known))
    }
}

packed!(FirstReply {
    status,
    http by http,
    headers,
    body_bytes,
    at
});

mod http {
    use tally::{Damaged, Packed};

    const KNOWN: [&str; 2] = ["1.0", "1.1"];

    pub fn pack(http: &str, to: &mut Vec<u8>) {
        http.to_owned().pack(to);
    }

    pub fn unpack(from: &mut &[u8]) -> Result<&'static str, Damaged> {
        let version = String::unpack(from)?;
        let known = KNOWN.into_iter().find(|known| *known == version);
        known.ok_or(Damaged("an HTTP version is unknown"))
    }
}

/// The first header lines, up to the limits.
fn limited(mut headers: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut bytes = 0;
    let fitting = headers
        .iter()
        .take(MOST_HEADERS)
        .take_while(|(name, value)| {
            bytes += name.len() + value.len();
            bytes <= MOST_BYTES
        });
    let count = fitting.count();
    headers.truncate(count);
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_in_pieces_is_kept_when_its_reply_is_complete() {
        let mut first = First::default();
        first.received(3, b"HTTP/1.0 200 OK\r\nServ");
        first.received(4, b"HTTP/1.1 500 No\r\n\r\n");
        first.received(3, b"er: one\r\n\r\n");
        first.replied(4, 9, 80);
        assert!(!first.is_known());
        first.replied(3, 7, 90);
        let reply = first.known().unwrap();
        assert_eq!(
            (reply.status, reply.http, reply.body_bytes),
            (200, "1.0", 7)
        );
        assert_eq!(reply.headers, [("Server".to_owned(), "one".to_owned())]);
    }

    #[test]
    fn a_head_whose_connection_failed_is_followed_by_another() {
        let mut first = First::default();
        first.received(3, b"HTTP/1.1 200 OK\r\n");
        first.failed(4);
        first.failed(3);
        first.received(5, b"HTTP/1.1 204 No\r\n\r\n");
        first.replied(5, 0, 1);
        assert_eq!(first.known().unwrap().status, 204);
    }

    #[test]
    fn headers_beyond_the_limits_are_left_out() {
        let many = vec![("a".to_owned(), "b".to_owned()); 100];
        assert_eq!(limited(many).len(), MOST_HEADERS);
        let long = vec![("a".to_owned(), "b".repeat(6000)); 10];
        assert_eq!(limited(long).len(), 2);
        let mut first = First::default();
        first.received(1, &vec![b'x'; MAX_HEAD + 1]);
        assert!(first.is_known() && first.known().is_none());
    }
}
