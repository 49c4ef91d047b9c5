//! The handle of a run: progress, stop, result.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use driver::Nanos;

use crate::error::{EngineError, Kind, catch};
use crate::measurement::Measurement;
use crate::measurement::records::call_log::CallLog;
use crate::measurement::records::trace::Trace;
use crate::run::progress::{Phase, Progress};
use crate::run::state::RunState;
use crate::whole::Whole;

type RunResult = Result<(Measurement, Kept), EngineError>;

/// A part of a call in the trace: the number of the call, the name of the part, its bytes.
pub type TracedPart = (u64, &'static str, Vec<u8>);

/// Everything besides its measurement that a run kept: the records of single calls that its plan asked for, and what the
/// measurement was computed from.
#[derive(Debug)]
pub struct Kept {
    pub call_log: Option<CallLog>,
    pub trace: Option<Trace>,
    pub whole: Whole,
}

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
                // From here on the handle alone holds the result, and frees it when it is dropped.
                drop(result);
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
    pub fn result(&self) -> Result<Measurement, EngineError> {
        self.ended(|measurement, _| measurement.clone())
    }

    /// The start of the schedule by the wall clock, in nanoseconds since 1970; `None`: it has not started.
    pub fn started_at_ns(&self) -> Option<Nanos> {
        self.state.started_at_ns()
    }

    /// Waits for the end of the run and returns everything that its measurement was computed from, for
    /// [`merge`](crate::merge).
    ///
    /// # Errors
    /// As [`Run::result`].
    pub fn whole(&self) -> Result<Vec<u8>, EngineError> {
        self.ended(|_, kept| kept.whole.to_bytes())
    }

    /// Waits for the end of the run and returns its call log: records of [`RECORD_BYTES`](crate::RECORD_BYTES),
    /// little-endian. It is empty if the plan asks for none.
    ///
    /// # Errors
    /// As [`Run::result`].
    pub fn call_log(&self) -> Result<Vec<u8>, EngineError> {
        self.ended(|_, kept| {
            kept.call_log
                .as_ref()
                .map_or_else(Vec::new, CallLog::to_bytes)
        })
    }

    /// Waits for the end of the run and returns its trace: the number of a call, the name of a part, its bytes. It is
    /// empty if the plan asks for none.
    ///
    /// # Errors
    /// As [`Run::result`].
    pub fn trace(&self) -> Result<Vec<TracedPart>, EngineError> {
        let parts =
            self.ended(|_, kept| kept.trace.as_ref().map_or_else(Vec::new, Trace::parts))?;
        let named = parts.into_iter();
        let named = named.map(|(call, kind, bytes)| (call, kind.name(), bytes));
        Ok(named.collect())
    }

    /// Waits for the end of the run and returns a part of its result.
    fn ended<T>(&self, part: impl FnOnce(&Measurement, &Kept) -> T) -> Result<T, EngineError> {
        while !self.state.wait(Phase::Done, Duration::MAX) {}
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        match result.as_ref() {
            Some(Ok((measurement, kept))) => Ok(part(measurement, kept)),
            Some(Err(error)) => Err(error.clone()),
            None => Err(EngineError::new(
                Kind::Internal,
                "the run ended without a result",
            )),
        }
    }
}
