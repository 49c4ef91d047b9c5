//! The part of a plan that one of several machines carries out. All parts together are the plan.

use pace::{Arrivals, Schedule};
use serde::{Deserialize, Serialize};

use crate::plan::{Load, Plan};

/// Most parts of a plan.
const MOST_PARTS: u32 = 1000;

/// Part `index`, from 0 on, of `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub index: u32,
    pub of: u32,
}

impl Part {
    /// The only part.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// This part's share of `total`. The first parts get what is left over.
    pub fn share_of(self, total: u64) -> u64 {
        let (index, of) = (u64::from(self.index), u64::from(self.of));
        total / of + u64::from(index < total % of)
    }

    /// The numbers of a thread among those of all threads of all parts, which count the same in turn: its first, and the
    /// distance to the next. No two threads have the same number, even if parts have different numbers of threads.
    pub fn numbers(self, thread: u32, threads: u32) -> (u64, u64) {
        let of = u64::from(self.of);
        let first = u64::from(self.index) + of * u64::from(thread);
        (first, of * u64::from(threads))
    }

    /// The due times of this part of the arrivals.
    pub fn schedule(self, arrivals: &Arrivals, seed: u64) -> Schedule {
        arrivals.part(seed, self.index.into(), self.of.into())
    }

    /// The load with this part's share of the connections, or of the sessions that may be open. Its arrivals are those
    /// of the whole.
    pub fn load(self, load: &Load) -> Load {
        match load.limit() {
            Some((limit, _)) => load.with_limit(self.share_of(limit.into()) as u32),
            None => load.clone(),
        }
    }

    /// The faults of the part of a plan.
    pub fn faults(plan: &Plan) -> Vec<String> {
        let Some(Part { index, of }) = plan.part else {
            return Vec::new();
        };
        if !(1..=MOST_PARTS).contains(&of) || index >= of {
            return vec![format!(
                "part `{index}` of `{of}`: expected an index below the number of parts, and at most {MOST_PARTS} parts"
            )];
        }
        let mut faults = Vec::new();
        let shared = plan.load.limit().map(|(limit, name)| (limit.into(), name));
        let counted = plan.load.sessions().map_or("calls", |_| "sessions");
        let count = plan.stop.count.map(|count| (count, counted));
        for (number, name) in [shared, count].into_iter().flatten() {
            if number < u64::from(of) {
                faults.push(format!(
                    "`{number}` {name} cannot be shared by {of} load generators: expected at least {of}, or fewer load generators"
                ));
            }
        }
        if of > 1 && plan.stop.until.is_some() {
            faults.push(
                "one of several load generators cannot tell when a percentile is known precisely enough: expected a count or a duration"
                    .into(),
            );
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_threads_of_any_parts_have_the_same_number() {
        let mut numbers = Vec::new();
        for (index, threads) in [(0, 3), (1, 1), (2, 2)] {
            let part = Part { index, of: 3 };
            for thread in 0..threads {
                let (first, step) = part.numbers(thread, threads);
                numbers.extend((0..60 / threads).map(|own| first + step * u64::from(own)));
            }
        }
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(0..180));
    }

    #[test]
    fn the_shares_of_all_parts_add_up_and_differ_by_one_at_most() {
        for of in 1..9 {
            for total in [0, 1, 7, 8, 1_000_003] {
                let shares = (0..of).map(|index| Part { index, of }.share_of(total));
                let shares: Vec<u64> = shares.collect();
                assert_eq!(shares.iter().sum::<u64>(), total);
                assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
            }
        }
    }
}
