//! The records of single calls that a plan may ask for.

use serde::{Deserialize, Serialize};

/// The call log: one record for each measured call.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallLogLimit {
    /// Most calls that are recorded.
    #[serde(default = "ten_million")]
    pub most: u64,
}

/// The trace: the bytes of requests and replies.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceParts {
    #[serde(default)]
    pub requests: Option<Part>,
    #[serde(default)]
    pub replies: Option<Part>,
    /// Most bytes that are kept.
    #[serde(default = "sixteen_mebibytes")]
    pub most_bytes: u64,
}

/// The part of each request, or of each reply, that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    Head,
    Body,
    Whole,
}

fn ten_million() -> u64 {
    10_000_000
}

fn sixteen_mebibytes() -> u64 {
    16 << 20
}
