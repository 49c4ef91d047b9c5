//! The driver of a run: the one that its plan names, or the best one that works on this machine.

use driver::Availability;

use crate::error::{EngineError, Kind};
use crate::plan::{DriverChoice, Http, Plan};

/// The driver that `auto` selects on this machine, the reason, and which drivers are available.
pub fn probe() -> (DriverChoice, String, Availability) {
    let availability = driver::probe();
    let (driver, reason) = match &availability.uring {
        None => (DriverChoice::IoUring, "io_uring is available".to_owned()),
        Some(why) => (
            DriverChoice::Epoll,
            format!("io_uring is unavailable: {why}"),
        ),
    };
    (driver, reason, availability)
}

/// The driver of a plan, and the reason.
pub fn choose(plan: &Plan) -> Result<(DriverChoice, String), EngineError> {
    let (best, reason, availability) = probe();
    let (wanted, why) = match plan.driver {
        DriverChoice::Auto if plan.kernel_timestamps => (
            DriverChoice::Epoll,
            "kernel timestamps were requested, and io_uring receives without them",
        ),
        DriverChoice::Auto if plan.http == Http::V3 => {
            (DriverChoice::Epoll, "HTTP/3 sends over UDP, with epoll")
        }
        requested => (requested, "requested"),
    };
    let missing = match wanted {
        DriverChoice::Auto => return Ok((best, reason)),
        DriverChoice::IoUring => availability.uring,
        DriverChoice::Epoll => availability.epoll,
    };
    match missing {
        None => Ok((wanted, why.into())),
        Some(why) => Err(EngineError::new(
            Kind::Environment,
            format!("the requested driver is unavailable: {why}"),
        )
        .hint("use `--driver auto`, which selects one that is available")),
    }
}
