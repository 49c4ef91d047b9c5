//! Stalls of the whole server: for a known time no thread reads, writes or accepts, as in a garbage collection.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::duration::nanoseconds;

/// Nanoseconds since the start of the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(pub(crate) Instant);

impl Clock {
    pub(crate) fn now_ns(self) -> u64 {
        nanoseconds(self.0.elapsed())
    }
}

/// Start and end of the current stall; both 0 without one.
#[derive(Debug, Default)]
pub(crate) struct Stall {
    from_ns: AtomicU64,
    until_ns: AtomicU64,
}

impl Stall {
    pub(crate) fn plan(&self, from_ns: u64, length: Duration) {
        self.from_ns.store(from_ns, Ordering::Relaxed);
        // Stored last, with release ordering: a thread that sees the end also sees the matching start.
        self.until_ns.store(
            from_ns.saturating_add(nanoseconds(length)),
            Ordering::Release,
        );
    }

    /// Waits for the end of the stall, if there is one, or for the server to stop (which unparks the thread).
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
                // Another thread may have planned the next stall meanwhile: keep that.
                let done = (Ordering::Relaxed, Ordering::Relaxed);
                let _ = self.until_ns.compare_exchange(until_ns, 0, done.0, done.1);
                return;
            }
            std::thread::park_timeout(Duration::from_nanos(until_ns - now_ns));
        }
    }
}
