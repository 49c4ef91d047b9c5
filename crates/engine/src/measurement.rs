//! The result of a run: JSON version 1, described in `docs/reference/measurement.md`.

pub mod call;
pub mod connections;
pub mod counters;
pub mod counts;
mod endpoints;
pub mod evidence;
pub mod grpc;
pub mod http2;
pub mod kernel;
pub mod nodes;
mod quic;
pub mod records;
pub mod usage;
pub mod validity;
pub mod window;

use driver::Nanos;
use serde::Serialize;
use tally::{Calls, IntervalRow, Statuses, TimeBin, TimeSummary};

use crate::measurement::connections::Connections;
use crate::measurement::counters::Counters;
use crate::measurement::counts::ReplyBytes;
use crate::measurement::endpoints::{EndpointResult, endpoints};
use crate::measurement::grpc::{GrpcCounts, GrpcResult};
use crate::measurement::http2::Http2Result;
use crate::measurement::kernel::Kernel;
use crate::measurement::nodes::Node;
use crate::measurement::records::first_reply::FirstReply;
use crate::measurement::records::slowest::SlowCall;
use crate::measurement::usage::Usage;
use crate::measurement::validity::Validity;
use crate::plan::part::Part;
use crate::plan::{DriverChoice, Http, Load};

/// Version of the measurement format that this engine writes.
pub const MEASUREMENT_VERSION: u32 = 1;

/// The result of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    format: &'static str,
    version: u32,
    engine: EngineFacts,
    load: &'static str,
    /// The protocol of the connections.
    protocol: &'static str,
    started_at: f64,
    warm_up_s: f64,
    pub window_s: f64,
    drain_s: f64,
    stopped_by: &'static str,
    pub calls: Calls,
    warm_up_calls: Calls,
    completed_in_window: u64,
    offered_per_s: Option<f64>,
    pub throughput_per_s: f64,
    statuses: Statuses,
    bytes_sent: u64,
    bytes_received: u64,
    body_bytes: u64,
    replies: ReplyBytes,
    first_reply: Option<FirstReply>,
    connections: Connections,
    /// Null: the connections were of HTTP/1.
    http2: Option<Http2Result>,
    /// Null: the connections were of TCP.
    quic: Option<quic::QuicResult>,
    /// Null: no request was of gRPC.
    grpc: Option<GrpcResult>,
    handshakes: Option<Handshakes>,
    sessions: Option<Sessions>,
    pub times: Times,
    /// Empty if the plan has only one endpoint.
    endpoints: Vec<EndpointResult>,
    kernel: Option<KernelCounts>,
    intervals: Vec<IntervalRow>,
    /// The window in at most 240 bins; null: not asked for.
    over_time: Option<Vec<TimeBin>>,
    /// The slowest first; empty: not asked for.
    slowest: Vec<SlowCall>,
    mean_in_flight: f64,
    validity: Validity,
    cpu: Usage,
    first_failure: Option<String>,
    /// The machines whose results were merged; null: one machine measured, by itself.
    pub nodes: Option<Vec<Node>>,
}

/// The engine and the load that a measurement belongs to.
#[derive(Clone, Debug)]
pub struct Facts {
    pub driver: DriverChoice,
    pub reason: String,
    pub threads: u32,
    pub cpus: Option<Vec<usize>>,
    pub load: Load,
    pub http: Http,
    /// Calls at once on a connection of HTTP/2.
    pub streams: u32,
    /// The names of the endpoints of a plan that has several.
    pub endpoints: Vec<String>,
    pub burst: u32,
    pub low_latency: Option<LowLatency>,
    pub over_time: bool,
    /// The part of the plan that was carried out.
    pub part: Part,
    /// Not only this part: the counters of all parts were merged.
    pub all_parts: bool,
}

/// The settings granted to a run with low latency.
#[derive(Clone, Debug, Serialize)]
pub struct LowLatency {
    pub shallow_idle: Grant,
    pub real_time: Grant,
}

#[derive(Clone, Debug, Serialize)]
pub struct Grant {
    granted: bool,
    /// The reason of a refusal.
    pub reason: Option<String>,
}

impl Grant {
    pub fn new(refusal: Option<String>) -> Self {
        Self {
            granted: refusal.is_none(),
            reason: refusal,
        }
    }
}

/// The reason why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It reached its count or its duration.
    Planned,
    /// The percentile was precise enough.
    Precise,
    /// It was stopped.
    Interrupted,
}

#[derive(Clone, Debug, Serialize)]
struct EngineFacts {
    version: &'static str,
    driver: DriverChoice,
    driver_reason: String,
    threads: u32,
    cpus: Option<Vec<usize>>,
    low_latency: Option<LowLatency>,
}

#[derive(Clone, Debug, Serialize)]
struct Handshakes {
    full: u64,
    resumed: u64,
    /// The version in the first handshake; null if there was none.
    version: Option<&'static str>,
    cipher: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct Sessions {
    due: u64,
    started: u64,
    completed: u64,
    failed: u64,
    connections: u64,
    resent: u64,
    lifetime: TimeSummary,
    fail_time: TimeSummary,
    lengths: Vec<u64>,
}

/// The times of the calls.
#[derive(Clone, Debug, Serialize)]
pub struct Times {
    pub response: TimeSummary,
    pub service: TimeSummary,
    pub first_byte: TimeSummary,
    pub lag: TimeSummary,
    pub connect: TimeSummary,
    pub tls: Option<TimeSummary>,
    pub kernel: Option<TimeSummary>,
    pub kernel_gap: Option<TimeSummary>,
}

/// The numbers of calls with and without kernel timestamps.
#[derive(Clone, Debug, Serialize)]
struct KernelCounts {
    stamped: u64,
    unstamped: u64,
    clock_set_ns: Option<i64>,
}

impl Measurement {
    /// Summarises the counters of a run that started at a time of the wall clock.
    pub fn new(facts: &Facts, started_at_ns: Nanos, counters: &Counters, ended: Ended) -> Self {
        let window = &counters.window;
        let planned = window.stop.saturating_sub(window.start);
        let window_s = seconds(planned.max(1));
        // If the wall clock was set, timestamps from before and after that cannot be compared.
        let kernel = counters.kernel.as_deref();
        let kernel = kernel.filter(|kernel| kernel.clock_set.is_none());
        Self {
            format: "httpdyno-measurement",
            version: MEASUREMENT_VERSION,
            engine: engine(facts, counters),
            load: facts.load.kind(),
            protocol: facts.http.protocol(),
            started_at: seconds(started_at_ns),
            warm_up_s: seconds(window.start - window.begin),
            window_s,
            drain_s: seconds(counters.ended.saturating_sub(window.stop)),
            stopped_by: stopped_by(counters, ended),
            completed_in_window: counters.completed_in_window,
            offered_per_s: facts.load.is_open().then(|| counters.offered_per_s()),
            throughput_per_s: counters.completed_in_window as f64 / window_s,
            bytes_sent: counters.bytes.sent,
            bytes_received: counters.bytes.received,
            body_bytes: counters.bytes.bodies,
            replies: counters.replies,
            connections: counters.connections.summary(),
            http2: facts.http.has_streams().then(|| http2(facts, counters)),
            quic: counters.datagrams.as_ref().map(quic::QuicResult::new),
            grpc: counters.grpc.as_deref().map(GrpcCounts::summary),
            handshakes: counters.handshakes.as_ref().map(handshakes),
            sessions: facts.load.sessions().map(|_| sessions(counters)),
            kernel: counters.kernel.as_deref().map(kernel_counts),
            times: Times {
                response: counters.response.summary(),
                service: counters.service.summary(),
                first_byte: counters.first_byte.summary(),
                lag: counters.lag.summary(),
                connect: counters.connect.summary(),
                kernel: kernel.map(|kernel| kernel.time.summary()),
                kernel_gap: kernel.map(|kernel| kernel.gap.summary()),
                tls: counters.tls.as_ref().map(tally::Times::summary),
            },
            endpoints: endpoints(facts, counters, window_s),
            intervals: counters.intervals.rows(),
            over_time: facts.over_time.then(|| counters.intervals.bins()),
            slowest: counters.records.slowest.since(window.start - window.begin),
            first_reply: counters.records.first.known().cloned(),
            mean_in_flight: counters.flight_area() / (window_s * 1e9),
            validity: Validity::new(facts, counters),
            cpu: counters.usage,
            calls: counters.calls.clone(),
            warm_up_calls: counters.warm_up.clone(),
            statuses: counters.statuses.clone(),
            first_failure: counters.first_failure.clone(),
            nodes: None,
        }
    }
}

fn engine(facts: &Facts, counters: &Counters) -> EngineFacts {
    EngineFacts {
        version: env!("CARGO_PKG_VERSION"),
        driver: facts.driver,
        driver_reason: facts.reason.clone(),
        threads: facts.threads,
        cpus: facts.cpus.clone(),
        low_latency: low_latency(facts, counters),
    }
}

/// The parts of low latency that were granted, and kept to the end.
fn low_latency(facts: &Facts, counters: &Counters) -> Option<LowLatency> {
    let mut found = facts.low_latency.clone()?;
    if found.real_time.granted && counters.gave_up_priority {
        let reason = "given up: an engine thread used over 80 % of its CPU, and the kernel stops a real-time thread \
                      that does not sleep";
        found.real_time = Grant::new(Some(reason.into()));
    }
    Some(found)
}

fn http2(facts: &Facts, counters: &Counters) -> Http2Result {
    let counts = counters.http2.as_deref();
    counts.cloned().unwrap_or_default().summary(facts.streams)
}

fn stopped_by(counters: &Counters, ended: Ended) -> &'static str {
    match ended {
        Ended::Interrupted => "interrupt",
        Ended::Precise => "precision",
        Ended::Planned if counters.counted_out => "count",
        Ended::Planned => "duration",
    }
}

fn kernel_counts(kernel: &Kernel) -> KernelCounts {
    KernelCounts {
        stamped: kernel.time.count(),
        unstamped: kernel.unstamped,
        clock_set_ns: kernel.clock_set,
    }
}

fn handshakes(made: &driver::Handshakes) -> Handshakes {
    let any = made.full + made.resumed > 0;
    Handshakes {
        full: made.full,
        resumed: made.resumed,
        version: any.then_some(made.version),
        cipher: (!made.cipher.is_empty()).then(|| made.cipher.clone()),
    }
}

fn sessions(counters: &Counters) -> Sessions {
    let counts = &counters.sessions;
    let ends = counters.session_ends.clone().unwrap_or_default();
    Sessions {
        due: counts.due,
        started: counts.started,
        completed: counts.completed,
        failed: counts.failed,
        connections: counts.connections,
        resent: counts.resent,
        lifetime: ends.lifetime.summary(),
        fail_time: ends.fail_time.summary(),
        lengths: ends.lengths,
    }
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::window::Window;

    fn facts(low_latency: Option<LowLatency>) -> Facts {
        Facts {
            driver: DriverChoice::Epoll,
            reason: String::new(),
            threads: 1,
            cpus: None,
            load: Load::Closed { connections: 1 },
            http: Http::V11,
            streams: 1,
            endpoints: Vec::new(),
            burst: 1,
            low_latency,
            over_time: false,
            part: Part::WHOLE,
            all_parts: false,
        }
    }

    fn measured(clock_set: Option<i64>) -> serde_json::Value {
        let mut kernel = Kernel {
            clock_set,
            ..Kernel::default()
        };
        kernel.time.record(5);
        let mut counters = Counters::new(Window::new(0, 0, Some(1_000_000_000), 0));
        counters.kernel = Some(Box::new(kernel));
        serde_json::to_value(Measurement::new(&facts(None), 0, &counters, Ended::Planned)).unwrap()
    }

    #[test]
    fn a_wall_clock_that_was_set_leaves_no_kernel_times() {
        assert_eq!(measured(None)["times"]["kernel"]["count"], 1);
        let without = measured(Some(-7));
        assert_eq!(without["times"]["kernel"], serde_json::Value::Null);
        assert_eq!(without["times"]["kernel_gap"], serde_json::Value::Null);
        assert_eq!(without["kernel"]["clock_set_ns"], -7);
    }

    #[test]
    fn a_priority_that_was_given_up_is_not_recorded_as_granted() {
        let real_time = |refusal: Option<&str>, gave_up_priority| {
            let asked = facts(Some(LowLatency {
                shallow_idle: Grant::new(None),
                real_time: Grant::new(refusal.map(str::to_owned)),
            }));
            let mut counters = Counters::empty();
            counters.gave_up_priority = gave_up_priority;
            let found = low_latency(&asked, &counters).unwrap();
            assert!(found.shallow_idle.granted);
            (
                found.real_time.granted,
                found.real_time.reason.unwrap_or_default(),
            )
        };
        assert_eq!(real_time(None, false), (true, String::new()));
        assert_eq!(real_time(Some("refused"), true), (false, "refused".into()));
        let (granted, reason) = real_time(None, true);
        assert!(!granted && reason.starts_with("given up: "), "{reason}");
    }
}
