//! One connection as the driver on `io_uring` knows it.

use std::os::fd::RawFd;

use crate::uring::sends::NO_SEND;

/// Its descriptor, and which operations the kernel still holds.
pub struct Slot {
    pub generation: u32,
    pub fd: RawFd,
    /// A receive is under way: it must be cancelled before the descriptor is closed.
    pub receiving: bool,
    pub connecting: bool,
    /// A long send is under way: it must be cancelled before the descriptor is closed, as it keeps the socket open.
    pub sending: bool,
    pub unsent: (usize, usize),
    /// Its send of bytes that is under way.
    pub bytes_send: u32,
}

/// No descriptor.
pub const CLOSED: RawFd = -1;

impl Default for Slot {
    fn default() -> Self {
        Self {
            generation: 0,
            fd: CLOSED,
            receiving: false,
            connecting: false,
            sending: false,
            unsent: (0, 0),
            bytes_send: NO_SEND,
        }
    }
}
