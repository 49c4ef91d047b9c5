//! The validity tests of a run: the fields of `Validity` in `measurement.py`.

use pace::{Arrivals, Spacing};
use serde::Serialize;
use tally::{Percentile, anderson_darling, dickey_fuller, erlang, irwin_hall, spearman};

use crate::measurement::counters::Counters;
use crate::measurement::evidence::{Evidence, Group};
use crate::plan::Load;

/// The percentiles of the response time that have a confidence interval.
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];
/// A group of evenly spaced arrivals is off if its length differs from the schedule by more than this share.
const OFF: f64 = 0.10;

/// The results of the validity tests.
#[derive(Clone, Debug, Serialize)]
pub struct Validity {
    percentiles: Vec<Percentile>,
    arrivals: Option<ArrivalFit>,
    drift: Drift,
    dependence: Dependence,
}

/// The arrivals that were begun, compared with the schedule.
#[derive(Clone, Debug, Serialize)]
struct ArrivalFit {
    spacing: Spacing,
    sampled: u64,
    group: u64,
    scheduled: Option<u64>,
    due: u64,
    off_share: Option<f64>,
    anderson_darling: Option<f64>,
}

/// The drift of response times over the window.
#[derive(Clone, Debug, Serialize)]
struct Drift {
    means: u64,
    width_s: f64,
    dickey_fuller: Option<f64>,
    first_half_ns: Option<f64>,
    second_half_ns: Option<f64>,
}

/// The correlation of response times.
#[derive(Clone, Debug, Serialize)]
struct Dependence {
    sampled: u64,
    successive: Option<f64>,
    apart: Option<f64>,
}

impl Validity {
    /// The tests of a run with `load`, in bursts of `burst`.
    pub fn new(load: &Load, burst: u32, counters: &Counters) -> Self {
        let effect = |quantile| counters.intervals.design_effect(quantile);
        let percentile = |quantile| counters.response.percentile(quantile, effect(quantile));
        let arrivals = match load {
            Load::Closed { .. } => None,
            Load::Requests { arrivals, .. } => {
                let due = counters.calls.due / u64::from(burst);
                Some((arrivals, burst, due))
            }
            Load::Sessions(load) => {
                let arrivals = load.arrivals.as_ref();
                arrivals.map(|arrivals| (arrivals, 1, counters.sessions.due))
            }
        };
        Self {
            percentiles: match counters.response.count() {
                0 => Vec::new(),
                _ => QUANTILES.map(percentile).to_vec(),
            },
            arrivals: arrivals
                .map(|(arrivals, share, due)| fit(arrivals, f64::from(share), due, counters)),
            drift: drift(counters),
            dependence: dependence(counters),
        }
    }
}

/// Compares arrivals with the schedule. `due` arrivals fell due, each of which stands for `share` scheduled
/// ones.
fn fit(arrivals: &Arrivals, share: f64, due: u64, counters: &Counters) -> ArrivalFit {
    let window = &counters.window;
    let by = |at: u64| arrivals.expected(at.saturating_sub(window.begin) as f64 / 1e9) / share;
    let groups: Vec<Group> = counters
        .evidence()
        .flat_map(|e| e.groups.kept())
        .copied()
        .collect();
    // A thread has every `threads`th arrival.
    let threads = counters.evidence().count() as u64;
    let group = counters.evidence().map(Evidence::group).max().unwrap_or(0) * threads;
    let lengths = || groups.iter().map(|(from, to)| by(*to) - by(*from));
    let constant = arrivals.spacing == Spacing::Constant;
    let scheduled = (by(window.stop).ceil() - by(window.start).ceil()).max(0.0) as u64;
    let off = lengths().filter(|length| (length / group as f64 - 1.0).abs() > OFF);
    // The groups of the threads overlap, so each thread is tested by itself, and the mean is reported.
    let statistics = counters.evidence().filter_map(|evidence| {
        let lengths = evidence.groups.kept().iter();
        let lengths = lengths.map(|(from, to)| by(*to) - by(*from));
        let mut uniform: Vec<f64> = match arrivals.spacing {
            Spacing::Constant => Vec::new(),
            // Sums of narrower gaps are not of this distribution.
            Spacing::Uniform if arrivals.spread < 1.0 => Vec::new(),
            Spacing::Uniform => lengths.map(|length| irwin_hall(group, length)).collect(),
            Spacing::Exponential => lengths.map(|length| erlang(group, length)).collect(),
        };
        anderson_darling(&mut uniform)
    });
    let statistics: Vec<f64> = statistics.collect();
    ArrivalFit {
        spacing: arrivals.spacing,
        sampled: groups.len() as u64,
        group,
        scheduled: (constant && !counters.counted_out && !counters.all_due).then_some(scheduled),
        due,
        off_share: (constant && !groups.is_empty())
            .then(|| off.count() as f64 / groups.len() as f64),
        anderson_darling: mean(&statistics),
    }
}

fn drift(counters: &Counters) -> Drift {
    let mut means = counters.evidence.means.clone();
    for other in &counters.others {
        means.merge(&other.means);
    }
    let window = counters.window.stop.saturating_sub(counters.window.start);
    let series = means.within(window);
    let (first, second) = series.split_at(series.len() / 2);
    Drift {
        means: series.len() as u64,
        width_s: means.width_ns() as f64 / 1e9,
        dickey_fuller: dickey_fuller(&series),
        first_half_ns: mean(first),
        second_half_ns: mean(second),
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn dependence(counters: &Counters) -> Dependence {
    let samples = || counters.evidence().map(|evidence| evidence.pairs.kept());
    let successive: Vec<(f32, f32)> = samples().flatten().copied().collect();
    let apart: Vec<(f32, f32)> = samples()
        .flat_map(|sample| sample.windows(2).map(|two| (two[0].1, two[1].1)))
        .collect();
    Dependence {
        sampled: successive.len() as u64,
        successive: spearman(&successive),
        apart: spearman(&apart),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::window::Window;

    const SECOND: u64 = 1_000_000_000;

    /// The counters of `threads` threads that began each arrival of a schedule when it was due.
    fn counters(arrivals: &Arrivals, threads: u64, seconds: u64) -> Counters {
        let window = Window::new(0, 0, Some(seconds * SECOND), 0);
        let rate = arrivals.segments[0].from_per_s / threads as f64;
        let of = |thread| {
            let mut counters = Counters::new(window);
            counters.evidence.expect(rate);
            let schedule = arrivals.schedule(7).every(threads, thread);
            for due in schedule.take_while(|due| *due < window.stop) {
                counters.due(1, due, true);
                counters.arrived(due, true);
            }
            counters
        };
        let mut all = of(0);
        (1..threads).for_each(|thread| all.merge(&of(thread)));
        all
    }

    fn fitted(declared: &Arrivals, counters: &Counters) -> ArrivalFit {
        fit(declared, 1.0, counters.calls.due, counters)
    }

    fn arrivals(spacing: Spacing, per_s: f64) -> Arrivals {
        Arrivals {
            spacing,
            ..Arrivals::constant(per_s)
        }
    }

    #[test]
    fn arrivals_of_every_spacing_fit_what_is_declared_on_one_thread_and_on_several() {
        for spacing in [Spacing::Uniform, Spacing::Exponential] {
            for (threads, per_s) in [(1, 200.0), (3, 2000.0), (2, 50_000.0)] {
                let declared = arrivals(spacing, per_s);
                let found = fitted(&declared, &counters(&declared, threads, 10));
                let statistic = found.anderson_darling.unwrap();
                assert!(
                    statistic < 3.9,
                    "{spacing:?} {threads} {per_s}: {statistic}"
                );
            }
        }
    }

    #[test]
    fn arrivals_of_another_spacing_do_not_fit() {
        let even = counters(&arrivals(Spacing::Uniform, 500.0), 1, 10);
        let declared = arrivals(Spacing::Exponential, 500.0);
        assert!(fitted(&declared, &even).anderson_darling.unwrap() > 6.0);
        let declared = Arrivals::constant(500.0);
        assert!(fitted(&declared, &even).off_share.unwrap() > 0.5);
    }

    #[test]
    fn constant_arrivals_are_exact_and_their_number_is_the_schedule_s() {
        let declared = Arrivals::constant(2000.0);
        let found = fitted(&declared, &counters(&declared, 3, 10));
        assert_eq!((found.off_share, found.anderson_darling), (Some(0.0), None));
        assert_eq!((found.scheduled, found.due), (Some(20_000), 20_000));
        let twice = Arrivals::constant(4000.0);
        let found = fitted(&twice, &counters(&declared, 1, 10));
        assert_eq!((found.scheduled, found.due), (Some(40_000), 20_000));
        assert_eq!(found.off_share, Some(1.0));
    }
}
