//! Sends of bytes that are not in the script. The kernel reads the bytes until the completion, even after the connection
//! is closed. So each send has its own number and is not stored with the connection.

use std::os::fd::RawFd;

use io_uring::types::Fd;
use io_uring::{opcode, squeue};

use crate::uring::tags::bytes_tag;

/// The number that means: no send.
pub const NO_SEND: u32 = u32::MAX;
/// The number that means: a range of the script.
pub const SCRIPT_SEND: u32 = u32::MAX - 1;

/// A longer send may have to wait for the peer, so its completion matters: 8 KiB, half of the kernel's smallest default
/// send buffer.
pub const SHORT_SEND: usize = 8 * 1024;

/// All sends of bytes in progress, and empty buffers for more.
#[derive(Default)]
pub struct Sends {
    sends: Vec<BytesSend>,
    free: Vec<u32>,
}

/// A send in progress. Its number is reused after it has ended. As large as a cache line, it is indexed by a shift.
#[derive(Default)]
#[repr(align(64))]
struct BytesSend {
    slot: u32,
    generation: u32,
    bytes: Vec<u8>,
    /// Number of bytes that the kernel has taken.
    sent: usize,
}

impl Sends {
    /// Takes bytes for a connection and leaves an empty buffer; returns the number of the send.
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

    /// The slot and the generation that a send belongs to.
    pub fn owner(&self, number: u32) -> (u32, u32) {
        let send = &self.sends[number as usize];
        (send.slot, send.generation)
    }

    /// Records that the kernel took `count` bytes. True: more are to be sent. Otherwise the send has ended.
    #[inline]
    pub fn advance(&mut self, number: u32, count: usize) -> bool {
        let send = &mut self.sends[number as usize];
        send.sent += count;
        if send.sent < send.bytes.len() {
            return true;
        }
        send.bytes.clear();
        self.free.push(number);
        false
    }

    /// Ends a send: the kernel no longer uses its bytes.
    pub fn end(&mut self, number: u32) {
        let send = &mut self.sends[number as usize];
        send.bytes.clear();
        self.free.push(number);
    }

    /// The submission of the rest of a send, and true if that is short.
    #[inline]
    pub fn entry(&self, number: u32, fd: RawFd) -> (squeue::Entry, bool) {
        let send = &self.sends[number as usize];
        let left = &send.bytes[send.sent..];
        let entry = opcode::Send::new(Fd(fd), left.as_ptr(), left.len() as u32)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
            .build()
            .user_data(bytes_tag(number));
        (entry, left.len() <= SHORT_SEND)
    }
}
