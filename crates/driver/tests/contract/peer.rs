//! The peer: real threads on loopback for the real drivers, a scene for the simulated one.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use driver::{Act, Clock, Driver, Nanos, Route, Scene, Wall};
use socket2::SockRef;

/// The wait of a late peer before it reads.
const LATE: Duration = Duration::from_millis(100);

pub const BEFORE_URGENT: &[u8] = b"before";
pub const AFTER_URGENT: &[u8] = b"after";

/// Behaviour of the peer once the first bytes arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    Echo,
    End,
    Reset,
    Refuse,
    Silent,
    /// Sends two pieces with urgent data between them.
    Urgent,
    /// Waits before it reads, then echoes.
    Late,
}

/// Creates a driver and a route to a peer.
pub trait Rig {
    type Driver: Driver;

    fn rig(&self, script: &[u8], peer: Peer) -> (Self::Driver, Route);
}

pub struct Uring;
pub struct Epoll;
/// Epoll with kernel timestamps.
pub struct Stamping;
pub struct Simulated;

impl Rig for Uring {
    type Driver = driver::Uring;

    fn rig(&self, script: &[u8], peer: Peer) -> (Self::Driver, Route) {
        let driver = driver::Uring::new(Clock::start(), Arc::from(script), 8);
        (
            driver.expect("io_uring must work where these tests run"),
            serve(peer),
        )
    }
}

impl Rig for Epoll {
    type Driver = driver::Epoll;

    fn rig(&self, script: &[u8], peer: Peer) -> (Self::Driver, Route) {
        let driver = driver::Epoll::new(Clock::start(), Arc::from(script));
        (driver.unwrap(), serve(peer))
    }
}

impl Rig for Stamping {
    type Driver = driver::Epoll;

    fn rig(&self, script: &[u8], peer: Peer) -> (Self::Driver, Route) {
        let clock = Clock::start();
        let driver = driver::Epoll::new(clock, Arc::from(script)).unwrap();
        (driver.stamping(Wall::read(clock)).unwrap(), serve(peer))
    }
}

impl Rig for Simulated {
    type Driver = driver::Simulated<Stage>;

    fn rig(&self, script: &[u8], peer: Peer) -> (Self::Driver, Route) {
        let route = Route::tcp(([127, 0, 0, 1], 1).into(), None);
        (
            driver::Simulated::new(Arc::from(script), Stage(peer)),
            route,
        )
    }
}

/// A peer in virtual time.
pub struct Stage(Peer);

impl Scene for Stage {
    fn connect(&mut self, _: Nanos, _: u64) -> (Nanos, bool) {
        (1000, self.0 != Peer::Refuse)
    }

    fn receive(&mut self, _: Nanos, _: u64, bytes: &[u8]) -> Vec<(Nanos, Act)> {
        match self.0 {
            Peer::Echo => vec![(1000, Act::Reply(bytes.to_vec()))],
            Peer::Late => vec![(LATE.as_nanos() as Nanos, Act::Reply(bytes.to_vec()))],
            Peer::End => vec![(1000, Act::End)],
            Peer::Reset => vec![(1000, Act::Reset)],
            Peer::Urgent => [BEFORE_URGENT, AFTER_URGENT]
                .map(|bytes| (1000, Act::Reply(bytes.to_vec())))
                .into(),
            Peer::Refuse | Peer::Silent => vec![],
        }
    }
}

/// Starts a peer on loopback. Its threads end with their connections.
fn serve(peer: Peer) -> Route {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    if peer != Peer::Refuse {
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                thread::spawn(move || act(peer, stream));
            }
        });
    }
    Route::tcp(address, None)
}

fn act(peer: Peer, mut stream: TcpStream) {
    let mut buffer = vec![0; 64 * 1024];
    if peer == Peer::Late {
        thread::sleep(LATE);
    }
    while let Ok(count) = stream.read(&mut buffer) {
        if count == 0 {
            return;
        }
        match peer {
            Peer::Echo | Peer::Late => {
                if stream.write_all(&buffer[..count]).is_err() {
                    return;
                }
            }
            Peer::End | Peer::Refuse => return,
            Peer::Reset => {
                let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
                return;
            }
            Peer::Urgent => {
                let socket = SockRef::from(&stream);
                socket.send(BEFORE_URGENT).unwrap();
                socket.send_out_of_band(b"!").unwrap();
                socket.send(AFTER_URGENT).unwrap();
            }
            Peer::Silent => {}
        }
    }
}
