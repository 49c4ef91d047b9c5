//! The share of a thread in a load.

/// Most bursts sent in a row before events are handled. Opening a connection takes as long as two or three calls, so
/// replies would be read late while thousands are opened, or never if more fall due than can be opened.
pub const MOST_BEGUN: u32 = 256;

/// The share of a thread in a load.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub thread: u32,
    pub threads: u32,
}

impl Share {
    /// This thread's part of `total`.
    pub fn of(self, total: u64) -> u64 {
        let (thread, threads) = (u64::from(self.thread), u64::from(self.threads));
        total / threads + u64::from(thread < total % threads)
    }
}
