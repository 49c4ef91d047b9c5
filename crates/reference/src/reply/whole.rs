//! Replies prepared as one run of bytes, and the parts of them that are sent.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{MemfdFlags, memfd_create};

/// Below this a copy costs less than a `send` of its own.
pub(crate) const SMALL: usize = 16 * 1024;

/// One reply, head and body in one piece.
#[derive(Debug)]
pub(crate) struct WholeReply {
    pub(crate) bytes: Box<[u8]>,
    pub(crate) head_len: usize,
    /// The same bytes in a file in memory, if they are many: `sendfile` lends its pages to the socket uncopied.
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
}

fn in_memory(bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("reply", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    Ok(file.into())
}

/// A run of bytes to be sent.
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
