//! The cost of several ways to read the head of a reply, for a profiler that counts instructions.
//!
//! `scan WAY REPLIES` prints nanoseconds per reply. `remembered` is what the engine does: a head with the same bytes as
//! the last one has the same content. `parsed` is httparse for each. `memchr` and `bytes` only search for the empty
//! line, with SIMD and without, which is a lower bound for all readers. `nothing` is the loop alone.

use std::error::Error;
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use memchr::memmem::Finder;
use wire::{Event, LastHead, Reader};

const USAGE: &str = "usage: scan remembered|parsed|memchr|bytes|nothing REPLIES";

/// A reply of a common server, with a body of four bytes.
const REPLY: &[u8] =
    b"HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n\
    Content-Type: text/plain\r\nContent-Length: 4\r\nConnection: keep-alive\r\n\r\nPONG";
const BLANK: &[u8] = b"\r\n\r\n";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [way, replies] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let replies: u32 = replies.parse()?;
    let begin = Instant::now();
    match way.as_str() {
        "remembered" => {
            let (mut reader, mut last) = (Reader::new(), LastHead::new());
            for _ in 0..replies {
                read(|rest| reader.next_like(&mut last, rest, false))?;
            }
        }
        "parsed" => {
            let mut reader = Reader::new();
            for _ in 0..replies {
                read(|rest| reader.next(rest, false))?;
            }
        }
        "memchr" => {
            let finder = Finder::new(BLANK);
            for _ in 0..replies {
                black_box(finder.find(black_box(REPLY)));
            }
        }
        "bytes" => {
            for _ in 0..replies {
                black_box(by_bytes(black_box(REPLY)));
            }
        }
        "nothing" => {
            for _ in 0..replies {
                black_box(REPLY);
            }
        }
        _ => return Err(USAGE.into()),
    }
    let ns = begin.elapsed().as_nanos() as f64 / f64::from(replies.max(1));
    writeln!(std::io::stdout(), "{ns:.2}")?;
    Ok(())
}

/// Reads one reply, event by event, to its end.
fn read<E>(
    mut next: impl FnMut(&'static [u8]) -> Result<(usize, Event<'static>), E>,
) -> Result<(), E> {
    let mut rest = black_box(REPLY);
    loop {
        let (taken, event) = next(rest)?;
        rest = &rest[taken..];
        if black_box(event) == Event::End {
            return Ok(());
        }
    }
}

/// Searches for the empty line byte by byte.
fn by_bytes(reply: &[u8]) -> Option<usize> {
    reply.windows(BLANK.len()).position(|four| four == BLANK)
}
