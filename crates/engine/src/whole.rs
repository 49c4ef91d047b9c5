//! A run on several machines: the whole result of each as bytes, and the measurement of all together.
//!
//! A measurement cannot be merged: the percentiles of two are not those of their calls. So each machine hands out its
//! counters and histograms, and these are merged as those of the threads of one machine are.

mod digest;
pub mod head;
mod merge;

use std::sync::Arc;

use tally::{Damaged, Packed, pack};

pub use merge::merge;

use crate::measurement::counters::Counters;
use crate::measurement::{Ended, Facts};
use crate::plan::endpoints::Endpoints;
use crate::plan::http2::streams;
use crate::plan::part::Part;
use crate::plan::{DriverChoice, Plan};
use crate::whole::digest::Digest;
use crate::whole::head::Head;

/// The first bytes: format and version.
const FORMAT: &[u8] = b"httpdyno-whole 1\n";
/// Most bytes that are read.
const MOST_BYTES: usize = 256 << 20;

/// Everything that a measurement is computed from.
#[derive(Clone, Debug)]
pub struct Whole {
    pub plan: Arc<Plan>,
    pub head: Head,
    pub counters: Counters,
}

impl Whole {
    /// The result as bytes, for [`merge`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = FORMAT.to_vec();
        self.head.pack(&mut bytes);
        Digest::of(&self.plan).pack(&mut bytes);
        self.counters.pack(&mut bytes);
        bytes
    }
}

/// The facts of a simulated run: one thread, and the plan as it is.
pub fn simulated(plan: &Plan) -> Facts {
    Facts {
        driver: DriverChoice::Epoll,
        reason: "simulated".into(),
        threads: 1,
        cpus: None,
        load: plan.load.clone(),
        http: plan.http,
        streams: streams(plan),
        endpoints: Endpoints::names_of(&plan.requests),
        burst: plan.burst,
        low_latency: None,
        over_time: plan.over_time,
        part: plan.part.unwrap_or(Part::WHOLE),
        all_parts: false,
    }
}

/// The result of a simulated run with these bytes as its counters, whatever they are.
pub fn with_counters(plan: &Plan, counters: &[u8]) -> Vec<u8> {
    let mut bytes = FORMAT.to_vec();
    Head::new(&simulated(plan), 0, Ended::Planned).pack(&mut bytes);
    Digest::of(plan).pack(&mut bytes);
    bytes.extend(counters);
    bytes
}

/// Reads a result: its head, the digest of its plan, and its counters, which no calculation stumbles over.
///
/// # Errors
/// The bytes are not those of a result, or of one that another version of the engine wrote.
fn read(bytes: &[u8]) -> Result<(Head, Digest, Counters), Damaged> {
    pack::expect(bytes.len() <= MOST_BYTES, "it is too large")?;
    let mut rest = bytes
        .strip_prefix(FORMAT)
        .ok_or(Damaged("it is no result of this engine"))?;
    let from = &mut rest;
    let head = Head::unpack(from)?;
    head.check()?;
    let digest = Digest::unpack(from)?;
    let counters = Counters::unpack(from)?;
    pack::expect(from.is_empty(), "bytes follow its end")?;
    let threads = counters.evidence().count();
    pack::expect(threads <= head.threads as usize, "it has too many threads")?;
    pack::expect(counters.is_sound(), "its times contradict each other")?;
    Ok((head, digest, counters))
}
