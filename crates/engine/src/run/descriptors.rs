//! The open files that a run needs: raises the limit and grows the kernel's table.

use driver::{make_room_for_descriptors, raise_descriptor_limit};

use crate::error::{EngineError, Kind};
use crate::plan::compiled::CompiledPlan;

/// Descriptors that a run needs in addition to its connections.
const SPARE_DESCRIPTORS: u64 = 64;
/// Most sessions that are open at once if the plan sets no limit.
const MOST_SESSIONS: u64 = 1 << 20;
/// Most descriptors that the kernel's table is grown for before the run.
const MOST_ROOM: u64 = 1 << 17;

/// The number of connections that may be open at once; raises the limit of open files as far as needed.
pub fn connections(plan: &CompiledPlan) -> Result<u32, EngineError> {
    let wanted = plan.load.connections();
    // In HTTP/2, a connection that ends its streams may be open beside its successor.
    let each = if plan.http2.is_some() { 2 } else { 1 };
    let needed =
        wanted.map_or(MOST_SESSIONS, |wanted| each * u64::from(wanted)) + SPARE_DESCRIPTORS;
    let allowed = raise_descriptor_limit(needed)
        .map_err(|e| EngineError::environment("the limit of open files cannot be raised", &e))?;
    make_room_for_descriptors(needed.min(MOST_ROOM));
    match wanted {
        Some(wanted) if allowed < needed => Err(EngineError::new(
            Kind::Environment,
            format!("`{wanted}` connections need {needed} open files, and this process may have {allowed}"),
        )
        .hint("raise the limit (`ulimit -n`, as root or in limits.conf), or ask for fewer connections")),
        Some(wanted) => Ok(wanted),
        None => Ok((allowed - SPARE_DESCRIPTORS.min(allowed / 2)) as u32),
    }
}
