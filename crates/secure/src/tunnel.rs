//! The answer of a proxy to CONNECT (RFC 9110 §9.3.6): a 2xx status opens the tunnel, anything else is a refusal.

use driver::Fault;
use wire::{Event, Reader};

/// The meaning of bytes from a proxy.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// The answer is incomplete.
    More,
    /// The tunnel is open. This many bytes belonged to the answer.
    Open(usize),
    /// The tunnel was refused, and why.
    Closed(Fault, String),
}

/// Reads the answer of a proxy to CONNECT.
pub fn read_answer(reader: &mut Reader, bytes: &[u8]) -> Answer {
    match reader.next(bytes, true) {
        Ok((used, Event::Head(head))) if (200..300).contains(&head.status) => Answer::Open(used),
        Ok((_, Event::Head(head))) => {
            let words = format!("the proxy answered CONNECT with status {}", head.status);
            Answer::Closed(Fault::Refused, words)
        }
        Ok((_, Event::Switch)) => {
            let words = "the proxy answered CONNECT with status 101";
            Answer::Closed(Fault::Refused, words.into())
        }
        Ok(_) => Answer::More,
        Err(fault) => {
            let words = format!("the proxy's answer to CONNECT is not HTTP: {fault}");
            Answer::Closed(Fault::Garbled, words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: &[u8] = b"HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n";

    #[test]
    fn a_success_opens_the_tunnel_in_any_split() {
        for split in 0..OPEN.len() {
            let mut reader = Reader::new();
            assert_eq!(read_answer(&mut reader, &OPEN[..split]), Answer::More);
            let rest = &OPEN[split..];
            assert_eq!(read_answer(&mut reader, rest), Answer::Open(rest.len()));
        }
    }

    #[test]
    fn what_follows_the_answer_belongs_to_the_server() {
        let bytes = [OPEN, b"\x16\x03"].concat();
        let found = read_answer(&mut Reader::new(), &bytes);
        assert_eq!(found, Answer::Open(OPEN.len()));
    }

    #[test]
    fn a_refusal_differs_from_garbage() {
        let refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n";
        let Answer::Closed(Fault::Refused, words) = read_answer(&mut Reader::new(), refusal) else {
            panic!("a proxy that refuses");
        };
        assert_eq!(words, "the proxy answered CONNECT with status 407");
        let switch = b"HTTP/1.1 101 Switching Protocols\r\n\r\n";
        let found = read_answer(&mut Reader::new(), switch);
        assert!(matches!(found, Answer::Closed(Fault::Refused, _)));
        let found = read_answer(&mut Reader::new(), b"SSH-2.0-OpenSSH_9.2\r\n");
        assert!(matches!(found, Answer::Closed(Fault::Garbled, _)));
    }
}
