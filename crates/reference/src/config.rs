//! What a server is started with.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::page::Page;

/// Longest time that can be asked for, so that no sum of times overflows.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Where the server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// Port 0 takes any free port.
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl FromStr for Listen {
    type Err = String;

    /// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080` or `unix:/run/reference.sock`.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            return Ok(Self::Unix(PathBuf::from(path)));
        }
        let found = text.to_socket_addrs().ok().and_then(|mut all| all.next());
        found.map(Self::Tcp).ok_or_else(|| {
            format!("listen address `{text}` was given, `HOST:PORT` or `unix:PATH` is expected")
        })
    }
}

/// One stall of the whole server, at a time known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedStall {
    /// Counted from the first request.
    pub after: Duration,
    pub length: Duration,
}

#[derive(Clone, Debug)]
pub struct Config {
    pub listen: Listen,
    pub threads: usize,
    /// Thread `i` is kept on the CPU at place `i`, from the start again where there are more threads than CPUs.
    pub cpus: Option<Vec<usize>>,
    pub pages: Vec<Page>,
    /// Delays, and which requests a shared fault hits, are drawn from this seed, for each thread on its own.
    pub seed: u64,
    pub stall: Option<PlannedStall>,
    /// Keep when each request was read. The threads never sleep then.
    pub keep_arrivals: bool,
}

impl Config {
    /// One thread, not pinned, with these pages and no stall.
    pub fn new(listen: Listen, pages: Vec<Page>) -> Self {
        Self {
            listen,
            threads: 1,
            cpus: None,
            pages,
            seed: 1,
            stall: None,
            keep_arrivals: false,
        }
    }
}

/// Reads a time with its unit: `250us`, `10ms`, `1.5s`. At most a day.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong =
        || format!("time `{text}` was given, a number with `ns`, `us`, `ms` or `s` is expected");
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let unit_s = match &text[digits.len()..] {
        "ns" => 1e-9,
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        _ => return Err(wrong()),
    };
    let duration = Duration::try_from_secs_f64(number * unit_s).map_err(|_| wrong())?;
    if duration > LONGEST {
        return Err(format!(
            "time `{text}` was given, at most a day is expected"
        ));
    }
    Ok(duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_in_each_unit() {
        for (text, nanoseconds) in [
            ("7ns", 7),
            ("250us", 250_000),
            ("10ms", 10_000_000),
            ("1.5s", 1_500_000_000),
            ("0s", 0),
        ] {
            assert_eq!(
                parse_duration(text),
                Ok(Duration::from_nanos(nanoseconds)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_time_without_unit_or_sense_is_refused() {
        for text in [
            "", "10", "ms", "-1s", "NaNs", "infs", "1e30s", "25000h", "86401s", "1 s",
        ] {
            let message = parse_duration(text).unwrap_err();
            assert!(message.contains(&format!("`{text}`")), "{message}");
        }
    }

    #[test]
    fn an_address_is_read_in_each_form() {
        let tcp = |text: &str| Listen::Tcp(text.parse().unwrap());
        assert_eq!("127.0.0.1:80".parse(), Ok(tcp("127.0.0.1:80")));
        assert_eq!("[::1]:80".parse(), Ok(tcp("[::1]:80")));
        assert_eq!("unix:/a/b".parse(), Ok(Listen::Unix("/a/b".into())));
        assert!(
            "nowhere"
                .parse::<Listen>()
                .unwrap_err()
                .contains("`nowhere`")
        );
    }
}
