//! HTTP/2 between a client and a server in memory, and what hostile peers send to either.
#![allow(clippy::unwrap_used, reason = "a test that cannot talk has failed")]
#![allow(clippy::too_many_lines, reason = "tables of cases")]

mod exchange;
mod flow;
mod frames;
mod hostile_client;
mod hostile_server;
mod memory_use;
mod splits;

#[path = "../../../../fuzz/src/memory.rs"]
mod memory;

use std::fmt::Write;

use wire::h2::{Client, Event, Fault, Options, Prepared, Server, ServerEvent, Stream};
use wire::hpack::encode_field;
use wire::{Request, Version};

#[global_allocator]
static MEMORY: memory::Counting = memory::Counting;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const PRIORITY: u8 = 2;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;
const PADDED: u8 = 8;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The bytes of a frame.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

fn settings(settings: &[(u16, u32)]) -> Vec<u8> {
    let payload: Vec<u8> = settings
        .iter()
        .flat_map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat())
        .collect();
    frame(SETTINGS, 0, 0, &payload)
}

fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in fields {
        encode_field(&mut block, name.as_bytes(), value.as_bytes());
    }
    block
}

/// The head of a reply with these fields, on stream 1.
fn head(flags: u8, fields: &[(&str, &str)]) -> Vec<u8> {
    frame(HEADERS, END_HEADERS | flags, 1, &block(fields))
}

fn request(method: &'static str, body: &'static [u8]) -> Prepared {
    let request = Request {
        method,
        target: "/a?b=c",
        version: Version::V11,
        keep_alive: true,
        host: "localhost:8080",
        headers: &[],
        body,
    };
    Prepared::new(&request, "http").unwrap()
}

/// A client whose server has sent `first`, with one open stream per request.
fn client(first: &[u8], requests: &[&Prepared]) -> Client {
    let mut client = Client::new(Options::default(), 0);
    client.connect();
    let ready = [&settings(&[])[..], first].concat();
    told(&mut client, &ready).unwrap();
    for request in requests {
        client.open(request).unwrap();
    }
    client.output().clear();
    client
}

/// The events of a client for some bytes, in words; consecutive parts of a body are joined.
fn told(client: &mut Client, bytes: &[u8]) -> Result<String, Fault> {
    let mut story = String::new();
    tell(client, bytes, &mut story)?;
    Ok(story.trim().to_owned())
}

fn tell(client: &mut Client, bytes: &[u8], story: &mut String) -> Result<(), Fault> {
    let (mut rest, mut body) = (bytes, None);
    loop {
        let (taken, event) = client.next(rest)?;
        rest = &rest[taken..];
        if let Event::Body { stream, data } = event {
            let text = word(data);
            if body != Some(stream) {
                write!(story, " {}:", stream.id).unwrap();
            }
            story.push_str(&text);
            body = Some(stream);
            continue;
        }
        body = None;
        match event {
            Event::NeedMore => {
                assert!(rest.is_empty());
                return Ok(());
            }
            Event::Settings => story.push_str(" settings"),
            Event::Body { .. } => {}
            Event::Head { stream, head } => {
                let length = head
                    .length
                    .map(|length| format!("({length})"))
                    .unwrap_or_default();
                write!(story, " {}={}{length}", stream.id, head.status).unwrap();
            }
            Event::End { stream } => write!(story, " {}.", stream.id).unwrap(),
            Event::Reset { stream, code } => write!(story, " {}!{code}", stream.id).unwrap(),
            Event::Malformed { stream, error } => {
                write!(story, " {}?{error:?}", stream.id).unwrap();
            }
            Event::GoAway { code } => write!(story, " goaway {code}").unwrap(),
            Event::Unprocessed { stream } => write!(story, " {}-", stream.id).unwrap(),
            Event::Opened { stream } => {
                write!(story, " opened {}", stream.map_or(0, |stream| stream.id)).unwrap();
            }
        }
    }
}

/// Data as one word.
fn word(data: &[u8]) -> String {
    data.escape_ascii().to_string().replace(' ', "\\x20")
}

/// A server whose client has sent its preface and `first`.
fn server(first: &[u8]) -> Server {
    let mut server = Server::new(Options::default());
    let ready = [PREFACE, &settings(&[]), first].concat();
    asked(&mut server, &ready).unwrap();
    server.output().clear();
    server
}

/// The events of a server for some bytes, in words.
fn asked(server: &mut Server, bytes: &[u8]) -> Result<String, Fault> {
    let mut story = String::new();
    ask(server, bytes, &mut story)?;
    Ok(story.trim().to_owned())
}

fn ask(server: &mut Server, bytes: &[u8], story: &mut String) -> Result<(), Fault> {
    let mut rest = bytes;
    loop {
        let (taken, event) = server.next(rest)?;
        rest = &rest[taken..];
        match event {
            ServerEvent::NeedMore => {
                assert!(rest.is_empty());
                return Ok(());
            }
            ServerEvent::Head { stream, .. } => {
                let request = server.request();
                let [method, path] =
                    [request.method(), request.path()].map(String::from_utf8_lossy);
                write!(story, " {}={method}{path}", stream.id).unwrap();
            }
            ServerEvent::Body { stream, data } => {
                write!(story, " {}:{}", stream.id, word(data)).unwrap();
            }
            ServerEvent::End { stream } => write!(story, " {}.", stream.id).unwrap(),
            ServerEvent::Reset { stream } => write!(story, " {}!", stream.id).unwrap(),
            ServerEvent::Opened { stream } => {
                write!(story, " opened {}", stream.map_or(0, |stream| stream.id)).unwrap();
            }
            ServerEvent::GoAway => story.push_str(" goaway"),
        }
    }
}

/// Answers each complete request with this body, as the windows allow.
fn answer(server: &mut Server, bytes: &[u8], body: &[u8]) -> Result<(), Fault> {
    let head = block(&[
        (":status", "200"),
        ("content-length", &body.len().to_string()),
    ]);
    let mut rest = bytes;
    loop {
        let (taken, event) = server.next(rest)?;
        rest = &rest[taken..];
        match event {
            ServerEvent::NeedMore => return Ok(()),
            ServerEvent::End { stream } => {
                server.respond(stream, &head, body.is_empty());
                assert_eq!(server.send(stream, body, true), body.len());
            }
            _ => {}
        }
    }
}

/// A request on stream 1.
fn get(flags: u8, stream: u32) -> Vec<u8> {
    let fields = [
        (":method", "GET"),
        (":scheme", "http"),
        (":path", "/"),
        (":authority", "localhost"),
    ];
    frame(HEADERS, END_HEADERS | flags, stream, &block(&fields))
}

/// The kinds of the frames in some output, each with its stream and the first bytes of its payload.
fn sent(output: &[u8]) -> Vec<(u8, u32, Vec<u8>)> {
    let (mut frames, mut rest) = (Vec::new(), output.strip_prefix(PREFACE).unwrap_or(output));
    while let [a, b, c, kind, _, d, e, f, g, after @ ..] = rest {
        let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        let payload = after[..length.min(16)].to_vec();
        frames.push((*kind, u32::from_be_bytes([*d, *e, *f, *g]), payload));
        rest = &after[length..];
    }
    assert!(rest.is_empty());
    frames
}

/// The code of the `RST_STREAM` or `GOAWAY` at the end of some output.
fn last_code(output: &[u8]) -> u32 {
    let frames = sent(output);
    let (kind, _, payload) = frames.last().unwrap();
    let at = match *kind {
        RST_STREAM => 0,
        GOAWAY => 4,
        other => panic!("frame {other}"),
    };
    u32::from_be_bytes(payload[at..at + 4].try_into().unwrap())
}

/// Lanes and ids are handed out in order.
fn stream(number: u32) -> Stream {
    Stream {
        id: 2 * number + 1,
        lane: number,
    }
}
