//! TLS between the engine and the operating system: [`Secure`] is a driver over any other driver.
//!
//! ```text
//! Connecting ─► Tunnel (only through a proxy: CONNECT and its answer) ─► handshake ─► open
//! ```
//! - [`TlsSettings`] are made once per run: certificates, versions, the name to verify.
//! - Each driver has its own session store, so that threads share nothing.
//! - Without TLS the engine uses the plain driver.

#![forbid(unsafe_code)]

mod driver;
mod handshake;
mod session;
mod settings;
mod trust;
mod tunnel;

pub use driver::Secure;
pub use handshake::{HandshakeError, try_handshake};
pub use session::alert_name;
pub use settings::{Tls, TlsSettings, TlsVersion};
