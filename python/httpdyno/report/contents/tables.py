"""Estimates and comparisons as rows of the page's tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from httpdyno import units
from httpdyno.doubts import NUMBER_OF
from httpdyno.report.charts.figures.metrics import is_large
from httpdyno.report.contents.arms import ArmLabel, Labels
from httpdyno.report.text import words
from httpdyno.report.text.doubts import Cells, cells_of, doubt, doubt_of_ratio
from httpdyno.report.text.explanations import kind_words
from httpdyno.result import CellRow, Comparison, Estimate, LoadInfo, Reason, Status, StudyResult

LineT = TypeVar("LineT")


@dataclass(frozen=True)
class Shown:
    """An estimate as two lines of a table: the value, and its interval or why it has none."""

    value: str
    interval: str
    doubt: str = ""
    """Why the value is suspect; empty: it is not."""


@dataclass(frozen=True)
class CellLine:
    """One cell as a row of the table of all numbers."""

    arm: ArmLabel
    point: str
    notes: Sequence[str]
    status: Status
    without: str
    """`no result` or `refused`, for an invalid cell."""
    reasons: Sequence[Reason]
    throughput: Shown
    bodies: Shown | None
    """Bytes of reply bodies per second, where bodies are large enough to matter."""
    p50: Shown
    p99: Shown
    errors: Shown
    cpu: Shown
    memory: Shown
    ceiling: Shown


@dataclass(frozen=True)
class ComparisonLine:
    """One comparison as a row."""

    arm: ArmLabel
    baseline: str
    point: str
    metric: str
    ratio: Shown
    outcome: str


@dataclass(frozen=True)
class LoadTable(Generic[LineT]):
    """The rows of one load."""

    title: str
    kind: str
    note: str
    """A limit of the load itself, for all its rows."""
    lines: Sequence[LineT]


def cell_tables(result: StudyResult, labels: Labels) -> list[LoadTable[CellLine]]:
    """A table for each load, also for one that was not measured. A capacity has its own."""
    return [
        _table(load, [_cell(cell, labels) for cell in result.cells if cell.load == load.name])
        for load in result.loads
        if load.kind != "capacity"
    ]


def comparison_tables(result: StudyResult, labels: Labels) -> list[LoadTable[ComparisonLine]]:
    """A table for each load with comparisons."""
    cells = cells_of(result)
    tables = [
        _table(
            load,
            [_comparison(c, cells, labels) for c in result.comparisons if c.load == load.name],
        )
        for load in result.loads
    ]
    return [table for table in tables if table.lines]


def _table(load: LoadInfo, lines: Sequence[LineT]) -> LoadTable[LineT]:
    return LoadTable(load.title, kind_words(load), load.note, lines)


def _cell(cell: CellRow, labels: Labels) -> CellLine:
    return CellLine(
        arm=labels(cell.arm),
        point=cell.point,
        notes=cell.notes,
        status=cell.status,
        without=words.without_result(cell),
        reasons=cell.reasons,
        throughput=_number(cell, "throughput_per_s", units.rate),
        bodies=_number(cell, "body_bytes_per_s", words.bytes_per_s) if is_large(cell) else None,
        p50=_number(cell, "p50_s", units.duration),
        p99=_number(cell, "p99_s", units.duration),
        errors=_number(cell, "error_share", units.percent),
        cpu=_number(cell, "server_cpu_s_per_request", words.per_request),
        memory=_number(cell, "server_rss_bytes", units.size),
        ceiling=_ceiling(cell),
    )


def _ceiling(cell: CellRow) -> Shown:
    if cell.ceiling_per_s is None:
        return Shown("not measured", "")
    of = f"of {units.rate(cell.ceiling_per_s)}"
    if cell.ceiling_share is None or cell.status == "invalid":
        return Shown(words.NO_RESULT, of)
    return Shown(units.percent(cell.ceiling_share), of, doubt(cell, "throughput"))


def _comparison(row: Comparison, cells: Cells, labels: Labels) -> ComparisonLine:
    ratio = None if row.outcome == "no result" else row.ratio
    return ComparisonLine(
        arm=labels(row.arm),
        baseline=row.baseline,
        point=row.point,
        metric=row.metric,
        ratio=_shown(ratio, words.ratio, doubt_of_ratio(row, cells)),
        outcome=words.outcome(row),
    )


def _number(cell: CellRow, field: str, form: words.Format) -> Shown:
    """An estimate of a cell, with the doubt about it."""
    return _shown(getattr(cell, field), form, doubt(cell, NUMBER_OF[field]))


def _shown(estimate: Estimate | None, form: words.Format, doubt: str) -> Shown:
    if estimate is None:
        return Shown(words.NO_RESULT, "")
    return Shown(form(estimate.value), words.interval(estimate, form), doubt)
