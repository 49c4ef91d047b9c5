//! The handle of a run: progress, stop, result.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::error::{EngineError, Kind, catch};
use crate::measurement::Measurement;
use crate::run::progress::{Phase, Progress};
use crate::run::state::RunState;

type RunResult = Result<Measurement, EngineError>;

/// A run that was started.
pub struct Run {
    state: Arc<RunState>,
    result: Arc<Mutex<Option<RunResult>>>,
}

impl Run {
    /// Starts `work` on a thread of its own.
    pub(crate) fn start(
        state: Arc<RunState>,
        work: impl FnOnce() -> RunResult + Send + 'static,
    ) -> Result<Self, EngineError> {
        let result = Arc::new(Mutex::new(None));
        let run = Self {
            state: Arc::clone(&state),
            result: Arc::clone(&result),
        };
        thread::Builder::new()
            .name("httpdyno-run".into())
            .spawn(move || {
                let measured = catch(work);
                *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(measured);
                state.reach(Phase::Done);
            })
            .map_err(|e| EngineError::environment("no thread can be started", &e))?;
        Ok(run)
    }

    /// Waits for a phase, at most for `timeout`. Returns true once that phase or a later one is reached.
    pub fn wait(&self, phase: Phase, timeout: Duration) -> bool {
        self.state.wait(phase, timeout)
    }

    /// The progress so far.
    pub fn progress(&self) -> Progress {
        self.state.progress()
    }

    /// Stops the run. After the first stop it sends no new requests; after the second it waits for no more replies.
    pub fn stop(&self) {
        self.state.stop();
    }

    /// Waits for the end of the run and returns its measurement.
    ///
    /// # Errors
    /// The target cannot be reached, or this machine does not let the engine work.
    pub fn result(&mut self) -> RunResult {
        while !self.state.wait(Phase::Done, Duration::MAX) {}
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        result.clone().unwrap_or_else(|| {
            Err(EngineError::new(
                Kind::Internal,
                "the run ended without a result",
            ))
        })
    }
}
