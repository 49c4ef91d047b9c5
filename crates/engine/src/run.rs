//! A run from plan to measurement: check, connect once, choose a driver, start the workers together, merge their counters.

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
pub mod worker;

use std::sync::Arc;

use crate::error::EngineError;
use crate::measurement::Measurement;
use crate::plan::Plan;
use crate::plan::compiled::CompiledPlan;
use crate::run::crew::Crew;
use crate::run::descriptors::connections;
use crate::run::driver_choice::choose;
use crate::run::handle::Run;
use crate::run::target::routes;

/// Starts a run.
///
/// # Errors
/// When the plan is at fault, the target does not answer, or this machine forbids it. Nothing has been sent then.
pub fn start(plan: &Plan) -> Result<Run, EngineError> {
    let compiled = CompiledPlan::new(plan)?;
    let routes = routes(plan, compiled.terms.as_ref())?;
    let choice = choose(plan)?;
    let most_open = connections(&compiled)?;
    let crew = Crew::new(plan, compiled, routes, &choice, most_open);
    let facts = crew.facts(plan, choice);
    Run::start(Arc::clone(&crew.state), move |started_at| {
        let counters = crew.run()?;
        Ok(Measurement::new(&facts, started_at, counters, crew.ended()))
    })
}
