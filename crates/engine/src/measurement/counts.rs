//! Counts of connections, sessions and bytes.

use tally::Times;

/// Most replies by which sessions are told apart.
pub const MOST_REPLIES: usize = 1000;

/// Counts of connections, warm-up included.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConnectionCounts {
    pub opened: u64,
    pub failed: u64,
    pub closed_by_server: u64,
    /// Closed by the engine because the server sent bytes that belong to no reply.
    pub excess_data: u64,
    pub open: u64,
    pub peak_open: u64,
}

/// Counts of measured sessions.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionCounts {
    pub due: u64,
    pub started: u64,
    pub completed: u64,
    pub failed: u64,
    /// Connections of the completed sessions.
    pub connections: u64,
}

/// How measured sessions ended.
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

impl ConnectionCounts {
    /// Adds the counts of another thread. Their peaks may be at different moments: the sum is an upper bound.
    pub fn merge(&mut self, other: &Self) {
        self.opened += other.opened;
        self.failed += other.failed;
        self.closed_by_server += other.closed_by_server;
        self.excess_data += other.excess_data;
        self.open += other.open;
        self.peak_open += other.peak_open;
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
