//! However calls are distributed over threads, and in whatever order threads are merged, the result is that of a single
//! thread.

use proptest::prelude::*;
use tally::{
    Calls, ErrorClass, Failure, IntervalRow, Intervals, Statuses, TimeBin, TimeSummary, Times,
};

/// The counters of one thread.
#[derive(Clone, Default)]
struct Tally {
    calls: Calls,
    statuses: Statuses,
    times: Times,
    intervals: Intervals,
}

/// The end of a call.
#[derive(Clone, Copy, Debug)]
enum Call {
    Ok { second: i64, ns: u64 },
    WrongStatus { second: i64, status: u16 },
    Failed { second: i64, class: usize },
    GivenUp { ns: u64 },
    Unsent,
}

impl Tally {
    fn of(calls: &[Call]) -> Self {
        let mut tally = Tally::default();
        for &call in calls {
            tally.add(call);
        }
        tally
    }

    fn add(&mut self, call: Call) {
        self.calls.due += 1;
        self.calls.sent += u64::from(!matches!(call, Call::Unsent));
        match call {
            Call::Ok { second, ns } => {
                self.calls.ok += 1;
                self.statuses.record(200);
                self.times.record(ns);
                self.intervals.ok(second, ns);
            }
            Call::WrongStatus { second, status } => {
                self.calls.wrong_status += 1;
                self.statuses.record(status);
                self.intervals.failed(second, Failure::WrongStatus, 1);
            }
            Call::Failed { second, class } => {
                let class = ErrorClass::ALL[class % ErrorClass::ALL.len()];
                self.calls.error(class);
                self.intervals.failed(second, Failure::Error(class), 1);
            }
            Call::GivenUp { ns } => {
                self.calls.in_flight += 1;
                self.times.record_censored(ns, 1);
            }
            Call::Unsent => self.calls.unsent += 1,
        }
    }

    fn merge(&mut self, other: &Self) {
        self.calls.merge(&other.calls);
        self.statuses.merge(&other.statuses);
        self.times.merge(&other.times);
        self.intervals.merge(&other.intervals);
    }

    fn told(&self) -> (Calls, Statuses, TimeSummary, Vec<IntervalRow>, Vec<TimeBin>) {
        (
            self.calls.clone(),
            self.statuses.clone(),
            self.times.summary(),
            self.intervals.rows(),
            self.intervals.bins(),
        )
    }
}

fn call() -> impl Strategy<Value = Call> {
    let second = -3..12_i64;
    let ns = prop_oneof![0..1_000_u64, 0..10_000_000_000_u64, any::<u64>()];
    prop_oneof![
        4 => (second.clone(), ns.clone()).prop_map(|(second, ns)| Call::Ok { second, ns }),
        1 => (second.clone(), any::<u16>()).prop_map(|(second, status)| Call::WrongStatus { second, status }),
        1 => (second, 0..64_usize).prop_map(|(second, class)| Call::Failed { second, class }),
        1 => ns.prop_map(|ns| Call::GivenUp { ns }),
        1 => Just(Call::Unsent),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 1 } else { 64 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tree_of_merges_of_any_dealing_is_the_whole(
        calls in prop::collection::vec((call(), 0..5_usize), 0..120),
        merges in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 4),
    ) {
        let whole = Tally::of(&calls.iter().map(|&(call, _)| call).collect::<Vec<_>>());
        let dealt = |thread| calls.iter().filter(move |(_, to)| *to == thread).map(|&(call, _)| call);
        let mut threads: Vec<Tally> = (0..5).map(|thread| Tally::of(&dealt(thread).collect::<Vec<_>>())).collect();
        for (one, other) in merges {
            let other = threads.remove(other.index(threads.len()));
            let one = one.index(threads.len());
            threads[one].merge(&other);
        }
        prop_assert_eq!(threads.len(), 1);
        prop_assert_eq!(threads[0].told(), whole.told());
        prop_assert_eq!(whole.calls.check(), Ok(()));
        prop_assert_eq!(whole.calls.due, calls.len() as u64);
    }

    #[test]
    fn merging_nothing_changes_nothing(calls in prop::collection::vec(call(), 0..60)) {
        let whole = Tally::of(&calls);
        let mut onto = whole.clone();
        onto.merge(&Tally::default());
        let mut nothing = Tally::default();
        nothing.merge(&whole);
        prop_assert_eq!(onto.told(), whole.told());
        prop_assert_eq!(nothing.told(), whole.told());
    }
}
