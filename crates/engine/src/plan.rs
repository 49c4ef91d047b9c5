//! What a run is to do, as its caller declares it (JSON, version 1). `docs/reference/measurement.md` explains each field.

mod check;
pub mod compiled;
mod encode;
pub mod expected;
pub mod rotation;

use std::path::PathBuf;

use pace::Arrivals;
use secure::Tls;
use serde::{Deserialize, Serialize};

/// The version of the plan's format that this engine reads.
pub const PLAN_VERSION: u32 = 1;

/// A whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags of a document, each independent of the others"
)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub version: u32,
    pub target: Target,
    #[serde(default)]
    pub http: Http,
    #[serde(default = "yes")]
    pub keep_alive: bool,
    pub requests: Vec<Request>,
    pub load: Load,
    /// Calls on one connection before the client closes it; null: as many as the server allows.
    #[serde(default)]
    pub calls_per_connection: Option<u32>,
    /// Calls sent together, without waiting for the replies in between.
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
    /// Processors to pin the threads to, one each.
    #[serde(default)]
    pub cpus: Option<Vec<usize>>,
    #[serde(default)]
    pub source: Source,
    /// Where connections go instead of to the server.
    #[serde(default)]
    pub proxy: Option<Proxy>,
    #[serde(default)]
    pub seed: u64,
    /// Never sleep: poll, for the least lag.
    #[serde(default)]
    pub spin: bool,
    /// Keep the processors out of deep idle states, and give the engine's threads real-time priority, where this
    /// machine allows it.
    #[serde(default)]
    pub low_latency: bool,
    /// The server runs on the processors of `cpus` too.
    #[serde(default)]
    pub shared_cpus: bool,
    /// Time the calls by the kernel's stamps too.
    #[serde(default)]
    pub kernel_timestamps: bool,
}

impl Plan {
    /// Why its threads must leave processor time to others, if so: then they neither go before them nor poll.
    pub fn needs_to_yield(&self) -> Option<&'static str> {
        if self.spin {
            Some("not with spinning, which would leave the processor to nothing else")
        } else if matches!(self.load, Load::Closed { .. }) {
            Some("not for a closed load, which takes all the processor time that it gets")
        } else if self.shared_cpus {
            Some("not on processors of the server, which would answer fewer requests")
        } else {
            None
        }
    }
}

/// Where the server is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    pub host: String,
    #[serde(default = "http_port")]
    pub port: u16,
    /// A Unix socket to connect to instead; host and port then only name the server.
    #[serde(default)]
    pub unix: Option<PathBuf>,
    /// How to speak TLS with it; null: not at all.
    #[serde(default)]
    pub tls: Option<Tls>,
}

/// An HTTP proxy. It is asked for each request (a server without TLS), or once a connection for a way to the server
/// (CONNECT).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proxy {
    pub host: String,
    pub port: u16,
    /// The value of `Proxy-Authorization`.
    #[serde(default)]
    pub authorization: Option<String>,
}

/// The version of HTTP that requests are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Http {
    #[serde(rename = "1.0")]
    V10,
    #[default]
    #[serde(rename = "1.1")]
    V11,
}

/// One request of the rotation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    #[serde(default = "get")]
    pub method: String,
    pub path: String,
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    #[serde(default)]
    pub body: Option<Body>,
    /// How often it comes in the rotation, relative to the others.
    #[serde(default = "one")]
    pub weight: u32,
    #[serde(default)]
    pub expect: Expect,
}

/// Bytes, wherever they are.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    Text(String),
    Base64(String),
    File(PathBuf),
}

/// What a right reply is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Right statuses; null: any 2xx or 3xx.
    #[serde(default)]
    pub status: Option<Vec<u16>>,
    #[serde(default)]
    pub body: Option<Answer>,
    /// The body is compared on every n-th call of a thread; its length, where known, on each.
    #[serde(default = "one")]
    pub check_every: u32,
}

/// What a right body is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Text(String),
    Base64(String),
    File(PathBuf),
    Length(u64),
    /// The same bytes as the first reply to this request.
    Same(bool),
}

/// How hard.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Load {
    /// So many connections; each sends when it got its reply.
    Closed { connections: u32 },
    /// Requests fall due at a rate and go out on a pool of at most so many connections.
    Requests {
        arrivals: Arrivals,
        connections: u32,
    },
    /// Sessions arrive at a rate, each a connection with so many calls.
    Sessions {
        arrivals: Arrivals,
        calls: u32,
        #[serde(default)]
        max_open: Option<u32>,
    },
}

impl Load {
    /// The name of the load's kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Closed { .. } => "closed",
            Self::Requests { .. } => "requests",
            Self::Sessions { .. } => "sessions",
        }
    }
}

/// How long is too long, in seconds; null: for ever.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeouts {
    #[serde(default)]
    pub connect_s: Option<f64>,
    #[serde(default)]
    pub first_byte_s: Option<f64>,
    #[serde(default)]
    pub reply_s: Option<f64>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect_s: Some(5.0),
            first_byte_s: None,
            reply_s: Some(30.0),
        }
    }
}

/// When to stop: after so many measured arrivals, after so long, or whichever comes first.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Calls, or sessions for the `sessions` load.
    #[serde(default)]
    pub count: Option<u64>,
    #[serde(default)]
    pub duration_s: Option<f64>,
    /// Seconds to wait for replies after the last call was begun.
    #[serde(default = "five")]
    pub drain_s: f64,
    /// Stop earlier, once a percentile is known so well.
    #[serde(default)]
    pub until: Option<Until>,
}

/// How well a percentile of the response time is to be known.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// Which: between 0 and 1.
    pub quantile: f64,
    /// Half of its 95 % interval, as a share of it.
    pub within: f64,
}

/// Which driver to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriverChoice {
    #[default]
    Auto,
    IoUring,
    Epoll,
}

/// Where connections leave from.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Local addresses, used in turn.
    #[serde(default)]
    pub addresses: Vec<std::net::IpAddr>,
    /// First and last local port, used in turn; null: the kernel chooses.
    #[serde(default)]
    pub ports: Option<(u16, u16)>,
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
