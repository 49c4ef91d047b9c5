//! Which drivers this kernel allows, found by trying them.

use std::sync::Arc;

use crate::clock::Clock;
use crate::epoll::Epoll;
use crate::uring::Uring;

/// Which drivers can be used; a reason where one cannot.
#[derive(Clone, Debug)]
pub struct Availability {
    /// Why `io_uring` cannot be used, if it cannot.
    pub uring: Option<String>,
    /// Why epoll cannot be used, if it cannot.
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
