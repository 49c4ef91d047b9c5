//! A barrier for the threads of a run: they start together, or not at all.

pub mod appointment;

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A barrier that can be cancelled, so that no thread waits for one that never arrives.
#[derive(Debug)]
pub struct StartingLine<T> {
    line: Mutex<Line<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Line<T> {
    /// Threads that have not arrived.
    missing: usize,
    /// The time of the start; `None`: not yet.
    start: Option<T>,
    cancelled: bool,
}

impl<T: Copy> StartingLine<T> {
    /// A barrier for this many threads.
    pub fn new(threads: usize) -> Self {
        Self {
            line: Mutex::new(Line {
                missing: threads,
                start: None,
                cancelled: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Waits for all threads and returns the time of the start, which the last thread takes from `now`. Returns `None`
    /// if the start was cancelled.
    pub fn wait(&self, now: impl FnOnce() -> T) -> Option<T> {
        let mut line = self.lock();
        line.missing -= 1;
        if line.missing == 0 && !line.cancelled {
            line.start = Some(now());
            self.changed.notify_all();
        }
        let line = self
            .changed
            .wait_while(line, |line| line.start.is_none() && !line.cancelled)
            .unwrap_or_else(PoisonError::into_inner);
        line.start
    }

    /// Waits for as long as `left` says. Returns false if the start is cancelled before.
    pub fn hold(&self, left: impl Fn() -> Duration) -> bool {
        let mut line = self.lock();
        loop {
            let left = left();
            if left.is_zero() || line.cancelled {
                return !line.cancelled;
            }
            let (woken, _) = self
                .changed
                .wait_timeout(line, left)
                .unwrap_or_else(PoisonError::into_inner);
            line = woken;
        }
    }

    /// Releases all waiting threads. It has no effect on those that have started.
    pub fn cancel(&self) {
        self.lock().cancelled = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Line<T>> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
