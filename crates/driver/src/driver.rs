//! The interface between the engine and the operating system.

use std::io;

use crate::clock::Nanos;
use crate::fault::Fault;
use crate::route::Route;

/// An event on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The number of the connection, as passed to [`Driver::open`].
    pub slot: u32,
    /// The kind of the event.
    pub what: What,
}

/// The kinds of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The peer accepted the connection and a handshake has begun. Reported before `Connected`, only by drivers that
    /// make handshakes.
    Reached,
    /// The connection is established: sending may begin.
    Connected,
    /// Bytes arrived: [`Driver::received`] returns them until the next call of [`Driver::next`].
    Received,
    /// The kernel has taken all that was given to be sent. Reported only after [`Driver::sending`] was true.
    Sent,
    /// The peer will send no more.
    Ended,
    /// The peer closed without the sign that it had sent everything: TLS without `close_notify`. Reported only by
    /// drivers that know such a sign.
    Cut,
    /// The connection failed. The caller still has to close it.
    Failed(Fault),
}

/// Counts and facts of a driver's handshakes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handshakes {
    /// Full handshakes.
    pub full: u64,
    /// Handshakes that resumed an earlier session.
    pub resumed: u64,
    /// Version of the first one: `1.3` for TLS 1.3.
    pub version: &'static str,
    /// Cipher suite of the first one, by its registered name.
    pub cipher: String,
}

impl Handshakes {
    /// Adds those of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.full += other.full;
        self.resumed += other.resumed;
        if self.version.is_empty() {
            self.version = other.version;
            self.cipher.clone_from(&other.cipher);
        }
    }
}

/// Counts of a driver's datagrams, and of the packets in them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Datagrams {
    /// Datagrams sent, and the calls of the kernel that sent them.
    pub sent: u64,
    pub sends: u64,
    /// Datagrams received, and the calls of the kernel that received them.
    pub received: u64,
    pub receives: u64,
    /// Packets sent, and those of them that were found to be lost.
    pub packets_sent: u64,
    pub packets_lost: u64,
    /// Connections that measured a round trip, the sum of their last estimates, and the shortest.
    pub paths: u64,
    pub rtt_sum_ns: u64,
    pub min_rtt_ns: Option<u64>,
}

impl Datagrams {
    /// Adds those of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.sent += other.sent;
        self.sends += other.sends;
        self.received += other.received;
        self.receives += other.receives;
        self.packets_sent += other.packets_sent;
        self.packets_lost += other.packets_lost;
        self.paths += other.paths;
        self.rtt_sum_ns += other.rtt_sum_ns;
        let both = [self.min_rtt_ns, other.min_rtt_ns];
        self.min_rtt_ns = both.into_iter().flatten().min();
    }
}

/// Connections and a clock for one thread of the engine.
///
/// Slots are small numbers chosen by the caller. After [`Driver::close`] a slot may be opened again at once; events of
/// its former connection are never reported.
pub trait Driver {
    /// Time since the epoch of the run.
    fn now(&self) -> Nanos;

    /// Starts to connect. [`What::Connected`] or [`What::Failed`] follows.
    ///
    /// # Errors
    /// When no socket can be created or bound; the slot stays closed.
    fn open(&mut self, slot: u32, route: &Route) -> Result<(), Fault>;

    /// Sends `script[from..to]` on a connected slot, after what was given before. A short range may count as sent at once:
    /// should the socket's buffer be full, what is given before the peer has answered may overtake it.
    fn send(&mut self, slot: u32, from: usize, to: usize);

    /// Sends bytes that are not in the script, after what was given before, and leaves `bytes` empty.
    fn send_bytes(&mut self, slot: u32, bytes: &mut Vec<u8>);

    /// True if something given to be sent may still be queued. A short send may count as done: the socket's buffer takes
    /// it at once, unless the peer has long stopped reading.
    fn sending(&self, slot: u32) -> bool;

    /// Closes a connection in any state.
    fn close(&mut self, slot: u32);

    /// Waits for an event, until `until` at the latest; [`Driver::next`] then returns the events. A time in the past means
    /// a check without waiting.
    fn wait(&mut self, until: Nanos) -> io::Result<()>;

    /// Returns the next event; `None`: there are no more.
    fn next(&mut self) -> Option<Event>;

    /// The bytes of the last [`What::Received`].
    fn received(&self) -> &[u8];

    /// When the last of those bytes arrived, by the kernel's timestamp; `None` without one.
    fn received_at(&self) -> Option<Nanos> {
        None
    }

    /// When the last byte sent on a slot was passed to the network device, by the kernel's timestamp; `None` without
    /// one, or before it is available.
    fn left_at(&mut self, _slot: u32) -> Option<Nanos> {
        None
    }

    /// An explanation of the last [`What::Ended`], [`What::Cut`] or [`What::Failed`], if the driver has one.
    fn words(&self) -> Option<&str> {
        None
    }

    /// The handshakes so far; `None` for drivers without handshakes.
    fn handshakes(&self) -> Option<&Handshakes> {
        None
    }

    /// The datagrams so far, of closed connections; `None` for drivers of streams.
    fn datagrams(&self) -> Option<&Datagrams> {
        None
    }
}
