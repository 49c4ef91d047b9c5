//! What can be seen of a run while it lasts: published by the workers a few times a second, read by whoever watches.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use tally::{Calls, ErrorClass};

use crate::until::Precision;

/// Where a run is.
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
    /// The phase of a name, as it stands in the JSON.
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

/// A look at a run. Counts are those of the window; rate and percentiles those of the last whole second.
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

/// One worker's part of it.
#[derive(Clone, Debug, Default)]
pub struct Glimpse {
    pub calls: Calls,
    pub in_flight: u64,
    pub open_connections: u64,
    pub rate_per_s: f64,
    pub p50_ns: u64,
    pub p99_ns: u64,
    pub lag_p99_ns: u64,
}

/// What the workers of a run and its watchers share.
pub struct Board {
    began: Instant,
    phase: Mutex<Phase>,
    changed: Condvar,
    stop: AtomicU32,
    glimpses: Vec<Mutex<Glimpse>>,
    /// How well a percentile is known, where a plan stops by that.
    pub precision: Precision,
}

impl Board {
    /// A board for so many workers.
    pub fn new(workers: usize) -> Self {
        Self {
            began: Instant::now(),
            phase: Mutex::new(Phase::Connecting),
            changed: Condvar::new(),
            stop: AtomicU32::new(0),
            glimpses: (0..workers)
                .map(|_| Mutex::new(Glimpse::default()))
                .collect(),
            precision: Precision::new(workers),
        }
    }

    /// Moves on to a phase; never back.
    pub fn reach(&self, phase: Phase) {
        let mut now = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        if *now < phase {
            *now = phase;
            self.changed.notify_all();
        }
    }

    /// Waits until a phase is reached, or so long; whether it is.
    pub fn wait(&self, phase: Phase, timeout: Duration) -> bool {
        let now = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, _) = self
            .changed
            .wait_timeout_while(now, timeout, |now| *now < phase)
            .unwrap_or_else(PoisonError::into_inner);
        *now >= phase
    }

    /// Asks the workers to stop: the first time they take no more work, the second time they wait no more.
    pub fn stop(&self) {
        self.stop.fetch_add(1, Ordering::Relaxed);
    }

    /// How often stopping was asked for.
    #[inline]
    pub fn stops(&self) -> u32 {
        self.stop.load(Ordering::Relaxed)
    }

    /// A worker shows where it is; it never waits for a reader.
    pub fn show(&self, worker: usize, glimpse: Glimpse) {
        if let Ok(mut place) = self.glimpses[worker].try_lock() {
            *place = glimpse;
        }
    }

    /// All workers' parts together.
    pub fn look(&self) -> Progress {
        let phase = *self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = Glimpse::default();
        for place in &self.glimpses {
            let part = place.lock().unwrap_or_else(PoisonError::into_inner);
            all.calls.merge(&part.calls);
            all.in_flight += part.in_flight;
            all.open_connections += part.open_connections;
            all.rate_per_s += part.rate_per_s;
            all.p50_ns = all.p50_ns.max(part.p50_ns);
            all.p99_ns = all.p99_ns.max(part.p99_ns);
            all.lag_p99_ns = all.lag_p99_ns.max(part.lag_p99_ns);
        }
        Progress {
            phase,
            elapsed_s: self.began.elapsed().as_secs_f64(),
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
