//! One whole handshake before a run: whether the server is there, and whether it may be trusted.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use driver::{Clock, Driver, Epoll, Fault, Nanos, Route, What};

use crate::driver::Secure;
use crate::terms::Terms;

/// Why no connection came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub fault: Fault,
    /// The reason in words.
    pub words: String,
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self {
            fault,
            words: fault.describe(),
        }
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Fault::from(&error).into()
    }
}

/// Connects, makes the handshake and hangs up.
///
/// # Errors
/// What it failed with: the operating system's answer, the proxy's, or the server's.
pub fn knock(terms: &Terms, route: &Route, timeout: Duration) -> Result<(), Refusal> {
    let nothing: Arc<[u8]> = Arc::from([]);
    let epoll = Epoll::new(Clock::start(), Arc::clone(&nothing))?;
    let mut driver = Secure::new(epoll, terms, nothing);
    driver.open(0, route)?;
    let until = driver.now() + timeout.as_nanos() as Nanos;
    let mut reached = false;
    while driver.now() < until {
        driver.wait(until)?;
        while let Some(event) = driver.next() {
            let fault = match event.what {
                What::Connected => return Ok(()),
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
            return Err(Refusal { fault, words });
        }
    }
    let (fault, what) = if reached {
        (Fault::Tls, "no complete TLS handshake")
    } else {
        (Fault::TimedOut, "no connection")
    };
    Err(Refusal {
        fault,
        words: format!("{what} within {timeout:?}"),
    })
}
