//! A server that allocates nothing after its start: all its threads wait in `accept`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use wire::h2::{Options, Server, ServerEvent};
use wire::hpack::encode_field;

const STACK: usize = 64 * 1024;

/// A server with a thread for each connection.
pub struct Frugal {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    listener: TcpListener,
    /// The reply to each request, one write for each part.
    reply: &'static [&'static [u8]],
    serve: fn(&Shared, TcpStream),
    requests: AtomicU64,
    stopping: AtomicBool,
}

impl Frugal {
    /// Starts a server for this many connections, and one more for the connection that is made before a run.
    pub fn start(connections: usize, reply: &'static [&'static [u8]]) -> Self {
        Self::serving(connections, reply, Shared::serve)
    }

    /// Starts a server of HTTP/2, whose replies have this body.
    pub fn start_http2(connections: usize, body: &'static [&'static [u8]]) -> Self {
        Self::serving(connections, body, Shared::serve_http2)
    }

    fn serving(
        connections: usize,
        reply: &'static [&'static [u8]],
        serve: fn(&Shared, TcpStream),
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            listener,
            reply,
            serve,
            requests: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
        });
        let thread = |_| {
            let shared = Arc::clone(&shared);
            let builder = thread::Builder::new().stack_size(STACK);
            builder.spawn(move || shared.work()).unwrap()
        };
        let threads = (0..=connections).map(thread).collect();
        Self {
            address,
            shared,
            threads,
        }
    }

    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::SeqCst)
    }
}

impl Shared {
    fn work(&self) {
        while let Ok((stream, _)) = self.listener.accept() {
            if self.stopping.load(Ordering::SeqCst) {
                return;
            }
            (self.serve)(self, stream);
        }
    }

    /// Serves connections. Each read is one request, because there are no bursts and a request is one segment.
    fn serve(&self, mut stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let mut room = [0; 1024];
        while let Ok(1..) = stream.read(&mut room) {
            for part in self.reply {
                if stream.write_all(part).is_err() {
                    return;
                }
            }
            self.requests.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn serve_http2(&self, mut stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let (mut room, mut head) = ([0; 4096], Vec::new());
        encode_field(&mut head, b":status", b"200");
        let mut server = Server::new(Options::default());
        while let Ok(count @ 1..) = stream.read(&mut room) {
            let mut rest = &room[..count];
            loop {
                let (used, event) = server.next(rest).unwrap();
                rest = &rest[used..];
                match event {
                    ServerEvent::NeedMore => break,
                    ServerEvent::End { stream } => {
                        server.respond(stream, &head, false);
                        for (part, left) in self.reply.iter().zip((0..self.reply.len()).rev()) {
                            server.send(stream, part, left == 0);
                        }
                        self.requests.fetch_add(1, Ordering::SeqCst);
                    }
                    _ => {}
                }
            }
            if stream.write_all(server.output()).is_err() {
                return;
            }
            server.output().clear();
        }
    }
}

impl Drop for Frugal {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        for _ in &self.threads {
            let _ = TcpStream::connect(self.address);
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
