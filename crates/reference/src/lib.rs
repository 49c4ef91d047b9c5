//! The reference server: HTTP/1.x pages from memory, as fast as one thread a core can send them, which on
//! request waits, stalls, lies and breaks in known ways. It is the ceiling a load generator is calibrated
//! against and the ground truth of its accuracy tests.
//!
//! A plain request costs one `recv`, one parse, one lookup and one `send`: whole replies are built once, at the
//! start. There is no `Date` header, so that equal requests get equal bytes. A query turns a page's [behaviour]
//! on, for example `/pong?delay=exponential:10ms` or `/pong?fault=truncate:20&share=0.1`; it is read only where
//! a `?` stands.
//!
//! [behaviour]: Behaviour

mod answer;
mod behaviour;
mod body;
mod config;
mod connection;
mod delay;
mod desk;
mod echo;
mod error;
mod fault;
pub mod hostile;
mod listener;
mod outbox;
mod page;
mod query;
mod reply;
mod request;
mod schedule;
mod server;
mod stall;
mod timers;
mod worker;

pub use behaviour::{Behaviour, Framing};
pub use config::{Config, Listen, PlannedStall, parse_duration};
pub use delay::Delay;
pub use error::ReferenceError;
pub use fault::Fault;
pub use page::Page;
pub use server::Server;

/// The generator all draws come from: one a thread, seeded from [`Config::seed`].
type Generator = rand_xoshiro::Xoshiro256PlusPlus;
