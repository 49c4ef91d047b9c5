//! The result of each endpoint, of a plan that has several.

use serde::Serialize;
use tally::{Percentile, Statuses, TimeSummary};

use crate::measurement::counters::Counters;
use crate::measurement::counters::endpoints::{Endpoint, EndpointCalls};
use crate::measurement::validity::QUANTILES;

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
}

/// The results of all endpoints, by these names; none if the plan has only one.
pub fn endpoints(names: &[String], counters: &Counters, window_s: f64) -> Vec<EndpointResult> {
    let each = counters.endpoints.iter().flat_map(|all| &all.each);
    let pairs = names.iter().zip(each);
    let results = pairs.map(|(name, one)| EndpointResult::new(name, one, window_s));
    results.collect()
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
        }
    }
}
