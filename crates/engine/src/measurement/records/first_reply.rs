//! The head of the first reply of a run: what the server calls itself, and how long its page is.

use driver::Nanos;
use serde::Serialize;
use tally::{Damaged, Packed, packed};
use wire::Fields;

/// Most header lines that are kept.
const MOST_HEADERS: usize = 64;
/// Most bytes of header lines that are kept.
const MOST_BYTES: usize = 16 * 1024;
/// In place of a value that is a secret.
const MASK: &[u8] = b"***";

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
    /// Its head has come, as the reply to the call with this number.
    Arriving(u64, Box<FirstReply>),
    Known(Box<FirstReply>),
}

impl First {
    /// True if nothing more is wanted.
    pub fn is_known(&self) -> bool {
        matches!(self, Self::Known(_))
    }

    /// The head of a reply to a call came, in this version of HTTP. `is_secret`: true for the names of headers whose values
    /// are.
    #[cold]
    pub fn received(
        &mut self,
        call: u64,
        status: u16,
        http: &'static str,
        fields: Fields,
        is_secret: impl Fn(&[u8]) -> bool,
    ) {
        if matches!(self, Self::Wanted) {
            let shown =
                fields.map(|(name, value)| (name, if is_secret(name) { MASK } else { value }));
            let reply = FirstReply {
                status,
                http,
                headers: limited(shown),
                body_bytes: 0,
                at: 0,
            };
            *self = Self::Arriving(call, Box::new(reply));
        }
    }

    /// The reply to a call was complete.
    pub fn replied(&mut self, call: u64, body_bytes: u64, at: Nanos) {
        match std::mem::take(self) {
            Self::Arriving(taken, mut reply) if taken == call => {
                (reply.body_bytes, reply.at) = (body_bytes, at);
                *self = Self::Known(reply);
            }
            other => *self = other,
        }
    }

    /// A call got no reply, perhaps the one with the head.
    pub fn failed(&mut self, call: u64) {
        if matches!(self, Self::Arriving(taken, _) if *taken == call) {
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
        Ok(reply.map_or(Self::Wanted, Self::Known))
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

    const KNOWN: [&str; 4] = ["1.0", "1.1", "2", "3"];

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
fn limited<'a>(fields: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
    let mut bytes = 0;
    fields
        .take(MOST_HEADERS)
        .map(|(name, value)| (text(name), text(value)))
        .take_while(|(name, value)| {
            bytes += name.len() + value.len();
            bytes <= MOST_BYTES
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use wire::{Event, Reader};

    use super::*;

    fn receive(first: &mut First, call: u64, bytes: &[u8]) {
        let mut reader = Reader::new();
        let Ok((taken, Event::Head(head))) = reader.next(bytes, false) else {
            panic!("a head");
        };
        let is_secret = |name: &[u8]| name == b"X-Csrf";
        let http = head.version.number();
        let fields = reader.fields(&bytes[..taken], false);
        first.received(call, head.status, http, fields, is_secret);
    }

    #[test]
    fn a_head_is_kept_when_its_reply_is_complete() {
        let mut first = First::default();
        receive(
            &mut first,
            3,
            b"HTTP/1.0 200 OK\r\nServer: one\r\nX-Csrf: t1\r\n\r\n",
        );
        receive(&mut first, 4, b"HTTP/1.1 500 No\r\n\r\n");
        first.replied(4, 9, 80);
        assert!(!first.is_known());
        first.replied(3, 7, 90);
        let reply = first.known().unwrap();
        assert_eq!(
            (reply.status, reply.http, reply.body_bytes),
            (200, "1.0", 7)
        );
        let shown = [("Server", "one"), ("X-Csrf", "***")];
        assert_eq!(
            reply.headers,
            shown.map(|(name, value)| (name.into(), value.into()))
        );
    }

    #[test]
    fn a_head_whose_call_failed_is_followed_by_another() {
        let mut first = First::default();
        receive(&mut first, 3, b"HTTP/1.1 200 OK\r\n\r\n");
        first.failed(4);
        first.failed(3);
        receive(&mut first, 5, b"HTTP/1.1 204 No\r\n\r\n");
        first.replied(5, 0, 1);
        assert_eq!(first.known().unwrap().status, 204);
    }

    #[test]
    fn headers_beyond_the_limits_are_left_out() {
        let many = [(&b"a"[..], &b"b"[..]); 100];
        assert_eq!(limited(many.into_iter()).len(), MOST_HEADERS);
        let value = [b'b'; 6000];
        let long = [(&b"a"[..], &value[..]); 10];
        assert_eq!(limited(long.into_iter()).len(), 2);
        let text = limited([(&b"A"[..], &b" b\xff \r"[..])].into_iter());
        assert_eq!(text, [("A".to_owned(), "b\u{fffd}".to_owned())]);
    }
}
