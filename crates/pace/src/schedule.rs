//! The times at which arrivals fall due.
//!
//! Time rescaling (Çinlar, Introduction to Stochastic Processes, §4.7): arrivals s₀ ≤ s₁ ≤ … of a process with one
//! arrival per unit of time on average fall due at Λ⁻¹(s), where Λ is the integral of the rate. So each spacing is
//! right at each rate, steps and ramps included, and constant spacing cannot drift: its k-th arrival is computed
//! from k, not from the one before.

use crate::curve::Curve;
use crate::spacing::Spacing;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const NS_PER_S: f64 = 1e9;
/// 2⁻⁵³: a random number of 53 bits becomes one in [0, 1).
const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;

/// Due times in nanoseconds since the start; never decreasing; without end unless the last rate is 0.
#[derive(Clone, Debug)]
pub struct Schedule {
    spacing: Spacing,
    curve: Curve,
    random: Xoshiro256PlusPlus,
    /// Index of the next arrival of the process.
    index: u64,
    /// Index of the next arrival of this share.
    wanted: u64,
    /// Distance between the indexes of this share.
    stride: u64,
    /// Random spacings: the last arrival in the time of the process, where the rate is 1.
    elapsed: f64,
    piece: usize,
    last_ns: u64,
}

impl Schedule {
    pub(crate) fn new(spacing: Spacing, curve: Curve, seed: u64) -> Self {
        Schedule {
            spacing,
            curve,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            index: 0,
            wanted: 0,
            stride: 1,
            elapsed: 0.0,
            piece: 0,
            last_ns: 0,
        }
    }

    /// One of `of` equal shares, for one of as many threads: the arrivals whose index is `nth` modulo `of`.
    ///
    /// # Panics
    /// Unless `nth < of`.
    #[must_use]
    pub fn every(mut self, of: u64, nth: u64) -> Self {
        assert!(nth < of, "share {nth} of {of} does not exist");
        self.wanted += self.stride * nth;
        self.stride *= of;
        self
    }

    /// The arrival of index `wanted`, in the time of the process.
    fn advance(&mut self) -> f64 {
        if self.spacing == Spacing::Constant {
            return self.wanted as f64;
        }
        while self.index <= self.wanted {
            self.elapsed += self.gap();
            self.index += 1;
        }
        self.elapsed
    }

    /// A random gap with mean 1.
    fn gap(&mut self) -> f64 {
        let unit = (self.random.next_u64() >> 11) as f64 * UNIT;
        self.spacing.gap(unit)
    }
}

impl Iterator for Schedule {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let arrival = self.advance();
        let due_ns = self.curve.seconds_until(arrival, &mut self.piece)? * NS_PER_S;
        if due_ns.is_nan() || due_ns >= u64::MAX as f64 {
            return None;
        }
        self.wanted += self.stride;
        // Rounding in a ramp may turn two arrivals round by a nanosecond.
        self.last_ns = self.last_ns.max(due_ns.round() as u64);
        Some(self.last_ns)
    }
}
