//! The result of each endpoint, of a plan that has several.

use driver::Nanos;
use serde::Serialize;
use tally::{Percentile, Statuses, Stretch, TimeSummary};

use crate::measurement::counters::Counters;
use crate::measurement::counters::endpoints::{Endpoint, EndpointCalls};
use crate::measurement::validity::QUANTILES;
use crate::measurement::window::Window;
use crate::measurement::{Facts, seconds};

/// The measured calls of one endpoint.
#[derive(Clone, Debug, Serialize)]
pub struct EndpointResult {
    name: String,
    calls: EndpointCalls,
    completed_in_window: u64,
    throughput_per_s: f64,
    statuses: Statuses,
    body_bytes: u64,
    response: TimeSummary,
    service: TimeSummary,
    percentiles: Vec<Percentile>,
    /// Empty if the rate does not change.
    steps: Vec<EndpointStep>,
}

/// The calls of an endpoint that ended in the whole seconds of a step of the rate.
#[derive(Clone, Debug, Serialize)]
struct EndpointStep {
    #[serde(flatten)]
    step: Step,
    #[serde(flatten)]
    calls: Stretch,
    /// Null: there is no whole second.
    throughput_per_s: Option<f64>,
}

/// A step or ramp of the rate of all endpoints together. Times count from the start of the window.
#[derive(Clone, Copy, Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "each name ends in its unit")]
struct Step {
    begins_s: f64,
    /// Null: without end.
    ends_s: Option<f64>,
    from_per_s: f64,
    to_per_s: f64,
}

/// The results of all endpoints, by the names of the facts; none if the plan has only one.
pub fn endpoints(facts: &Facts, counters: &Counters, window_s: f64) -> Vec<EndpointResult> {
    let (steps, parts) = steps(facts, &counters.window);
    let each = counters.endpoints.iter().flat_map(|all| &all.each);
    let pairs = facts.endpoints.iter().zip(each);
    let results = pairs.map(|(name, one)| {
        let stretches = one.blocks.stretches(&parts, &QUANTILES);
        let of_steps = steps.iter().zip(stretches);
        EndpointResult {
            steps: of_steps.map(EndpointStep::from).collect(),
            ..EndpointResult::new(name, one, window_s)
        }
    });
    results.collect()
}

/// The steps of the rate that lie in the window, or reach into it, and the part of the window that each has.
fn steps(facts: &Facts, window: &Window) -> (Vec<Step>, Vec<(Nanos, Nanos)>) {
    // Without a warm-up 0, and not -0.
    let mut begins_s = 0.0 - seconds(window.start - window.begin);
    let length = window.stop.saturating_sub(window.start);
    let in_window = |at_s: f64| ((at_s.max(0.0) * 1e9).round() as Nanos).min(length);
    let all = facts.load.steps().iter().map(|segment| {
        let step = Step {
            begins_s,
            ends_s: segment.seconds.map(|lasts| begins_s + lasts),
            from_per_s: segment.from_per_s,
            to_per_s: segment.to_per_s,
        };
        begins_s = step.ends_s.unwrap_or(f64::INFINITY);
        (step, (in_window(step.begins_s), in_window(begins_s)))
    });
    all.filter(|(_, (from, to))| from < to).unzip()
}

impl EndpointResult {
    fn new(name: &str, counted: &Endpoint, window_s: f64) -> Self {
        let percentile = |quantile| {
            let effect = counted.blocks.design_effect(quantile);
            counted.response.percentile(quantile, effect)
        };
        Self {
            name: name.into(),
            calls: counted.calls.clone(),
            completed_in_window: counted.completed_in_window,
            throughput_per_s: counted.completed_in_window as f64 / window_s,
            statuses: counted.statuses.clone(),
            body_bytes: counted.body_bytes,
            response: counted.response.summary(),
            service: counted.service.summary(),
            percentiles: match counted.response.count() {
                0 => Vec::new(),
                _ => QUANTILES.map(percentile).to_vec(),
            },
            steps: Vec::new(),
        }
    }
}

impl From<(&Step, Stretch)> for EndpointStep {
    fn from((&step, calls): (&Step, Stretch)) -> Self {
        let lasts = calls.seconds as f64;
        Self {
            step,
            throughput_per_s: (lasts > 0.0).then(|| calls.ok as f64 / lasts),
            calls,
        }
    }
}
