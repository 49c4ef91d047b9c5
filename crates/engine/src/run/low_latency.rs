//! What this machine grants a run against late wake-ups, where the plan asks for that.

use std::io;
use std::thread;

use driver::{ShallowIdle, real_time_priority};

use crate::measurement::{Grant, LowLatency};
use crate::plan::{Load, Plan};

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
            priority: match unfit_for_priority(plan) {
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

/// Why a plan's threads must not go before everything else, if so.
fn unfit_for_priority(plan: &Plan) -> Option<&'static str> {
    if plan.spin {
        Some("not with spinning, which would leave the processor to nothing else")
    } else if matches!(plan.load, Load::Closed { .. }) {
        Some("not for a closed load, which takes all the processor time that it gets")
    } else if plan.shared_cpus {
        Some("not on processors of the server, which would answer fewer requests")
    } else {
        None
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
