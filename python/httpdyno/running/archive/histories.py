"""The numbers of stored runs over time, from the same results that their reports show."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from httpdyno.errors import HttpdynoError
from httpdyno.history import Observation, Place, machine_key, machine_words
from httpdyno.history.circumstances import circumstances
from httpdyno.history.metrics import estimate_of, metrics_of, status_of
from httpdyno.result import ArmInfo, CellRow, StudyResult
from httpdyno.running.documents import study_of
from httpdyno.running.stored_result import stored_result
from httpdyno.store import RunSummary, Store, StoredRun, study_labels
from httpdyno.study import Study
from httpdyno.study.model import ClosedLoad, describe

_NOT_THE_LOAD = frozenset({"title", "arms", "blocks", "rate", "confirm", "profile", "for_rate"})
"""Keys of a load that do not change what is measured at one of its points."""


@dataclass(frozen=True)
class Wanted:
    """The numbers to collect. None and empty let every number pass.

    Those of all arms are collected: whether the others changed too says where to look.
    """

    load: str | None = None
    metrics: Sequence[str] = ()
    suspect: bool = False
    """Also numbers with a doubt."""
    all_machines: bool = False
    """Numbers of different machines are one series."""


def is_of(arm: str | None, name: str, server: str) -> bool:
    """True if `arm` is None, this arm, or its server: all of that server's deployments."""
    return arm in (None, name, server, name.split("/", maxsplit=1)[0])


@dataclass
class Collected:
    """The numbers of many runs, and what was left out of them."""

    observations: list[Observation] = field(default_factory=list)
    suspect: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Numbers left out because they are suspect, by arm and server."""
    unreadable: list[str] = field(default_factory=list)
    """A sentence for each run that cannot be read."""

    def suspect_of(self, arm: str | None) -> int:
        """The suspect numbers of an arm or a server; None: all of them."""
        return sum(count for key, count in self.suspect.items() if is_of(arm, *key))


def collect(
    store: Store, runs: Iterable[RunSummary], wanted: Wanted, tell: Callable[[int], None]
) -> Collected:
    """Reads the numbers of these runs; `tell` hears how many of them are read."""
    found, every = Collected(), list(runs)
    labels = study_labels(every)
    for count, summary in enumerate(every, start=1):
        run = store.run(summary.id)
        if run is None or not summary.trials:
            continue
        try:
            _read(store, run, labels[run.id], wanted, found)
        except HttpdynoError as error:
            found.unreadable.append(f"run {run.id} is left out: {error.message.splitlines()[0]}")
        tell(count)
    return found


def _read(store: Store, run: StoredRun, label: str, wanted: Wanted, found: Collected) -> None:
    study, result = study_of(run), stored_result(store, run)
    arms = {arm.name: arm for arm in result.arms}
    for cell in result.cells:
        arm = arms.get(cell.arm)
        if arm is None or cell.status == "invalid" or wanted.load not in (None, cell.load):
            continue
        for number in _numbers(run, label, study, result, arm, cell, wanted):
            if number.status == "suspect" and not wanted.suspect:
                found.suspect[arm.name, arm.server] += 1
            else:
                found.observations.append(number)


def _numbers(
    run: StoredRun,
    label: str,
    study: Study,
    result: StudyResult,
    arm: ArmInfo,
    cell: CellRow,
    wanted: Wanted,
) -> Iterator[Observation]:
    for metric in metrics_of(cell):
        estimate = estimate_of(cell, metric)
        if estimate is None or not math.isfinite(estimate.value):
            continue
        if wanted.metrics and metric.name not in wanted.metrics:
            continue
        yield Observation(
            place=Place(
                study=label,
                arm=cell.arm,
                load=cell.load,
                point=cell.point,
                metric=metric,
                machine="" if wanted.all_machines else machine_key(run.facts),
                definition=_definition(study, cell.load, arm.workload),
            ),
            run=run.id,
            at=run.started_at,
            estimate=estimate,
            status=status_of(cell, metric),
            server=arm.server,
            load_words=describe(study.loads[cell.load]),
            machine_words=machine_words(run.facts),
            circumstances=circumstances(arm.version, run.httpdyno_version, run.facts),
        )


def _definition(study: Study, name: str, workload: str) -> str:
    """Equal for loads that measure the same thing, whatever else the study has."""
    load = study.loads[name]
    left_out = _NOT_THE_LOAD | ({"connections"} if isinstance(load, ClosedLoad) else set())
    told = load.model_dump_json(exclude=set(left_out))
    warm_up = study.warm_up if load.warm_up is None else load.warm_up
    return hashlib.sha256(f"{workload}\n{warm_up}\n{told}".encode()).hexdigest()[:8]
