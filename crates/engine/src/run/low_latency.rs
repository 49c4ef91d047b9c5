//! Low latency: the settings that this machine grants, and waking up before due times.

use std::io;
use std::thread;

use driver::{Nanos, ShallowIdle, real_time_priority};

use crate::measurement::{Grant, LowLatency};
use crate::plan::Plan;

/// The settings granted to a run. The CPUs stay out of deep idle states until this is dropped.
pub struct Grants {
    idle: io::Result<ShallowIdle>,
    priority: Result<(), String>,
}

impl Grants {
    /// Requests all settings that help a plan. A refusal is recorded, and the run continues without.
    pub fn ask(plan: &Plan) -> Self {
        Self {
            idle: ShallowIdle::hold(),
            priority: match plan.needs_to_yield() {
                Some(reason) => Err(reason.into()),
                None => may_have_priority(),
            },
        }
    }

    /// Applies the granted settings to the calling engine thread.
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

/// Tries real-time priority on a thread of its own.
fn may_have_priority() -> Result<(), String> {
    let trial = thread::Builder::new().spawn(real_time_priority);
    let trial = trial.map_err(|e| format!("no thread can be started: {e}"))?;
    match trial.join() {
        Ok(granted) => granted.map_err(|e| e.to_string()),
        Err(_) => Err("the thread that tried it panicked".into()),
    }
}

/// Longest time that a thread wakes up before a due time, to poll until then: 30 µs.
const MOST_EARLY: Nanos = 30_000;
/// A wait that ended in time lowers the margin by this: 0.25 µs.
const DOWN: Nanos = 250;
/// A wait that ended late raises the margin by this: four times as much, so that one wait in five ends late.
const UP: Nanos = 4 * DOWN;

/// The margin by which a thread wakes up before due times: as long as waking up took recently.
#[derive(Debug, Default)]
pub struct EarlyWake {
    margin: Nanos,
    /// The planned end of the current wait.
    asked: Option<Nanos>,
}

impl EarlyWake {
    /// The time to wake up for a due time; if it has passed, the thread polls.
    pub fn before(&self, due: Nanos) -> Nanos {
        due.saturating_sub(self.margin)
    }

    /// A wait until `asked` starts at `now`.
    pub fn waits(&mut self, asked: Nanos, now: Nanos) {
        self.asked = (asked > now).then_some(asked);
    }

    /// The wait was ended by an event, and says nothing about waking up.
    pub fn interrupted(&mut self) {
        self.asked = None;
    }

    /// The thread runs again at `now`; adapts the margin after a wait that was not interrupted.
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

    /// The margin after 1,000 waits, each of which ended late by `late` of its number.
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
