//! The settings of HTTP/2 and HTTP/3 in a plan, what they do not go with, and the requests prepared for them.

use quic::QuicSettings;
use secure::TlsVersion;
use serde::{Deserialize, Serialize};
use wire::StreamClient;
use wire::h2::{Options, Prepared};

use crate::plan::encode::{parts, prepare};
use crate::plan::placeholders::escape::Place;
use crate::plan::sessions::OnClose;
use crate::plan::template::of_streams::StreamTemplate;
use crate::plan::template::sent::SentValue;
use crate::plan::{DriverChoice, Http, Plan, Request};

/// Most streams at once on a connection.
const MOST_STREAMS: u32 = 10_000;
/// Most bytes of a table for header fields.
const MOST_TABLE: u32 = 65_536;
/// Largest window, and the smallest one of a connection (RFC 9113 §6.9).
const MOST_WINDOW: u32 = (1 << 31) - 1;
const LEAST_CONNECTION_WINDOW: u32 = 65_535;
/// Sizes of frames that may be set (RFC 9113 §6.5.2).
const FRAMES: (u32, u32) = (1 << 14, (1 << 24) - 1);

/// The windows of HTTP/3 if the plan sets none: what comes out of order is kept, so they also bound memory.
const QUIC_WINDOW: u32 = 16 << 20;

/// The settings of HTTP/2, of which HTTP/3 has some. `docs/reference/measurement.md` explains each field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Http2Settings {
    /// Calls at once on a connection.
    pub streams: u32,
    /// Bytes that the server may send on a stream before the engine asks for more.
    pub window: u32,
    /// The same for a connection.
    pub connection_window: u32,
    /// Bytes of the table for the header fields of replies.
    pub header_table: u32,
    /// Bytes of the table for the header fields of requests; 0: none, so that equal requests are equal bytes.
    pub encoder_table: u32,
    /// Most bytes of a frame's payload that the server may send.
    pub max_frame: u32,
    /// Send a call again, once, if the server says that it has not processed it.
    pub resend_refused: bool,
}

impl Default for Http2Settings {
    /// Windows so large that they never hold back a server.
    fn default() -> Self {
        Self {
            streams: 1,
            window: MOST_WINDOW / 2,
            connection_window: MOST_WINDOW / 2,
            header_table: 4096,
            encoder_table: 0,
            max_frame: FRAMES.0,
            resend_refused: false,
        }
    }
}

impl Http2Settings {
    fn faults(&self) -> Vec<String> {
        let bounds = [
            ("streams", self.streams, 1, MOST_STREAMS),
            ("window", self.window, 1, MOST_WINDOW),
            (
                "connection window",
                self.connection_window,
                LEAST_CONNECTION_WINDOW,
                MOST_WINDOW,
            ),
            ("header table", self.header_table, 0, MOST_TABLE),
            ("encoder table", self.encoder_table, 0, MOST_TABLE),
            ("frame size", self.max_frame, FRAMES.0, FRAMES.1),
        ];
        let outside = bounds
            .into_iter()
            .filter(|(_, value, least, most)| !(least..=most).contains(&value));
        let fault = |(name, value, least, most): (&str, u32, u32, u32)| {
            format!("{name} of HTTP/2 `{value}`: expected {least} to {most}")
        };
        outside.map(fault).collect()
    }

    fn options(&self) -> Options {
        Options {
            streams: self.streams,
            header_table: self.header_table,
            max_frame: self.max_frame,
            window: self.window,
            connection_window: self.connection_window,
            keeps_fields: true,
        }
    }
}

/// The faults of a plan's HTTP/2: settings out of bounds, and what cannot be sent on streams.
pub fn http2_faults(plan: &Plan) -> Vec<String> {
    let mut faults = version_faults(plan);
    if plan.http.has_streams() {
        let settings = plan.http2.unwrap_or_default();
        faults.extend(settings.faults());
        if plan.http == Http::V3 {
            faults.extend(http3_faults(plan, &settings));
        }
        faults.extend(stream_faults(plan, &settings));
    }
    faults
}

/// The faults of a plan whose parts are of another version.
fn version_faults(plan: &Plan) -> Vec<String> {
    let has_grpc = plan.requests.iter().any(|request| request.grpc);
    let needs = [
        (
            plan.http2.is_some() && !plan.http.has_streams(),
            "settings of HTTP/2",
        ),
        (has_grpc && plan.http != Http::V2, "requests of gRPC"),
    ];
    let fault = |what| format!("{what} with another version: expected `http` to be `2`");
    let found = needs.into_iter().filter(|(holds, _)| *holds);
    found.map(|(_, what)| fault(what)).collect()
}

/// The parts of a plan that cannot be sent on streams.
fn stream_faults(plan: &Plan, settings: &Http2Settings) -> Vec<String> {
    let any = |holds: fn(&Request) -> bool| plan.requests.iter().any(holds);
    let has_cookies = plan.load.sessions().is_some_and(|load| load.cookies);
    let varies = has_cookies || any(|request| request.placeholders);
    let refused = [
        (
            plan.burst > 1 && plan.load.sessions().is_none(),
            "pipelining: its calls at once are streams",
        ),
        (
            any(|request| request.raw.is_some()),
            "requests of raw bytes",
        ),
        (
            plan.proxy.is_some() && plan.target.tls.is_none() && plan.http == Http::V2,
            "a proxy without TLS",
        ),
        (
            !plan.keep_alive && settings.streams > 1,
            "one call a connection and several streams",
        ),
        (
            plan.trace.is_some() && varies,
            "a trace of requests that vary",
        ),
        (plan.kernel_timestamps, "kernel timestamps"),
    ];
    let of_sessions = plan.load.sessions().map_or([false; 3], |load| {
        [
            load.most_connections > 1,
            load.most_pipelined.is_some(),
            load.on_close != OnClose::Reconnect || load.ignore_close,
        ]
    });
    let of_sessions = of_sessions.into_iter().zip([
        "several connections for a session",
        "a limit of pipelined calls",
        "an answer to closed connections of its own",
    ]);
    let refused = refused
        .into_iter()
        .chain(of_sessions)
        .filter(|(holds, _)| *holds);
    let name = plan.http.name();
    let fault = |(_, what)| format!("{name} does not go with {what}");
    refused.map(fault).collect()
}

/// The faults of a plan of HTTP/3 that would be none over HTTP/2.
fn http3_faults(plan: &Plan, settings: &Http2Settings) -> Vec<String> {
    let usual = Http2Settings::default();
    let tls = plan.target.tls.as_ref();
    let refused = [
        (
            tls.is_none(),
            "a target without TLS (expected an https:// URL)",
        ),
        (
            tls.is_some_and(|tls| tls.max_version == TlsVersion::V12),
            "TLS 1.2: QUIC has TLS 1.3",
        ),
        (plan.target.unix.is_some(), "a Unix socket"),
        (plan.proxy.is_some(), "a proxy"),
        (
            plan.driver == DriverChoice::IoUring,
            "the driver `io_uring`: it sends over UDP with epoll",
        ),
        (
            plan.source.close_with_reset,
            "connections that are closed with a reset",
        ),
        (
            settings.header_table != usual.header_table
                || settings.encoder_table != usual.encoder_table,
            "a header table: it compresses header fields with the static table alone",
        ),
        (
            settings.max_frame != usual.max_frame,
            "a size of frames: QUIC divides what it carries",
        ),
    ];
    let refused = refused.into_iter().filter(|(holds, _)| *holds);
    let fault = |(_, what)| format!("HTTP/3 does not go with {what}");
    refused.map(fault).collect()
}

/// The streams of the connections of a plan; 1 for HTTP/1, where a connection carries one burst at a time.
pub fn streams(plan: &Plan) -> u32 {
    if plan.http.has_streams() {
        plan.http2.unwrap_or_default().streams
    } else {
        1
    }
}

/// A plan's HTTP/2 or HTTP/3, compiled.
#[derive(Debug)]
pub struct Http2 {
    pub version: Http,
    pub streams: u32,
    pub options: Options,
    pub encoder_table: u32,
    pub resend_refused: bool,
    pub requests: Vec<StreamRequest>,
}

/// A request, as streams carry it.
#[derive(Debug)]
pub enum StreamRequest {
    /// Its head and its body, the same for each call.
    Fixed(Prepared, Vec<u8>),
    Written(Box<StreamTemplate>),
}

impl Http2 {
    /// The HTTP/2 or HTTP/3 of a plan with these requests; `None` if it is of HTTP/1.
    pub fn new(plan: &Plan, requests: Vec<StreamRequest>) -> Option<Self> {
        let settings = plan.http2.unwrap_or_default();
        plan.http.has_streams().then(|| Self {
            version: plan.http,
            streams: settings.streams,
            options: settings.options(),
            encoder_table: settings.encoder_table,
            resend_refused: settings.resend_refused,
            requests,
        })
    }
}

impl Http2 {
    /// A client of a connection.
    pub fn client(&self) -> StreamClient {
        match self.version {
            Http::V3 => StreamClient::http3(self.options),
            _ => StreamClient::http2(self.options, self.encoder_table),
        }
    }

    /// The settings of QUIC; `None`: the version is another one.
    pub fn quic(&self) -> Option<QuicSettings> {
        let window = |planned: u32| {
            if planned == Http2Settings::default().window {
                QUIC_WINDOW
            } else {
                planned
            }
        };
        (self.version == Http::V3).then(|| QuicSettings {
            streams: self.streams,
            window: window(self.options.window),
            connection_window: window(self.options.connection_window),
            seed: None,
        })
    }
}

impl StreamRequest {
    /// Compiles the request with this index in the plan. `names`: those that placeholders may have.
    ///
    /// # Errors
    /// All faults of the request.
    pub fn new(
        plan: &Plan,
        names: &[String],
        index: u32,
        request: &Request,
    ) -> Result<Self, Vec<String>> {
        if request.placeholders || plan.load.sessions().is_some_and(|load| load.cookies) {
            let template = StreamTemplate::new(plan, names, index, request)?;
            return Ok(Self::Written(Box::new(template)));
        }
        let one = |fault| vec![fault];
        let parts = parts(request).map_err(one)?;
        let prepared = prepare(plan, request, &parts).map_err(one)?;
        Ok(Self::Fixed(prepared, parts.body))
    }

    /// The names in the request, and the place of each.
    pub fn names(&self) -> Vec<(usize, Place)> {
        match self {
            Self::Fixed(..) => Vec::new(),
            Self::Written(template) => template.names().collect(),
        }
    }

    /// The values of placeholders with names of their own.
    pub fn own(&self) -> &[(String, SentValue)] {
        match self {
            Self::Fixed(..) => &[],
            Self::Written(template) => template.own(),
        }
    }

    /// The body of a call. `written`: what was written for it.
    #[inline]
    pub fn body<'a>(&'a self, written: &'a [u8]) -> &'a [u8] {
        match self {
            Self::Fixed(_, body) => body,
            Self::Written(template) => template.body(written),
        }
    }
}
