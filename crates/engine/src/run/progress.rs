//! The progress of a run, published by its workers ten times a second.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tally::{Calls, ErrorClass, Intervals, Second, Spread};

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
    /// The length of the window up to these counts.
    pub window_s: f64,
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
    /// The response times of the whole seconds of the window so far, rising, each with its count.
    pub so_far: Vec<(u64, u64)>,
}

/// The progress of one worker.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub calls: Calls,
    pub window_ns: u64,
    pub in_flight: u64,
    pub open_connections: u64,
    pub last_second: Arc<Second>,
    pub lag_p99_ns: u64,
}

/// Everything that one worker has published.
#[derive(Debug, Default)]
pub struct Published {
    pub snapshot: Snapshot,
    pub so_far: Spread,
}

/// The seconds of one worker, each read once, when it is over.
#[derive(Debug, Default)]
pub struct Seconds {
    /// The second to be read next.
    next: i64,
    pub last: Arc<Second>,
    /// Response times of the window that are not published yet; calls that timed out at their age.
    pub unpublished: Spread,
}

impl Seconds {
    /// Seconds from this one on.
    pub fn starting_at(first: i64) -> Self {
        Self {
            next: first,
            ..Self::default()
        }
    }

    /// Reads the seconds before `under_way`, to which nothing will be added.
    pub fn read(&mut self, intervals: &mut Intervals, under_way: i64) {
        while self.next < under_way {
            let second = intervals.second(self.next);
            if self.next >= 0 {
                second.add_to(&mut self.unpublished);
            }
            self.last = Arc::new(second);
            self.next += 1;
        }
        intervals.take_timed_out(&mut self.unpublished);
    }
}

impl Progress {
    /// Merges the snapshots of all workers.
    pub fn new(phase: Phase, elapsed: Duration, published: &[Mutex<Published>]) -> Self {
        let (mut calls, mut last, mut so_far) =
            (Calls::default(), Second::default(), Spread::default());
        let (mut in_flight, mut open_connections) = (0, 0);
        let (mut window_ns, mut lag_p99_ns) = (0, 0);
        for one in published {
            let one = one.lock().unwrap_or_else(PoisonError::into_inner);
            calls.merge(&one.snapshot.calls);
            last.merge(&one.snapshot.last_second);
            so_far.merge(&one.so_far);
            window_ns += one.snapshot.window_ns;
            in_flight += one.snapshot.in_flight;
            open_connections += one.snapshot.open_connections;
            lag_p99_ns = one.snapshot.lag_p99_ns.max(lag_p99_ns);
        }
        Self {
            phase,
            elapsed_s: elapsed.as_secs_f64(),
            // The threads publish at different times: their mean fits the sum of their counts.
            window_s: window_ns as f64 * 1e-9 / published.len().max(1) as f64,
            due: calls.due,
            sent: calls.sent,
            ok: calls.ok,
            failed: calls.failed(),
            in_flight,
            open_connections,
            rate_per_s: last.ok as f64,
            p50_ns: last.quantile(0.5),
            p99_ns: last.quantile(0.99),
            lag_p99_ns,
            errors: errors(&calls),
            so_far: so_far.filled(),
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
