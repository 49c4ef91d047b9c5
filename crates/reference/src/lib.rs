//! The reference server: serves pages from memory at full speed, one thread per core, over HTTP/1.x and over HTTP/2 in clear
//! text. On request it delays, stalls and breaks replies in known ways. A load generator is calibrated against its
//! throughput, and the delays that it really held are the ground truth of accuracy tests.
//!
//! A plain request costs one `recv`, one parse, one lookup and one `send`, because whole replies are built at
//! startup. There is no `Date` header, so equal requests get equal bytes. A query turns on a page's [behaviour], for
//! example `/pong?delay=exponential:10ms` or `/pong?fault=truncate:20&share=0.1`. Without `?` no query is parsed.
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
