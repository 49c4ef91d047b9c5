//! The mean of a time over equal periods of a run: 100 ms each, doubled whenever the memory for them is full.

use crate::pack::{self, Damaged, Packed};

const FIRST_WIDTH_NS: u64 = 100_000_000;
const MOST: usize = 512;
/// Most times that the width is doubled: 512 periods are then longer than a year.
const MOST_DOUBLINGS: u32 = 20;

/// Means of up to 512 equal periods from the start of the window on.
#[derive(Clone, Debug)]
pub struct Means {
    width_ns: u64,
    /// Sum in nanoseconds, and count.
    stretches: Box<[(u128, u64); MOST]>,
    /// The current period, and its end.
    at: usize,
    end_ns: u64,
}

impl Default for Means {
    fn default() -> Self {
        Self::new()
    }
}

impl Means {
    /// No values yet; allocates all its memory at once.
    #[must_use]
    pub fn new() -> Self {
        Means {
            width_ns: FIRST_WIDTH_NS,
            stretches: Box::new([(0, 0); MOST]),
            at: 0,
            end_ns: FIRST_WIDTH_NS,
        }
    }

    /// Adds a value that was measured `since_ns` after the start, not earlier than the previous one.
    #[inline]
    pub fn record(&mut self, since_ns: u64, value_ns: u64) {
        if since_ns >= self.end_ns {
            self.go_on(since_ns);
        }
        let (sum, count) = &mut self.stretches[self.at];
        *sum += u128::from(value_ns);
        *count += 1;
    }

    #[cold]
    fn go_on(&mut self, since_ns: u64) {
        while since_ns / self.width_ns >= MOST as u64 {
            self.widen();
        }
        self.at = (since_ns / self.width_ns) as usize;
        self.end_ns = (self.at as u64 + 1) * self.width_ns;
    }

    /// Joins each two periods.
    fn widen(&mut self) {
        for half in 0..MOST / 2 {
            let (first, second) = (self.stretches[2 * half], self.stretches[2 * half + 1]);
            self.stretches[half] = (first.0 + second.0, first.1 + second.1);
        }
        self.stretches[MOST / 2..].fill((0, 0));
        self.width_ns *= 2;
        self.at /= 2;
        self.end_ns = (self.at as u64 + 1) * self.width_ns;
    }

    /// Adds the values of another thread.
    pub fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        while self.width_ns < other.width_ns {
            self.widen();
        }
        while other.width_ns < self.width_ns {
            other.widen();
        }
        for (mine, theirs) in self.stretches.iter_mut().zip(other.stretches.iter()) {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
    }

    /// The length of a period, in nanoseconds.
    #[must_use]
    pub fn width_ns(&self) -> u64 {
        self.width_ns
    }

    /// The means, in nanoseconds, of the periods that lie completely in the first `window_ns` and are not empty.
    #[must_use]
    pub fn within(&self, window_ns: u64) -> Vec<f64> {
        let whole = (window_ns / self.width_ns).min(MOST as u64) as usize;
        let filled = self.stretches[..whole]
            .iter()
            .filter(|(_, count)| *count > 0);
        filled
            .map(|&(sum, count)| sum as f64 / count as f64)
            .collect()
    }
}

/// The number of doublings of the width, and the periods up to the last one that is not empty.
impl Packed for Means {
    fn pack(&self, to: &mut Vec<u8>) {
        (self.width_ns / FIRST_WIDTH_NS).ilog2().pack(to);
        let filled = self.stretches.iter().rposition(|(_, count)| *count > 0);
        let filled = filled.map_or(0, |last| last + 1);
        self.stretches[..filled].to_vec().pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let doublings = u32::unpack(from)?;
        let stretches = Vec::<(u128, u64)>::unpack(from)?;
        let right = doublings <= MOST_DOUBLINGS && stretches.len() <= MOST;
        pack::expect(right, "there are more means than can be")?;
        let mut means = Means::new();
        means.width_ns <<= doublings;
        means.end_ns = means.width_ns;
        means.stretches[..stretches.len()].copy_from_slice(&stretches);
        Ok(means)
    }
}
