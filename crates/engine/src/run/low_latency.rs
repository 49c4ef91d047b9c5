//! Against late wake-ups, where a plan asks for low latency: what this machine grants, and waking up early.

use std::io;
use std::thread;

use driver::{Nanos, ShallowIdle, real_time_priority};

use crate::measurement::{Grant, LowLatency};
use crate::plan::Plan;

/// The grants of a run; the processors stay out of deep idle states until this is dropped.
pub struct Grants {
    idle: io::Result<ShallowIdle>,
    priority: Result<(), String>,
}

impl Grants {
    /// Asks for all that helps a plan. A refusal is recorded and ends nothing.
    pub fn ask(plan: &Plan) -> Self {
        Self {
            idle: ShallowIdle::hold(),
            priority: match plan.needs_to_yield() {
                Some(reason) => Err(reason.into()),
                None => may_have_priority(),
            },
        }
    }

    /// Makes the calling thread, an engine thread, what was granted.
    pub fn apply(&self) -> io::Result<()> {
        match self.priority {
            Ok(()) => real_time_priority(),
            Err(_) => Ok(()),
        }
    }

    pub fn facts(&self) -> LowLatency {
        LowLatency {
            shallow_idle: Grant::new(self.idle.as_ref().err().map(ToString::to_string)),
            real_time: Grant::new(self.priority.as_ref().err().cloned()),
        }
    }
}

/// Tries it on a thread of its own, which ends with the trial.
fn may_have_priority() -> Result<(), String> {
    let tried = thread::spawn(real_time_priority).join();
    match tried {
        Ok(answer) => answer.map_err(|e| e.to_string()),
        Err(_) => Err("the thread that tried panicked".into()),
    }
}

/// Most that a thread wakes up before a due time, to poll until it comes: 30 µs.
const MOST_EARLY: Nanos = 30_000;
/// How much one wait that ended in time brings the margin down: 0.25 µs.
const DOWN: Nanos = 250;
/// How much one that ended late brings it up: four times as much, so that one wait in five ends late.
const UP: Nanos = 4 * DOWN;

/// How long before a due time a thread wakes up: as long as waking up has taken lately.
#[derive(Debug, Default)]
pub struct EarlyWake {
    margin: Nanos,
    /// When the wait under way was to end.
    asked: Option<Nanos>,
}

impl EarlyWake {
    /// When to wake up for a due time; a moment that is `now` or earlier means: poll.
    pub fn before(&self, due: Nanos) -> Nanos {
        due.saturating_sub(self.margin)
    }

    /// A wait until `asked` begins at `now`.
    pub fn waits(&mut self, asked: Nanos, now: Nanos) {
        self.asked = (asked > now).then_some(asked);
    }

    /// The wait was over before its time: it says nothing.
    pub fn interrupted(&mut self) {
        self.asked = None;
    }

    /// The thread runs at `now`. Learns from a wait that ended by its time.
    pub fn runs(&mut self, now: Nanos) {
        let Some(asked) = self.asked.take() else {
            return;
        };
        self.margin = if now.saturating_sub(asked) > self.margin {
            (self.margin + UP).min(MOST_EARLY)
        } else {
            self.margin.saturating_sub(DOWN)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The margin after 1,000 waits, of which the one at each place ended so late.
    fn learned(late: impl Fn(u64) -> Nanos) -> Nanos {
        let mut early = EarlyWake::default();
        for place in 0..1_000 {
            let asked = 1_000_000 * (place + 1);
            early.waits(asked, asked - 1);
            early.runs(asked + late(place));
        }
        1_000_000 - early.before(1_000_000)
    }

    #[test]
    fn a_thread_wakes_up_as_early_as_four_in_five_waits_need() {
        let margin = learned(|place| [5_000, 9_000, 11_000, 13_000, 25_000][place as usize % 5]);
        assert!((12_000..=15_000).contains(&margin), "{margin}");
        assert_eq!(learned(|_| 0), 0, "nothing ends late");
        assert_eq!(learned(|_| 4_000_000), MOST_EARLY, "a busy neighbour");
    }

    #[test]
    fn a_wait_that_something_ended_and_one_without_sleep_teach_nothing() {
        let mut early = EarlyWake::default();
        early.waits(2_000, 1_000);
        early.interrupted();
        early.runs(50_000);
        early.waits(60_000, 60_000);
        early.runs(90_000);
        assert_eq!(early.before(100), 100);
    }
}
