//! Why a run cannot be: split by whose fault it is, as in Python's `errors.py`.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use thiserror::Error;

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What was asked for cannot be done as asked.
    Usage,
    /// The server under test cannot be reached.
    Target,
    /// This machine will not let it be done.
    Environment,
    /// A bug.
    Internal,
}

impl Kind {
    /// The name that Python knows it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Target => "target",
            Self::Environment => "environment",
            Self::Internal => "internal",
        }
    }
}

/// What was given, what was expected, and what to do.
#[derive(Clone, Debug, Error)]
#[error("{message}")]
pub struct EngineError {
    /// Whose fault it is.
    pub kind: Kind,
    /// One sentence, its subject in backticks.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl EngineError {
    /// An error without advice.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
        }
    }

    /// An error of the operating system in words.
    pub fn environment(what: &str, error: &io::Error) -> Self {
        Self::new(Kind::Environment, format!("{what}: {error}"))
    }

    /// The same with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The result of `work`; a panic is an error.
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
