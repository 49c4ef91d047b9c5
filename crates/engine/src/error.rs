//! The errors of the engine, split by whose fault they are, as in Python's `errors.py`.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use thiserror::Error;

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The caller: the plan cannot be carried out as it is.
    Usage,
    /// The server under test: it cannot be reached.
    Target,
    /// This machine: a limit, a permission, a missing feature of the kernel.
    Environment,
    /// The engine: a bug.
    Internal,
}

impl Kind {
    /// The name of the kind in Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Target => "target",
            Self::Environment => "environment",
            Self::Internal => "internal",
        }
    }
}

/// A message for the user: what was given, what was expected, what to do.
#[derive(Clone, Debug, Error)]
#[error("{message}")]
pub struct EngineError {
    /// Whose fault it is.
    pub kind: Kind,
    /// The error in words, with its subject in backticks.
    pub message: String,
    /// The remedy, if there is one.
    pub hint: Option<String>,
}

impl EngineError {
    /// An error without a hint.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
        }
    }

    /// An error of the operating system.
    pub fn environment(what: &str, error: &io::Error) -> Self {
        Self::new(Kind::Environment, format!("{what}: {error}"))
    }

    /// The same error with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Calls `work`, and turns a panic into an error.
pub fn catch<T>(work: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

/// The error of a thread that panicked.
pub fn panicked(panic: &(dyn Any + Send)) -> EngineError {
    let message = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into());
    EngineError::new(
        Kind::Internal,
        format!("an engine thread panicked: {message}"),
    )
}
