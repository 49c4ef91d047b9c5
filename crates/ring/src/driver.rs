//! What the engine asks of an operating system.

use std::io;

use crate::{Fault, Nanos, Route};

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
    /// The connection is there; sending may begin.
    Connected,
    /// Bytes came: [`Driver::received`] shows them until the next call of [`Driver::next`].
    Received,
    /// The peer will send no more.
    Ended,
    /// The connection failed. It is still to be closed.
    Failed(Fault),
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

    /// Whether bytes of the last [`Driver::send`] may still be waiting to go out. A short send, which the socket's
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
}
