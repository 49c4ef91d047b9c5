//! The instant at which several machines start together, by the wall clock of each.

use driver::{Clock, NEVER, Nanos, Wall};

use crate::error::{EngineError, Kind};

/// The longest time from the call to the start: a minute.
const LONGEST: Nanos = 60_000_000_000;

/// An agreed start.
#[derive(Clone, Copy, Debug)]
pub struct Appointment {
    /// Nanoseconds since 1970.
    at: Nanos,
}

impl Appointment {
    /// A start at a time of the wall clock.
    ///
    /// # Errors
    /// It has passed, or is too far ahead.
    pub fn new(at: Nanos) -> Result<Self, EngineError> {
        let now = Wall::now_ns();
        if at <= now {
            return Err(past(at, now));
        }
        if at - now > LONGEST {
            let ahead = seconds(at - now);
            let message = format!(
                "the start `{at}` ns is {ahead} s ahead by the clock of this machine: expected at most {} s",
                LONGEST / 1_000_000_000
            );
            return Err(EngineError::new(Kind::Usage, message).hint(CLOCKS));
        }
        Ok(Self { at })
    }

    /// The start by the clock of the run, whose relation to the wall clock is `wall`; [`NEVER`] if it has passed.
    pub fn by(self, wall: Wall, clock: Clock) -> Nanos {
        let start = wall.to_run(self.at);
        start.filter(|start| *start > clock.now()).unwrap_or(NEVER)
    }

    /// The error of a start that has passed.
    pub fn past(self) -> EngineError {
        past(self.at, Wall::now_ns())
    }
}

const CLOCKS: &str = "compare the clocks of the machines (`chronyc tracking`, `date --utc`)";

fn past(at: Nanos, now: Nanos) -> EngineError {
    let ago = seconds(now.saturating_sub(at));
    let message = format!(
        "the start `{at}` ns is in the past by {ago} s: expected a later one, at which this machine has connected"
    );
    EngineError::new(Kind::Usage, message).hint(CLOCKS)
}

fn seconds(nanos: Nanos) -> String {
    format!("{:.3}", nanos as f64 / 1e9)
}
