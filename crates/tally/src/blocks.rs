//! The times of one endpoint by equal periods of a run: at first a second each, doubled whenever there are 64.
//!
//! They show by how much the number of slow replies varies over time, which widens the intervals of percentiles.

use crate::buckets::{Dense, Sparse};
use crate::pack::{self, Damaged, Packed};

const FIRST_WIDTH_NS: u64 = 1_000_000_000;
const MOST: usize = 64;
/// Most times that the width is doubled: 64 periods are then longer than a year.
const MOST_DOUBLINGS: u32 = 20;
/// Fewest periods from which the variance of their counts is estimated.
const FEWEST: usize = 5;

/// Histograms of up to 64 equal periods from the start of the window on.
#[derive(Clone, Debug)]
pub struct Blocks {
    width_ns: u64,
    /// The periods from the first one on, without the times in `current`.
    times: Vec<Sparse>,
    /// The current period, its end, and its newest times.
    at: usize,
    end_ns: u64,
    current: Dense,
}

impl Default for Blocks {
    fn default() -> Self {
        Self {
            width_ns: FIRST_WIDTH_NS,
            times: Vec::new(),
            at: 0,
            end_ns: FIRST_WIDTH_NS,
            current: Dense::new(),
        }
    }
}

impl Blocks {
    /// Adds a time that was measured `since_ns` after the start, not earlier than the previous one.
    #[inline]
    pub fn record(&mut self, since_ns: u64, ns: u64) {
        if since_ns >= self.end_ns {
            self.go_on(since_ns);
        }
        self.current.record(ns);
    }

    #[cold]
    fn go_on(&mut self, since_ns: u64) {
        self.fold();
        while since_ns / self.width_ns >= MOST as u64 {
            self.widen();
        }
        self.at = (since_ns / self.width_ns) as usize;
        self.end_ns = (self.at as u64 + 1) * self.width_ns;
    }

    /// Moves the newest times to those of their period.
    fn fold(&mut self) {
        if !self.current.is_empty() {
            let needed = self.times.len().max(self.at + 1);
            self.times.resize_with(needed, Sparse::default);
            self.times[self.at].add(self.current.filled());
            self.current.clear();
        }
    }

    /// Joins each two periods.
    fn widen(&mut self) {
        let pairs = self.times.chunks(2).map(|pair| {
            let mut both = pair[0].clone();
            pair[1..].iter().for_each(|other| both.add(other.filled()));
            both
        });
        self.times = pairs.collect();
        self.width_ns *= 2;
        self.at /= 2;
        self.end_ns = (self.at as u64 + 1) * self.width_ns;
    }

    /// Adds the times of another thread.
    pub fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        other.fold();
        self.fold();
        while self.width_ns < other.width_ns {
            self.widen();
        }
        while other.width_ns < self.width_ns {
            other.widen();
        }
        let needed = self.times.len().max(other.times.len());
        self.times.resize_with(needed, Sparse::default);
        for (mine, theirs) in self.times.iter_mut().zip(&other.times) {
            mine.add(theirs.filled());
        }
    }

    /// The design effect at `quantile`, from the periods; `None` below 5 of them.
    #[must_use]
    pub fn design_effect(&self, quantile: f64) -> Option<f64> {
        let mut all = self.clone();
        all.fold();
        design_effect(&all.times, quantile)
    }
}

/// The variance between periods of the number of slower times, divided by what it would be if they were independent (the
/// index of dispersion). `None` if fewer than 5 periods have times.
pub(crate) fn design_effect(periods: &[Sparse], quantile: f64) -> Option<f64> {
    let periods = periods.iter().filter(|period| period.total() > 0);
    let count = periods.clone().count();
    if count < FEWEST {
        return None;
    }
    let mut all = Sparse::default();
    for period in periods.clone() {
        all.add(period.filled());
    }
    let bucket = all.bucket(quantile);
    let share = all.beyond(bucket) as f64 / all.total() as f64;
    if share <= 0.0 {
        return Some(1.0);
    }
    let spread: f64 = periods
        .map(|period| {
            let expected = period.total() as f64 * share;
            (period.beyond(bucket) as f64 - expected).powi(2) / (expected * (1.0 - share))
        })
        .sum();
    Some(spread / (count - 1) as f64)
}

/// The number of doublings of the width, and the periods.
impl Packed for Blocks {
    fn pack(&self, to: &mut Vec<u8>) {
        let mut all = self.clone();
        all.fold();
        (all.width_ns / FIRST_WIDTH_NS).ilog2().pack(to);
        all.times.pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let doublings = u32::unpack(from)?;
        let times = Vec::<Sparse>::unpack(from)?;
        let right = doublings <= MOST_DOUBLINGS && times.len() <= MOST;
        pack::expect(right, "an endpoint has more periods than can be")?;
        let width_ns = FIRST_WIDTH_NS << doublings;
        Ok(Blocks {
            width_ns,
            times,
            end_ns: width_ns,
            ..Blocks::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// A call every 10 ms for so many seconds; the slow ones take 20 ms, the others 1 ms.
    fn blocks(seconds: u64, slow: impl Fn(u64) -> bool) -> Blocks {
        let mut blocks = Blocks::default();
        for call in 0..seconds * 100 {
            let ns = if slow(call) { 20_000_000 } else { 1_000_000 };
            blocks.record(call * SECOND / 100, ns);
        }
        blocks
    }

    #[test]
    fn slow_replies_that_come_together_have_a_design_effect_and_even_ones_have_none() {
        let even = blocks(20, |call| call % 50 == 0);
        let bursts = blocks(20, |call| call % 1000 < 20);
        assert!(even.design_effect(0.97).unwrap() < 0.1);
        assert!(bursts.design_effect(0.97).unwrap() > 5.0);
        assert_eq!(blocks(4, |_| false).design_effect(0.97), None);
    }

    #[test]
    fn a_long_run_has_as_many_blocks_and_loses_no_times() {
        let long = blocks(1000, |call| call % 50 == 0);
        let mut folded = long.clone();
        folded.fold();
        assert!(folded.times.len() <= MOST);
        let total: u64 = folded.times.iter().map(Sparse::total).sum();
        assert_eq!(total, 100_000);
    }

    #[test]
    fn blocks_of_different_widths_are_merged_and_read_as_they_were_written() {
        let (long, short) = (blocks(300, |_| false), blocks(20, |call| call % 1000 < 20));
        let packed = |blocks: &Blocks| {
            let mut bytes = Vec::new();
            blocks.pack(&mut bytes);
            bytes
        };
        let (mut one, mut other) = (long.clone(), short.clone());
        one.merge(&short);
        other.merge(&long);
        assert_eq!(packed(&one), packed(&other));
        let again = Blocks::unpack(&mut &packed(&one)[..]).unwrap();
        assert_eq!(packed(&again), packed(&one));
        let total: u64 = again.times.iter().map(Sparse::total).sum();
        assert_eq!(total, 32_000);
    }
}
