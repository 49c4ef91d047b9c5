//! The stall of a whole server: for a known time, no thread reads, writes or accepts, as in a garbage collection.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::duration::nanoseconds;

/// Nanoseconds from a common start, the same on all threads of one server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(pub(crate) Instant);

impl Clock {
    pub(crate) fn now_ns(self) -> u64 {
        nanoseconds(self.0.elapsed())
    }
}

/// When the server stands still; both ends 0 when it does not.
#[derive(Debug, Default)]
pub(crate) struct Stall {
    from_ns: AtomicU64,
    until_ns: AtomicU64,
}

impl Stall {
    pub(crate) fn plan(&self, from_ns: u64, length: Duration) {
        self.from_ns.store(from_ns, Ordering::Relaxed);
        // Released last: who sees the end sees the start that belongs to it.
        self.until_ns.store(
            from_ns.saturating_add(nanoseconds(length)),
            Ordering::Release,
        );
    }

    /// Returns at once, or when the stall is over, or when the server stops and the thread was unparked.
    pub(crate) fn sit_out(&self, clock: Clock, stopping: &AtomicBool) {
        loop {
            let until_ns = self.until_ns.load(Ordering::Acquire);
            if until_ns == 0 || stopping.load(Ordering::Relaxed) {
                return;
            }
            let now_ns = clock.now_ns();
            if now_ns < self.from_ns.load(Ordering::Relaxed) {
                return;
            }
            if now_ns >= until_ns {
                // Another thread may have planned the next one meanwhile: that one stays.
                let done = (Ordering::Relaxed, Ordering::Relaxed);
                let _ = self.until_ns.compare_exchange(until_ns, 0, done.0, done.1);
                return;
            }
            std::thread::park_timeout(Duration::from_nanos(until_ns - now_ns));
        }
    }
}
