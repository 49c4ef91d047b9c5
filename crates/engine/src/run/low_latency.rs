//! Low latency: the settings that this machine grants, and waking up before due times.

use std::io;
use std::thread;

use driver::{Nanos, ShallowIdle, ThreadUsage, ordinary_priority, real_time_priority};

use crate::measurement::usage::Usage;
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

/// A thread that uses more of its CPU than this returns to ordinary priority.
const BUSIEST: f64 = 0.8;
/// The time over which a thread's CPU use is judged: 300 ms. Two of them are shorter than the 950 ms after which the
/// kernel stops a real-time thread for up to 50 ms, so that ordinary threads are not starved.
const JUDGED: Nanos = 300_000_000;

/// Returns a thread that never sleeps to ordinary priority, before the kernel stops it.
#[derive(Debug, Default)]
pub struct PriorityGuard {
    since: Option<(Nanos, ThreadUsage)>,
    gave_up: bool,
}

impl PriorityGuard {
    /// The calling thread has used `usage` so far; true if it was returned to ordinary priority.
    pub fn check(&mut self, now: Nanos, usage: ThreadUsage) -> bool {
        if !self.gave_up && self.is_too_busy(now, usage) {
            self.gave_up = ordinary_priority().is_ok();
        }
        self.gave_up
    }

    fn is_too_busy(&mut self, now: Nanos, usage: ThreadUsage) -> bool {
        let (since, before) = *self.since.get_or_insert((now, usage));
        let elapsed = now.saturating_sub(since);
        if elapsed < JUDGED {
            return false;
        }
        self.since = Some((now, usage));
        Usage::between(&before, &usage, elapsed).busy_share > BUSIEST
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
    use std::time::Duration;

    use super::*;

    /// The time of the first check, one in every 100 ms, at which a thread is too busy that uses `share` of its CPU.
    fn too_busy_at(share: f64) -> Option<Nanos> {
        let mut guard = PriorityGuard::default();
        (0..100).map(|number| number * 100_000_000).find(|&now| {
            let usage = ThreadUsage {
                user: Duration::from_nanos((now as f64 * share) as u64),
                ..ThreadUsage::default()
            };
            guard.is_too_busy(now, usage)
        })
    }

    #[test]
    fn a_thread_gives_up_its_priority_before_the_kernel_would_stop_it() {
        assert_eq!(too_busy_at(1.0), Some(JUDGED));
        assert_eq!(too_busy_at(0.85), Some(JUDGED));
        assert_eq!(too_busy_at(0.75), None);
    }

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
    fn a_busy_thread_is_an_ordinary_one_from_then_on() {
        let busy = |seconds| ThreadUsage {
            user: Duration::from_secs(seconds),
            ..ThreadUsage::default()
        };
        thread::spawn(move || {
            let permitted = real_time_priority().is_ok();
            let mut guard = PriorityGuard::default();
            assert!(!guard.check(0, busy(0)));
            assert_eq!(is_real_time(), permitted);
            assert!(guard.check(1_000_000_000, busy(1)));
            assert!(!is_real_time());
            assert!(guard.check(2_000_000_000, busy(1)), "it stays so");
        })
        .join()
        .unwrap();
    }

    /// Field 41 of `proc_pid_stat(5)`, the policy of the calling thread, is that of `SCHED_FIFO`.
    fn is_real_time() -> bool {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        fields.split(' ').nth(38) == Some("1")
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
