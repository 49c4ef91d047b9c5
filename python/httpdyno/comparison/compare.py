"""The story of a comparison: arms and a rate become a study, its result becomes a decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from httpdyno.comparison.arms.baseline import compared_with
from httpdyno.comparison.arms.machine import require_same
from httpdyno.comparison.arms.sides import Side, side
from httpdyno.comparison.canary import Canary, canary_name, compare_canary
from httpdyno.comparison.endpoints import EndpointChange, endpoint_changes
from httpdyno.comparison.loads import Loads, deciding_loads, http_of, measures_cpu, same_rate
from httpdyno.comparison.pilot import chosen_rate, require_all
from httpdyno.comparison.specification import Specification
from httpdyno.comparison.study import Keys, comparison_keys, comparison_study
from httpdyno.host.facts import machine_facts
from httpdyno.output.files import write_file
from httpdyno.plan import Plan
from httpdyno.result import CellRow, Comparison, DecisionOutcome, Reason, StudyResult
from httpdyno.run import RunOutcome, catalogue_of, run_study
from httpdyno.running.documents import study_of
from httpdyno.running.live.events import Events, Stage
from httpdyno.running.machines.machine_lock import coordinator, machine_lock
from httpdyno.running.options import RunOptions
from httpdyno.running.projects.home import home_of
from httpdyno.running.results_folder import new_folder, writable
from httpdyno.servers import load_catalogue
from httpdyno.statistics.decide import Decision, decide, overall
from httpdyno.store import open_store
from httpdyno.study import Study
from httpdyno.study.size import MOST_CHARACTERS
from httpdyno.study.write import toml_of
from httpdyno.verdict import Settings

BUILD = "the build"
STUDY_FILE = "study.toml"


@dataclass(frozen=True)
class CompareOutcome:
    """The end of a comparison. One that was interrupted early has no decisions."""

    spec: Specification
    ended: RunOutcome
    study: Study
    names: tuple[str, str]
    """Of the baseline and of the changed arm."""
    decisions: Sequence[Decision] = ()
    endpoints: Sequence[EndpointChange] = ()
    """Those of the changed arm; empty: its workload has only one, or the baseline was saved."""
    canary: Canary | None = None

    @property
    def moved(self) -> bool:
        """True if the machine has changed since the saved baseline was measured."""
        changed = self.canary is not None and self.canary.state == "changed"
        return changed and self.spec.saved is not None

    @property
    def of_all_calls(self) -> DecisionOutcome:
        """All metrics together, without those of single endpoints."""
        return overall(self.decisions)

    @property
    def decided(self) -> DecisionOutcome:
        """All metrics together; one endpoint that is a regression makes it one."""
        slower = any(one.is_regression for one in self.endpoints)
        return "regression" if slower else self.of_all_calls


def compare(spec: Specification, options: RunOptions, events: Events) -> CompareOutcome:
    """Measures the arms in turn, in blocks, and decides.

    KeyboardInterrupt before the first trial is passed on; after it, it ends the run cleanly. Raises
    the errors of `run_study`, and TargetError for an arm that cannot be built or started.
    """
    saved = spec.saved
    if saved is not None and not spec.other_machine:
        require_same(saved.result.machine, machine_facts(), str(saved.source))
    with machine_lock(options.command, events.note):
        sides = _sides(spec, events, built_here=options.site is None)
        # The loads of a saved baseline cannot be changed by flags.
        settings: Settings = "compare" if saved is None else "none"
        options = replace(
            options, settings=settings, made=[one.server for one in sides if one.server is not None]
        )
        names = (sides[0].name, sides[1].name) if saved is None else (saved.arm, sides[0].name)
        catalogue = load_catalogue().and_also(options.made)
        keys = _keys(spec, sides, names, spec.loads)
        study = comparison_study(keys, names, catalogue)
        if spec.paced_s is not None:
            paced, options = _at_one_rate(spec.paced_s, study, options, events, spec.work.calls)
            keys = _keys(spec, sides, names, {**spec.loads, **paced})
            study = comparison_study(keys, names, catalogue)
        elif not options.resume:
            options = _start_each(study, options, events)
    study, options = _keep_study(study, keys, options)
    ended = run_study(study, options, events)
    if ended.result is None:
        return CompareOutcome(spec, ended, study, names)
    found = CompareOutcome(
        spec,
        ended,
        study,
        names,
        decisions(spec, ended.result, names),
        endpoints(spec, ended.result, names),
    )
    if spec.canary is None:
        return found
    return with_canary(found, _canary(spec, ended.result, sides[-1], options))


def _sides(spec: Specification, events: Events, *, built_here: bool) -> list[Side]:
    """The arms, copied and built; the canary under the name by which its runs are found."""

    def say(text: str) -> None:
        events.send(Stage(text, BUILD))

    found = [
        side(one.subject, one.name, one.commands, say, built_here=built_here) for one in spec.arms
    ]
    if spec.canary is not None:
        name = canary_name(found[-1], spec.work.name, next(iter(spec.loads.values())))
        found[-1] = side(spec.canary.subject, name, spec.canary.commands, say)
    return found


def _keys(spec: Specification, sides: Sequence[Side], names: tuple[str, str], loads: Loads) -> Keys:
    return comparison_keys(
        [one.arm for one in sides],
        names,
        spec.work,
        loads,
        blocks=spec.blocks,
        seed=spec.seed,
        warm_up=spec.warm_up,
    )


def _at_one_rate(
    duration_s: float, study: Study, options: RunOptions, events: Events, calls: int | None
) -> tuple[Loads, RunOptions]:
    """The load at one rate for all. A run that is resumed keeps the rate that it began with.
    `calls`: of a session."""
    if options.resume:
        home = home_of(study.folder)
        stored = open_store(options.store_url).newest_of(study.name, coordinator().id, home=home)
        loads = {} if stored is None else study_of(stored).loads
        return {name: one for name, one in loads.items() if one.purpose == "open"}, options
    folder = _folder(study, options)
    catalogue = catalogue_of(study, options.servers).and_also(options.made)
    where = folder / "pilot"
    rate = chosen_rate(study, catalogue, where, events, options.interrupted, options.site, calls)
    paced = same_rate(rate, duration_s, http_of(study.loads), calls)
    return paced, replace(options, results=folder)


def _start_each(study: Study, options: RunOptions, events: Events) -> RunOptions:
    """Starts each server once, so that one that cannot be measured ends the comparison at once."""
    folder = _folder(study, options)
    catalogue = catalogue_of(study, options.servers).and_also(options.made)
    require_all(Plan(study), catalogue, folder / "pilot", events, options.site)
    return replace(options, results=folder)


def _keep_study(study: Study, keys: Keys, options: RunOptions) -> tuple[Study, RunOptions]:
    """The study in a file beside its report, where hints and people find it.

    Not with a server that no file declares, nor with more requests than a file may have, nor for a
    run that has its folder already.
    """
    text = "" if options.resume or options.made else toml_of(keys)
    if not 0 < len(text) <= MOST_CHARACTERS:
        return study, options
    folder = _folder(study, options)
    file = folder / STUDY_FILE
    write_file(file, text)
    kept = study.model_copy(update={"file": str(file)})
    return kept, replace(options, results=folder)


def _folder(study: Study, options: RunOptions) -> Path:
    """The folder of a new run."""
    return new_folder(study.name) if options.results is None else writable(options.results)


def decisions(spec: Specification, result: StudyResult, names: tuple[str, str]) -> list[Decision]:
    """The decision of each metric. `names`: of the baseline and of the changed arm."""
    by_load = deciding_loads({info.name: info for info in result.loads}, cpu=measures_cpu(result))
    rows: Sequence[Comparison] = result.comparisons
    if spec.saved is not None:
        rows = compared_with(spec.saved, result, names[1], by_load)
    found = {(row.baseline, row.arm, row.metric, row.load): row for row in rows}
    return [
        decide(metric, spec.margins[metric], found.get((*names, metric, load)))
        for metric, load in by_load.items()
    ]


def endpoints(
    spec: Specification, result: StudyResult, names: tuple[str, str]
) -> list[EndpointChange]:
    """The endpoints of the changed arm, under the load that decides about p99. Those of a saved
    baseline are not compared."""
    if spec.saved is not None:
        return []
    by_load = deciding_loads({info.name: info for info in result.loads}, cpu=False)
    return endpoint_changes(result, names, by_load.get("p99"), spec.margins)


def with_canary(compared: CompareOutcome, canary: Canary) -> CompareOutcome:
    """The comparison with what its canary shows: on a machine that changed, a saved baseline tells
    nothing."""
    found = replace(compared, canary=canary)
    if not found.moved:
        return found
    unclear = [
        one
        if one.decided == "no result"
        else replace(one, decided="cannot tell", blocks_needed=None, reserve="")
        for one in found.decisions
    ]
    return replace(found, decisions=unclear, endpoints=())


def cells(compared: CompareOutcome, one: Decision) -> list[CellRow | None]:
    """The cells of the baseline and of the changed arm that a decision compares."""
    return cells_under(compared, None if one.comparison is None else one.comparison.load)


def cells_under(compared: CompareOutcome, load: str | None) -> list[CellRow | None]:
    """The cells of the baseline and of the changed arm under a load."""
    saved, result = compared.spec.saved, compared.ended.result
    sources = (result if saved is None else saved.result, result)
    return [
        next((row for row in rows if (row.arm, row.load) == (name, load)), None)
        for rows, name in zip(
            (source.cells if source else [] for source in sources), compared.names, strict=True
        )
    ]


def doubts(compared: CompareOutcome, one: Decision) -> list[tuple[str, Reason]]:
    """Why a metric of either arm is suspect, each with its arm; empty: it is not compared, or
    not suspect."""
    if one.comparison is None or one.comparison.ratio is None or one.comparison.number is None:
        return []
    number = one.comparison.number
    found = [cell for cell in cells(compared, one) if cell is not None]
    suspect = [cell for cell in found if cell.status_of(number) == "suspect"]
    return [(cell.arm, reason) for cell in suspect for reason in cell.reasons_of(number)]


def _canary(spec: Specification, result: StudyResult, canary: Side, options: RunOptions) -> Canary:
    place = (canary.name, next(iter(spec.loads)))
    store = open_store(options.store_url)
    return compare_canary(store, result, place, spec.margins["throughput"], spec.saved)
