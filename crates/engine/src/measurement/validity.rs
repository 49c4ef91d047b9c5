//! The validity tests of a run: the fields of `Validity` in `measurement.py`.

use driver::Nanos;
use pace::{Arrivals, Spacing};
use serde::Serialize;
use tally::{Percentile, anderson_darling, dickey_fuller, erlang, irwin_hall, spearman};

use crate::measurement::Facts;
use crate::measurement::counters::Counters;
use crate::measurement::evidence::{Evidence, Group};
use crate::plan::part::Part;

/// The percentiles of the response time that have a confidence interval.
pub const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 0.9999];
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
    /// The tests of a run with these facts.
    pub fn new(facts: &Facts, counters: &Counters) -> Self {
        let effect = |quantile| counters.intervals.design_effect(quantile);
        let percentile = |quantile| counters.response.percentile(quantile, effect(quantile));
        let (burst, due) = match facts.load.sessions() {
            Some(_) => (1, counters.sessions.due),
            None => (facts.burst, counters.calls.due / u64::from(facts.burst)),
        };
        let declared = |arrivals| Declared {
            arrivals,
            burst: burst.into(),
            part: facts.part,
            all_parts: facts.all_parts,
            begin: counters.window.begin,
        };
        Self {
            percentiles: match counters.response.count() {
                0 => Vec::new(),
                _ => QUANTILES.map(percentile).to_vec(),
            },
            arrivals: facts
                .load
                .arrivals()
                .map(|arrivals| fit(&declared(arrivals), due, counters)),
            drift: drift(counters),
            dependence: dependence(counters),
        }
    }
}

/// The arrivals that the plan declares, and the part of them that was carried out.
struct Declared<'a> {
    arrivals: &'a Arrivals,
    /// Scheduled arrivals for each that falls due.
    burst: f64,
    part: Part,
    /// All parts were carried out, not only this one.
    all_parts: bool,
    begin: Nanos,
}

impl Declared<'_> {
    /// Expected arrivals of all parts up to `at`.
    fn by(&self, at: Nanos) -> f64 {
        let seconds = at.saturating_sub(self.begin) as f64 / 1e9;
        self.arrivals.expected(seconds) / self.burst
    }

    /// The number of constant arrivals before `at`.
    fn before(&self, at: Nanos) -> f64 {
        let all = self.by(at).ceil();
        if self.all_parts {
            return all;
        }
        let (index, of) = (f64::from(self.part.index), f64::from(self.part.of));
        ((all - index) / of).ceil().max(0.0)
    }

    /// The arrivals of the process in a group of `evidence`: those of other threads and parts are in between.
    fn group(&self, evidence: &Evidence) -> u64 {
        let parts = if self.thinned() { 1 } else { self.part.of };
        evidence.group() * u64::from(parts)
    }

    /// The expected arrivals of the process in the time of a group.
    fn length(&self, (from, to): Group) -> f64 {
        let all = self.by(to) - self.by(from);
        if self.thinned() {
            all / f64::from(self.part.of)
        } else {
            all
        }
    }

    fn thinned(&self) -> bool {
        self.arrivals.is_thinned(self.part.of.into())
    }

    /// The Anderson–Darling statistic of the groups of one thread; `None` if the spacing has no such test.
    fn misfit(&self, evidence: &Evidence) -> Option<f64> {
        let group = self.group(evidence);
        let lengths = evidence.groups.kept().iter();
        let lengths = lengths.map(|group| self.length(*group));
        let mut uniform: Vec<f64> = match self.arrivals.spacing {
            Spacing::Constant => Vec::new(),
            // Sums of narrower gaps are not of this distribution.
            Spacing::Uniform if self.arrivals.spread < 1.0 => Vec::new(),
            Spacing::Uniform => lengths.map(|length| irwin_hall(group, length)).collect(),
            Spacing::Exponential => lengths.map(|length| erlang(group, length)).collect(),
        };
        anderson_darling(&mut uniform)
    }

    /// The number of groups of one thread whose length is off.
    fn off(&self, evidence: &Evidence) -> usize {
        let group = self.group(evidence) as f64;
        let lengths = evidence.groups.kept().iter();
        let lengths = lengths.map(|group| self.length(*group));
        lengths
            .filter(|length| (length / group - 1.0).abs() > OFF)
            .count()
    }
}

/// Compares arrivals with those declared. `due` of them fell due.
fn fit(declared: &Declared, due: u64, counters: &Counters) -> ArrivalFit {
    let window = &counters.window;
    let groups = counters.evidence().map(|one| one.groups.kept().len());
    let sampled: usize = groups.sum();
    let constant = declared.arrivals.spacing == Spacing::Constant;
    let scheduled = declared.before(window.stop) - declared.before(window.start);
    let off: usize = counters.evidence().map(|one| declared.off(one)).sum();
    // The groups of the threads overlap, so each thread is tested by itself, and the mean is reported.
    let statistics = counters.evidence().filter_map(|one| declared.misfit(one));
    let statistics: Vec<f64> = statistics.collect();
    let group = counters.evidence().map(|one| declared.group(one)).max();
    ArrivalFit {
        spacing: declared.arrivals.spacing,
        sampled: sampled as u64,
        group: group.unwrap_or(0),
        scheduled: (constant && !counters.counted_out && !counters.all_due)
            .then_some(scheduled.max(0.0) as u64),
        due,
        off_share: (constant && sampled > 0).then(|| off as f64 / sampled as f64),
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

    /// The counters of `threads` threads of a part that began each of its arrivals when it was due.
    fn of_part(arrivals: &Arrivals, part: Part, threads: u64, seconds: u64) -> Counters {
        let window = Window::new(0, 0, Some(seconds * SECOND), 0);
        let rate = arrivals.segments[0].from_per_s / f64::from(part.of);
        let of = |thread| {
            let mut counters = Counters::new(window);
            counters.evidence.expect(rate, threads as u32);
            let schedule = part.schedule(arrivals, 7).every(threads, thread);
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

    fn counters(arrivals: &Arrivals, threads: u64, seconds: u64) -> Counters {
        of_part(arrivals, Part::WHOLE, threads, seconds)
    }

    fn fitted_as(
        declared: &Arrivals,
        part: Part,
        all_parts: bool,
        counters: &Counters,
    ) -> ArrivalFit {
        let declared = Declared {
            arrivals: declared,
            burst: 1.0,
            part,
            all_parts,
            begin: 0,
        };
        fit(&declared, counters.calls.due, counters)
    }

    fn fitted(declared: &Arrivals, counters: &Counters) -> ArrivalFit {
        fitted_as(declared, Part::WHOLE, true, counters)
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

    #[test]
    fn parts_fit_one_by_one_and_together_with_different_numbers_of_threads() {
        for spacing in [Spacing::Constant, Spacing::Uniform, Spacing::Exponential] {
            let declared = arrivals(spacing, 3001.0);
            let parts = [0, 1, 2].map(|index| Part { index, of: 3 });
            let runs = parts.map(|part| of_part(&declared, part, 1 + u64::from(part.index), 10));
            let mut together = runs[0].clone();
            runs[1..].iter().for_each(|run| together.merge(run));
            let single = parts.iter().zip(&runs);
            let single = single.map(|(part, run)| fitted_as(&declared, *part, false, run));
            let all = fitted_as(&declared, parts[0], true, &together);
            for found in single.chain([all]) {
                assert!(
                    found.scheduled.is_none_or(|all| all == found.due),
                    "{found:?}"
                );
                assert!(
                    found.off_share.is_none_or(|share| share < 1e-9),
                    "{found:?}"
                );
                let misfit = found.anderson_darling.unwrap_or(0.0);
                assert!(misfit < 3.9, "{found:?}");
            }
            let all = fitted_as(&declared, parts[0], true, &together);
            assert!((29_400..30_600).contains(&all.due), "{all:?}");
        }
    }
}
