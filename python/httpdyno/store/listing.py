"""All runs at a glance: read without their documents and without their measurements."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, func, select

from httpdyno.result import Fact
from httpdyno.store.runs import KnownStudy
from httpdyno.store.store import Store
from httpdyno.store.tables import FACTS, IMPORTS, RUNS, TRIALS


@dataclass(frozen=True)
class RunSummary:
    """A stored run without its trials."""

    id: int
    study: str
    started_at: float
    ended_at: float | None
    """None until everything is measured and its report is written."""
    httpdyno_version: str
    command: str
    host: str | None = None
    """The name of the machine that began it; None: imported."""
    origin: str | None = None
    """Where an imported run was measured; None: here."""
    facts: Sequence[Fact] = ()
    arms: Sequence[str] = ()
    """Those with a trial."""
    trials: Mapping[str, int] = field(default_factory=dict)
    """Number of trials by verdict."""
    project: str = ""
    """Tells studies of the same name apart; empty: built in."""
    study_folder: str = ""
    """The folder of the study; empty: built in, or imported."""

    @property
    def ended(self) -> bool:
        """True once its report is written: it cannot be resumed."""
        return self.ended_at is not None

    @property
    def failed(self) -> bool:
        """True if it ended without a trial: no arm could be measured."""
        return self.ended and not self.trials

    @property
    def complete(self) -> bool:
        """True once everything that could be measured is measured."""
        return self.ended and not self.failed


def study_labels(runs: Sequence[RunSummary]) -> dict[int, str]:
    """The name of each run's study, by the number of the run; with its place where studies of
    several projects have the same name."""
    projects: dict[str, dict[str, str]] = {}
    for run in sorted(runs, key=lambda one: one.id):  # the place of the newest counts
        place = run.origin or run.study_folder or "built in"
        projects.setdefault(run.study, {})[run.project] = place
    return {run.id: _label(run, projects[run.study]) for run in runs}


def _label(run: RunSummary, places: Mapping[str, str]) -> str:
    if len(places) == 1:
        return run.study
    place = places[run.project]
    alike = sum(other == place for other in places.values()) > 1
    return f"{run.study} ({place}{f', {run.project[:6]}' if alike and run.project else ''})"


def summaries(
    store: Store, *, study: KnownStudy | None = None, since: float | None = None
) -> list[RunSummary]:
    """The runs in the order in which they began. `study`: only its runs; `since`: Unix time."""
    columns = (
        RUNS.c.id,
        RUNS.c.study,
        RUNS.c.started_at,
        RUNS.c.ended_at,
        RUNS.c.httpdyno_version,
        RUNS.c.command,
        RUNS.c.host,
        RUNS.c.project,
        RUNS.c.study_folder,
    )
    query = select(*columns).order_by(RUNS.c.started_at, RUNS.c.id)
    if study is not None:
        query = query.where(RUNS.c.study == study.name, RUNS.c.project == study.project)
    if since is not None:
        query = query.where(RUNS.c.started_at >= since)
    with store.transaction() as connection:
        rows = connection.execute(query).mappings().all()
        facts, arms, trials, origins = (
            _facts(connection),
            _arms(connection),
            _trials(connection),
            _origins(connection),
        )
    return [
        RunSummary(
            **{**row, "started_at": _moment(row["started_at"])},
            origin=origins.get(row["id"]),
            facts=facts.get(row["id"], ()),
            arms=arms.get(row["id"], ()),
            trials=trials.get(row["id"], {}),
        )
        for row in rows
    ]


def _moment(stored: object) -> float:
    """The time of a row; NaN where it is damaged: SQLite keeps whatever is written to a column."""
    return float(stored) if isinstance(stored, (int, float)) else math.nan


def _facts(connection: Connection) -> dict[int, list[Fact]]:
    found: dict[int, list[Fact]] = {}
    query = select(FACTS).order_by(FACTS.c.run_id, FACTS.c.number)
    for row in connection.execute(query).mappings():
        found.setdefault(row["run_id"], []).append(Fact.model_validate(dict(row)))
    return found


def _arms(connection: Connection) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    query = select(TRIALS.c.run_id, TRIALS.c.arm).distinct().order_by(TRIALS.c.arm)
    for run_id, arm in connection.execute(query):
        found.setdefault(run_id, []).append(arm)
    return found


def _trials(connection: Connection) -> dict[int, Counter[str]]:
    found: dict[int, Counter[str]] = {}
    query = select(TRIALS.c.run_id, TRIALS.c.status, func.count()).group_by(
        TRIALS.c.run_id, TRIALS.c.status
    )
    for run_id, status, count in connection.execute(query):
        found.setdefault(run_id, Counter())[status] = count
    return found


def _origins(connection: Connection) -> dict[int, str]:
    rows = connection.execute(select(IMPORTS.c.run_id, IMPORTS.c.origin))
    return {row.run_id: row.origin for row in rows}
