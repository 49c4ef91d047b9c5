//! Complete replies, prepared as one block of bytes, and the parts of them that are sent.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{MemfdFlags, memfd_create};

/// Below this size, copying costs less than a separate `send`.
pub(crate) const SMALL: usize = 16 * 1024;

/// A complete reply: head and body in one block.
#[derive(Debug)]
pub(crate) struct WholeReply {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) head_len: usize,
    /// Large replies are also kept in an in-memory file: `sendfile` passes its pages to the socket without a copy.
    pub(crate) file: Option<OwnedFd>,
}

impl WholeReply {
    pub(crate) fn new(head: Vec<u8>, body: &[u8]) -> Self {
        let head_len = head.len();
        let mut bytes = head;
        bytes.extend_from_slice(body);
        let file = if bytes.len() < SMALL {
            None
        } else {
            in_memory(&bytes).ok()
        };
        Self {
            bytes: bytes.into(),
            head_len,
            file,
        }
    }

    pub(crate) fn body(&self) -> &[u8] {
        &self.bytes[self.head_len..]
    }
}

fn in_memory(bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("reply", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    Ok(file.into())
}

/// Bytes to send.
#[derive(Debug)]
pub(crate) enum Part {
    Owned(Vec<u8>),
    /// The first `end` bytes of a prepared reply.
    Shared {
        whole: Arc<WholeReply>,
        end: usize,
    },
}

impl Part {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            Self::Shared { whole, end } => &whole.bytes[..*end],
        }
    }
}
