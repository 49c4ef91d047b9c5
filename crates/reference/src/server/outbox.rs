//! The send queue of a connection: small replies are merged into one `send`, large ones are shared, not copied.

use std::collections::VecDeque;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use rustix::fs::sendfile;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

use crate::reply::whole::{Part, SMALL, WholeReply};

#[derive(Debug, Default)]
pub(crate) struct Outbox {
    parts: VecDeque<Part>,
    /// Number of bytes already sent of the first part.
    sent: usize,
    waiting: usize,
    /// An empty buffer, kept for reuse.
    spare: Vec<u8>,
}

impl Outbox {
    /// Number of bytes not sent yet.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    pub(crate) fn push(&mut self, part: Part) {
        if part.bytes().len() < SMALL {
            return self.copy(part.bytes());
        }
        self.waiting += part.bytes().len();
        self.parts.push_back(part);
    }

    /// Adds the first `end` bytes of a prepared reply.
    pub(crate) fn share(&mut self, whole: &Arc<WholeReply>, end: usize) {
        if end < SMALL {
            return self.copy(&whole.bytes[..end]);
        }
        self.waiting += end;
        self.parts.push_back(Part::Shared {
            whole: Arc::clone(whole),
            end,
        });
    }

    pub(crate) fn copy(&mut self, bytes: &[u8]) {
        self.waiting += bytes.len();
        if let Some(Part::Owned(last)) = self.parts.back_mut() {
            last.extend_from_slice(bytes);
        } else {
            let mut buffer = std::mem::take(&mut self.spare);
            buffer.extend_from_slice(bytes);
            self.parts.push_back(Part::Owned(buffer));
        }
    }

    /// Sends until the queue is empty or the socket is full. True: the queue is empty.
    pub(crate) fn flush(&mut self, socket: BorrowedFd) -> Result<bool, Errno> {
        while let Some(part) = self.parts.front() {
            let left = part.bytes().len() - self.sent;
            match send_part(part, socket, self.sent) {
                Ok(sent) => {
                    self.waiting -= sent;
                    self.sent += sent;
                    if sent == left {
                        self.drop_first();
                    }
                }
                Err(Errno::AGAIN) => return Ok(false),
                Err(Errno::INTR) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(true)
    }

    fn drop_first(&mut self) {
        self.sent = 0;
        if let Some(Part::Owned(mut buffer)) = self.parts.pop_front()
            && buffer.capacity() <= 4 * SMALL
        {
            buffer.clear();
            self.spare = buffer;
        }
    }
}

/// Sends the bytes after the first `sent`, as many as the socket takes.
fn send_part(part: &Part, socket: BorrowedFd, sent: usize) -> Result<usize, Errno> {
    let rest = &part.bytes()[sent..];
    if let Part::Shared { whole, .. } = part
        && let Some(file) = &whole.file
    {
        return sendfile(socket, file, Some(&mut (sent as u64)), rest.len());
    }
    send(socket, rest, SendFlags::NOSIGNAL)
}
