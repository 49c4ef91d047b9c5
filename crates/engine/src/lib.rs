//! The load engine: plan → order → run → worker → connection → measurement, in that order.
//!
//! A [`Plan`] says what to do; [`start`] checks it, starts one thread a share of the load, and gives a [`Run`] to watch;
//! its [`Measurement`] says where every call went and how long it took.

mod cycle;
mod encode;
mod error;
mod evidence;
mod expect;
mod kernel;
mod ledger;
mod load;
mod measurement;
mod offered;
mod order;
mod plan;
mod pool;
mod progress;
mod run;
mod slot;
mod target;
mod timers;
mod until;
mod usage;
mod validity;
mod window;
mod worker;

pub use error::{EngineError, Kind};
pub use measurement::Measurement;
pub use order::Order;
pub use plan::{
    Answer, Body, DriverChoice, Expect, Http, Load, Plan, Proxy, Request, Source, Stop, Target,
    Timeouts, Until,
};
pub use progress::{Phase, Progress};
pub use run::{Run, probe, start};
pub use secure::{Tls, TlsVersion};
pub use tally::{hgrm, quantiles};
pub use validity::Validity;

/// Runs in virtual time against a simulated server: what schedules and timeouts are proved with.
pub mod simulation {
    pub use crate::ledger::Ledger;
    pub use crate::worker::simulate;
}
