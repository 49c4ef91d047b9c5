//! The handle of a run under way.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::error::{EngineError, Kind};
use crate::measurement::Measurement;
use crate::run::progress::{Phase, Progress};
use crate::run::state::RunState;

/// A run under way.
pub struct Run {
    state: Arc<RunState>,
    result: Arc<Mutex<Option<Result<Measurement, EngineError>>>>,
    thread: Option<JoinHandle<()>>,
}

impl Run {
    /// Starts `work` on a thread of its own; it is told when it started, in seconds since 1970.
    pub fn start(
        state: Arc<RunState>,
        work: impl FnOnce(f64) -> Result<Measurement, EngineError> + Send + 'static,
    ) -> Result<Self, EngineError> {
        let result = Arc::new(Mutex::new(None));
        let (place, shared) = (Arc::clone(&result), Arc::clone(&state));
        let thread = thread::Builder::new()
            .name("httpdyno-run".into())
            .spawn(move || {
                let started_at = SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or_default()
                    .as_secs_f64();
                let measured = work(started_at);
                *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(measured);
                shared.reach(Phase::Done);
            })
            .map_err(|e| EngineError::environment("no thread can be started", &e))?;
        Ok(Self {
            state,
            result,
            thread: Some(thread),
        })
    }

    /// Waits until a phase is reached, or so long; whether it is.
    pub fn wait(&self, phase: Phase, timeout: Duration) -> bool {
        self.state.wait(phase, timeout)
    }

    /// A look at it.
    pub fn progress(&self) -> Progress {
        self.state.progress()
    }

    /// Asks it to stop: once for no new work, twice for no more waiting.
    pub fn stop(&self) {
        self.state.stop();
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// When a worker could not work.
    pub fn result(&mut self) -> Result<Measurement, EngineError> {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        result.clone().unwrap_or_else(|| {
            Err(EngineError::new(
                Kind::Internal,
                "the run ended without a result",
            ))
        })
    }
}
