//! What may be done otherwise than the engine does it, one at a time: `benches/variants.py` weighs each.

use crate::Failure;

/// One deviation, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// As the engine: multishot receives, one submission a turn, deferred task work.
    #[default]
    Plain,
    /// A receive for each reply, queued with the request.
    NoMultishot,
    /// The same, and not begun before the request has gone.
    Link,
    /// The kernel interrupts the thread to run what completes.
    NoDeferTaskrun,
    /// The sockets are registered with the ring.
    FixedFiles,
    /// Requests are written from a registered buffer.
    WriteFixed,
    /// Requests are sent from a registered buffer without a copy.
    SendZc,
    /// A timeout of the kernel for each connection, moved on with each call.
    KernelTimers,
    /// The sockets mind congestion by the plainest rule, whatever the system's is.
    Reno,
    /// Requests are handed over after so many replies, not once a turn.
    Batch(usize),
    /// A turn waits for so many completions, not for one.
    Wait(usize),
}

impl Variant {
    /// From the end of the command line: `--link`, or `--batch 8`.
    pub fn read(words: &[String]) -> Result<Self, Failure> {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Ok(match words.as_slice() {
            [] => Self::Plain,
            ["--no-multishot"] => Self::NoMultishot,
            ["--link"] => Self::Link,
            ["--no-defer-taskrun"] => Self::NoDeferTaskrun,
            ["--fixed-files"] => Self::FixedFiles,
            ["--write-fixed"] => Self::WriteFixed,
            ["--send-zc"] => Self::SendZc,
            ["--kernel-timers"] => Self::KernelTimers,
            ["--reno"] => Self::Reno,
            ["--batch", replies] => Self::Batch(at_least_one(replies)?),
            ["--wait", completions] => Self::Wait(at_least_one(completions)?),
            _ => {
                return Err(format!("`{}` was given, which is no variant", words.join(" ")).into());
            }
        })
    }

    /// Whether one receive brings one piece, not all that ever comes.
    pub fn receives_once(self) -> bool {
        matches!(self, Self::NoMultishot | Self::Link)
    }

    /// Completions that a turn waits for.
    pub fn waits_for(self, connections: usize) -> usize {
        match self {
            Self::Wait(completions) => completions.min(connections),
            _ => 1,
        }
    }

    /// Replies after which requests are handed over before the turn is done.
    pub fn batch(self) -> u64 {
        match self {
            Self::Batch(replies) => replies as u64,
            _ => u64::MAX,
        }
    }

    /// Whether requests lie in a buffer that the ring knows.
    pub fn registers_request(self) -> bool {
        matches!(self, Self::WriteFixed | Self::SendZc)
    }
}

fn at_least_one(word: &str) -> Result<usize, Failure> {
    let number = word.parse()?;
    if number == 0 {
        return Err("`0` was given, at least 1 is expected".into());
    }
    Ok(number)
}
