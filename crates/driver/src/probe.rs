//! Finds out which drivers work here, by trying them.

use std::sync::Arc;

use crate::clock::Clock;
use crate::epoll::Epoll;
use crate::uring::Uring;

/// The drivers that work here, and why the others do not.
#[derive(Clone, Debug)]
pub struct Availability {
    /// Why `io_uring` does not work; `None`: it works.
    pub uring: Option<String>,
    /// Why epoll does not work; `None`: it works.
    pub epoll: Option<String>,
}

/// Tries each driver once.
pub fn probe() -> Availability {
    let script: Arc<[u8]> = Arc::from([]);
    let clock = Clock::start();
    Availability {
        uring: Uring::new(clock, Arc::clone(&script), 1)
            .err()
            .map(|e| e.to_string()),
        epoll: Epoll::new(clock, script).err().map(|e| e.to_string()),
    }
}
