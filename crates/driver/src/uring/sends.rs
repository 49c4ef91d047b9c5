//! Sends of bytes that are not in the script. The kernel reads them until their completion comes, also after the
//! connection was closed, so they are kept here by a number of their own and not with the connection.

use std::os::fd::RawFd;

use io_uring::types::Fd;
use io_uring::{opcode, squeue};

use crate::uring::tags::bytes_tag;

/// Number of no send.
pub const NO_SEND: u32 = u32::MAX;

/// A longer send may have to wait for the peer, so that its end is of interest: 8 KiB, half of what the kernel's
/// smallest default send buffer takes at once.
pub const SHORT_SEND: usize = 8 * 1024;

/// All sends of bytes under way, and emptied buffers for more.
#[derive(Default)]
pub struct Sends {
    sends: Vec<BytesSend>,
    free: Vec<u32>,
}

/// One send under way. Its number may be given to another once it has ended.
#[derive(Default)]
struct BytesSend {
    slot: u32,
    generation: u32,
    bytes: Vec<u8>,
    /// How many of them the kernel has taken.
    sent: usize,
    /// What is to follow on the same connection.
    next: Vec<u8>,
}

impl Sends {
    /// Takes bytes for a connection, and leaves an empty buffer in their place; the number of the send.
    pub fn begin(&mut self, slot: u32, generation: u32, bytes: &mut Vec<u8>) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.sends.push(BytesSend::default());
            self.sends.len() as u32 - 1
        });
        let send = &mut self.sends[number as usize];
        (send.slot, send.generation, send.sent) = (slot, generation, 0);
        std::mem::swap(&mut send.bytes, bytes);
        number
    }

    /// Adds bytes that follow on the same connection.
    pub fn append(&mut self, number: u32, bytes: &mut Vec<u8>) {
        self.sends[number as usize].next.append(bytes);
    }

    /// The slot and the generation that a send belongs to.
    pub fn owner(&self, number: u32) -> (u32, u32) {
        let send = &self.sends[number as usize];
        (send.slot, send.generation)
    }

    /// The kernel took `count` bytes more; whether there are others to be sent.
    pub fn advance(&mut self, number: u32, count: usize) -> bool {
        let send = &mut self.sends[number as usize];
        send.sent += count;
        if send.sent == send.bytes.len() {
            send.bytes.clear();
            send.sent = 0;
            std::mem::swap(&mut send.bytes, &mut send.next);
        }
        !send.bytes.is_empty()
    }

    /// The kernel is done with the bytes of a send.
    pub fn end(&mut self, number: u32) {
        let send = &mut self.sends[number as usize];
        send.bytes.clear();
        send.next.clear();
        self.free.push(number);
    }

    pub fn entry(&self, number: u32, fd: RawFd) -> squeue::Entry {
        let send = &self.sends[number as usize];
        let left = &send.bytes[send.sent..];
        opcode::Send::new(Fd(fd), left.as_ptr(), left.len() as u32)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
            .build()
            .user_data(bytes_tag(number))
    }

    pub fn is_short(&self, number: u32) -> bool {
        let send = &self.sends[number as usize];
        send.bytes.len() - send.sent <= SHORT_SEND
    }
}
