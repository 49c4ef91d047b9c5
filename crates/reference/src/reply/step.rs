//! An answer as a list of steps, each with its time.

use std::time::Duration;

use crate::reply::whole::Part;

/// One action on a connection. Steps run in order.
#[derive(Debug)]
pub(crate) enum Step {
    Send(Part),
    /// Sends the next `step` bytes, and again after each interval.
    Drip {
        bytes: Vec<u8>,
        sent: usize,
        step: usize,
        interval: Duration,
    },
    /// Sends what is queued, then FIN.
    Close,
    /// Sends what is queued, then RST.
    Reset,
    /// Does nothing, forever.
    Never,
    /// Stalls the whole server, after the steps that are due now on this connection.
    Stall(Duration),
    /// Drops the connection, whatever is queued.
    Abandon,
}

impl Step {
    /// Number of bytes held until the step is done.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Send(part) => part.bytes().len(),
            Self::Drip { bytes, .. } => bytes.len(),
            _ => 0,
        }
    }
}

/// The steps that answer one request. Times count from when the request was read.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) steps: Vec<(Duration, Step)>,
    /// The connection reads no more requests.
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
