//! The CPU time of an engine thread.

use std::time::Duration;

use driver::{Nanos, ThreadUsage};
use serde::Serialize;
use tally::packed;

/// The CPU time and context switches of a thread in the window.
#[derive(Clone, Copy, Debug, Default, Serialize)]
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

packed!(Usage {
    user_s,
    system_s,
    busy_share,
    voluntary_switches,
    involuntary_switches,
    waiting_share,
    standstill_share
});

impl Usage {
    /// The difference of two readings that are `elapsed` nanoseconds apart.
    pub fn between(from: &ThreadUsage, to: &ThreadUsage, elapsed: Nanos) -> Self {
        let user_s = to.user.saturating_sub(from.user).as_secs_f64();
        let system_s = to.system.saturating_sub(from.system).as_secs_f64();
        let elapsed_s = elapsed.max(1) as f64 / 1e9;
        Self {
            user_s,
            system_s,
            busy_share: ((user_s + system_s) / elapsed_s).min(1.0),
            voluntary_switches: to.voluntary_switches - from.voluntary_switches,
            involuntary_switches: to.involuntary_switches - from.involuntary_switches,
            waiting_share: None,
            standstill_share: 0.0,
        }
    }

    /// Adds the usage of another thread: times and switches are sums, shares those of the busier one.
    pub fn merge(&mut self, other: &Self) {
        self.user_s += other.user_s;
        self.system_s += other.system_s;
        self.busy_share = self.busy_share.max(other.busy_share);
        self.standstill_share = self.standstill_share.max(other.standstill_share);
        self.waiting_share = match (self.waiting_share, other.waiting_share) {
            (Some(one), Some(more)) => Some(one.max(more)),
            (one, more) => one.or(more),
        };
        self.voluntary_switches += other.voluntary_switches;
        self.involuntary_switches += other.involuntary_switches;
    }

    /// The same usage of a thread that waited for a processor and stood still for so long.
    pub fn with_delays(self, waited: Option<Duration>, stood_still: Nanos, elapsed: Nanos) -> Self {
        let share = |seconds: f64| (seconds / (elapsed.max(1) as f64 / 1e9)).min(1.0);
        Self {
            waiting_share: waited.map(|waited| share(waited.as_secs_f64())),
            standstill_share: share(stood_still as f64 / 1e9),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_shares_of_the_window_and_an_unknown_wait_is_no_zero() {
        let usage = Usage::default();
        let known = usage.with_delays(Some(Duration::from_millis(250)), 500_000_000, 1_000_000_000);
        assert_eq!(known.waiting_share, Some(0.25));
        assert!((known.standstill_share - 0.5).abs() < 1e-12);
        assert_eq!(usage.with_delays(None, 0, 0).waiting_share, None);
        let all = usage.with_delays(None, 3, 1);
        assert!((all.standstill_share - 1.0).abs() < 1e-12);
    }
}
