//! The state of a run that its workers share with its handle: phase, stop requests, snapshots.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use driver::Nanos;

use crate::error::{EngineError, catch};
use crate::plan::Until;
use crate::run::precision::Precision;
use crate::run::progress::{Phase, Progress, Published, Seconds, Snapshot};
use crate::run::starting_line::StartingLine;

/// Interval of the checks of a percentile's precision.
const SECOND: Duration = Duration::from_secs(1);
/// Interval at which a wait checks for a stop request.
const STOP_CHECK: Duration = Duration::from_millis(20);

/// The shared state of a run.
pub struct RunState {
    began: Instant,
    phase: Mutex<Phase>,
    changed: Condvar,
    stops: AtomicU32,
    /// The barrier at which the workers start.
    pub line: StartingLine<Nanos>,
    /// The start by the wall clock, in nanoseconds since 1970.
    started_at: OnceLock<Nanos>,
    published: Vec<Mutex<Published>>,
    /// The precision of a percentile, for plans that stop by it.
    pub precision: Precision,
}

impl RunState {
    /// The state of a run with this many workers.
    pub fn new(workers: usize) -> Self {
        Self {
            began: Instant::now(),
            phase: Mutex::new(Phase::Connecting),
            changed: Condvar::new(),
            stops: AtomicU32::new(0),
            line: StartingLine::new(workers),
            started_at: OnceLock::new(),
            published: (0..workers)
                .map(|_| Mutex::new(Published::default()))
                .collect(),
            precision: Precision::new(workers),
        }
    }

    /// Advances to a phase; does nothing if a later one has been reached.
    pub fn reach(&self, phase: Phase) {
        let mut now = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        if *now < phase {
            *now = phase;
            self.changed.notify_all();
        }
    }

    /// Waits for a phase, at most for `timeout`. Returns true once that phase or a later one is reached.
    pub fn wait(&self, phase: Phase, timeout: Duration) -> bool {
        let now = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, _) = self
            .changed
            .wait_timeout_while(now, timeout, |now| *now < phase)
            .unwrap_or_else(PoisonError::into_inner);
        *now >= phase
    }

    /// Requests a stop. After the first request the workers send nothing new, after the second they wait for no more
    /// replies. Workers that have not started do not start.
    pub fn stop(&self) {
        self.stops.fetch_add(1, Ordering::Relaxed);
        self.line.cancel();
    }

    /// Ends the run at once because a part of it failed.
    pub fn abort(&self) {
        self.stop();
        self.stop();
    }

    /// Notes the start by the wall clock; later calls change nothing.
    pub fn started(&self, at_ns: Nanos) {
        let _ = self.started_at.set(at_ns);
    }

    /// The start by the wall clock, in nanoseconds since 1970; `None`: not yet.
    pub fn started_at_ns(&self) -> Option<Nanos> {
        self.started_at.get().copied()
    }

    /// The number of stop requests.
    #[inline]
    pub fn stops(&self) -> u32 {
        self.stops.load(Ordering::Relaxed)
    }

    /// Calls `work` on another thread and returns its result, or `None` as soon as a stop is requested. The thread then
    /// ends by itself, because resolving a name cannot be interrupted.
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

    /// Publishes the snapshot of a worker and its new seconds, unless a reader is just reading the previous ones.
    pub fn publish(&self, worker: usize, snapshot: Snapshot, seconds: &mut Seconds) {
        if let Ok(mut place) = self.published[worker].try_lock() {
            place.snapshot = snapshot;
            place.so_far.take(&mut seconds.unpublished);
        }
    }

    /// The progress so far.
    pub fn progress(&self) -> Progress {
        let phase = *self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        Progress::new(phase, self.began.elapsed(), &self.published)
    }

    /// Checks the precision once a second, until it is reached or the run ends.
    pub fn watch_precision(&self, until: Until) {
        while !self.wait(Phase::Draining, SECOND) && !self.precision.reached() {
            self.precision.check(until);
        }
    }
}
