//! The records of single calls that a plan may ask for.

use serde::{Deserialize, Serialize};

use crate::plan;

/// Most of the slowest calls that a run keeps.
pub const MOST_SLOWEST: u32 = 100;

/// The call log: one record for each measured call.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallLogLimit {
    /// Most calls that are recorded.
    #[serde(default = "ten_million")]
    pub most: u64,
}

impl CallLogLimit {
    /// The share of one machine of several.
    pub fn share(self, part: plan::part::Part) -> Self {
        let most = self.most.div_ceil(part.of.into());
        Self { most }
    }
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

impl TraceParts {
    /// The share of one machine of several.
    pub fn share(self, part: plan::part::Part) -> Self {
        let most_bytes = self.most_bytes.div_ceil(part.of.into());
        Self { most_bytes, ..self }
    }
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
