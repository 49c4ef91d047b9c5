//! The load engine: plan → run → load → connection → measurement.
//!
//! A [`Plan`] describes a run. [`start`] checks it and returns a [`Run`], which reports its progress while its threads
//! send the load. The [`Measurement`] at its end counts every call and says how long it took.
//!
//! | room | holds |
//! | --- | --- |
//! | `plan` | the plan as its caller writes it, its checks, the compiled plan |
//! | `run` | start, threads, workers, progress |
//! | `load` | the load shapes: which connection sends what, and when |
//! | `connection` | the connections of one thread, their timers, the checks of replies |
//! | `whole` | the results of several machines as bytes, merged into one measurement |
//! | `measurement` | counters, histograms, validity tests, the result as JSON |

mod connection;
mod error;
mod load;
mod measurement;
mod plan;
mod run;
mod whole;

pub use error::{EngineError, Kind};
pub use measurement::Measurement;
pub use measurement::records::call_log::RECORD_BYTES;
pub use measurement::validity::Validity;
pub use plan::compiled::CompiledPlan;
pub use plan::data::columns_of;
pub use plan::one_call::{body_fault, request_bytes};
pub use plan::part::Part;
pub use plan::placeholders::{found_in as placeholders_in, literal, own_names};
pub use plan::sessions::{OnClose, OnWrong, ScriptStep, SessionsLoad};
pub use plan::{
    Answer, Body, DriverChoice, Expect, Http, Load, Plan, Proxy, Request, Source, Stop, Target,
    Timeouts, Until,
};
pub use run::driver_choice::probe;
pub use run::handle::Run;
pub use run::progress::{Phase, Progress};
pub use run::{start, start_at};
pub use secure::{Tls, TlsVersion};
pub use tally::{hgrm, quantiles};
pub use whole::merge;

/// Runs in virtual time against a simulated server, to test schedules and timeouts exactly.
pub mod simulation {
    pub use crate::measurement::counters::Counters;
    pub use crate::run::worker::simulate;
    pub use crate::whole::{simulated, with_counters};
}
