//! The load engine: plan → run → load → connection → measurement.
//!
//! A [`Plan`] says what to do; [`start`] checks it, starts one thread a share of the load, and gives a [`Run`] to watch;
//! its [`Measurement`] says where every call went and how long it took.
//!
//! | room | holds |
//! | --- | --- |
//! | `plan` | the plan as its caller writes it, checked and compiled |
//! | `run` | start, threads, workers, progress |
//! | `load` | the load shapes: when which connection begins what |
//! | `connection` | one thread's connections, their timers, the checks of replies |
//! | `measurement` | counters, histograms, the tests of validity, the JSON that goes out |

mod connection;
mod error;
mod load;
mod measurement;
mod plan;
mod run;

pub use error::{EngineError, Kind};
pub use measurement::Measurement;
pub use measurement::validity::Validity;
pub use plan::compiled::CompiledPlan;
pub use plan::{
    Answer, Body, DriverChoice, Expect, Http, Load, Plan, Proxy, Request, Source, Stop, Target,
    Timeouts, Until,
};
pub use run::driver_choice::probe;
pub use run::handle::Run;
pub use run::progress::{Phase, Progress};
pub use run::start;
pub use secure::{Tls, TlsVersion};
pub use tally::{hgrm, quantiles};

/// Runs in virtual time against a simulated server: what schedules and timeouts are proved with.
pub mod simulation {
    pub use crate::measurement::counters::Counters;
    pub use crate::run::worker::simulate;
}
