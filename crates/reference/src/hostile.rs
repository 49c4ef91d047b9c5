//! A server that breaks the rules of HTTP and TCP: it does a list of acts for each request.
//!
//! For tests of robustness, not for load: one blocking thread per connection. A connection ends when the client
//! closes it or an act does.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::net::sockopt;

/// End of the head of a request.
const HEAD_END: &[u8; 4] = b"\r\n\r\n";
/// Stack size of a connection thread: small, so that many can exist at once.
const STACK: usize = 64 * 1024;

/// One thing done to a connection.
#[derive(Clone, Debug)]
pub enum Act {
    /// Sends the bytes in one write.
    Send(Vec<u8>),
    /// Waits, so that the next bytes are a segment of their own.
    Pause(Duration),
    /// Sends the bytes one by one, at this interval.
    Drip(Vec<u8>, Duration),
    /// Sends the bytes over and over, as fast as the client takes them, until it closes.
    Repeat(Vec<u8>),
    /// Closes the sending side (FIN), then reads and ignores everything until the client closes.
    HalfClose,
    /// Neither sends nor reads for this long, then closes.
    Deaf(Duration),
    /// Closes the connection (FIN).
    Close,
    /// Resets the connection (RST).
    Reset,
}

/// The acts for request number n, counted from 0 over all connections.
type Answer = dyn Fn(u64) -> Vec<Act> + Send + Sync;

/// A hostile server on a free loopback port. It stops accepting connections when dropped.
pub struct Hostile {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    answer: Box<Answer>,
    /// Number of requests answered together.
    group: u64,
    requests: AtomicU64,
    connections: AtomicU64,
    received: AtomicU64,
    stopping: AtomicBool,
}

impl fmt::Debug for Hostile {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter
            .debug_struct("Hostile")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl Hostile {
    /// Starts a server that does for each request what `answer` returns for its number.
    ///
    /// # Errors
    /// When no port is free or no thread can start.
    pub fn start(answer: impl Fn(u64) -> Vec<Act> + Send + Sync + 'static) -> io::Result<Self> {
        Self::start_in_groups(1, answer)
    }

    /// Starts a server that waits for `group` requests on a connection, then does what `answer` returns for the first.
    ///
    /// # Errors
    /// When no port is free or no thread can start.
    pub fn start_in_groups(
        group: u64,
        answer: impl Fn(u64) -> Vec<Act> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            group,
            requests: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            received: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
        });
        let served = Arc::clone(&shared);
        let accepting = thread::Builder::new()
            .name("hostile".into())
            .spawn(move || accept(&listener, &served))?;
        Ok(Self {
            address,
            shared,
            accepting: Some(accepting),
        })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Number of request heads received so far.
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::SeqCst)
    }

    /// Number of connections so far that carried a request.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Number of bytes read so far, except in [`Act::HalfClose`].
    pub fn received(&self) -> u64 {
        self.shared.received.load(Ordering::SeqCst)
    }

    /// Closes the port: new connections are refused, open ones continue.
    pub fn refuse(&mut self) {
        if let Some(accepting) = self.accepting.take() {
            self.shared.stopping.store(true, Ordering::SeqCst);
            // Wakes the accepting thread.
            let _ = TcpStream::connect(self.address);
            let _ = accepting.join();
        }
    }
}

impl Drop for Hostile {
    fn drop(&mut self) {
        self.refuse();
    }
}

/// A listening port with a backlog of one connection, which nobody accepts.
///
/// # Errors
/// When no port is free.
pub fn deaf_listener() -> io::Result<TcpListener> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    rustix::net::listen(&listener, 0)?;
    Ok(listener)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        // Without a thread the connection is closed, and the client sees that.
        let _ = thread::Builder::new()
            .name("hostile-connection".into())
            .stack_size(STACK)
            .spawn(move || serve(stream, &shared));
    }
}

/// Answers the requests of one connection until it ends. A client that closes is no error.
fn serve(mut stream: TcpStream, shared: &Shared) {
    let _ = stream.set_nodelay(true);
    let mut room = [0_u8; 4096];
    let (mut matched, mut waiting, mut counted) = (0, 0, false);
    while let Ok(count @ 1..) = stream.read(&mut room) {
        shared.received.fetch_add(count as u64, Ordering::SeqCst);
        waiting += heads(&room[..count], &mut matched);
        if waiting > 0 && !counted {
            counted = true;
            shared.connections.fetch_add(1, Ordering::SeqCst);
        }
        while waiting >= shared.group {
            waiting -= shared.group;
            let number = shared.requests.fetch_add(shared.group, Ordering::SeqCst);
            for act in (shared.answer)(number) {
                if !matches!(perform(&act, &mut stream), Ok(true)) {
                    return;
                }
            }
        }
    }
}

/// Number of heads that end in `bytes`. `matched`: bytes of [`HEAD_END`] already seen before them.
fn heads(bytes: &[u8], matched: &mut usize) -> u64 {
    let mut ended = 0;
    for &byte in bytes {
        *matched = if byte == HEAD_END[*matched] {
            *matched + 1
        } else {
            usize::from(byte == b'\r')
        };
        if *matched == HEAD_END.len() {
            *matched = 0;
            ended += 1;
        }
    }
    ended
}

/// Does one act. False: the connection is over.
fn perform(act: &Act, stream: &mut TcpStream) -> io::Result<bool> {
    match act {
        Act::Send(bytes) => stream.write_all(bytes)?,
        Act::Pause(time) => thread::sleep(*time),
        Act::Drip(bytes, apart) => {
            for byte in bytes {
                stream.write_all(&[*byte])?;
                thread::sleep(*apart);
            }
        }
        Act::Repeat(bytes) => loop {
            stream.write_all(bytes)?;
        },
        Act::HalfClose => {
            stream.shutdown(Shutdown::Write)?;
            io::copy(stream, &mut io::sink())?;
            return Ok(false);
        }
        Act::Deaf(time) => {
            thread::sleep(*time);
            return Ok(false);
        }
        Act::Close => return Ok(false),
        Act::Reset => {
            sockopt::set_socket_linger(&*stream, Some(Duration::ZERO))?;
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_counted_in_any_split() {
        let bytes = b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nA: b\r\r\n\r\n";
        for split in 0..bytes.len() {
            let mut matched = 0;
            let before = heads(&bytes[..split], &mut matched);
            assert_eq!(before + heads(&bytes[split..], &mut matched), 2, "{split}");
        }
    }

    #[test]
    fn acts_are_done_in_order_up_to_a_reset() {
        let server = Hostile::start(|number| match number {
            0 => vec![
                Act::Send(b"a".to_vec()),
                Act::Drip(b"bc".to_vec(), Duration::ZERO),
            ],
            _ => vec![Act::Send(b"d".to_vec()), Act::Reset],
        })
        .unwrap();
        let mut client = TcpStream::connect(server.address()).unwrap();
        client.write_all(HEAD_END).unwrap();
        let mut got = [0; 3];
        client.read_exact(&mut got).unwrap();
        assert_eq!(&got, b"abc");
        client.write_all(HEAD_END).unwrap();
        let mut rest = Vec::new();
        let error = client.read_to_end(&mut rest).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        assert_eq!((server.requests(), server.connections()), (2, 1));
    }

    #[test]
    fn after_refuse_new_connections_are_refused() {
        let mut server = Hostile::start(|_| vec![Act::Close]).unwrap();
        server.refuse();
        let error = TcpStream::connect(server.address()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
