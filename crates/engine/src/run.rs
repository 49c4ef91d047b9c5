//! A run from plan to measurement: check the plan, choose a driver, connect once, start the workers together, merge
//! their counters.

mod crew;
mod descriptors;
pub mod driver_choice;
pub mod handle;
mod low_latency;
mod precision;
pub mod progress;
mod starting_line;
mod state;
mod target;
mod threads;
pub mod worker;

use std::sync::Arc;
use std::time::SystemTime;

use crate::error::EngineError;
use crate::measurement::Measurement;
use crate::measurement::counters::Counters;
use crate::plan::Plan;
use crate::plan::compiled::CompiledPlan;
use crate::run::crew::Crew;
use crate::run::descriptors::connections;
use crate::run::driver_choice::choose;
use crate::run::handle::{Kept, Run};
use crate::run::target::routes;

/// Starts a run and returns at once; connecting to the target happens on the threads of the run.
///
/// # Errors
/// The plan is wrong, or this machine cannot run it.
pub fn start(plan: &Plan) -> Result<Run, EngineError> {
    let compiled = Arc::new(CompiledPlan::new(plan)?);
    let (driver, most_open) = (choose(plan)?, connections(&compiled)?);
    let crew = Crew::new(plan, Arc::clone(&compiled), driver, most_open);
    let plan = plan.clone();
    Run::start(Arc::clone(&crew.state), move || {
        let connect = move || routes(&plan, compiled.tls.as_ref());
        let reached = crew.state.unless_stopped(connect)?;
        let started_at = SystemTime::now();
        let mut counters = match reached {
            Some(routes) => crew.run(&routes.into())?,
            None => Counters::empty(),
        };
        let kept = Kept {
            call_log: counters.records.call_log.take(),
            trace: counters.records.trace.take(),
        };
        let facts = &crew.facts;
        let measurement = Measurement::new(facts, started_at, counters, crew.ended());
        Ok((measurement, kept))
    })
}
