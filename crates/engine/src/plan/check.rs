//! The checks of a plan, which report all faults at once.

use std::ops::RangeInclusive;

use crate::error::{EngineError, Kind};
use crate::plan::http2::{http2_faults, streams};
use crate::plan::part::Part;
use crate::plan::records::MOST_SLOWEST;
use crate::plan::sessions::{ScriptStep, SessionsLoad, script_faults};
use crate::plan::{DriverChoice, MOST_THREADS, Plan};

/// Most connections that one run may open at once.
const MOST_CONNECTIONS: u32 = 1 << 22;
/// Most calls in a burst.
const MOST_BURST: u32 = 10_000;
/// Most calls that may be in flight at once: each takes 40 bytes.
const MOST_IN_FLIGHT: u64 = 1 << 26;
/// Highest rate at which calls may fall due.
const HIGHEST_RATE: f64 = 100_000_000.0;
/// Most calls of a call log, and most bytes of a trace.
const MOST_RECORDED: u64 = 1 << 30;
/// Largest socket buffer, in bytes.
const MOST_BUFFER: u32 = 1 << 30;
/// Longest time of any kind, in seconds: a week.
const LONGEST: f64 = 7.0 * 86_400.0;
/// Shortest duration and shortest timeout, in seconds.
const SHORTEST: f64 = 1e-6;

/// The faults found so far.
#[derive(Default)]
pub struct Faults(Vec<String>);

impl Faults {
    /// The value of a result; an error becomes a fault.
    pub fn keep<T>(&mut self, result: Result<T, String>) -> Option<T> {
        result.map_err(|fault| self.0.push(fault)).ok()
    }

    /// The value of a result; its errors become faults.
    pub fn keep_all<T>(&mut self, result: Result<T, Vec<String>>) -> Option<T> {
        result.map_err(|faults| self.0.extend(faults)).ok()
    }

    /// Adds faults.
    pub fn add_all(&mut self, faults: Vec<String>) {
        self.0.extend(faults);
    }

    /// Checks the plan, except for its requests.
    pub fn check(&mut self, plan: &Plan) {
        self.check_shape(plan);
        self.check_times(plan);
        self.check_load(plan);
        self.0.extend(Part::faults(plan));
        self.0.extend(script_faults(plan));
        self.0.extend(http2_faults(plan));
        self.check_stamps(plan);
        self.check_records(plan);
    }

    fn expect(&mut self, holds: bool, fault: impl Into<String>) {
        if !holds {
            self.0.push(fault.into());
        }
    }

    fn within(&mut self, name: &str, value: u32, range: &RangeInclusive<u32>) {
        let (least, most) = (range.start(), grouped((*range.end()).into()));
        let fault = format!("{name} `{value}`: expected {least} to {most}");
        self.expect(range.contains(&value), fault);
    }

    fn check_shape(&mut self, plan: &Plan) {
        self.expect(
            !plan.requests.is_empty(),
            "the plan has no request: expected at least one",
        );
        self.within("burst", plan.burst, &(1..=MOST_BURST));
        self.within("threads", plan.threads, &(1..=MOST_THREADS));
        self.expect(
            plan.calls_per_connection != Some(0),
            "calls per connection `0`: expected at least 1",
        );
        self.expect(
            plan.proxy.is_none() || plan.target.unix.is_none(),
            "a Unix socket cannot be reached through a proxy: expected one or the other",
        );
        let stop = &plan.stop;
        self.expect(
            stop.count.is_some() || stop.duration_s.is_some(),
            "the run would never end: expected a count, a duration, or both",
        );
        self.expect(stop.count != Some(0), "count `0`: expected at least 1");
        if let Some(until) = &stop.until {
            let inside = |share: f64| 0.0 < share && share < 1.0;
            self.expect(
                inside(until.quantile) && inside(until.within),
                format!(
                    "quantile `{}` within `{}`: expected two shares between 0 and 1",
                    until.quantile, until.within
                ),
            );
        }
    }

    fn check_times(&mut self, plan: &Plan) {
        for (name, seconds, least) in [
            ("duration", plan.stop.duration_s, SHORTEST),
            ("drain", Some(plan.stop.drain_s), 0.0),
            ("warm-up", Some(plan.warm_up_s), 0.0),
            ("think time", Some(plan.think_s), 0.0),
            ("connect timeout", plan.timeouts.connect_s, SHORTEST),
            ("first-byte timeout", plan.timeouts.first_byte_s, SHORTEST),
            ("reply timeout", plan.timeouts.reply_s, SHORTEST),
            ("idle timeout", plan.timeouts.idle_s, SHORTEST),
        ] {
            let seconds = seconds.unwrap_or(1.0);
            self.expect(
                (least..=LONGEST).contains(&seconds),
                format!("{name} `{seconds}` s: expected {least} s to {LONGEST} s (a week)"),
            );
        }
    }

    fn check_load(&mut self, plan: &Plan) {
        let load = &plan.load;
        self.0
            .extend(load.sessions().map_or_else(Vec::new, SessionsLoad::faults));
        let connections = load.connections().unwrap_or(load.connections_each());
        self.within("connections", connections, &(1..=MOST_CONNECTIONS));
        let streams = streams(plan);
        // With streams, the calls of a burst are streams.
        let burst = if plan.http.has_streams() {
            1
        } else {
            longest_burst(plan)
        };
        let at_once = u64::from(connections) * u64::from(burst) * u64::from(streams);
        let of_streams = if streams > 1 {
            format!(" with {streams} streams")
        } else {
            String::new()
        };
        self.expect(
            at_once <= MOST_IN_FLIGHT,
            format!(
                "bursts of {burst} calls on {connections} connections{of_streams} are {} calls at once: expected at most {}",
                grouped(at_once),
                grouped(MOST_IN_FLIGHT)
            ),
        );
        let Some(arrivals) = load.arrivals() else {
            return;
        };
        let calls = load.sessions().map_or(1, |load| most_calls(plan, load));
        self.keep(arrivals.check().map_err(|e| e.to_string()));
        let rate = arrivals.highest_per_s() * f64::from(calls);
        self.expect(
            rate <= HIGHEST_RATE || !rate.is_finite(),
            format!(
                "a rate of `{}` calls per second: expected at most {}",
                grouped(rate as u64),
                grouped(HIGHEST_RATE as u64)
            ),
        );
        let length = arrivals.segments.iter().filter_map(|s| s.seconds);
        let length: f64 = length.sum();
        self.expect(
            length <= LONGEST || !length.is_finite(),
            format!("steps and ramps of `{length}` s: expected at most {LONGEST} s (a week)"),
        );
    }

    fn check_stamps(&mut self, plan: &Plan) {
        if !plan.kernel_timestamps {
            return;
        }
        self.expect(
            plan.driver != DriverChoice::IoUring,
            "kernel timestamps with the driver `io_uring`: expected `epoll` or `auto`, because io_uring receives without timestamps",
        );
        self.expect(
            plan.target.unix.is_none(),
            "kernel timestamps on a Unix socket: expected TCP, because the kernel stamps network packets only",
        );
    }

    fn check_records(&mut self, plan: &Plan) {
        let limits = [
            ("call log", "calls", plan.call_log.map(|log| log.most)),
            ("trace", "bytes", plan.trace.map(|trace| trace.most_bytes)),
        ];
        for (name, of, most) in limits {
            let most = most.unwrap_or(1);
            self.expect(
                (1..=MOST_RECORDED).contains(&most),
                format!(
                    "{name} of at most `{most}` {of}: expected 1 to {}",
                    grouped(MOST_RECORDED)
                ),
            );
        }
        self.within("slowest calls", plan.slowest, &(0..=MOST_SLOWEST));
        for (name, bytes) in [
            ("send buffer", plan.source.send_buffer_bytes),
            ("receive buffer", plan.source.receive_buffer_bytes),
        ] {
            let bytes = bytes.unwrap_or(1);
            self.within(name, bytes, &(1..=MOST_BUFFER));
        }
    }

    /// Ends the checks.
    ///
    /// # Errors
    /// All faults, one per line.
    pub fn finish(self) -> Result<(), EngineError> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(EngineError::new(Kind::Usage, self.0.join("\n")))
    }
}

/// The most calls that one connection may carry at once.
fn longest_burst(plan: &Plan) -> u32 {
    let steps = plan.scripts.iter().flatten().flatten();
    let longest = steps.map(|step| step.requests.len() as u32).max();
    let most = plan.load.sessions().and_then(|load| load.most_pipelined);
    longest.unwrap_or(plan.burst).min(most.unwrap_or(u32::MAX))
}

/// The calls of the longest session.
fn most_calls(plan: &Plan, load: &SessionsLoad) -> u32 {
    let calls = |steps: &Vec<ScriptStep>| steps.iter().map(|step| step.requests.len() as u32).sum();
    let scripted = plan.scripts.iter().flatten().map(calls).max();
    scripted.unwrap_or(load.calls)
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(String::from_utf8_lossy)
        .collect();
    groups.join(",")
}
