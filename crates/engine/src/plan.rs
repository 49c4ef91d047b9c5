//! The plan of a run, as its caller writes it (JSON). `docs/reference/measurement.md` explains each field.

pub mod check;
pub mod compiled;
pub mod cookies;
pub mod data;
mod encode;
pub mod endpoints;
pub mod expected;
mod http;
pub mod http2;
pub mod keep;
pub mod load;
pub mod one_call;
pub mod part;
pub mod placeholders;
pub mod records;
pub mod rotation;
pub mod scripts;
pub mod sessions;
pub mod template;
mod waits;

use std::path::PathBuf;

use secure::Tls;
use serde::{Deserialize, Serialize};

use crate::plan::data::DataFile;
pub use crate::plan::http::Http;
pub use crate::plan::http2::Http2Settings;
use crate::plan::keep::Keep;
pub use crate::plan::load::Load;
use crate::plan::part::Part;
use crate::plan::records::{CallLogLimit, TraceParts};
use crate::plan::sessions::ScriptStep;

/// Most engine threads.
pub const MOST_THREADS: u32 = 1024;

/// Everything that a run needs to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags of a document, each independent of the others"
)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub target: Target,
    #[serde(default)]
    pub http: Http,
    /// The settings of HTTP/2 and HTTP/3; null: the defaults.
    #[serde(default)]
    pub http2: Option<Http2Settings>,
    #[serde(default = "yes")]
    pub keep_alive: bool,
    pub requests: Vec<Request>,
    /// The files whose values the placeholders `{NAME.COLUMN}` stand for.
    #[serde(default)]
    pub data: Vec<DataFile>,
    pub load: Load,
    /// The scripts of sessions: the nth follows script n modulo their number; null: `calls` of the load, in bursts.
    #[serde(default)]
    pub scripts: Option<Vec<Vec<ScriptStep>>>,
    /// Calls on one connection before the client closes it; null: no limit.
    #[serde(default)]
    pub calls_per_connection: Option<u32>,
    /// Calls that are pipelined: sent together, without waiting for the replies in between.
    #[serde(default = "one")]
    pub burst: u32,
    /// Seconds between the last reply of a burst and the next burst.
    #[serde(default)]
    pub think_s: f64,
    #[serde(default)]
    pub timeouts: Timeouts,
    #[serde(default)]
    pub warm_up_s: f64,
    pub stop: Stop,
    #[serde(default)]
    pub driver: DriverChoice,
    #[serde(default = "one")]
    pub threads: u32,
    /// CPUs to pin the threads to, one each.
    #[serde(default)]
    pub cpus: Option<Vec<usize>>,
    #[serde(default)]
    pub source: Source,
    /// Connect once before the run, to prove that the server can be reached; false: the first connections of the run
    /// find out.
    #[serde(default = "yes")]
    pub preflight: bool,
    /// The proxy that connections go through; null: none.
    #[serde(default)]
    pub proxy: Option<Proxy>,
    #[serde(default)]
    pub seed: u64,
    /// Busy-wait instead of sleeping: less lag, a whole core per thread.
    #[serde(default)]
    pub spin: bool,
    /// Keep the processors out of deep idle states, and give the engine's threads real-time priority, where this
    /// machine allows it.
    #[serde(default)]
    pub low_latency: bool,
    /// The server also runs on the processors of `cpus`.
    #[serde(default)]
    pub shared_cpus: bool,
    /// Also time the calls by the timestamps of the kernel.
    #[serde(default)]
    pub kernel_timestamps: bool,
    /// Also summarise the window over time, in bins.
    #[serde(default)]
    pub over_time: bool,
    /// Keep so many of the slowest measured calls.
    #[serde(default)]
    pub slowest: u32,
    /// Record each measured call; null: no.
    #[serde(default)]
    pub call_log: Option<CallLogLimit>,
    /// Keep the bytes of requests and replies; null: no.
    #[serde(default)]
    pub trace: Option<TraceParts>,
    /// The part of this plan that the run carries out; null: all of it. `threads`, `cpus` and `source` are those of its
    /// machine, everything else is that of the whole.
    #[serde(default)]
    pub part: Option<Part>,
}

impl Plan {
    /// The reason why the engine's threads must leave processor time to others, if there is one: then they get no
    /// real-time priority and do not poll.
    pub fn needs_to_yield(&self) -> Option<&'static str> {
        if self.spin {
            Some("not with spinning, which would leave the processor to nothing else")
        } else if !self.load.is_open() {
            Some("not for a closed load, which takes all the processor time that it gets")
        } else if self.shared_cpus {
            Some("not on processors of the server, which would answer fewer requests")
        } else {
            None
        }
    }
}

/// The address of the server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    pub host: String,
    #[serde(default = "http_port")]
    pub port: u16,
    /// A Unix socket to connect to; host and port are then only sent in the `Host` header.
    #[serde(default)]
    pub unix: Option<PathBuf>,
    /// The TLS settings; null: no TLS.
    #[serde(default)]
    pub tls: Option<Tls>,
}

/// An HTTP proxy. Requests to a server without TLS are sent to the proxy itself; with TLS, each connection is tunnelled
/// through it (CONNECT).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proxy {
    pub host: String,
    pub port: u16,
    /// The value of `Proxy-Authorization`.
    #[serde(default)]
    pub authorization: Option<String>,
}

/// One request of the rotation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The endpoint that its results are counted for; null: the method, and the path without the query.
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default = "get")]
    pub method: String,
    pub path: String,
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    #[serde(default)]
    pub body: Option<Body>,
    /// The whole request as bytes, which are sent as they are; `method` says if the reply has a body, and `path` is only
    /// a name. Null: encoded from the other fields.
    #[serde(default)]
    pub raw: Option<Body>,
    /// The path, the values of headers and a body of text have placeholders.
    #[serde(default)]
    pub placeholders: bool,
    /// A unary gRPC call: its right reply has the status OK and one message.
    #[serde(default)]
    pub grpc: bool,
    /// Values of its replies that later calls of the session send.
    #[serde(default)]
    pub keep: Vec<Keep>,
    /// The frequency of the request, relative to the others.
    #[serde(default = "one")]
    pub weight: u32,
    #[serde(default)]
    pub expect: Expect,
}

/// The body of a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    Text(String),
    Base64(String),
    File(PathBuf),
}

/// The reply that counts as right.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Expected statuses; null: any 2xx or 3xx.
    #[serde(default)]
    pub status: Option<Vec<u16>>,
    /// Wrong statuses: any other is right. Null: `status` decides.
    #[serde(default)]
    pub wrong_status: Option<Vec<u16>>,
    #[serde(default)]
    pub body: Option<Answer>,
    /// Check the body of one reply in so many, drawn by the seed. The length of a body that is not decoded, if it is
    /// known, is checked for each.
    #[serde(default = "one")]
    pub check_one_in: u32,
    /// Decode the body before it is checked; null: check it as it came.
    #[serde(default)]
    pub decode: Option<Decode>,
}

/// The decoding of a reply's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decode {
    /// By its Content-Encoding: gzip, deflate or none. A body that cannot be decoded is wrong.
    Gzip,
}

/// The body that counts as right.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Text(String),
    Base64(String),
    File(PathBuf),
    Length(u64),
    /// True: the same bytes as the first reply to this request.
    Same(bool),
    /// True: any body. Those unlike the first right reply to this request are counted.
    Like(bool),
    /// Equal to this JSON text, or like it where it has wildcards: the text of an example.
    Json(String),
    /// Equal to this text as HTML.
    Html(String),
    /// Matched by this regular expression anywhere.
    Regex(String),
}

/// Timeouts in seconds; null: none.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeouts {
    #[serde(default)]
    pub connect_s: Option<f64>,
    #[serde(default)]
    pub first_byte_s: Option<f64>,
    #[serde(default)]
    pub reply_s: Option<f64>,
    /// Longest time without progress: while connecting, while sending and, without `first_byte_s`, until the reply
    /// begins, and between its bytes.
    #[serde(default)]
    pub idle_s: Option<f64>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect_s: Some(5.0),
            first_byte_s: None,
            reply_s: Some(30.0),
            idle_s: None,
        }
    }
}

/// The end of a run: after a number of measured arrivals, after a time, or whichever comes first.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Number of calls; of sessions for the `sessions` load.
    #[serde(default)]
    pub count: Option<u64>,
    #[serde(default)]
    pub duration_s: Option<f64>,
    /// Seconds to wait for replies after the end of the window.
    #[serde(default = "five")]
    pub drain_s: f64,
    /// Stop earlier, once a percentile is known precisely enough.
    #[serde(default)]
    pub until: Option<Until>,
}

/// The precision of a response time percentile at which a run stops.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// The percentile, as a share between 0 and 1.
    pub quantile: f64,
    /// Half the width of its 95 % interval, as a share of its value.
    pub within: f64,
}

/// The driver: how the engine talks to the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriverChoice {
    #[default]
    Auto,
    IoUring,
    Epoll,
}

/// The local side of the connections.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Local addresses, used in turn.
    #[serde(default)]
    pub addresses: Vec<std::net::IpAddr>,
    /// First and last local port, used in turn; null: the kernel chooses.
    #[serde(default)]
    pub ports: Option<(u16, u16)>,
    /// Close connections with a reset, which leaves no port in `TIME_WAIT`.
    #[serde(default)]
    pub close_with_reset: bool,
    /// Size of the kernel's send buffer of each connection; null: the kernel chooses.
    #[serde(default)]
    pub send_buffer_bytes: Option<u32>,
    /// Size of the kernel's receive buffer of each connection; null: the kernel chooses.
    #[serde(default)]
    pub receive_buffer_bytes: Option<u32>,
}

fn yes() -> bool {
    true
}

fn one() -> u32 {
    1
}

fn five() -> f64 {
    5.0
}

fn http_port() -> u16 {
    80
}

fn get() -> String {
    "GET".into()
}
