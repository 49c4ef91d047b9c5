//! A plan, checked and made ready: bytes built, files read, times in nanoseconds. Shared by all threads, never changed.

use std::sync::Arc;

use driver::Nanos;
use secure::Terms;

use crate::cycle::Cycle;
use crate::encode::{decode, encode, name, read, tunnel};
use crate::error::{EngineError, Kind};
use crate::expect::{Rule, Wanted};
use crate::plan::{Answer, DriverChoice, Load, PLAN_VERSION, Plan, Request, Until};

/// Most connections that one run may hold.
const MOST_CONNECTIONS: u32 = 1 << 22;
/// Longest time of any kind, in seconds: a week.
const LONGEST: f64 = 7.0 * 86_400.0;

/// What the workers go by.
#[derive(Debug)]
pub struct Order {
    pub load: Load,
    pub cycle: Cycle,
    pub rules: Vec<Rule>,
    /// Whether the request at this index is a HEAD, whose reply has no body.
    pub head_only: Vec<bool>,
    /// The request in words, for the first failure.
    pub names: Vec<String>,
    pub burst: u32,
    pub calls_per_connection: u32,
    pub think: Nanos,
    pub connect_timeout: Option<Nanos>,
    pub first_byte_timeout: Option<Nanos>,
    pub reply_timeout: Option<Nanos>,
    pub warm_up: Nanos,
    pub duration: Option<Nanos>,
    pub drain: Nanos,
    pub count: Option<u64>,
    pub until: Option<Until>,
    pub seed: u64,
    pub spin: bool,
    pub kernel_timestamps: bool,
    /// How TLS is spoken; `None`: not at all.
    pub terms: Option<Terms>,
}

impl Order {
    /// Checks a plan and makes it ready.
    ///
    /// # Errors
    /// All faults of the plan in one message.
    pub fn new(plan: &Plan) -> Result<Self, EngineError> {
        let mut faults = Faults::default();
        faults.check_frame(plan);
        faults.check_load(plan);
        faults.check_stamps(plan);
        let mut encoded = Vec::new();
        let mut rules = Vec::new();
        for request in &plan.requests {
            encoded.push(faults.keep(encode(plan, request)).unwrap_or_default());
            if let Some(rule) = faults.keep(rule(request)) {
                rules.push(rule);
            }
        }
        let terms = faults.keep(terms(plan)).flatten();
        let weights: Vec<u32> = plan.requests.iter().map(|r| r.weight).collect();
        faults.finish()?;
        let cycle = Cycle::new(&encoded, &weights, plan.burst)
            .map_err(|e| EngineError::new(Kind::Usage, e))?;
        Ok(Self {
            load: plan.load.clone(),
            cycle,
            rules,
            head_only: plan.requests.iter().map(|r| r.method == "HEAD").collect(),
            names: plan.requests.iter().map(name).collect(),
            burst: plan.burst,
            calls_per_connection: calls_per_connection(plan),
            think: nanos(plan.think_s),
            connect_timeout: plan.timeouts.connect_s.map(nanos),
            first_byte_timeout: plan.timeouts.first_byte_s.map(nanos),
            reply_timeout: plan.timeouts.reply_s.map(nanos),
            warm_up: nanos(plan.warm_up_s),
            duration: plan.stop.duration_s.map(nanos),
            drain: nanos(plan.stop.drain_s),
            count: plan.stop.count,
            until: plan.stop.until,
            seed: plan.seed,
            spin: plan.spin,
            kernel_timestamps: plan.kernel_timestamps,
            terms,
        })
    }

    /// The highest rate at which bursts or sessions arrive, where the load says so.
    pub fn arrivals_per_s(&self) -> Option<f64> {
        let (arrivals, share) = match &self.load {
            Load::Closed { .. } => return None,
            Load::Requests { arrivals, .. } => (arrivals, self.burst),
            Load::Sessions { arrivals, .. } => (arrivals, 1),
        };
        let rates = arrivals.segments.iter();
        let highest = rates.fold(0.0_f64, |most, s| most.max(s.from_per_s).max(s.to_per_s));
        Some(highest / f64::from(share))
    }

    /// Connections that all threads together may hold, where the load says so.
    pub fn connections(&self) -> Option<u32> {
        match &self.load {
            Load::Closed { connections } | Load::Requests { connections, .. } => Some(*connections),
            Load::Sessions { max_open, .. } => *max_open,
        }
    }
}

#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn keep<T>(&mut self, result: Result<T, String>) -> Option<T> {
        result.map_err(|fault| self.0.push(fault)).ok()
    }

    fn say(&mut self, holds: bool, fault: impl Into<String>) {
        if !holds {
            self.0.push(fault.into());
        }
    }

    fn check_frame(&mut self, plan: &Plan) {
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

    fn check_load(&mut self, plan: &Plan) {
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

    fn check_stamps(&mut self, plan: &Plan) {
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

    fn finish(self) -> Result<(), EngineError> {
        if self.0.is_empty() {
            return Ok(());
        }
        Err(EngineError::new(Kind::Usage, self.0.join("\n")))
    }
}

/// How TLS is spoken with the target, its files read.
fn terms(plan: &Plan) -> Result<Option<Terms>, String> {
    let Some(tls) = &plan.target.tls else {
        return Ok(None);
    };
    let tunnel = plan.proxy.as_ref().map(|proxy| tunnel(plan, proxy));
    Terms::new(tls, &plan.target.host, tunnel.transpose()?).map(Some)
}

fn calls_per_connection(plan: &Plan) -> u32 {
    let limit = plan.calls_per_connection.unwrap_or(u32::MAX);
    if plan.keep_alive { limit } else { 1 }
}

/// Nanoseconds of a time that was checked to be in range.
fn nanos(seconds: f64) -> Nanos {
    (seconds * 1e9).round() as Nanos
}

fn rule(request: &Request) -> Result<Rule, String> {
    let expect = &request.expect;
    let body = match &expect.body {
        _ if request.method == "HEAD" => Wanted::Any,
        None | Some(Answer::Same(false)) => Wanted::Any,
        Some(Answer::Same(true)) => Wanted::Same,
        Some(Answer::Length(length)) => Wanted::Length(*length),
        Some(Answer::Text(text)) => Wanted::Exact(Arc::from(text.as_bytes())),
        Some(Answer::Base64(text)) => Wanted::Exact(decode(text)?.into()),
        Some(Answer::File(path)) => Wanted::Exact(read(path)?.into()),
    };
    Ok(Rule {
        statuses: expect.status.clone().unwrap_or_default(),
        body,
        every: expect.check_every.max(1),
    })
}
