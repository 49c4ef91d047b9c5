//! The check before a run that a server speaks HTTP/2 in clear text: a run cannot negotiate it there.

use std::sync::Arc;
use std::time::Duration;

use driver::{Clock, Driver, Epoll, Fault, Nanos, Route, What};
use wire::h2::{Client, Event};

use crate::plan::http2::Http2;

/// Most characters of an answer that are quoted.
const MOST_QUOTED: usize = 80;

/// Connects, and waits for the server's SETTINGS.
///
/// # Errors
/// The words about the server's answer, if it is another one.
pub fn expect_http2(plan: &Http2, route: &Route, timeout: Duration) -> Result<(), String> {
    let failed = |fault: Fault| fault.describe();
    let broken = |error: std::io::Error| failed(Fault::from(&error));
    let mut driver = Epoll::new(Clock::start(), Arc::from([])).map_err(broken)?;
    let mut client = Client::new(plan.options, 0);
    client.connect();
    driver.open(0, route).map_err(failed)?;
    let until = driver.now() + timeout.as_nanos() as Nanos;
    while driver.now() < until {
        driver.wait(until).map_err(broken)?;
        while let Some(event) = driver.next() {
            match event.what {
                What::Connected => driver.send_bytes(0, client.output()),
                What::Received => {
                    let bytes = driver.received();
                    match client.next(bytes) {
                        Ok((_, Event::Settings)) => return Ok(()),
                        Ok(_) => {}
                        Err(_) => return Err(format!("it answered `{}`", quoted(bytes))),
                    }
                }
                What::Ended | What::Cut => return Err("it closed the connection".into()),
                What::Failed(fault) => return Err(failed(fault)),
                What::Reached | What::Sent => {}
            }
        }
    }
    Err(format!("it sent no settings within {timeout:?}"))
}

/// The first line of an answer, without what a terminal would act on.
fn quoted(bytes: &[u8]) -> String {
    let line = bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let text = String::from_utf8_lossy(line);
    let visible = text.chars().filter(|one| !one.is_control());
    visible.take(MOST_QUOTED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_quoted_without_control_characters() {
        let answer = b"HTTP/1.1 400 \x1b[31mBad\r\nServer: one\r\n";
        assert_eq!(quoted(answer), "HTTP/1.1 400 [31mBad");
    }
}
