"""The numbers of stored runs over time, from the same results that their reports show."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from httpdyno.doubts import why_invalid
from httpdyno.errors import HttpdynoError
from httpdyno.history import Gap, Observation, Place, machine_key, machine_words
from httpdyno.history.circumstances import circumstances
from httpdyno.history.metrics import estimate_of, high_is_bound, metrics_of
from httpdyno.report.text.words import is_refused
from httpdyno.result import ArmInfo, CellRow
from httpdyno.running.documents import study_of
from httpdyno.running.stored_result import stored_result
from httpdyno.store import RunSummary, Store, StoredRun, study_labels
from httpdyno.study import Study


@dataclass(frozen=True)
class Selection:
    """The numbers to collect. None and empty let every number pass.

    Those of all arms are collected: whether the others changed too says where to look.
    """

    load: str | None = None
    metrics: Sequence[str] = ()
    valid_only: bool = False
    """Without the numbers with a doubt."""
    all_machines: bool = False
    """Numbers of different machines are one series."""


def is_of(arm: str | None, name: str, server: str) -> bool:
    """True if `arm` is None, this arm, or its server: all of that server's deployments."""
    return arm in (None, name, server, name.split("/", maxsplit=1)[0])


@dataclass
class RunNumbers:
    """The numbers of many runs, and what was left out of them."""

    observations: list[Observation] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    """The places that a run measured without a result."""
    suspect: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Numbers left out because they are suspect and only valid ones are selected, by arm and
    server."""
    unreadable: list[str] = field(default_factory=list)
    """A sentence for each run that cannot be read."""

    def suspect_of(self, arm: str | None) -> int:
        """The suspect numbers of an arm or a server; None: all of them."""
        return sum(count for key, count in self.suspect.items() if is_of(arm, *key))

    def without(self, arm: str | None) -> list[Gap]:
        """The newest gap of each load point of an arm or a server that has no number at all."""
        known = {_point(one.place) for one in self.observations}
        gaps = [gap for gap in self.gaps if is_of(arm, gap.place.arm, gap.server)]
        newest = {_point(gap.place): gap for gap in sorted(gaps, key=lambda gap: gap.at)}
        return [gap for point, gap in newest.items() if point not in known]


def collect(
    store: Store, runs: Iterable[RunSummary], selection: Selection, tell: Callable[[int], None]
) -> RunNumbers:
    """Reads the numbers of these runs; `tell` gets the number of those that are read."""
    found, every = RunNumbers(), list(runs)
    labels = study_labels(every)
    for count, summary in enumerate(every, start=1):
        try:
            run = store.run(summary.id)
            if run is None or not summary.trials:
                continue
            _read(store, run, labels[run.id], selection, found)
        except HttpdynoError as error:
            why = error.message.splitlines()[0]
            found.unreadable.append(f"run {summary.id} is left out: {why}")
        tell(count)
    return found


def _read(
    store: Store, run: StoredRun, label: str, selection: Selection, found: RunNumbers
) -> None:
    study, result = study_of(run), stored_result(store, run)
    arms = {arm.name: arm for arm in result.arms}
    for cell in result.cells:
        arm = arms.get(cell.arm)
        if arm is None or selection.load not in (None, cell.load) or is_refused(cell):
            continue
        for number in _numbers(run, label, study, arm, cell, selection):
            if isinstance(number, Gap):
                found.gaps.append(number)
            elif number.is_suspect and selection.valid_only:
                found.suspect[arm.name, arm.server] += 1
            else:
                found.observations.append(number)


def _numbers(
    run: StoredRun, label: str, study: Study, arm: ArmInfo, cell: CellRow, selection: Selection
) -> Iterator[Observation | Gap]:
    for metric in metrics_of(cell):
        if selection.metrics and metric.name not in selection.metrics:
            continue
        place = Place(
            study=label,
            arm=cell.arm,
            load=cell.load,
            point=cell.point,
            metric=metric,
            machine="" if selection.all_machines else machine_key(run.facts),
            definition=_definition(study, cell.load, arm.workload),
        )
        estimate = estimate_of(cell, metric)
        if cell.status == "invalid":
            yield Gap(place, run.id, run.started_at, arm.server, why_invalid(cell.reasons))
            continue
        if estimate is None or not math.isfinite(estimate.value):
            continue
        yield Observation(
            place=place,
            run=run.id,
            at=run.started_at,
            estimate=estimate,
            status=cell.status_of(metric.number),
            server=arm.server,
            load_words=study.loads[cell.load].in_words(),
            machine_words=machine_words(run.facts),
            circumstances=circumstances(
                arm.version, run.httpdyno_version, run.facts, study.start_of(arm.server)
            ),
            reasons=tuple(cell.reasons_of(metric.number)),
            high_is_bound=high_is_bound(cell, metric),
        )


def _point(place: Place) -> tuple[str, str, str, str]:
    return place.study, place.arm, place.load, place.point


def _definition(study: Study, name: str, workload: str) -> str:
    """Equal for loads that measure the same thing, whatever else the study has."""
    load = study.loads[name]
    keys = load.model_dump_json(exclude=set(load.incidental_keys))
    return hashlib.sha256(f"{workload}\n{study.warm_up_of(load)}\n{keys}".encode()).hexdigest()[:8]
