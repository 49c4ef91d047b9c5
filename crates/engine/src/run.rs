//! A run from plan to measurement: check the plan, choose a driver, connect once, start the workers together, merge
//! their counters.

mod crew;
mod descriptors;
pub mod driver_choice;
pub mod handle;
mod low_latency;
mod precision;
mod prior_knowledge;
pub mod progress;
mod starting_line;
mod state;
mod target;
mod threads;
pub mod worker;

use std::sync::Arc;

use driver::{Nanos, Wall};

use crate::error::EngineError;
use crate::measurement::Measurement;
use crate::measurement::counters::Counters;
use crate::plan::Plan;
use crate::plan::compiled::CompiledPlan;
use crate::run::crew::Crew;
use crate::run::descriptors::connections;
use crate::run::driver_choice::choose;
use crate::run::handle::{Kept, Run};
use crate::run::starting_line::appointment::Appointment;
use crate::run::target::routes;
use crate::whole::Whole;
use crate::whole::head::Head;

/// Starts a run and returns at once; connecting to the target happens on the threads of the run.
///
/// # Errors
/// The plan is wrong, or this machine cannot run it.
pub fn start(plan: &Plan) -> Result<Run, EngineError> {
    start_at(plan, None)
}

/// Starts a run whose schedule begins at a time of the wall clock, in nanoseconds since 1970; `None`: as soon as the
/// target is reached. Returns at once.
///
/// # Errors
/// As [`start`]; or the time has passed, or is over a minute ahead.
pub fn start_at(plan: &Plan, at: Option<Nanos>) -> Result<Run, EngineError> {
    let compiled = Arc::new(CompiledPlan::new(plan)?);
    let appointment = at.map(Appointment::new).transpose()?;
    let (driver, most_open) = (choose(plan)?, connections(&compiled)?);
    let crew = Crew::new(plan, Arc::clone(&compiled), driver, most_open, appointment);
    let plan = Arc::new(plan.clone());
    Run::start(Arc::clone(&crew.state), move || {
        let target = Arc::clone(&plan);
        let connect = move || routes(&target, &compiled);
        let reached = crew.state.unless_stopped(connect)?;
        let mut counters = match reached {
            Some(routes) => crew.run(&routes.into())?,
            None => Counters::empty(),
        };
        let started_at = crew.state.started_at_ns().unwrap_or_else(Wall::now_ns);
        let (call_log, trace) = counters.records.take();
        let head = Head::new(&crew.facts, started_at, crew.ended());
        let measurement = Measurement::new(&crew.facts, started_at, &counters, head.ended);
        let kept = Kept {
            call_log,
            trace,
            whole: Whole {
                plan,
                head,
                counters,
            },
        };
        Ok((measurement, kept))
    })
}
