//! The receive buffer of a connection, and what is known about further input.

use std::os::fd::BorrowedFd;

use driver::ReadyEvent;
use rustix::buffer::spare_capacity;
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

/// Buffer size for each `recv`, in bytes. At least half of it is free.
const ROOM: usize = 8 * 1024;
const ROOM_FOR_BODY: usize = 128 * 1024;

#[expect(
    clippy::struct_excessive_bools,
    reason = "four facts of a socket, each independent of the others"
)]
#[derive(Debug)]
pub(crate) struct Input {
    bytes: Vec<u8>,
    used: usize,
    readable: bool,
    /// TCP urgent data arrived: a `recv` stops there, before everything is read.
    urgent: bool,
    pub(crate) peer_closed: bool,
    /// The stream has ended.
    pub(crate) ended: bool,
}

impl Default for Input {
    /// The input of a new connection, which may already have bytes.
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            used: 0,
            readable: true,
            urgent: false,
            peer_closed: false,
            ended: false,
        }
    }
}

impl Input {
    pub(crate) fn note(&mut self, event: &ReadyEvent) {
        self.readable |= event.readable;
        self.urgent |= event.urgent;
        self.peer_closed |= event.closed;
    }

    pub(crate) fn unread(&self) -> &[u8] {
        &self.bytes[self.used..]
    }

    /// Marks the next `count` bytes as used.
    pub(crate) fn advance(&mut self, count: usize) {
        self.used += count;
        if self.used == self.bytes.len() {
            self.clear();
        }
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.used = 0;
    }

    /// True if [`receive`](Self::receive) may return bytes.
    pub(crate) fn has_more(&self) -> bool {
        self.readable && !self.ended
    }

    /// True if the buffer is empty and the socket has nothing more, as far as known.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.bytes.is_empty() && !self.readable
    }

    pub(crate) fn receive(&mut self, socket: BorrowedFd, is_head: bool) -> Result<(), Errno> {
        self.bytes.drain(..self.used);
        self.used = 0;
        let room = if is_head { ROOM } else { ROOM_FOR_BODY };
        if self.bytes.capacity() - self.bytes.len() < room / 2 {
            self.bytes.reserve(room);
        }
        let room = self.bytes.capacity() - self.bytes.len();
        match recv(socket, spare_capacity(&mut self.bytes), RecvFlags::empty()) {
            Ok((0, _)) => {
                self.ended = true;
                self.readable = false;
            }
            // A short read has emptied the socket, except before urgent data. After a close, the end of the stream
            // would not be reported again.
            Ok((count, _)) => self.readable = count == room || self.peer_closed || self.urgent,
            Err(Errno::AGAIN) => (self.readable, self.urgent) = (false, false),
            Err(Errno::INTR) => {}
            Err(other) => return Err(other),
        }
        Ok(())
    }
}
