//! A server that keeps the requests that it gets, over HTTP/1 or over HTTP/2 by prior knowledge.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};
use wire::h2::{Options, Server, ServerEvent};
use wire::hpack::encode_field;

/// A request: its path, its headers as they came, and its body.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    pub head: String,
    pub body: String,
}

/// A server with a thread for each connection. It ends with the process.
pub struct Collector {
    port: u16,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Collector {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let received = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&received);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let all = Arc::clone(&all);
                thread::spawn(move || serve(stream, &all));
            }
        });
        Self { port, received }
    }

    pub fn target(&self) -> Value {
        json!({"host": "127.0.0.1", "port": self.port})
    }

    /// Takes the requests received so far.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.received.lock().unwrap())
    }
}

/// Serves a connection. Bytes that are no request, or a length that is not that of the body, lead to a wrong path later.
fn serve(mut stream: TcpStream, all: &Mutex<Vec<Received>>) {
    let _ = stream.set_nodelay(true);
    let mut bytes = Vec::new();
    let mut room = [0; 16 * 1024];
    while let Ok(count @ 1..) = stream.read(&mut room) {
        bytes.extend_from_slice(&room[..count]);
        if bytes.starts_with(b"PRI ") {
            return serve_streams(stream, &bytes, all);
        }
        let mut replies = Vec::new();
        while let Some((request, length)) = first(&bytes) {
            let close = request.head.contains("Connection: close");
            all.lock().unwrap().push(request);
            bytes.drain(..length);
            let connection = if close { "Connection: close\r\n" } else { "" };
            let reply = format!("HTTP/1.1 200 OK\r\n{connection}Content-Length: 4\r\n\r\nPONG");
            replies.extend_from_slice(reply.as_bytes());
        }
        if stream.write_all(&replies).is_err() {
            return;
        }
    }
}

/// Serves a connection of HTTP/2, whose first bytes have come.
fn serve_streams(mut stream: TcpStream, first: &[u8], all: &Mutex<Vec<Received>>) {
    let mut server = Server::new(Options {
        keeps_fields: true,
        ..Options::default()
    });
    let (mut bytes, mut room, mut open) = (first.to_vec(), [0; 16 * 1024], HashMap::new());
    let mut head = Vec::new();
    encode_field(&mut head, b":status", b"200");
    loop {
        let mut rest = &bytes[..];
        loop {
            let (used, event) = server.next(rest).unwrap();
            rest = &rest[used..];
            match event {
                ServerEvent::NeedMore => break,
                ServerEvent::Head { stream, .. } => {
                    open.insert(stream.id, received(&server));
                }
                ServerEvent::Body { stream, data } => {
                    let body = &mut open.get_mut(&stream.id).unwrap().body;
                    *body += str::from_utf8(data).unwrap();
                }
                ServerEvent::End { stream } => {
                    all.lock().unwrap().push(open.remove(&stream.id).unwrap());
                    server.respond(stream, &head, false);
                    server.send(stream, b"PONG", true);
                }
                _ => {}
            }
        }
        let written = stream.write_all(server.output());
        server.output().clear();
        match stream.read(&mut room) {
            Ok(count @ 1..) if written.is_ok() => bytes = room[..count].to_vec(),
            _ => return,
        }
    }
}

/// A request of HTTP/2 whose head has come. Its names are in lower case.
fn received(server: &Server) -> Received {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let request = server.request();
    let fields = request.fields().map(|(name, value)| [name, value]);
    let lines = fields.map(|[name, value]| format!("{}:{}\r\n", text(name), text(value)));
    Received {
        path: text(request.path()),
        head: lines.collect(),
        body: String::new(),
    }
}

/// The first request, if it is complete, and its length.
fn first(bytes: &[u8]) -> Option<(Received, usize)> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "));
    let length = length.map_or(0, |length| length.parse::<usize>().unwrap());
    let body = bytes.get(end..end + length)?;
    let request = Received {
        path: head.split(' ').nth(1).unwrap().into(),
        body: String::from_utf8(body.to_vec()).unwrap(),
        head,
    };
    Some((request, end + length))
}
