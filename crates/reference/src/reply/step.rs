//! An answer as steps: what is done on the connection, and when.

use std::time::Duration;

use crate::reply::whole::Part;

/// One thing done on a connection, after all that was planned before it.
#[derive(Debug)]
pub(crate) enum Step {
    Send(Part),
    /// `step` bytes from `sent` on, and again after each interval.
    Drip {
        bytes: Vec<u8>,
        sent: usize,
        step: usize,
        interval: Duration,
    },
    /// Send what waits, then FIN.
    Close,
    /// Send what waits, then RST.
    Reset,
    /// Nothing, for ever.
    Never,
    /// The whole server stands still, once what can be done now on this connection is done.
    Stall(Duration),
    /// Drop the connection, whatever waits.
    Abandon,
}

impl Step {
    /// Bytes held until the step is done.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Send(part) => part.bytes().len(),
            Self::Drip { bytes, .. } => bytes.len(),
            _ => 0,
        }
    }
}

/// The steps that answer one request; each time counts from when the request was read.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) steps: Vec<(Duration, Step)>,
    /// No further request is read on the connection.
    pub(crate) is_last: bool,
}

impl Answer {
    pub(crate) fn send(&mut self, after: Duration, bytes: Vec<u8>) {
        self.steps.push((after, Step::Send(Part::Owned(bytes))));
    }

    pub(crate) fn end(&mut self, after: Duration, step: Step) {
        self.steps.push((after, step));
        self.is_last = true;
    }
}
