"""The story of a comparison: arms and a rate become a study, its result becomes a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from httpdyno.comparison.baseline import Saved, compared_with
from httpdyno.comparison.canary import Canary, canary_name, canary_now
from httpdyno.comparison.loads import Loads, judged, measures_cpu, same_rate
from httpdyno.comparison.machine import require_same
from httpdyno.comparison.pilot import chosen_rate
from httpdyno.comparison.sides import Commands, Side, side
from httpdyno.comparison.study import Work, comparison_study
from httpdyno.comparison.subjects import Subject
from httpdyno.host import machine_facts
from httpdyno.result import Comparison, StudyResult
from httpdyno.run import Ended, catalogue_of, run_study
from httpdyno.running.documents import study_of
from httpdyno.running.listener import Listener
from httpdyno.running.machine_lock import machine_lock
from httpdyno.running.options import RunOptions
from httpdyno.running.results_folder import new_folder
from httpdyno.statistics.compare import Metric
from httpdyno.statistics.decide import Decided, Decision, decide, overall
from httpdyno.store import open_store
from httpdyno.study import RequestsLoad, Study


@dataclass(frozen=True)
class Named:
    """One of the arms as the user gave it: a subject, its name, and how it is started."""

    subject: Subject
    name: str
    commands: Commands


@dataclass(frozen=True)
class Wanted:
    """What is to be compared, and how."""

    baseline: Named | Saved
    changed: Named
    canary: Named | None
    work: Work
    loads: Loads
    """Without the load at the same rate, unless its rate is known."""
    paced_s: float | None
    """The duration of the load whose rate is still to be chosen; None: none is."""
    margins: Mapping[Metric, float]
    blocks: int
    seed: int
    warm_up: float
    any_machine: bool = False
    """A saved baseline from another machine will do."""

    @property
    def arms(self) -> list[Named]:
        """Those that are measured now, the canary last."""
        first = [] if isinstance(self.baseline, Saved) else [self.baseline]
        return [*first, self.changed, *([] if self.canary is None else [self.canary])]


@dataclass(frozen=True)
class Compared:
    """The end of a comparison. Without a result, because it was interrupted, it has no decisions."""

    ended: Ended
    study: Study
    baseline: str
    changed: str
    decisions: Sequence[Decision] = ()
    canary: Canary | None = None

    @property
    def decided(self) -> Decided:
        """All metrics together; a saved baseline on a machine that changed tells nothing."""
        return overall(self.decisions)


def compare(wanted: Wanted, options: RunOptions, listener: Listener) -> Compared:
    """Measures the arms in turn, in blocks, and decides. Raises the errors of `run_study`.

    KeyboardInterrupt before the first trial is passed on; after it, it ends the run cleanly.
    """
    if isinstance(wanted.baseline, Saved) and not wanted.any_machine:
        require_same(wanted.baseline.result.machine, machine_facts(), str(wanted.baseline.source))
    with machine_lock(options.command, listener.note):
        sides = _sides(wanted, listener)
        options = replace(options, made=[one.server for one in sides if one.server is not None])
        study = _study(wanted, sides, wanted.loads)
        if wanted.paced_s is not None:
            paced, options = _paced(wanted.paced_s, study, options, listener)
            study = _study(wanted, sides, {**wanted.loads, **paced})
    ended = run_study(study, options, listener)
    baseline = wanted.baseline.arm if isinstance(wanted.baseline, Saved) else sides[0].name
    changed = sides[len(wanted.arms) - 1 - (wanted.canary is not None)].name
    compared = Compared(ended, study, baseline, changed)
    if ended.result is None:
        return compared
    canary = sides[-1].name if wanted.canary is not None else None
    return replace(
        compared,
        decisions=_decisions(wanted, ended.result, baseline, changed),
        canary=None if canary is None else _canary(wanted, ended.result, canary, options),
    )


def _sides(wanted: Wanted, listener: Listener) -> list[Side]:
    """The arms, copied and built; the canary under the name by which its runs are found."""
    found = [
        side(one.subject, one.name, one.commands, lambda text: listener.stage(text, "the build"))
        for one in wanted.arms
    ]
    if wanted.canary is not None:
        load = next(iter(wanted.loads.values()))
        name = canary_name(found[-1], wanted.work.name, load)
        found[-1] = side(wanted.canary.subject, name, wanted.canary.commands, listener.stage)
    return found


def _study(wanted: Wanted, sides: Sequence[Side], loads: Loads) -> Study:
    return comparison_study(
        sides,
        wanted.work,
        loads,
        blocks=wanted.blocks,
        seed=wanted.seed,
        warm_up=wanted.warm_up,
    )


def _paced(
    duration_s: float, study: Study, options: RunOptions, listener: Listener
) -> tuple[Loads, RunOptions]:
    """The load at the same rate for all. A run that is resumed keeps the rate that it began with."""
    if options.resume:
        stored = open_store(options.store_url).newest_of(study.name)
        loads = {} if stored is None else study_of(stored).loads
        return {n: one for n, one in loads.items() if isinstance(one, RequestsLoad)}, options
    options = replace(options, results=options.results or new_folder(study.name))
    catalogue = catalogue_of(study, options.servers).and_also(options.made)
    folder = (options.results or new_folder(study.name)) / "pilot"
    rate = chosen_rate(study, catalogue, folder, listener, options.interrupted)
    return same_rate(rate, duration_s), options


def _decisions(
    wanted: Wanted, result: StudyResult, baseline: str, changed: str
) -> list[Decision]:
    infos = {info.name: info for info in result.loads}
    by_load = judged(infos, cpu=measures_cpu(result))
    rows: Sequence[Comparison] = result.comparisons
    if isinstance(wanted.baseline, Saved):
        rows = compared_with(wanted.baseline, result, changed, by_load)
    return [
        decide(metric, wanted.margins[metric], _row(rows, baseline, changed, metric, load))
        for metric, load in by_load.items()
    ]


def _row(
    rows: Sequence[Comparison], baseline: str, changed: str, metric: Metric, load: str
) -> Comparison | None:
    wanted = (baseline, changed, metric, load)
    return next((r for r in rows if (r.baseline, r.arm, r.metric, r.load) == wanted), None)


def _canary(wanted: Wanted, result: StudyResult, arm: str, options: RunOptions) -> Canary:
    load = next(iter(wanted.loads))
    store = open_store(options.store_url)
    return canary_now(store, result, arm, load, wanted.margins["throughput"])
