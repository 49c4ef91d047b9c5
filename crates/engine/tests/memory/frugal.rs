//! A server that allocates nothing after its start: all its threads wait in `accept`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

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
    requests: AtomicU64,
    stopping: AtomicBool,
}

impl Frugal {
    /// Starts a server for this many connections, and one more for the connection that is made before a run.
    pub fn start(connections: usize, reply: &'static [&'static [u8]]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            listener,
            reply,
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
            self.serve(stream);
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
