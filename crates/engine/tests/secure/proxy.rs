//! A small proxy on threads, which accepts or refuses CONNECT.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// The proxy's answer to the request of a connection; connections are counted from 0.
pub type Answer = fn(number: u64) -> Act;

#[derive(Clone, Copy, Debug)]
pub enum Act {
    /// Opens the tunnel; the answer is sent in pieces of this many bytes.
    Open(usize),
    /// Sends this and closes.
    Say(&'static str),
}

pub struct Proxy {
    pub address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    pub fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heads);
        let number = AtomicU64::new(0);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, number) = (Arc::clone(&kept), number.fetch_add(1, Ordering::Relaxed));
                thread::spawn(move || serve(stream, &kept, answer(number)));
            }
        });
        Self { address, heads }
    }

    /// The requests so far, each without its empty line.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn serve(mut client: TcpStream, heads: &Mutex<Vec<String>>, act: Act) -> io::Result<()> {
    let head = read_head(&mut client)?;
    let target = head.split(' ').nth(1).unwrap().to_owned();
    heads.lock().unwrap().push(head);
    let piece = match act {
        Act::Open(piece) => piece,
        Act::Say(words) => return client.write_all(words.as_bytes()),
    };
    client.set_nodelay(true)?;
    let mut server = TcpStream::connect(target)?;
    server.set_nodelay(true)?;
    for bytes in b"HTTP/1.1 200 Connection established\r\n\r\n".chunks(piece) {
        client.write_all(bytes)?;
    }
    let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
    let upward = thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        to.shutdown(Shutdown::Write)
    });
    let _ = io::copy(&mut server, &mut client);
    let _ = client.shutdown(Shutdown::Write);
    let _ = upward.join();
    Ok(())
}

/// Reads up to the empty line, after which the client waits for the answer.
fn read_head(client: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        client.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    head.truncate(head.len() - 4);
    Ok(String::from_utf8(head).unwrap())
}
