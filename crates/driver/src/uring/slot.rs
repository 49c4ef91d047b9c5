//! The state of a connection on `io_uring`.

use std::os::fd::RawFd;

use crate::queue::SendQueue;
use crate::uring::sends::{NO_SEND, SCRIPT_SEND};
use crate::uring::tags::{Op, bytes_tag, tag};

/// Its descriptor, and the operations in progress. It has 32 bytes: a power of two is indexed by a shift.
pub struct Slot {
    pub generation: u32,
    pub fd: RawFd,
    /// A receive is in progress: it must be cancelled before the descriptor is closed.
    pub receiving: bool,
    pub connecting: bool,
    /// A long send is in progress, or something waits for one to end.
    pub sending: bool,
    /// The send in progress: the number of a send of bytes, `SCRIPT_SEND` or `NO_SEND`.
    pub in_flight: u32,
    /// The range of the script that is being sent: from, to. A send has at most 4 GiB.
    pub unsent: (u32, u32),
    /// The pieces that follow the send in progress.
    pub queue: SendQueue,
}

/// The value that means: no descriptor.
pub const CLOSED: RawFd = -1;

impl Slot {
    /// The tags of the operations in progress, if this is its slot. They keep the socket open.
    pub fn under_way(&self, slot: u32) -> [Option<u64>; 3] {
        let tag = |op| tag(slot, self.generation, op);
        [
            self.connecting.then(|| tag(Op::Connect)),
            self.receiving.then(|| tag(Op::Receive)),
            match self.in_flight {
                NO_SEND => None,
                SCRIPT_SEND => Some(tag(Op::Send)),
                number => Some(bytes_tag(number)),
            },
        ]
    }
}

impl Default for Slot {
    fn default() -> Self {
        Self {
            generation: 0,
            fd: CLOSED,
            receiving: false,
            connecting: false,
            sending: false,
            in_flight: NO_SEND,
            unsent: (0, 0),
            queue: SendQueue::default(),
        }
    }
}
