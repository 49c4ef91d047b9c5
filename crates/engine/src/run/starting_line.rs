//! Where workers wait for each other: they start together, or not at all.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};

use driver::{Clock, Nanos};

/// Where workers wait for each other: they start together, or not at all.
pub struct StartingLine {
    barrier: Barrier,
    ready: AtomicU64,
    begin: AtomicU64,
    workers: u64,
}

impl StartingLine {
    pub fn new(workers: usize) -> Self {
        Self {
            barrier: Barrier::new(workers),
            ready: AtomicU64::new(0),
            begin: AtomicU64::new(0),
            workers: workers as u64,
        }
    }

    /// Waits for all; the common moment of beginning, or `None` when one of them is not ready.
    pub fn meet(&self, ready: bool, clock: Clock) -> Option<Nanos> {
        self.ready.fetch_add(u64::from(ready), Ordering::SeqCst);
        if self.barrier.wait().is_leader() {
            self.begin.store(clock.now(), Ordering::SeqCst);
        }
        self.barrier.wait();
        let all = self.ready.load(Ordering::SeqCst) == self.workers;
        all.then(|| self.begin.load(Ordering::SeqCst))
    }
}
