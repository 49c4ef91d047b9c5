//! A client for the tests: blocking sockets and raw bytes.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a test that cannot talk has failed")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use reference::{Config, Listen, Page, Server};

/// Read timeout, so that a failing test ends. Far longer than any reply here takes.
const PATIENCE: Duration = Duration::from_secs(20);

pub const BIG: usize = 550_015;

pub fn config() -> Config {
    let listen: Listen = "127.0.0.1:0".parse().unwrap();
    let big: Vec<u8> = (0..BIG).map(|place| (place % 251) as u8).collect();
    let pages = vec![
        Page::new("/pong", "text/plain", "PONG"),
        Page::new("/empty", "text/plain", ""),
        Page::new("/big", "application/octet-stream", big),
    ];
    Config::new(listen, pages)
}

pub fn serve() -> Server {
    Server::start(config()).unwrap()
}

pub fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

pub fn get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n")
}

pub fn last_get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
}

/// Sends `request` on a new connection and reads until the server closes it.
pub fn ask(server: &Server, request: &str) -> String {
    let mut stream = connect(server);
    stream.write_all(request.as_bytes()).unwrap();
    rest(&mut stream)
}

pub fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads exactly `count` bytes.
pub fn take(stream: &mut impl Read, count: usize) -> String {
    let mut bytes = vec![0; count];
    stream.read_exact(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A complete reply that keeps the connection open.
pub fn reply(content_type: &str, body: &str) -> String {
    reply_with(content_type, body.len(), "", body)
}

pub fn reply_with(content_type: &str, length: usize, fields: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nServer: httpdyno-reference\r\nContent-Type: {content_type}\r\n\
         Content-Length: {length}\r\n{fields}\r\n{body}"
    )
}

pub fn pong() -> String {
    reply("text/plain", "PONG")
}

pub fn last_pong() -> String {
    reply_with("text/plain", 4, "Connection: close\r\n", "PONG")
}

/// Sends one request and reads its reply: proof that the server has processed everything before it.
pub fn round_trip(stream: &mut TcpStream) {
    stream.write_all(get("/pong").as_bytes()).unwrap();
    assert_eq!(take(stream, pong().len()), pong());
}
