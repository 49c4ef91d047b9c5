//! One thread's share of a load, and the most of it that begins in a row.

/// Most bursts begun in a row; then what came meanwhile is looked at. Opening a connection takes as long as two or three
/// calls, so replies would be read late while thousands are opened, and never where more fall due than can be opened.
pub const MOST_BEGUN: u32 = 256;

/// This thread's part of a load.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub thread: u32,
    pub threads: u32,
}

impl Share {
    /// This thread's part of a number of things.
    pub fn of(self, total: u64) -> u64 {
        let (thread, threads) = (u64::from(self.thread), u64::from(self.threads));
        total / threads + u64::from(thread < total % threads)
    }
}
