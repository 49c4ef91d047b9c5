//! The state of a run that its workers share with those who watch it: phase, stop requests, snapshots.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use driver::Nanos;

use crate::error::{EngineError, catch};
use crate::plan::Until;
use crate::run::precision::Precision;
use crate::run::progress::{Phase, Progress, Snapshot};
use crate::run::starting_line::StartingLine;

/// How often the precision of a percentile is checked.
const SECOND: Duration = Duration::from_secs(1);
/// How often a wait checks for a stop request.
const STOP_CHECK: Duration = Duration::from_millis(20);

/// What the workers of a run and its watchers share.
pub struct RunState {
    began: Instant,
    phase: Mutex<Phase>,
    changed: Condvar,
    stops: AtomicU32,
    /// Where the workers wait for each other.
    pub line: StartingLine<Nanos>,
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
            stops: AtomicU32::new(0),
            line: StartingLine::new(workers),
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

    /// Requests a stop: the first time the workers begin no new work, the second time they wait for no more replies.
    /// Workers that have not started do not start.
    pub fn stop(&self) {
        self.stops.fetch_add(1, Ordering::Relaxed);
        self.line.cancel();
    }

    /// Ends the run at once, because a part of it failed.
    pub fn abort(&self) {
        self.stop();
        self.stop();
    }

    /// How many times a stop was requested.
    #[inline]
    pub fn stops(&self) -> u32 {
        self.stops.load(Ordering::Relaxed)
    }

    /// The result of `work`, done on a thread of its own; `None` if a stop is requested first. The work is then left to
    /// end by itself: resolving a name cannot be interrupted.
    pub fn unless_stopped<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
    ) -> Result<Option<T>, EngineError> {
        let (sender, receiver) = mpsc::channel();
        thread::Builder::new()
            .name("httpdyno-connect".into())
            .spawn(move || sender.send(catch(work)))
            .map_err(|e| EngineError::environment("no thread can be started", &e))?;
        while self.stops() == 0 {
            if let Ok(result) = receiver.recv_timeout(STOP_CHECK) {
                return result.map(Some);
            }
        }
        Ok(None)
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
