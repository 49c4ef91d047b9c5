//! What the engine asks of an operating system.

use std::io;

use crate::clock::Nanos;
use crate::fault::Fault;
use crate::route::Route;

/// Something that happened on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The connection, by the number that [`Driver::open`] was given.
    pub slot: u32,
    /// What happened.
    pub what: What,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The peer is there, and a handshake has begun: only drivers that make one tell this, before `Connected`.
    Reached,
    /// The connection is there; sending may begin.
    Connected,
    /// Bytes came: [`Driver::received`] shows them until the next call of [`Driver::next`].
    Received,
    /// All that [`Driver::send_bytes`] was given is with the kernel; told only where [`Driver::sending`] had said
    /// that it was not.
    Sent,
    /// The peer will send no more.
    Ended,
    /// The peer will send no more, and closed without the sign that it had sent all: TLS without `close_notify`. Only
    /// drivers that know such a sign tell this.
    Cut,
    /// The connection failed. It is still to be closed.
    Failed(Fault),
}

/// What the handshakes of a driver's connections came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handshakes {
    /// Those that were made from nothing.
    pub full: u64,
    /// Those that went on with an earlier session.
    pub resumed: u64,
    /// The version of the first one, `1.3` for TLS 1.3.
    pub version: &'static str,
    /// The cipher suite of the first one, by its registered name.
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

/// Moves bytes for the engine and tells the time. Not shared between threads.
///
/// Slots are small numbers chosen by the caller. After [`Driver::close`] a slot may be opened again at once; nothing
/// of its former connection is ever reported.
pub trait Driver {
    /// Time since the epoch of the run.
    fn now(&self) -> Nanos;

    /// Begins to connect. [`What::Connected`] or [`What::Failed`] follows.
    ///
    /// # Errors
    /// When no socket can be made or bound; the slot stays closed.
    fn open(&mut self, slot: u32, route: &Route) -> Result<(), Fault>;

    /// Sends `script[from..to]` on a connected slot; at most one send a slot is under way at a time.
    fn send(&mut self, slot: u32, from: usize, to: usize);

    /// Sends bytes that are not in the script, behind those given before; leaves an empty buffer in their place.
    /// A connection is sent either ranges of the script or bytes, not both.
    fn send_bytes(&mut self, slot: u32, bytes: &mut Vec<u8>);

    /// Whether bytes given to be sent may still be waiting to go out. A short send, which the socket's
    /// buffer takes at once unless the peer has long ceased to read, may be taken for done.
    fn sending(&self, slot: u32) -> bool;

    /// Ends a connection, whatever its state.
    fn close(&mut self, slot: u32);

    /// Waits until something happened or `until` has come; then [`Driver::next`] tells what. A moment in the past
    /// means: look, and return at once.
    fn wait(&mut self, until: Nanos) -> io::Result<()>;

    /// The next thing that happened, until there is no more.
    fn next(&mut self) -> Option<Event>;

    /// The bytes of the last [`What::Received`].
    fn received(&self) -> &[u8];

    /// When the last of those bytes arrived, by the kernel's stamp; `None` where it gave none.
    fn received_at(&self) -> Option<Nanos> {
        None
    }

    /// When the last byte that was sent on a slot left, by the kernel's stamp: it went to the network device.
    /// `None` where the kernel gave none, or has not yet.
    fn left_at(&mut self, _slot: u32) -> Option<Nanos> {
        None
    }

    /// What the last [`What::Ended`], [`What::Cut`] or [`What::Failed`] means, where the driver can say more than the event does.
    fn words(&self) -> Option<&str> {
        None
    }

    /// The handshakes so far; `None` from a driver that makes none.
    fn handshakes(&self) -> Option<&Handshakes> {
        None
    }
}
