//! The seconds of a run, counted from the start of the window (the warm-up is negative).
//!
//! Counts and maxima are exact. The p50 and p99 of a second come from a small histogram and are within 0.8 %. The
//! newest few seconds have dense histograms. An older second is folded into a sparse one; times that still come for it
//! are added there, which allocates.

use crate::blocks::design_effect;
use crate::buckets::{Dense, Sparse, Spread};
use crate::failures::{Failure, Failures};
use crate::pack::{self, Damaged, Packed};
use crate::packed;
use serde::Serialize;

/// Earlier seconds count as this one.
pub const FIRST_SECOND: i64 = -10_000;
/// Later seconds count as this one.
pub const LAST_SECOND: i64 = 89_999;
/// Number of seconds that are dense at once.
const HOT: u8 = 4;

/// One second: the fields of `Interval` in `measurement.py`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IntervalRow {
    pub second: i64,
    pub due: u64,
    pub sent: u64,
    pub ok: u64,
    pub failed: u64,
    /// Sessions completed.
    pub sessions: u64,
    pub p50_ns: u64,
    pub p99_ns: u64,
    pub max_ns: u64,
}

/// One second, without its dense histogram.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) due: u64,
    sent: u64,
    pub(crate) ok: u64,
    failed: u64,
    sessions: u64,
    pub(crate) max_ns: u64,
    pub(crate) times: Sparse,
    pub(crate) failures: Failures,
}

impl Row {
    /// Adds the counts and times of another one.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.due += other.due;
        self.sent += other.sent;
        self.ok += other.ok;
        self.failed += other.failed;
        self.sessions += other.sessions;
        self.max_ns = self.max_ns.max(other.max_ns);
        self.times.add(other.times.filled());
        self.failures.merge(&other.failures);
    }
}

/// One second that is over: its right replies and their times.
#[derive(Clone, Debug, Default)]
pub struct Second {
    pub ok: u64,
    max_ns: u64,
    times: Sparse,
}

impl Second {
    /// The time at `quantile` (0 to 1), within 0.8 %; 0 if there are no replies.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> u64 {
        self.times.quantile(quantile).min(self.max_ns)
    }

    /// Adds the replies of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.ok += other.ok;
        self.max_ns = self.max_ns.max(other.max_ns);
        self.times.add(other.times.filled());
    }

    /// Adds the times to those of other seconds.
    pub fn add_to(&self, spread: &mut Spread) {
        spread.add(self.times.filled());
    }
}

/// The dense histogram of one of the newest seconds.
#[derive(Clone, Debug)]
struct Slot {
    second: i64,
    times: Dense,
}

/// The seconds of a run, at most 100,000.
#[derive(Clone, Debug)]
pub struct Intervals {
    /// The second of the first row.
    first: i64,
    rows: Vec<Row>,
    /// The dense seconds: second s is at the index s modulo their number.
    slots: [Slot; HOT as usize],
    /// The ages of calls that timed out, until they are taken.
    timed_out: Option<Spread>,
}

impl Default for Intervals {
    fn default() -> Self {
        Self::new()
    }
}

impl Intervals {
    /// No seconds yet.
    #[must_use]
    pub fn new() -> Self {
        let slot = |_| Slot {
            second: i64::MIN,
            times: Dense::new(),
        };
        Intervals {
            first: 0,
            rows: Vec::new(),
            slots: std::array::from_fn(slot),
            timed_out: None,
        }
    }

    /// `n` calls fell due.
    #[inline]
    pub fn due(&mut self, second: i64, n: u64) {
        self.row(second).due += n;
    }

    /// `n` calls were begun.
    #[inline]
    pub fn sent(&mut self, second: i64, n: u64) {
        self.row(second).sent += n;
    }

    /// `n` calls failed in this way.
    pub fn failed(&mut self, second: i64, failure: Failure, n: u64) {
        let row = self.row(second);
        row.failed += n;
        row.failures.add(failure, n);
    }

    /// A session was completed.
    pub fn session(&mut self, second: i64) {
        self.row(second).sessions += 1;
    }

    /// A call got its right reply after `response_ns`.
    #[inline]
    pub fn ok(&mut self, second: i64, response_ns: u64) {
        let second = second.clamp(FIRST_SECOND, LAST_SECOND);
        let row = self.row(second);
        row.ok += 1;
        row.max_ns = row.max_ns.max(response_ns);
        let at = second.rem_euclid(i64::from(HOT)) as usize;
        if self.slots[at].second < second {
            self.fold(at);
            self.slots[at].second = second;
        }
        if self.slots[at].second == second {
            self.slots[at].times.record(response_ns);
        } else {
            self.row(second).times.record(response_ns);
        }
    }

    /// Adds the seconds of another thread.
    pub fn merge(&mut self, other: &Self) {
        for (second, theirs) in (other.first..).zip(&other.rows) {
            self.row(second).merge(theirs);
        }
        for slot in other.slots.iter().filter(|slot| !slot.times.is_empty()) {
            self.row(slot.second).times.add(slot.times.filled());
        }
    }

    /// All seconds from the first to the last for which anything was recorded, without gaps.
    #[must_use]
    pub fn rows(&self) -> Vec<IntervalRow> {
        (self.first..)
            .zip(&self.rows)
            .map(|(second, row)| self.finished(second, row))
            .collect()
    }

    /// A measured call timed out at this age.
    pub fn timed_out(&mut self, age_ns: u64) {
        self.timed_out.get_or_insert_default().record(age_ns);
    }

    /// Moves the ages of calls that timed out since the last time to `spread`.
    pub fn take_timed_out(&mut self, spread: &mut Spread) {
        if let Some(ages) = &mut self.timed_out {
            spread.take(ages);
        }
    }

    /// The right replies of a second.
    #[must_use]
    pub fn second(&self, second: i64) -> Second {
        let row = self.whole(second);
        Second {
            ok: row.ok,
            max_ns: row.max_ns,
            times: row.times,
        }
    }

    /// The design effect at `quantile`: the variance between seconds of the number of slower right replies, divided by
    /// what it would be if calls were independent (the index of dispersion), from second 0 on. `None` below 5 seconds.
    #[must_use]
    pub fn design_effect(&self, quantile: f64) -> Option<f64> {
        let of_window = (self.first..)
            .zip(&self.rows)
            .filter(|(second, row)| *second >= 0 && row.ok > 0);
        let seconds: Vec<Sparse> = of_window
            .map(|(second, row)| self.times_of(second, row))
            .collect();
        design_effect(seconds.iter(), quantile)
    }

    /// The second behind the last one for which anything was recorded.
    pub(crate) fn end(&self) -> i64 {
        self.first.saturating_add_unsigned(self.rows.len() as u64)
    }

    /// The counts of a second, with all of its times.
    pub(crate) fn whole(&self, second: i64) -> Row {
        let index = usize::try_from(second.saturating_sub(self.first)).ok();
        let row = index.and_then(|index| self.rows.get(index));
        row.map_or_else(Row::default, |row| Row {
            times: self.times_of(second, row),
            ..row.clone()
        })
    }

    /// All times of a second.
    fn times_of(&self, second: i64, row: &Row) -> Sparse {
        let slot = &self.slots[second.rem_euclid(i64::from(HOT)) as usize];
        let mut times = row.times.clone();
        if slot.second == second {
            times.add(slot.times.filled());
        }
        times
    }

    fn finished(&self, second: i64, row: &Row) -> IntervalRow {
        let times = self.times_of(second, row);
        IntervalRow {
            second,
            due: row.due,
            sent: row.sent,
            ok: row.ok,
            failed: row.failed,
            sessions: row.sessions,
            p50_ns: times.quantile(0.5).min(row.max_ns),
            p99_ns: times.quantile(0.99).min(row.max_ns),
            max_ns: row.max_ns,
        }
    }

    /// The row of a second; adds it, and those in between, if it is new.
    #[inline]
    fn row(&mut self, second: i64) -> &mut Row {
        let second = second.clamp(FIRST_SECOND, LAST_SECOND);
        let index = second - self.first;
        if index < 0 || index as usize >= self.rows.len() {
            self.grow(second);
        }
        &mut self.rows[(second - self.first) as usize]
    }

    #[cold]
    fn grow(&mut self, second: i64) {
        if self.rows.is_empty() {
            self.first = second;
        }
        if second < self.first {
            let missing = (self.first - second) as usize;
            self.rows
                .splice(0..0, std::iter::repeat_with(Row::default).take(missing));
            self.first = second;
        }
        let needed = (second - self.first) as usize + 1;
        if needed > self.rows.len() {
            self.rows.resize_with(needed, Row::default);
        }
    }

    /// Folds a dense histogram into the row of its second.
    #[cold]
    fn fold(&mut self, at: usize) {
        if self.slots[at].times.is_empty() {
            return;
        }
        let index = (self.slots[at].second - self.first) as usize;
        self.rows[index].times.add(self.slots[at].times.filled());
        self.slots[at].times.clear();
    }
}

impl Packed for Sparse {
    fn pack(&self, to: &mut Vec<u8>) {
        self.filled().collect::<Vec<_>>().pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let counts = Vec::<(u16, u32)>::unpack(from)?;
        Sparse::of(counts).ok_or(Damaged("a second has a bucket that cannot be"))
    }
}

packed!(Row {
    due,
    sent,
    ok,
    failed,
    sessions,
    max_ns,
    times,
    failures
});

impl Packed for Intervals {
    fn pack(&self, to: &mut Vec<u8>) {
        self.first.pack(to);
        (self.rows.len() as u64).pack(to);
        for second in self.first..self.end() {
            self.whole(second).pack(to);
        }
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        let (first, rows) = <(i64, Vec<Row>)>::unpack(from)?;
        let known = FIRST_SECOND..=LAST_SECOND;
        let last = first.saturating_add_unsigned((rows.len() as u64).saturating_sub(1));
        pack::expect(
            known.contains(&first) && known.contains(&last),
            "a second is too early or too late",
        )?;
        Ok(Intervals {
            first,
            rows,
            ..Intervals::new()
        })
    }
}
