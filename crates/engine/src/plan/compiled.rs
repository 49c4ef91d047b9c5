//! The compiled plan: checked, with requests encoded, files read and times in nanoseconds. All threads share it.

use std::sync::Arc;

use driver::Nanos;
use secure::TlsSettings;

use crate::error::{EngineError, Kind};
use crate::plan::check::Faults;
use crate::plan::cookies::CookiePlace;
use crate::plan::data::Data;
use crate::plan::data::once::Once;
use crate::plan::encode::{encode, name, tunnel};
use crate::plan::endpoints::Endpoints;
use crate::plan::expected::ExpectedReply;
use crate::plan::http2::{Http2, StreamRequest};
use crate::plan::keep::Keeping;
use crate::plan::part::Part;
use crate::plan::records::{CallLogLimit, TraceParts};
use crate::plan::rotation::Rotation;
use crate::plan::scripts::Scripts;
use crate::plan::sessions::{OnClose, OnWrong};
use crate::plan::template::Template;
use crate::plan::template::sent::Sent;
use crate::plan::waits::Waits;
use crate::plan::{Load, Plan, Until};

/// A plan that is ready to run.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags of a plan, each independent of the others"
)]
pub struct CompiledPlan {
    /// The part of the plan that is carried out: the load, the count and the limits below are those of the part.
    pub part: Part,
    pub load: Load,
    pub rotation: Rotation,
    /// The scripts of sessions; `None`: they are all alike.
    pub scripts: Option<Scripts>,
    /// For each request of HTTP/1, how it is written for each call; `None`: it is always the same bytes, those of the
    /// rotation.
    pub templates: Vec<Option<Box<Template>>>,
    pub has_placeholders: bool,
    pub data: Data,
    /// Rows that are used once, which end the run.
    pub once: Vec<Once>,
    /// For each request, where the cookies of its session go; `None`: sessions keep no cookies.
    pub cookies: Option<Vec<CookiePlace>>,
    /// `None`: sessions keep no values.
    pub keeping: Option<Keeping>,
    pub on_wrong: OnWrong,
    pub on_close: OnClose,
    pub ignore_close: bool,
    pub rules: Vec<ExpectedReply>,
    /// For each request, true if it is a HEAD, whose reply has no body.
    pub head_only: Vec<bool>,
    /// For each request, true if it is of gRPC; `None`: none is.
    pub grpc: Option<Arc<[bool]>>,
    /// `None`: all requests are of one.
    pub endpoints: Option<Endpoints>,
    /// For each request, its method and path, for messages.
    pub names: Vec<String>,
    pub burst: u32,
    pub calls_per_connection: u32,
    pub think: Nanos,
    pub connect_timeout: Option<Nanos>,
    pub first_byte_timeout: Option<Nanos>,
    pub reply_timeout: Option<Nanos>,
    pub idle_timeout: Option<Nanos>,
    pub waits: Waits,
    pub warm_up: Nanos,
    pub duration: Option<Nanos>,
    pub drain: Nanos,
    pub count: Option<u64>,
    pub until: Option<Until>,
    pub seed: u64,
    pub spin: bool,
    /// The threads are pinned to processors on which the server does not run.
    pub has_own_cpus: bool,
    /// Wake up before due times, and poll until they come.
    pub wakes_early: bool,
    pub kernel_timestamps: bool,
    pub slowest: u32,
    pub call_log: Option<CallLogLimit>,
    pub trace: Option<TraceParts>,
    /// The TLS settings; `None`: no TLS.
    pub tls: Option<TlsSettings>,
    /// `None`: the connections are of HTTP/1.
    pub http2: Option<Http2>,
}

impl CompiledPlan {
    /// Checks and compiles a plan.
    ///
    /// # Errors
    /// All faults of the plan in one message.
    pub fn new(plan: &Plan) -> Result<Self, EngineError> {
        let mut faults = Faults::default();
        faults.check(plan);
        let requests = Requests::new(plan, &mut faults);
        let tls = faults.keep(tls(plan)).flatten();
        faults.finish()?;
        let (scripts, rotation) =
            rotation(plan, &requests).map_err(|e| EngineError::new(Kind::Usage, e))?;
        let sessions = plan.load.sessions();
        let part = plan.part.unwrap_or(Part::WHOLE);
        let encoded = requests.encoded.iter();
        let cookies = || encoded.map(|bytes| CookiePlace::of(bytes)).collect();
        let timeouts = &plan.timeouts;
        let [first_byte_timeout, reply_timeout, idle_timeout] =
            [timeouts.first_byte_s, timeouts.reply_s, timeouts.idle_s].map(|s| s.map(nanos));
        Ok(Self {
            part,
            load: part.load(&plan.load),
            rotation,
            scripts,
            has_placeholders: plan.requests.iter().any(|request| request.placeholders),
            templates: requests.templates,
            keeping: requests.keeping,
            data: requests.data,
            once: requests.once,
            cookies: sessions.is_some_and(|load| load.cookies).then(cookies),
            on_wrong: sessions.map_or_else(OnWrong::default, |load| load.on_wrong),
            on_close: sessions.map_or_else(OnClose::default, |load| load.on_close),
            ignore_close: sessions.is_some_and(|load| load.ignore_close),
            rules: requests.rules,
            head_only: plan.requests.iter().map(|r| r.method == "HEAD").collect(),
            grpc: grpc(plan),
            endpoints: Endpoints::new(&plan.requests),
            names: plan.requests.iter().map(name).collect(),
            burst: plan.burst,
            calls_per_connection: calls_per_connection(plan),
            think: nanos(plan.think_s),
            connect_timeout: timeouts.connect_s.map(nanos),
            first_byte_timeout,
            reply_timeout,
            idle_timeout,
            waits: Waits::new(first_byte_timeout, reply_timeout, idle_timeout),
            warm_up: nanos(plan.warm_up_s),
            duration: plan.stop.duration_s.map(nanos),
            drain: nanos(plan.stop.drain_s),
            count: plan.stop.count.map(|count| part.share_of(count)),
            until: plan.stop.until,
            seed: plan.seed,
            spin: plan.spin,
            has_own_cpus: plan.cpus.is_some() && !plan.shared_cpus,
            wakes_early: plan.low_latency && plan.needs_to_yield().is_none(),
            kernel_timestamps: plan.kernel_timestamps,
            slowest: plan.slowest,
            call_log: plan.call_log.map(|log| log.share(part)),
            trace: plan.trace.map(|trace| trace.share(part)),
            tls,
            http2: requests.http2,
        })
    }

    /// True if a reply to this request has values for later calls of its session.
    pub fn keeps_values(&self, request: u32) -> bool {
        let keeping = self.keeping.as_ref();
        keeping.is_some_and(|keeping| !keeping.of[request as usize].is_empty())
    }

    /// The bursts that a connection carries at once: its streams in HTTP/2, one in HTTP/1.
    pub fn lanes(&self) -> u32 {
        self.http2.as_ref().map_or(1, |http2| http2.streams)
    }

    /// The lanes of a session: its connections, or the streams of its only one.
    pub fn session_lanes(&self) -> u32 {
        self.load.connections_each() * self.lanes()
    }

    /// The highest rate at which bursts or sessions of this part arrive; `None` without a schedule.
    pub fn arrivals_per_s(&self) -> Option<f64> {
        let whole = self.load.arrivals_per_s(self.burst)?;
        Some(whole / f64::from(self.part.of))
    }
}

/// The requests of a plan, compiled, and what they take values from. Lists are by request, but for `once`.
#[derive(Default)]
struct Requests {
    data: Data,
    once: Vec<Once>,
    encoded: Vec<Vec<u8>>,
    templates: Vec<Option<Box<Template>>>,
    rules: Vec<ExpectedReply>,
    keeping: Option<Keeping>,
    http2: Option<Http2>,
}

impl Requests {
    fn new(plan: &Plan, faults: &mut Faults) -> Self {
        let mut all = Self {
            keeping: faults.keep_all(Keeping::new(plan)).flatten(),
            ..Self::default()
        };
        let data = faults.keep_all(Data::read(plan, u64::MAX));
        let (no_data, room) = (Data::default(), Arc::default());
        // For each request, the indices of the names that it or its answer has.
        let mut used: Vec<Vec<usize>> = Vec::with_capacity(plan.requests.len());
        let known = data.as_ref().unwrap_or(&no_data);
        let mut streams = Vec::new();
        for (index, request) in (0..).zip(&plan.requests) {
            let (mut fixed, mut template, mut stream) = (Vec::new(), None, None);
            if data.is_none() && request.placeholders {
                // Its names are not known.
            } else if plan.http.has_streams() {
                let compiled = StreamRequest::new(plan, known.names(), index, request);
                stream = faults.keep_all(compiled);
            } else if !request.placeholders {
                fixed = faults.keep(encode(plan, request)).unwrap_or_default();
            } else {
                let compiled = Template::new(plan, known.names(), index, request);
                template = faults.keep_all(compiled);
            }
            let names = template.iter().flat_map(Template::names);
            let names = names.chain(stream.iter().flat_map(StreamRequest::names));
            let names: Vec<_> = names.collect();
            for (name, place) in &names {
                faults.keep(known.check(*name, *place));
            }
            let own = match &stream {
                Some(stream) => stream.own(),
                None => template.as_ref().map_or(&[][..], Template::own),
            };
            let sent = Sent::new(own, known.names(), known.names_of(request));
            let rule = faults.keep(ExpectedReply::new(request, &sent, &room));
            let names = names.into_iter().map(|(name, _)| name);
            let of_answer = rule.iter().flat_map(ExpectedReply::names);
            used.push(names.chain(of_answer).collect());
            streams.extend(stream);
            all.rules.extend(rule);
            all.encoded.push(fixed);
            all.templates.push(template.map(Box::new));
        }
        all.http2 = Http2::new(plan, streams);
        all.data = data.unwrap_or_default();
        if let Some(keeping) = &all.keeping {
            faults.add_all(keeping.order_faults(plan, &all.kept(&used)));
        }
        all.once = faults.keep(all.data.once(&used)).unwrap_or_default();
        all
    }

    /// Of these names, those of values that sessions keep.
    fn kept(&self, used: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let is_kept = |name: &usize| !self.data.has(*name);
        let kept = |names: &Vec<usize>| names.iter().copied().filter(is_kept).collect();
        used.iter().map(kept).collect()
    }
}

/// The requests as bytes in the order in which they are sent, and the scripts over them. There must be enough rows for
/// the count of the plan.
fn rotation(plan: &Plan, all: &Requests) -> Result<(Option<Scripts>, Rotation), String> {
    let (scripts, rotation) = if let Some(scripts) = &plan.scripts {
        let (scripts, requests) = Scripts::new(scripts);
        (Some(scripts), Rotation::of(&all.encoded, requests)?)
    } else {
        let weights: Vec<u32> = plan.requests.iter().map(|r| r.weight).collect();
        (None, Rotation::new(&all.encoded, &weights, plan.burst)?)
    };
    if let Some(count) = plan.stop.count {
        all.once
            .iter()
            .try_for_each(|once| once.check(count, &rotation))?;
    }
    Ok((scripts, rotation))
}

/// Reads the TLS settings of the target and their files.
fn tls(plan: &Plan) -> Result<Option<TlsSettings>, String> {
    let Some(tls) = &plan.target.tls else {
        return Ok(None);
    };
    let tunnel = plan.proxy.as_ref().map(|proxy| tunnel(plan, proxy));
    let protocols = plan.http.protocols();
    TlsSettings::new(tls, &plan.target.host, protocols, tunnel.transpose()?).map(Some)
}

fn grpc(plan: &Plan) -> Option<Arc<[bool]>> {
    let of: Arc<[bool]> = plan.requests.iter().map(|request| request.grpc).collect();
    of.contains(&true).then_some(of)
}

fn calls_per_connection(plan: &Plan) -> u32 {
    let limit = plan.calls_per_connection.unwrap_or(u32::MAX);
    if plan.keep_alive { limit } else { 1 }
}

/// Converts a time that is within the checked range.
fn nanos(seconds: f64) -> Nanos {
    (seconds * 1e9).round() as Nanos
}
