//! The due times of arrivals.
//!
//! Time rescaling (Çinlar, Introduction to Stochastic Processes, §4.7): arrivals s₀ ≤ s₁ ≤ … of a process with one
//! arrival per unit of time on average fall due at Λ⁻¹(s), where Λ is the integral of the rate. So each spacing is
//! right at each rate, steps and ramps included. Constant spacing cannot drift, because its k-th arrival is computed
//! from k and not from the previous one.

use crate::curve::Curve;
use crate::spacing::Spacing;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const NS_PER_S: f64 = 1e9;
/// 2⁻⁵³, which maps a random number of 53 bits to [0, 1).
const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;

/// Due times in nanoseconds since the start. They never decrease, and have no end unless the last rate is 0.
#[derive(Clone, Debug)]
pub struct Schedule {
    spacing: Spacing,
    spread: f64,
    curve: Curve,
    random: Xoshiro256PlusPlus,
    /// Index of the next arrival of the process.
    index: u64,
    /// Index of the next arrival of this share.
    wanted: u64,
    /// Distance between the indexes of this share.
    stride: u64,
    /// Random spacings: the last arrival in rescaled time, where the rate is 1.
    elapsed: f64,
    piece: usize,
    last_ns: u64,
}

impl Schedule {
    pub(crate) fn new(spacing: Spacing, spread: f64, curve: Curve, seed: u64) -> Self {
        Schedule {
            spacing,
            spread,
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

    /// The share of one of `of` threads: the arrivals whose index is `nth` modulo `of`.
    ///
    /// # Panics
    /// If `nth` is not below `of`.
    #[must_use]
    pub fn every(mut self, of: u64, nth: u64) -> Self {
        assert!(nth < of, "share {nth} of {of} does not exist");
        self.wanted += self.stride * nth;
        self.stride *= of;
        self
    }

    /// The same process with other random numbers: those from `times` times 2¹²⁸ numbers on, so that parts share none.
    pub(crate) fn jumped(mut self, times: u64) -> Self {
        (0..times).for_each(|_| self.random.jump());
        self
    }

    /// Skips the arrivals of this share that are due before `until_ns`, and returns their number; for random spacings,
    /// their expected number. It takes constant time, however many there are.
    pub fn skip_until(&mut self, until_ns: u64) -> u64 {
        let expected = self.curve.arrivals_by(until_ns as f64 / NS_PER_S);
        let skipped = if self.spacing == Spacing::Constant {
            self.constant_before(until_ns, expected)
        } else {
            self.index += (expected - self.elapsed).max(0.0).round() as u64;
            self.elapsed = self.elapsed.max(expected);
            self.index.saturating_sub(self.wanted).div_ceil(self.stride)
        };
        self.wanted += skipped * self.stride;
        skipped
    }

    /// The number of constant arrivals of this share before `until_ns`, when about `expected` of all shares are due.
    fn constant_before(&self, until_ns: u64, expected: f64) -> u64 {
        let before = |number: u64| {
            let due = self.due_ns(
                (self.wanted + number * self.stride) as f64,
                &mut self.piece.clone(),
            );
            due.is_some_and(|due| due < until_ns)
        };
        let all = (expected.ceil() as u64).saturating_sub(self.wanted);
        // Rounding may have put the last one on the wrong side.
        let mut number = all.div_ceil(self.stride);
        while number > 0 && !before(number - 1) {
            number -= 1;
        }
        while before(number) {
            number += 1;
        }
        number
    }

    /// The due time of an arrival in rescaled time.
    #[inline]
    fn due_ns(&self, arrival: f64, piece: &mut usize) -> Option<u64> {
        let due_ns = self.curve.seconds_until(arrival, piece)? * NS_PER_S;
        (due_ns < u64::MAX as f64).then(|| due_ns.round() as u64)
    }

    /// The arrival with the index `wanted`, in rescaled time.
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
        self.spacing.gap(unit, self.spread)
    }
}

impl Iterator for Schedule {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let arrival = self.advance();
        let mut piece = self.piece;
        let due_ns = self.due_ns(arrival, &mut piece);
        self.piece = piece;
        self.wanted += self.stride;
        // Rounding in a ramp may swap two arrivals by a nanosecond.
        self.last_ns = self.last_ns.max(due_ns?);
        Some(self.last_ns)
    }
}
