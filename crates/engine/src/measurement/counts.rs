//! Counts of sessions, bytes and replies.

use serde::Serialize;
use tally::{Times, packed};

/// Most replies by which sessions are told apart.
pub const MOST_REPLIES: usize = 1000;

/// Counts of measured sessions.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionCounts {
    pub due: u64,
    pub started: u64,
    pub completed: u64,
    pub failed: u64,
    /// Connections of the completed sessions.
    pub connections: u64,
    /// Calls sent again, each time, because the server closed their connection.
    pub resent: u64,
}

/// The ends of measured sessions.
#[derive(Clone, Debug, Default)]
pub struct SessionEnds {
    /// The durations of completed sessions.
    pub lifetime: Times,
    /// The durations of failed sessions.
    pub fail_time: Times,
    /// Sessions by their number of replies; those with [`MOST_REPLIES`] or more are together.
    pub lengths: Vec<u64>,
}

/// Counts of bytes in the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByteCounts {
    pub sent: u64,
    pub received: u64,
    /// Bytes of reply bodies without their framing.
    pub bodies: u64,
}

/// The likeness of a body to that of the first reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    Like,
    /// With the mark of the second body of its request, if it is that one; otherwise 0.
    Unlike(u64),
    /// Unlike, and of another size.
    OtherSize(u64),
}

/// The mark of the second bodies if they differ.
const SEVERAL: u64 = 1;

/// The bytes of the replies to measured calls, by part; chunk framing is left out.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ReplyBytes {
    /// Heads, interim replies included.
    header_bytes: u64,
    content_bytes: u64,
    /// Trailers.
    footer_bytes: u64,
    /// The largest reply, all parts together.
    largest: u64,
    /// Replies of a right status whose body was checked, not only its length.
    pub checked: u64,
    /// Those of `checked` that had a wrong body.
    pub wrong: u64,
    /// Right replies whose body is unlike that of the first one, where the plan compares them.
    unlike: u64,
    /// Those of `unlike` that have another size: by more than a tenth, and 16 bytes.
    other_size: u64,
    /// Those of `unlike` that have one and the same body: the first one that was unlike. 0 if this is not the same one
    /// for all requests and load generators.
    same_other: u64,
    /// The mark of this body; 0: none so far.
    #[serde(skip)]
    other: u64,
}

packed!(SessionCounts {
    due,
    started,
    completed,
    failed,
    connections,
    resent
});
packed!(SessionEnds {
    lifetime,
    fail_time,
    lengths
});
packed!(ByteCounts {
    sent,
    received,
    bodies
});
packed!(ReplyBytes {
    header_bytes,
    content_bytes,
    footer_bytes,
    largest,
    checked,
    wrong,
    unlike,
    other_size,
    same_other,
    other
});

impl ReplyBytes {
    /// A reply was complete.
    #[inline]
    pub fn add(&mut self, header: u64, content: u64, footer: u64) {
        self.header_bytes += header;
        self.content_bytes += content;
        self.footer_bytes += footer;
        self.largest = self.largest.max(header + content + footer);
    }

    /// Counts a right reply by its likeness to the first one.
    #[inline]
    pub fn compare(&mut self, likeness: Likeness) {
        let (Likeness::Unlike(body) | Likeness::OtherSize(body)) = likeness else {
            return;
        };
        self.unlike += 1;
        self.other_size += u64::from(matches!(likeness, Likeness::OtherSize(_)));
        self.repeat(body, 1);
    }

    /// Counts replies with a second body, as long as there is only one.
    fn repeat(&mut self, body: u64, replies: u64) {
        if body == 0 {
            return;
        }
        if self.other == 0 || self.other == body {
            self.other = body;
            self.same_other += replies;
        } else {
            self.other = SEVERAL;
            self.same_other = 0;
        }
    }

    /// Adds the replies of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.checked += other.checked;
        self.wrong += other.wrong;
        self.unlike += other.unlike;
        self.other_size += other.other_size;
        self.repeat(other.other, other.same_other);
        self.header_bytes += other.header_bytes;
        self.content_bytes += other.content_bytes;
        self.footer_bytes += other.footer_bytes;
        self.largest = self.largest.max(other.largest);
    }
}

impl SessionCounts {
    /// Adds the counts of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.due += other.due;
        self.started += other.started;
        self.completed += other.completed;
        self.failed += other.failed;
        self.connections += other.connections;
        self.resent += other.resent;
    }
}

impl SessionEnds {
    /// A session with this number of replies ended.
    pub fn add_length(&mut self, replies: u32) {
        let length = (replies as usize).min(MOST_REPLIES);
        let room = self.lengths.len().max(length + 1);
        self.lengths.resize(room, 0);
        self.lengths[length] += 1;
    }

    /// Adds the sessions of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.lifetime.merge(&other.lifetime);
        self.fail_time.merge(&other.fail_time);
        let room = self.lengths.len().max(other.lengths.len());
        self.lengths.resize(room, 0);
        for (mine, theirs) in self.lengths.iter_mut().zip(&other.lengths) {
            *mine += theirs;
        }
    }
}

impl ByteCounts {
    /// Adds the counts of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.sent += other.sent;
        self.received += other.received;
        self.bodies += other.bodies;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replies(second: &[u64]) -> ReplyBytes {
        let mut found = ReplyBytes::default();
        for body in second {
            found.compare(Likeness::Unlike(*body));
        }
        found
    }

    fn merged(threads: &[ReplyBytes]) -> (u64, u64) {
        let mut all = ReplyBytes::default();
        for one in threads {
            all.merge(one);
        }
        (all.unlike, all.same_other)
    }

    #[test]
    fn replies_with_one_second_body_are_counted_and_none_if_threads_had_different_ones() {
        let (seven, eight) = (replies(&[7, 7, 0]), replies(&[8]));
        assert_eq!(merged(&[seven, replies(&[]), replies(&[0])]), (4, 2));
        assert_eq!(merged(&[seven, seven]), (6, 4));
        for order in [[seven, eight, seven, seven], [seven, seven, seven, eight]] {
            assert_eq!(merged(&order), (10, 0));
        }
        let mixed = replies(&[7, 8, 7]);
        assert_eq!(merged(&[mixed]), (3, 0));
        assert_eq!(merged(&[mixed, mixed, seven]), (9, 0));
    }
}
