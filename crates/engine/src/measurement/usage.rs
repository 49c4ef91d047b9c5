//! The CPU time of an engine thread.

use driver::{Nanos, ThreadUsage};

/// The CPU time and context switches of a thread in the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub user_s: f64,
    pub system_s: f64,
    pub busy_share: f64,
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    /// Share of the window in which it was ready to run and had no processor.
    pub waiting_share: Option<f64>,
    /// Share of the window in which it stood still: it ran on after it was to wake up.
    pub standstill_share: f64,
}

impl Usage {
    /// The difference of two readings that are `elapsed` nanoseconds apart.
    pub fn between(from: &ThreadUsage, to: &ThreadUsage, elapsed: Nanos) -> Self {
        let user_s = to.user.saturating_sub(from.user).as_secs_f64();
        let system_s = to.system.saturating_sub(from.system).as_secs_f64();
        let elapsed_s = elapsed.max(1) as f64 / 1e9;
        let waited = to.waited.zip(from.waited);
        Self {
            user_s,
            system_s,
            busy_share: ((user_s + system_s) / elapsed_s).min(1.0),
            voluntary_switches: to.voluntary_switches - from.voluntary_switches,
            involuntary_switches: to.involuntary_switches - from.involuntary_switches,
            waiting_share: waited
                .map(|(to, from)| (to.saturating_sub(from).as_secs_f64() / elapsed_s).min(1.0)),
            standstill_share: 0.0,
        }
    }

    /// The same usage of a thread that stood still for so long.
    pub fn with_standstill(self, stood_still: Nanos, elapsed: Nanos) -> Self {
        Self {
            standstill_share: (stood_still as f64 / elapsed.max(1) as f64).min(1.0),
            ..self
        }
    }
}
