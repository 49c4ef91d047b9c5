//! A handshake before a run: checks that the server answers over UDP, speaks HTTP/3 and is trusted.

use std::time::Duration;

use driver::{Clock, Driver, Fault, Nanos, Route, What};
use secure::{HandshakeError, TlsSettings};

use crate::driver::{Quic, QuicSettings};

/// Connects, completes the handshake and closes.
///
/// # Errors
/// The error of the operating system or the server, or that none answered.
pub fn try_handshake(
    tls: &TlsSettings,
    settings: QuicSettings,
    route: &Route,
    timeout: Duration,
) -> Result<(), HandshakeError> {
    let mut driver = Quic::new(Clock::start(), tls, settings)?;
    driver.open(0, route)?;
    let until = driver.now() + timeout.as_nanos() as Nanos;
    while driver.now() < until {
        driver.wait(until)?;
        while let Some(event) = driver.next() {
            let fault = match event.what {
                What::Connected => {
                    driver.close(0);
                    return Ok(());
                }
                What::Ended | What::Cut => Fault::Reset,
                What::Failed(fault) => fault,
                What::Reached | What::Received | What::Sent => continue,
            };
            let words = driver.words();
            let words = words.map_or_else(|| fault.describe(), String::from);
            return Err(HandshakeError { fault, words });
        }
    }
    Err(HandshakeError {
        fault: Fault::TimedOut,
        words: format!("no answer over UDP within {timeout:?}"),
    })
}
