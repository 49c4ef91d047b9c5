//! The checks of a plan: every fault at once.

use crate::error::{EngineError, Kind};
use crate::plan::{DriverChoice, Load, PLAN_VERSION, Plan};

/// Most connections that one run may hold.
const MOST_CONNECTIONS: u32 = 1 << 22;
/// Longest time of any kind, in seconds: a week.
const LONGEST: f64 = 7.0 * 86_400.0;

#[derive(Default)]
pub struct Faults(Vec<String>);

impl Faults {
    pub fn keep<T>(&mut self, result: Result<T, String>) -> Option<T> {
        result.map_err(|fault| self.0.push(fault)).ok()
    }

    fn say(&mut self, holds: bool, fault: impl Into<String>) {
        if !holds {
            self.0.push(fault.into());
        }
    }

    pub fn check_frame(&mut self, plan: &Plan) {
        self.say(
            plan.version == PLAN_VERSION,
            format!("plan version `{}`, expected {PLAN_VERSION}", plan.version),
        );
        self.say(
            !plan.requests.is_empty(),
            "no request is given, expected at least one",
        );
        self.say(plan.burst >= 1, "burst `0`, expected at least 1");
        self.say(
            (1..=1024).contains(&plan.threads),
            format!("threads `{}`, expected 1 to 1024", plan.threads),
        );
        let stop = &plan.stop;
        self.say(
            stop.count.is_some() || stop.duration_s.is_some(),
            "neither a count nor a duration ends the run, expected at least one",
        );
        self.say(stop.count != Some(0), "count `0`, expected at least 1");
        if let Some(until) = &stop.until {
            let inside = |share: f64| 0.0 < share && share < 1.0;
            self.say(
                inside(until.quantile) && inside(until.within),
                format!(
                    "until the `{}` quantile is known within `{}`, expected two shares between 0 and 1",
                    until.quantile, until.within
                ),
            );
        }
        self.say(
            plan.proxy.is_none() || plan.target.unix.is_none(),
            "a proxy and a Unix socket, expected one way to the server",
        );
        if plan.calls_per_connection == Some(0) {
            self.0
                .push("calls per connection `0`, expected at least 1".into());
        }
        for (name, seconds, least) in [
            ("duration", stop.duration_s, f64::MIN_POSITIVE),
            ("drain", Some(stop.drain_s), 0.0),
            ("warm-up", Some(plan.warm_up_s), 0.0),
            ("think time", Some(plan.think_s), 0.0),
            ("connect timeout", plan.timeouts.connect_s, 1e-6),
            ("first-byte timeout", plan.timeouts.first_byte_s, 1e-6),
            ("reply timeout", plan.timeouts.reply_s, 1e-6),
        ] {
            let holds = seconds.is_none_or(|s| (least..=LONGEST).contains(&s));
            self.say(
                holds,
                format!(
                    "{name} `{}` s, expected a time up to a week",
                    seconds.unwrap_or(0.0)
                ),
            );
        }
    }

    pub fn check_load(&mut self, plan: &Plan) {
        match &plan.load {
            Load::Closed { connections } => self.connections(*connections),
            Load::Requests {
                arrivals,
                connections,
            } => {
                self.connections(*connections);
                let checked = arrivals.check().map_err(|e| e.to_string());
                self.keep(checked);
            }
            Load::Sessions {
                arrivals,
                calls,
                max_open,
            } => {
                self.connections(max_open.unwrap_or(1));
                self.say(*calls >= 1, "calls per session `0`, expected at least 1");
                let checked = arrivals.check().map_err(|e| e.to_string());
                self.keep(checked);
            }
        }
    }

    pub fn check_stamps(&mut self, plan: &Plan) {
        self.say(
            !plan.kernel_timestamps || plan.driver != DriverChoice::IoUring,
            "kernel timestamps with the driver `io_uring`, expected `epoll` or `auto`: io_uring receives without them",
        );
        self.say(
            !plan.kernel_timestamps || plan.target.unix.is_none(),
            "kernel timestamps with a Unix socket, expected TCP: the kernel stamps only what goes over a network",
        );
    }

    fn connections(&mut self, connections: u32) {
        let holds = (1..=MOST_CONNECTIONS).contains(&connections);
        self.say(
            holds,
            format!("connections `{connections}`, expected 1 to {MOST_CONNECTIONS}"),
        );
    }

    pub fn finish(self) -> Result<(), EngineError> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(EngineError::new(Kind::Usage, self.0.join("\n")))
    }
}
