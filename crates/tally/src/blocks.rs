//! The calls of one endpoint by equal periods of a run: at first a second each, doubled whenever there are too many.
//!
//! They show by how much the number of slow replies varies over time, which widens the intervals of percentiles; and
//! they are the numbers of an endpoint in a part of the run, such as a step of its rate.

use serde::Serialize;

use crate::buckets::{Dense, Sparse};
use crate::pack::{self, Damaged, Packed};
use crate::packed;
use crate::precision::Percentile;

const FIRST_WIDTH_NS: u64 = 1_000_000_000;
/// Periods that are enough for the design effect.
const FEW: usize = 64;
/// Most periods of one endpoint.
const MOST: usize = 1024;
/// Most periods of all endpoints together, unless each has only [`FEW`].
const MOST_OF_ALL: usize = 16_384;
/// Most times that the width is doubled: 64 periods are then longer than a year.
const MOST_DOUBLINGS: u32 = 20;
/// Fewest periods from which the variance of their counts is estimated.
const FEWEST: usize = 5;

/// The calls of equal periods from the start of the window on.
#[derive(Clone, Debug)]
pub struct Blocks {
    most: usize,
    width_ns: u64,
    /// The periods from the first one on, without the newest calls of the current one.
    periods: Vec<Period>,
    /// The current period, its end, and its newest calls.
    at: usize,
    end_ns: u64,
    current: Dense,
    counts: Counts,
}

/// The calls of a period.
#[derive(Clone, Debug, Default)]
struct Period {
    /// Response times of right replies; ages of calls that timed out.
    times: Sparse,
    counts: Counts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    failed: u64,
    /// Those of the failed calls whose ages are among the times.
    timed_out: u64,
    body_bytes: u64,
}

/// The calls that ended in some whole periods: the first fields of `EndpointStep` in `measurement/endpoints.py`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// The length of the periods, in seconds.
    pub seconds: u64,
    pub ok: u64,
    pub failed: u64,
    pub body_bytes: u64,
    /// Within 0.8 %; empty if there are no times.
    pub percentiles: Vec<Percentile>,
}

impl Default for Blocks {
    fn default() -> Self {
        Self {
            most: FEW,
            width_ns: FIRST_WIDTH_NS,
            periods: Vec::new(),
            at: 0,
            end_ns: FIRST_WIDTH_NS,
            current: Dense::new(),
            counts: Counts::default(),
        }
    }
}

impl Blocks {
    /// Periods of one of so many endpoints that stay short in a long run: up to 1,024 of them, fewer of many endpoints.
    #[must_use]
    pub fn fine(endpoints: usize) -> Self {
        Self {
            most: (MOST_OF_ALL / endpoints.max(1)).clamp(FEW, MOST),
            ..Self::default()
        }
    }

    /// A right reply came `since_ns` after the start, not earlier than the previous call ended.
    #[inline]
    pub fn replied(&mut self, since_ns: u64, response_ns: u64, body: u64) {
        if since_ns >= self.end_ns {
            self.go_on(since_ns);
        }
        self.current.record(response_ns);
        self.counts.body_bytes += body;
    }

    /// A call failed `since_ns` after the start, with a body of this size.
    pub fn failed(&mut self, since_ns: u64, body: u64) {
        if since_ns >= self.end_ns {
            self.go_on(since_ns);
        }
        self.counts.failed += 1;
        self.counts.body_bytes += body;
    }

    /// A call timed out `since_ns` after the start, at this age.
    pub fn timed_out(&mut self, since_ns: u64, age_ns: u64) {
        self.failed(since_ns, 0);
        self.counts.timed_out += 1;
        self.current.record(age_ns);
    }

    #[cold]
    fn go_on(&mut self, since_ns: u64) {
        self.fold();
        while since_ns / self.width_ns >= self.most as u64 {
            self.widen();
        }
        self.at = (since_ns / self.width_ns) as usize;
        self.end_ns = (self.at as u64 + 1) * self.width_ns;
    }

    /// Moves the newest calls to those of their period.
    fn fold(&mut self) {
        if !self.current.is_empty() || self.counts != Counts::default() {
            let needed = self.periods.len().max(self.at + 1);
            self.periods.resize_with(needed, Period::default);
            let period = &mut self.periods[self.at];
            period.times.add(self.current.filled());
            period.counts.merge(self.counts);
            self.current.clear();
            self.counts = Counts::default();
        }
    }

    /// Joins each two periods.
    fn widen(&mut self) {
        let pairs = self.periods.chunks(2).map(|pair| {
            let mut both = pair[0].clone();
            pair[1..].iter().for_each(|other| both.merge(other));
            both
        });
        self.periods = pairs.collect();
        self.width_ns *= 2;
        self.at /= 2;
        self.end_ns = (self.at as u64 + 1) * self.width_ns;
    }

    /// Adds the calls of another thread.
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
        let needed = self.periods.len().max(other.periods.len());
        self.periods.resize_with(needed, Period::default);
        for (mine, theirs) in self.periods.iter_mut().zip(&other.periods) {
            mine.merge(theirs);
        }
    }

    /// The design effect at `quantile`, from the periods; `None` below 5 of them.
    #[must_use]
    pub fn design_effect(&self, quantile: f64) -> Option<f64> {
        let mut all = self.clone();
        all.fold();
        design_effect(all.periods.iter().map(|period| &period.times), quantile)
    }

    /// The calls of several parts of the run, each between two times after the start: of the periods that lie entirely
    /// in it.
    #[must_use]
    pub fn stretches(&self, parts: &[(u64, u64)], quantiles: &[f64]) -> Vec<Stretch> {
        let mut all = self.clone();
        all.fold();
        let each = parts
            .iter()
            .map(|&(from_ns, to_ns)| all.stretch(from_ns, to_ns, quantiles));
        each.collect()
    }

    /// As [`Blocks::stretches`], once the newest calls are in their period.
    fn stretch(&self, from_ns: u64, to_ns: u64, quantiles: &[f64]) -> Stretch {
        let first = from_ns.div_ceil(self.width_ns);
        let end = (to_ns / self.width_ns).max(first);
        let known = self.periods.len();
        let periods = &self.periods[known.min(first as usize)..known.min(end as usize)];
        let mut whole = Period::default();
        for period in periods {
            whole.merge(period);
        }
        let (times, counts) = (&whole.times, whole.counts);
        let percentile = |&quantile| {
            let each = periods.iter().map(|period| &period.times);
            let effect = design_effect(each, quantile);
            Percentile::new(times.total(), quantile, effect, |level| {
                times.quantile(level)
            })
        };
        Stretch {
            seconds: (end - first) * (self.width_ns / FIRST_WIDTH_NS),
            ok: times.total().saturating_sub(counts.timed_out),
            failed: counts.failed,
            body_bytes: counts.body_bytes,
            percentiles: match times.total() {
                0 => Vec::new(),
                _ => quantiles.iter().map(percentile).collect(),
            },
        }
    }
}

impl Period {
    fn merge(&mut self, other: &Self) {
        self.times.add(other.times.filled());
        self.counts.merge(other.counts);
    }
}

impl Counts {
    fn merge(&mut self, other: Self) {
        self.failed += other.failed;
        self.timed_out += other.timed_out;
        self.body_bytes += other.body_bytes;
    }
}

/// The variance between periods of the number of slower times, divided by what it would be if they were independent (the
/// index of dispersion). `None` if fewer than 5 periods have times.
pub(crate) fn design_effect<'a>(
    periods: impl Iterator<Item = &'a Sparse> + Clone,
    quantile: f64,
) -> Option<f64> {
    let periods = periods.filter(|period| period.total() > 0);
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

packed!(Period { times, counts });
packed!(Counts {
    failed,
    timed_out,
    body_bytes
});

/// The number of doublings of the width, and the periods.
impl Packed for Blocks {
    fn pack(&self, to: &mut Vec<u8>) {
        let mut all = self.clone();
        all.fold();
        (all.width_ns / FIRST_WIDTH_NS).ilog2().pack(to);
        all.periods.pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let doublings = u32::unpack(from)?;
        let periods = Vec::<Period>::unpack(from)?;
        let right = doublings <= MOST_DOUBLINGS && periods.len() <= MOST;
        pack::expect(right, "an endpoint has more periods than can be")?;
        let width_ns = FIRST_WIDTH_NS << doublings;
        Ok(Blocks {
            width_ns,
            periods,
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
            blocks.replied(call * SECOND / 100, ns, 10);
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

    fn total(blocks: &Blocks) -> u64 {
        blocks.periods.iter().map(|one| one.times.total()).sum()
    }

    #[test]
    fn a_long_run_has_as_many_blocks_and_loses_no_times() {
        let long = blocks(1000, |call| call % 50 == 0);
        let mut folded = long.clone();
        folded.fold();
        assert!(folded.periods.len() <= FEW);
        assert_eq!(total(&folded), 100_000);
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
        assert_eq!(total(&again), 32_000);
    }

    #[test]
    fn a_stretch_has_the_calls_of_the_periods_that_lie_in_it() {
        let mut all = blocks(20, |call| call >= 1000);
        all.failed(20 * SECOND + 1, 7);
        all.timed_out(20 * SECOND + 2, 300_000_000);
        let found = |from_s: f64, to_s: f64| {
            let [from, to] = [from_s, to_s].map(|s| (s * 1e9) as u64);
            all.stretches(&[(from, to)], &[0.5, 0.99]).remove(0)
        };
        let first = found(0.0, 10.0);
        assert_eq!((first.seconds, first.ok, first.failed), (10, 1000, 0));
        assert_eq!(first.body_bytes, 10_000);
        assert!(first.percentiles[1].value_ns.abs_diff(1_000_000) < 8_000);
        assert!(first.percentiles[1].design_effect.is_some());
        // The slow half begins at 10 s, and the second of 9.5 s belongs to neither part.
        let second = found(9.5, 20.9);
        assert_eq!((second.seconds, second.ok), (10, 1000));
        assert!(second.percentiles[0].value_ns.abs_diff(20_000_000) < 160_000);
        let last = found(20.0, 21.0);
        assert_eq!((last.ok, last.failed, last.body_bytes), (0, 2, 7));
        assert!(last.percentiles[0].value_ns.abs_diff(300_000_000) < 2_400_000);
        assert_eq!(last.percentiles[0].design_effect, None);
        let silent = found(30.0, 40.0);
        assert_eq!(
            (silent.seconds, silent.ok, silent.percentiles),
            (10, 0, vec![])
        );
        assert_eq!(found(3.2, 3.9).seconds, 0);
    }

    #[test]
    fn fine_periods_stay_short_for_a_quarter_of_an_hour_and_those_of_many_endpoints_have_less_time()
    {
        let width = |endpoints: usize, seconds: u64| {
            let mut blocks = Blocks::fine(endpoints);
            blocks.replied((seconds - 1) * SECOND, 1, 0);
            blocks.width_ns / SECOND
        };
        assert_eq!((width(4, 1024), width(4, 1025)), (1, 2));
        assert_eq!((width(201, 81), width(201, 82)), (1, 2));
        assert_eq!((width(2000, 64), width(2000, 65)), (1, 2));
    }
}
