//! The driver that a run takes: the one its plan asks for, or the best that works here.

use driver::Availability;

use crate::error::{EngineError, Kind};
use crate::plan::{DriverChoice, Plan};

/// The driver that `auto` takes here, and why.
pub fn probe() -> (DriverChoice, String, Availability) {
    let availability = driver::probe();
    let (driver, reason) = match &availability.uring {
        None => (DriverChoice::IoUring, "io_uring works here".to_owned()),
        Some(why) => (
            DriverChoice::Epoll,
            format!("io_uring does not work here: {why}"),
        ),
    };
    (driver, reason, availability)
}

/// The driver of a plan, and why that one.
pub fn choose(plan: &Plan) -> Result<(DriverChoice, String), EngineError> {
    let (best, reason, availability) = probe();
    let (wanted, why) = match plan.driver {
        DriverChoice::Auto if plan.kernel_timestamps => (
            DriverChoice::Epoll,
            "kernel timestamps were asked for, and io_uring receives without them",
        ),
        asked => (asked, "asked for"),
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
            format!("the driver asked for does not work here: {why}"),
        )
        .hint("leave the driver to be chosen, or ask for the other: `--driver auto`")),
    }
}
