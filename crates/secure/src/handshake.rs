//! A handshake before a run: checks that the server is there and trusted.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use driver::{Clock, Driver, Epoll, Fault, Nanos, Route, What};

use crate::driver::Secure;
use crate::settings::TlsSettings;

/// Why a connection failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandshakeError {
    pub fault: Fault,
    /// The reason, for error messages.
    pub words: String,
}

impl From<Fault> for HandshakeError {
    fn from(fault: Fault) -> Self {
        Self {
            fault,
            words: fault.describe(),
        }
    }
}

impl From<io::Error> for HandshakeError {
    fn from(error: io::Error) -> Self {
        Fault::from(&error).into()
    }
}

/// Connects, completes the handshake and closes. Returns the protocol that the server chose (ALPN), if it did.
///
/// # Errors
/// The error of the operating system, the proxy or the server.
pub fn try_handshake(
    settings: &TlsSettings,
    route: &Route,
    timeout: Duration,
) -> Result<Option<Vec<u8>>, HandshakeError> {
    let nothing: Arc<[u8]> = Arc::from([]);
    let epoll = Epoll::new(Clock::start(), Arc::clone(&nothing))?;
    let mut driver = Secure::new(epoll, settings, nothing);
    driver.open(0, route)?;
    let until = driver.now() + timeout.as_nanos() as Nanos;
    let mut reached = false;
    while driver.now() < until {
        driver.wait(until)?;
        while let Some(event) = driver.next() {
            let fault = match event.what {
                What::Connected => return Ok(driver.protocol(0).map(<[u8]>::to_vec)),
                What::Ended | What::Cut => Fault::Reset,
                What::Failed(fault) => fault,
                What::Reached => {
                    reached = true;
                    continue;
                }
                What::Received | What::Sent => continue,
            };
            let words = driver
                .words()
                .map_or_else(|| fault.describe(), String::from);
            return Err(HandshakeError { fault, words });
        }
    }
    let (fault, what) = if reached {
        (Fault::Tls, "no complete TLS handshake")
    } else {
        (Fault::TimedOut, "no connection")
    };
    Err(HandshakeError {
        fault,
        words: format!("{what} within {timeout:?}"),
    })
}
