//! Stopping once a percentile is known precisely enough: workers copy their histograms once a second, a watcher merges
//! the copies.
//!
//! A copy costs a worker about 0.1 ms per second, and is made only if the plan requests it. A percentile is precise
//! enough when half the width of its 95 % interval, corrected for clustered calls, is within the requested share of its
//! value. This takes at least 5 seconds (Chow and Robbins 1965, sequential intervals of fixed width).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tally::{Intervals, Times};

use crate::measurement::counters::Counters;
use crate::plan::Until;

type Copy = (Times, Intervals);

/// The copies of the workers, and the result of the last check.
#[derive(Default)]
pub struct Precision {
    copies: Vec<Mutex<Option<Copy>>>,
    reached: AtomicBool,
}

impl Precision {
    /// No copies yet, of `workers` workers.
    pub fn new(workers: usize) -> Self {
        Self {
            copies: (0..workers).map(|_| Mutex::default()).collect(),
            reached: AtomicBool::new(false),
        }
    }

    /// Copies the histograms of a worker, unless the watcher is just reading the previous copy.
    pub fn copy(&self, worker: usize, counters: &Counters) {
        if let Ok(mut place) = self.copies[worker].try_lock() {
            *place = Some((counters.response.clone(), counters.intervals.clone()));
        }
    }

    /// True once the percentile is precise enough.
    #[inline]
    pub fn reached(&self) -> bool {
        self.reached.load(Ordering::Relaxed)
    }

    /// Merges the copies and checks their precision.
    pub fn check(&self, until: Until) {
        let (mut times, mut intervals) = (Times::new(), Intervals::new());
        for copy in &self.copies {
            let copy = copy.lock().unwrap_or_else(PoisonError::into_inner);
            let Some((response, seconds)) = copy.as_ref() else {
                return;
            };
            times.merge(response);
            intervals.merge(seconds);
        }
        if known(&times, &intervals, until) {
            self.reached.store(true, Ordering::Relaxed);
        }
    }
}

/// True if the interval of the percentile is as narrow as requested.
fn known(times: &Times, intervals: &Intervals, until: Until) -> bool {
    let effect = intervals.design_effect(until.quantile);
    let half_width = times.percentile(until.quantile, effect).half_width();
    effect.is_some() && half_width.is_some_and(|half| half <= until.within)
}

#[cfg(test)]
mod tests {
    use super::*;

    const P99: Until = Until {
        quantile: 0.99,
        within: 0.02,
    };

    /// `calls` per second, with times spread over 1 ms, and from the second `jump` on over 10 ms.
    fn thread(seconds: i64, calls: u64, jump: i64) -> Copy {
        let (mut times, mut intervals) = (Times::new(), Intervals::new());
        for second in 0..seconds {
            let scale = if second < jump { 1 } else { 10 };
            for call in 0..calls {
                let ns = scale * (1_000_000 + 1_000_000 * call / calls);
                times.record(ns);
                intervals.ok(second, ns);
            }
        }
        (times, intervals)
    }

    fn known_after(seconds: i64, calls: u64, jump: i64) -> bool {
        let (times, intervals) = thread(seconds, calls, jump);
        known(&times, &intervals, P99)
    }

    #[test]
    fn a_percentile_is_known_after_five_seconds_of_enough_calls_alike() {
        assert!(known_after(6, 2000, 99));
        assert!(!known_after(4, 100_000, 99), "too few seconds");
        assert!(!known_after(6, 50, 99), "too few calls");
    }

    #[test]
    fn a_percentile_that_changed_on_the_way_is_not_known_however_many_calls() {
        assert!(!known_after(10, 2000, 9));
    }

    #[test]
    fn the_books_of_all_workers_are_looked_at_or_none() {
        let precision = Precision::new(2);
        *precision.copies[0].lock().unwrap() = Some(thread(6, 2000, 99));
        precision.check(P99);
        assert!(!precision.reached());
        *precision.copies[1].lock().unwrap() = Some(thread(6, 2000, 99));
        precision.check(P99);
        assert!(precision.reached());
    }
}
