//! Variants that do one thing differently than the engine, for comparison in `benches/variants.py`.

use crate::Failure;

/// A variant, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// Like the engine: multishot receives, one submission per turn, deferred task work.
    #[default]
    Plain,
    /// A single-shot receive per reply, queued with the request.
    NoMultishot,
    /// The same, linked to start after the send.
    Link,
    /// Without deferred task work: the kernel interrupts the thread to run completions.
    NoDeferTaskrun,
    /// Sockets registered with the ring.
    FixedFiles,
    /// Requests written from a registered buffer.
    WriteFixed,
    /// Requests sent from a registered buffer without a copy.
    SendZc,
    /// A kernel timeout per connection, updated with each call.
    KernelTimers,
    /// The simplest congestion control (`reno`) for the sockets.
    Reno,
    /// Submissions after this number of replies, not once per turn.
    Batch(usize),
    /// Turns that wait for this number of completions, not for one.
    Wait(usize),
}

impl Variant {
    /// Parses the end of the command line: `--link`, or `--batch 8`.
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
                return Err(format!("`{}` is not a variant", words.join(" ")).into());
            }
        })
    }

    /// True for single-shot receives.
    pub fn receives_once(self) -> bool {
        matches!(self, Self::NoMultishot | Self::Link)
    }

    /// Number of completions that a turn waits for.
    pub fn waits_for(self, connections: usize) -> usize {
        match self {
            Self::Wait(completions) => completions.min(connections),
            _ => 1,
        }
    }

    /// Number of replies after which requests are submitted within a turn.
    pub fn batch(self) -> u64 {
        match self {
            Self::Batch(replies) => replies as u64,
            _ => u64::MAX,
        }
    }

    /// True if the request lies in a registered buffer.
    pub fn registers_request(self) -> bool {
        matches!(self, Self::WriteFixed | Self::SendZc)
    }
}

fn at_least_one(word: &str) -> Result<usize, Failure> {
    let number = word.parse()?;
    if number == 0 {
        return Err("`0`: expected at least 1".into());
    }
    Ok(number)
}
