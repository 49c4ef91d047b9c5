//! The pieces that a connection still has to send, in the order in which they were given.

use std::collections::VecDeque;

/// A piece of what a connection sends.
#[derive(Debug)]
pub enum Piece {
    /// A range of the script: from, to.
    Script(usize, usize),
    /// Bytes that are not in the script, and how many of them are sent.
    Bytes(Vec<u8>, usize),
}

/// The pieces that wait for the kernel. They rarely do, so an empty queue is one word and holds no memory.
#[derive(Debug, Default)]
pub struct SendQueue(
    #[expect(
        clippy::box_collection,
        reason = "one word for each connection, not four"
    )]
    Option<Box<VecDeque<Piece>>>,
);

impl SendQueue {
    /// True if nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Adds a range of the script.
    #[cold]
    pub fn push_script(&mut self, from: usize, to: usize) {
        self.pieces().push_back(Piece::Script(from, to));
    }

    /// Adds bytes, of which `sent` are sent, and leaves `bytes` empty. They are joined to bytes that wait.
    #[cold]
    pub fn push_bytes(&mut self, bytes: &mut Vec<u8>, sent: usize) {
        let pieces = self.pieces();
        match pieces.back_mut() {
            Some(Piece::Bytes(last, _)) if sent == 0 => last.append(bytes),
            _ => pieces.push_back(Piece::Bytes(std::mem::take(bytes), sent)),
        }
    }

    fn pieces(&mut self) -> &mut VecDeque<Piece> {
        self.0.get_or_insert_default()
    }

    /// The rest of the first piece.
    pub fn front<'a>(&'a self, script: &'a [u8]) -> Option<&'a [u8]> {
        Some(match self.0.as_ref()?.front()? {
            Piece::Script(from, to) => &script[*from..*to],
            Piece::Bytes(bytes, sent) => &bytes[*sent..],
        })
    }

    /// Records that `count` more bytes of the first piece are sent.
    pub fn advance(&mut self, count: usize) {
        let first = self.0.as_mut().and_then(|pieces| pieces.front_mut());
        let is_sent = first.is_some_and(|first| match first {
            Piece::Script(from, to) => {
                *from += count;
                *from == *to
            }
            Piece::Bytes(bytes, sent) => {
                *sent += count;
                *sent == bytes.len()
            }
        });
        if is_sent {
            self.pop();
        }
    }

    /// Takes the first piece.
    #[inline]
    pub fn pop(&mut self) -> Option<Piece> {
        let pieces = self.0.as_mut()?;
        let first = pieces.pop_front();
        if pieces.is_empty() {
            self.0 = None;
        }
        first
    }

    /// Drops all pieces.
    #[inline]
    pub fn clear(&mut self) {
        self.0 = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_leave_in_the_order_in_which_they_came_and_an_empty_queue_holds_no_memory() {
        let script = b"0123456789";
        let mut queue = SendQueue::default();
        queue.push_bytes(&mut b"abc".to_vec(), 1);
        queue.push_bytes(&mut b"d".to_vec(), 0);
        queue.push_script(2, 5);
        queue.push_bytes(&mut b"e".to_vec(), 0);
        let mut sent = Vec::new();
        while let Some(front) = queue.front(script) {
            sent.push(front[0]);
            queue.advance(1);
        }
        assert_eq!(sent, b"bcd234e");
        assert!(queue.is_empty() && queue.pop().is_none());
        assert_eq!(size_of::<SendQueue>(), size_of::<usize>());
    }
}
