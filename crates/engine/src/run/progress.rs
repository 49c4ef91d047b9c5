//! The progress of a run, published by its workers ten times a second.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tally::{Calls, ErrorClass};

/// The phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Connecting,
    WarmUp,
    Measuring,
    Draining,
    Done,
}

impl Phase {
    /// The phase with this name in the JSON.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "connecting" => Self::Connecting,
            "warm_up" => Self::WarmUp,
            "measuring" => Self::Measuring,
            "draining" => Self::Draining,
            "done" => Self::Done,
            _ => return None,
        })
    }
}

/// The progress of a run: counts of the window so far, rate and percentiles of the last whole second.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    pub phase: Phase,
    pub elapsed_s: f64,
    pub due: u64,
    pub sent: u64,
    pub ok: u64,
    pub failed: u64,
    pub in_flight: u64,
    pub open_connections: u64,
    pub rate_per_s: f64,
    pub p50_ns: u64,
    pub p99_ns: u64,
    pub lag_p99_ns: u64,
    pub errors: BTreeMap<&'static str, u64>,
}

/// The progress of one worker.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub calls: Calls,
    pub in_flight: u64,
    pub open_connections: u64,
    pub rate_per_s: f64,
    pub p50_ns: u64,
    pub p99_ns: u64,
    pub lag_p99_ns: u64,
}

impl Snapshot {
    fn merge(&mut self, other: &Self) {
        self.calls.merge(&other.calls);
        self.in_flight += other.in_flight;
        self.open_connections += other.open_connections;
        self.rate_per_s += other.rate_per_s;
        self.p50_ns = self.p50_ns.max(other.p50_ns);
        self.p99_ns = self.p99_ns.max(other.p99_ns);
        self.lag_p99_ns = self.lag_p99_ns.max(other.lag_p99_ns);
    }
}

impl Progress {
    /// Merges the snapshots of all workers.
    pub fn new(phase: Phase, elapsed: Duration, snapshots: &[Mutex<Snapshot>]) -> Self {
        let mut all = Snapshot::default();
        for snapshot in snapshots {
            all.merge(&snapshot.lock().unwrap_or_else(PoisonError::into_inner));
        }
        Self {
            phase,
            elapsed_s: elapsed.as_secs_f64(),
            due: all.calls.due,
            sent: all.calls.sent,
            ok: all.calls.ok,
            failed: all.calls.failed(),
            in_flight: all.in_flight,
            open_connections: all.open_connections,
            rate_per_s: all.rate_per_s,
            p50_ns: all.p50_ns,
            p99_ns: all.p99_ns,
            lag_p99_ns: all.lag_p99_ns,
            errors: errors(&all.calls),
        }
    }
}

fn errors(calls: &Calls) -> BTreeMap<&'static str, u64> {
    ErrorClass::ALL
        .iter()
        .filter(|class| calls.errors[**class as usize] > 0)
        .map(|class| (class.name(), calls.errors[*class as usize]))
        .collect()
}
