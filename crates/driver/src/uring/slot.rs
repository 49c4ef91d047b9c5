//! The state of a connection on `io_uring`.

use std::os::fd::RawFd;

use crate::uring::sends::NO_SEND;

/// Its descriptor, and the operations in progress.
pub struct Slot {
    pub generation: u32,
    pub fd: RawFd,
    /// A receive is in progress: it must be cancelled before the descriptor is closed.
    pub receiving: bool,
    pub connecting: bool,
    /// A long send is in progress: it must be cancelled before the descriptor is closed, or it keeps the socket open.
    pub sending: bool,
    pub unsent: (usize, usize),
    /// The number of its send of bytes in progress.
    pub bytes_send: u32,
}

/// The value that means: no descriptor.
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
