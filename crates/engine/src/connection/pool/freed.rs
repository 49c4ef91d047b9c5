//! The messages between loads and the pool: bursts to send, and connections that have become free.

use driver::Nanos;

/// Calls that are due together and are sent on one connection.
#[derive(Clone, Copy, Debug)]
pub struct Burst {
    pub due: Nanos,
    pub calls: u32,
    pub measured: bool,
}

/// A connection that is free: the load decides what it does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freed {
    /// Its burst was answered.
    Answered(u32),
    /// Its burst failed: `lost` calls of it; `connecting`: before the connection was open.
    Failed {
        id: u32,
        connecting: bool,
        lost: u32,
    },
    /// Its sleep ended, at this time.
    Awake(u32, Nanos),
    /// It is not free, but the reply to the request at this place was wrong. Reported if the load asks for it.
    Wrong { id: u32, place: usize },
    /// The server closed it, and its calls can be sent again. Reported if the load asks for it.
    Cut(u32),
}

impl Freed {
    /// The connection.
    pub fn id(&self) -> u32 {
        match *self {
            Self::Answered(id)
            | Self::Failed { id, .. }
            | Self::Awake(id, _)
            | Self::Wrong { id, .. }
            | Self::Cut(id) => id,
        }
    }
}
