//! The machines of a run on several: what each of them measured by itself.

use driver::Nanos;
use serde::Serialize;

use crate::measurement::counters::Counters;

/// One load generator: the fields of `Node` in `measurement/nodes.py`.
#[derive(Clone, Debug, Serialize)]
pub struct Node {
    /// Its number, from 1 on, until someone who knows its name replaces it.
    name: String,
    ok: u64,
    p99_ns: Nanos,
    lag_p99_ns: Nanos,
    busy_share: f64,
    started_at_ns: Nanos,
    /// Only who compares the clocks of machines knows these.
    offset_ns: Option<i64>,
    offset_error_ns: Option<Nanos>,
}

impl Node {
    /// The machine with this number, which started at a time of its own wall clock.
    pub fn new(number: u32, started_at_ns: Nanos, counters: &Counters) -> Self {
        Self {
            name: number.to_string(),
            ok: counters.calls.ok,
            p99_ns: counters.response.quantile(0.99),
            lag_p99_ns: counters.lag.quantile(0.99),
            busy_share: counters.usage.busy_share,
            started_at_ns,
            offset_ns: None,
            offset_error_ns: None,
        }
    }
}
