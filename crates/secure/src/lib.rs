//! TLS between the engine and the operating system: [`Secure`] is a driver over any other driver.
//!
//! ```text
//! Connecting ─► Tunnel (only through a proxy: CONNECT and its answer) ─► handshake ─► open
//! ```
//! - [`Terms`] are made once a run: certificates read, versions chosen, the name to be proved.
//! - Each driver has a session store of its own, so that threads share nothing while they work.
//! - A connection without TLS never comes here: the engine takes the plain driver then.

#![forbid(unsafe_code)]

mod driver;
mod knock;
mod session;
mod terms;
mod trust;
mod tunnel;

pub use driver::Secure;
pub use knock::{Refusal, knock};
pub use terms::{Terms, Tls, TlsVersion};
