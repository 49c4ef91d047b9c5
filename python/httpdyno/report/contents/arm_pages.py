"""All that is known of one arm, each arm by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from httpdyno import units
from httpdyno.metrics import COLUMNS, Metric
from httpdyno.output.table import Cell, Column, Field, fields
from httpdyno.report.contents.capacity import capacity_tables
from httpdyno.report.contents.replay import published_words
from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.contents.rows.groups import group_by
from httpdyno.report.contents.rows.tables import (
    NUMBERS,
    Line,
    LoadTable,
    cell_line,
    ratio_shown,
)
from httpdyno.report.text import words
from httpdyno.report.text.arms import arm_names
from httpdyno.report.text.doubts import cells_of
from httpdyno.result import (
    ArmInfo,
    CellRow,
    Comparison,
    FailureRow,
    Reason,
    Status,
    StudyResult,
    TrialRow,
)

MOST_TRIALS = 2000
"""A page of more trials leaves them to its data files."""
MOST_CELLS = 400
"""A study of more cells has them only in the table of all numbers, not also under their arms."""
MOST_DOUBTS = 20


@dataclass(frozen=True)
class TrialLine:
    """One restart, measured once."""

    where: str
    status: Status
    fields: Sequence[Field]
    """In the order of `TRIAL_COLUMNS`."""


@dataclass(frozen=True)
class ArmPage:
    """One arm: its description, its cells, its comparisons, its doubts, its trials."""

    label: ArmLabel
    info: ArmInfo | None
    summary: str
    """`6 cells, 1 without a result`."""
    cells: Sequence[Line]
    capacity: Sequence[LoadTable]
    """A table for each load that searched for its capacity."""
    compared: Sequence[tuple[Comparison, Cell, str]]
    """Each comparison, its ratio, and its outcome in words."""
    published: Sequence[tuple[str, str]]
    """Each published number, and what it is."""
    doubts: Sequence[tuple[str, Reason]]
    """The load point, and the reason."""
    doubts_left_out: int
    failures: Sequence[FailureRow]
    trials: Sequence[TrialLine]
    trials_left_out: int
    elsewhere: int
    """Its cells, if they are only in the table of all numbers."""


def arm_pages(result: StudyResult, labels: Labels, *, alone: bool = False) -> list[ArmPage]:
    """The arms in the order of the study. `alone`: each has a page of its own."""
    every = sum(len(cell.trials) for cell in result.cells)
    cells = group_by(result.cells, lambda cell: cell.arm)
    compared = group_by(result.comparisons, lambda row: row.arm)
    published = group_by(result.published, lambda row: row.arm)
    failures = group_by(result.failures, lambda row: row.arm)
    infos = {arm.name: arm for arm in result.arms}
    capacities = capacity_tables(result, labels)
    places = cells_of(result)
    large = len(result.cells) > MOST_CELLS and not alone
    found = []
    for name in arm_names(result):
        mine = cells.get(name, [])
        doubts = [(f"{c.load}, {c.point}", reason) for c in mine for reason in c.reasons]
        own = sum(len(cell.trials) for cell in mine)
        plain = [cell for cell in mine if cell.capacity is None]
        has_room = (own if alone else every) <= MOST_TRIALS
        known = [
            (row, ratio_shown(row, places), words.outcome(row))
            for row in compared.get(name, [])
            if row.outcome != "no result"
        ]
        page = ArmPage(
            label=labels(name),
            info=infos.get(name),
            summary=_summary(mine),
            cells=[] if large else [cell_line(cell, labels, NUMBERS) for cell in plain],
            capacity=[] if large else _of_arm(name, capacities),
            compared=[] if large else known,
            published=[published_words(row) for row in published.get(name, [])],
            doubts=doubts[:MOST_DOUBTS],
            doubts_left_out=max(0, len(doubts) - MOST_DOUBTS),
            failures=failures.get(name, []),
            trials=_trials(mine) if has_room else [],
            trials_left_out=0 if has_room else own,
            elsewhere=len(mine) if large else 0,
        )
        found.append(page)
    return found


def _of_arm(name: str, tables: Sequence[LoadTable]) -> list[LoadTable]:
    own = [
        replace(table, lines=[line for line in table.lines if line.arm.name == name])
        for table in tables
    ]
    return [table for table in own if table.lines]


def _summary(cells: Sequence[CellRow]) -> str:
    count = units.counted(len(cells), "cell")
    without = sum(cell.status == "invalid" for cell in cells)
    suspect = sum(cell.status == "suspect" for cell in cells)
    parts = [count if cells else "not measured"]
    parts += [f"{without} without a result"] if without else []
    parts += [f"{suspect} suspect"] if suspect else []
    return ", ".join(parts)


def _trials(cells: Sequence[CellRow]) -> list[TrialLine]:
    return [
        TrialLine(f"{cell.load}, {cell.point}", trial.status, fields(TRIAL_COLUMNS, trial))
        for cell in cells
        for trial in cell.trials
    ]


def _number(trial: TrialRow, metric: Metric) -> str:
    rate = trial.capacity_per_s or trial.throughput_per_s
    value = rate if metric.name == "throughput" else getattr(trial, metric.column)
    return _words(trial, value, metric.unit.in_report)


def _words(trial: TrialRow, value: float | None, form: words.Format) -> str:
    if trial.status == "invalid":
        return words.NO_RESULT
    try:
        return "–" if value is None else form(value)
    except OverflowError:  # an integer of a file, larger than any float
        return words.NO_RESULT


TRIAL_COLUMNS: Sequence[Column[TrialRow]] = (
    Column("block", lambda one: str(one.block + 1)),
    *(Column(metric.heading, partial(_number, metric=metric)) for metric in COLUMNS),
    Column("lag p99", lambda one: _words(one, one.generator_lag_p99_s, units.duration)),
)
