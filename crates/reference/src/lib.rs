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

mod address;
mod behaviour;
mod config;
mod duration;
mod error;
pub mod hostile;
mod random;
mod reply;
mod request;
mod server;

pub use address::Listen;
pub use behaviour::delay::Delay;
pub use behaviour::fault::Fault;
pub use behaviour::{Behaviour, Framing};
pub use config::{Config, MAX_THREADS, PlannedStall};
pub use duration::parse_duration;
pub use error::ReferenceError;
pub use reply::page::Page;
pub use server::Server;
