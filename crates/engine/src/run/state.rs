//! The state of a run that its workers share with those who watch it: phase, stop requests, snapshots.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::plan::Until;
use crate::run::precision::Precision;
use crate::run::progress::{Phase, Progress, Snapshot};

const SECOND: Duration = Duration::from_secs(1);

/// What the workers of a run and its watchers share.
pub struct RunState {
    began: Instant,
    phase: Mutex<Phase>,
    changed: Condvar,
    stop: AtomicU32,
    snapshots: Vec<Mutex<Snapshot>>,
    /// How well a percentile is known, where a plan stops by that.
    pub precision: Precision,
}

impl RunState {
    /// The state of a run with so many workers.
    pub fn new(workers: usize) -> Self {
        Self {
            began: Instant::now(),
            phase: Mutex::new(Phase::Connecting),
            changed: Condvar::new(),
            stop: AtomicU32::new(0),
            snapshots: (0..workers)
                .map(|_| Mutex::new(Snapshot::default()))
                .collect(),
            precision: Precision::new(workers),
        }
    }

    /// Moves on to a phase; never back.
    pub fn reach(&self, phase: Phase) {
        let mut now = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        if *now < phase {
            *now = phase;
            self.changed.notify_all();
        }
    }

    /// Waits until a phase is reached, or so long; whether it is.
    pub fn wait(&self, phase: Phase, timeout: Duration) -> bool {
        let now = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, _) = self
            .changed
            .wait_timeout_while(now, timeout, |now| *now < phase)
            .unwrap_or_else(PoisonError::into_inner);
        *now >= phase
    }

    /// Asks the workers to stop: the first time they take no more work, the second time they wait no more.
    pub fn stop(&self) {
        self.stop.fetch_add(1, Ordering::Relaxed);
    }

    /// How often stopping was asked for.
    #[inline]
    pub fn stops(&self) -> u32 {
        self.stop.load(Ordering::Relaxed)
    }

    /// A worker shows where it is; it never waits for a reader.
    pub fn show(&self, worker: usize, snapshot: Snapshot) {
        if let Ok(mut place) = self.snapshots[worker].try_lock() {
            *place = snapshot;
        }
    }

    /// The progress so far.
    pub fn progress(&self) -> Progress {
        let phase = *self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        Progress::new(phase, self.began.elapsed(), &self.snapshots)
    }

    /// Checks the precision once a second, until it is reached or the run ends by itself.
    pub fn watch_precision(&self, until: Until) {
        while !self.wait(Phase::Draining, SECOND) && !self.precision.reached() {
            self.precision.check(until);
        }
    }
}
