//! The client of HTTP/3, with a server that is written as bytes of its streams.

#![allow(clippy::unwrap_used, reason = "a test that cannot encode has failed")]

mod exchange;
mod hostile;

use wire::Request;
use wire::h2::{Event, Options, Prepared, ReplyHead, Stream};
use wire::h3::{Client, Fault, Record, Records};
use wire::qpack::{PREFIX, encode_field};

/// The control stream of a server: its type, and empty SETTINGS.
const CONTROL: &[u8] = &[0, 4, 0];

/// An event without its borrowed bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Settings,
    Head(Stream, ReplyHead),
    Body(Stream, Vec<u8>),
    End(Stream),
    Reset(Stream, String),
    Malformed(Stream, String),
    GoAway(String),
    Unprocessed(Stream),
    Opened(Option<Stream>),
}

/// A client that is connected, and may have `room` streams.
fn connected(streams: u32, room: u64) -> Client {
    let options = Options {
        streams,
        ..Options::default()
    };
    let mut client = Client::new(options);
    client.connect();
    let events = read(&mut client, &[Record::Room { streams: room }]).unwrap();
    assert_eq!(events, [Seen::Settings]);
    client
}

fn written(records: &[Record]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for record in records {
        record.write(&mut bytes);
    }
    bytes
}

/// The events of records.
fn read(client: &mut Client, records: &[Record]) -> Result<Vec<Seen>, Fault> {
    let bytes = written(records);
    let (mut rest, mut seen) = (&bytes[..], Vec::new());
    loop {
        let (used, event) = client.next(rest)?;
        rest = &rest[used..];
        seen.push(match event {
            Event::NeedMore => return Ok(seen),
            Event::Settings => Seen::Settings,
            Event::Head { stream, head } => Seen::Head(stream, head),
            Event::Body { stream, data } => Seen::Body(stream, data.into()),
            Event::End { stream } => Seen::End(stream),
            Event::Reset { stream, code } => Seen::Reset(stream, code.to_string()),
            Event::Malformed { stream, error } => Seen::Malformed(stream, error.to_string()),
            Event::GoAway { code } => Seen::GoAway(code.to_string()),
            Event::Unprocessed { stream } => Seen::Unprocessed(stream),
            Event::Opened { stream } => Seen::Opened(stream),
        });
    }
}

fn data(stream: u64, bytes: &[u8]) -> Record<'_> {
    Record::Data { stream, bytes }
}

/// A frame with a payload of less than 2^14 bytes.
fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16 | 0x4000).to_be_bytes();
    [&[kind][..], &length, payload].concat()
}

fn headers(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut block = PREFIX.to_vec();
    for (name, value) in fields {
        encode_field(&mut block, name.as_bytes(), value.as_bytes());
    }
    frame(1, &block)
}

/// A reply with a body of four bytes.
fn pong() -> Vec<u8> {
    let head = headers(&[(":status", "200"), ("content-length", "4")]);
    [head, frame(0, b"PONG")].concat()
}

fn get() -> Prepared {
    request("GET", b"")
}

fn request(method: &str, body: &[u8]) -> Prepared {
    let request = Request {
        method,
        target: "/a",
        version: wire::Version::V11,
        keep_alive: true,
        host: "here",
        headers: &[],
        body,
    };
    Prepared::new(&request, "https").unwrap()
}

fn output(client: &mut Client) -> Vec<(u64, String)> {
    let bytes = std::mem::take(client.output());
    let text = |record| match record {
        Record::Data { stream, bytes } => (stream, format!("{} bytes", bytes.len())),
        Record::End { stream } => (stream, "end".into()),
        Record::Reset { stream, code } => (stream, format!("reset {code:#x}")),
        Record::Closed { code } => (0, format!("closed {code:#x}")),
        other => (0, format!("{other:?}")),
    };
    Records(&bytes).map(text).collect()
}
