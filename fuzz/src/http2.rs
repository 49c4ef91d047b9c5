//! HTTP/2: **a client and a server report the same events, and send the same bytes, however those of their peer are split. Each
//! allocates at most a fixed amount more than it is fed.**

use crate::input::Input;
use crate::memory::allocated_by;
use std::fmt::Write;
use std::iter::once;
use wire::h2::{Client, Event, Fault, Options, Prepared, Server, ServerEvent};
use wire::{Request, Version};

/// The most that a connection allocates, whatever comes: its buffers grow by doubling, up to 64 KiB each.
const MOST: usize = 1 << 20;
const OPTIONS: Options = Options {
    streams: 4,
    header_table: 256,
    max_frame: 16_384,
    window: 100,
    connection_window: 70_000,
    keeps_fields: true,
};

/// The events of a connection in words, and the bytes that it sent. Parts of a body are joined.
#[derive(Debug, Default, PartialEq, Eq)]
struct Story {
    events: String,
    /// The stream of the body at the end of `events`.
    body: Option<u32>,
    sent: Vec<u8>,
}

impl Story {
    fn add(&mut self, event: std::fmt::Arguments) {
        self.body = None;
        write!(self.events, " {event}").expect("a string takes all");
    }

    fn add_body(&mut self, stream: u32, data: &[u8]) {
        assert!(!data.is_empty(), "a part of a body must not be empty");
        if self.body.replace(stream) != Some(stream) {
            self.events.push_str(" body ");
        }
        write!(self.events, "{}", data.escape_ascii()).expect("a string takes all");
    }
}

/// One side of a connection.
trait Side {
    /// Takes the next event from the start of `bytes`; returns the number of bytes consumed, and true if more are needed.
    fn step(&mut self, bytes: &[u8], story: &mut Story) -> Result<(usize, bool), Fault>;
    fn output(&mut self) -> &mut Vec<u8>;
}

impl Side for Client {
    fn step(&mut self, bytes: &[u8], story: &mut Story) -> Result<(usize, bool), Fault> {
        let (taken, event) = self.next(bytes)?;
        match event {
            Event::NeedMore => return Ok((taken, true)),
            Event::Body { stream, data } => story.add_body(stream.id, data),
            Event::Head { .. } => {
                let fields: Vec<_> = self.fields().collect();
                story.add(format_args!("{event:?} {fields:?}"));
            }
            _ => story.add(format_args!("{event:?}")),
        }
        Ok((taken, false))
    }

    fn output(&mut self) -> &mut Vec<u8> {
        Client::output(self)
    }
}

impl Side for Server {
    fn step(&mut self, bytes: &[u8], story: &mut Story) -> Result<(usize, bool), Fault> {
        let (taken, event) = self.next(bytes)?;
        match event {
            ServerEvent::NeedMore => return Ok((taken, true)),
            ServerEvent::Body { stream, data } => story.add_body(stream.id, data),
            ServerEvent::Head { .. } => {
                let head = self.request();
                story.add(format_args!("{event:?} {head:?}"));
            }
            _ => story.add(format_args!("{event:?}")),
        }
        // Every second request is answered at once, with a body that its window may not allow.
        if let ServerEvent::End { stream } = event
            && stream.id % 4 == 1
        {
            self.respond(stream, b"\x88", false);
            self.send(stream, &[b'x'; 300], true);
        }
        Ok((taken, false))
    }

    fn output(&mut self) -> &mut Vec<u8> {
        Server::output(self)
    }
}

/// Panics unless the sentences above hold for this input. An input for a server begins with `H`.
pub fn hold(data: &[u8]) {
    let input = Input::of(data);
    if input.head_only {
        same(&input, || Server::new(OPTIONS));
    } else {
        same(&input, client);
    }
}

/// A client that has sent three requests, one of them with a body.
fn client() -> Client {
    let mut client = Client::new(OPTIONS, 100);
    client.connect();
    let ready = client.next(b"\0\0\0\x04\0\0\0\0\0");
    assert!(ready.is_ok(), "the settings of a server");
    for (method, body) in [("GET", &b""[..]), ("POST", b"abc"), ("HEAD", b"")] {
        let request = Request {
            method,
            target: "/",
            version: Version::V11,
            keep_alive: true,
            host: "localhost",
            headers: &[],
            body,
        };
        let request = Prepared::new(&request, "http").expect("a valid request");
        assert!(client.open(&request).is_some(), "room for a request");
    }
    client
}

fn same<S: Side>(input: &Input, new: impl Fn() -> S) {
    let whole = story(new(), once(input.bytes));
    let bytewise = story(new(), input.bytes.chunks(1));
    assert_eq!(whole, bytewise, "whole and bytewise");
    let apart: Vec<Box<[u8]>> = input.pieces().map(Box::from).collect();
    let pieces = story(new(), apart.iter().map(|piece| &piece[..]));
    assert_eq!(whole, pieces, "whole and in pieces");
}

fn story<'a, S: Side>(mut side: S, pieces: impl Iterator<Item = &'a [u8]>) -> Story {
    let (mut story, mut memory) = (Story::default(), 0);
    for piece in pieces {
        let mut rest = piece;
        loop {
            let (step, allocated) = allocated_by(|| side.step(rest, &mut story));
            memory += allocated;
            match step {
                Ok((taken, is_over)) => {
                    rest = &rest[taken..];
                    if is_over {
                        assert!(rest.is_empty(), "needs more, but left {} bytes", rest.len());
                        break;
                    }
                }
                Err(fault) => {
                    story.add(format_args!("{fault}"));
                    story.sent = std::mem::take(side.output());
                    return story;
                }
            }
        }
    }
    // The words of the story are counted, too: they are a few times the bytes fed.
    let most = MOST + 64 * (story.events.len() + side.output().len());
    assert!(memory <= most, "allocated {memory} bytes of {most}");
    story.sent = std::mem::take(side.output());
    story
}
