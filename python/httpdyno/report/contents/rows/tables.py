"""Estimates and comparisons as rows of the page's tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from httpdyno import units
from httpdyno.doubts.ceiling import in_words
from httpdyno.metrics import BY_NAME, COLUMNS, Metric, Number
from httpdyno.report.charts.figures.metrics import is_large
from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.contents.rows.groups import grouped
from httpdyno.report.text import words
from httpdyno.report.text.doubts import Cells, cells_of, doubt, doubt_of_ratio
from httpdyno.report.text.explanations import kind_words
from httpdyno.result import (
    CapacityRow,
    CellRow,
    Comparison,
    Estimate,
    LoadInfo,
    Reason,
    Status,
    StudyResult,
)

LineT = TypeVar("LineT")
RowT = TypeVar("RowT")
MOST_ROWS = 1000
"""All tables of numbers together have so many rows; those of comparisons half as many again. The
data files have the others."""


@dataclass(frozen=True)
class Shown:
    """An estimate as two lines of a table: the value, and its interval if it has one."""

    value: str
    interval: str
    doubt: str = ""
    """Why the value is suspect; empty: it is not."""
    number: float | None = None
    """The value, to sort by and to compare with."""
    card: str = ""
    """Id of the part of the page that explains the doubt."""


NOT_MEASURED = Shown("", "")
"""An empty cell; screen readers say the words."""


@dataclass(frozen=True)
class CellLine:
    """One cell as a row of the table of all numbers."""

    arm: ArmLabel
    load: str
    point: str
    notes: Sequence[str]
    status: Status
    without: str
    """`no result` or `refused`, for an invalid cell."""
    reasons: Sequence[Reason]
    numbers: Sequence[Shown]
    """In the order of `COLUMNS`."""
    bodies: Shown | None
    """Bytes of reply bodies per second, where bodies are large enough to matter."""
    ceiling: Shown


@dataclass(frozen=True)
class ComparisonLine:
    """One comparison as a row."""

    arm: ArmLabel
    baseline: str
    load: str
    point: str
    metric: str
    ratio: Shown
    outcome: str


@dataclass(frozen=True)
class LoadTable(Generic[LineT]):
    """The rows of one load."""

    load: str
    title: str
    kind: str
    note: str
    """A limit of the load itself, for all its rows."""
    lines: Sequence[LineT]
    left_out: int = 0
    """Rows that the page has no room for."""


def card_id(code: str) -> str:
    """Id of the part of the page that explains reasons with this code."""
    return f"doubt-{''.join(c if c.isalnum() and c.isascii() else '-' for c in code)}"


def cell_tables(result: StudyResult, labels: Labels) -> list[LoadTable[CellLine]]:
    """A table for each load, also for one that was not measured. A capacity has its own."""
    cells = grouped(result.cells, lambda cell: cell.load)
    left, found = MOST_ROWS, []
    for load in result.loads:
        if load.kind != "capacity":
            found.append(_cell_table(load, cells.get(load.name, []), labels, left))
            left -= len(found[-1].lines)
    return found


def _cell_table(
    load: LoadInfo, cells: Sequence[CellRow], labels: Labels, most: int
) -> LoadTable[CellLine]:
    """The cells of a load. The table says once where they have no intervals."""
    table = _table(load, cells, lambda cell: cell_line(cell, labels), most)
    without = words.note_on_intervals([cell.throughput_per_s for cell in cells])
    return replace(table, note="; ".join(part for part in (table.note, without) if part))


def comparison_tables(result: StudyResult, labels: Labels) -> list[LoadTable[ComparisonLine]]:
    """A table for each load with comparisons."""
    cells = cells_of(result)
    rows = grouped(result.comparisons, lambda row: row.load)
    left, found = MOST_ROWS * 3 // 2, []
    for load in result.loads:
        if mine := rows.get(load.name):
            found.append(_table(load, mine, lambda row: comparison_line(row, cells, labels), left))
            left -= len(found[-1].lines)
    return found


def _table(
    load: LoadInfo, rows: Sequence[RowT], line: Callable[[RowT], LineT], most: int
) -> LoadTable[LineT]:
    """The first rows as lines."""
    lines = [line(row) for row in rows[:most]]
    more = len(rows) - len(lines)
    return LoadTable(load.name, load.title, kind_words(load), load.note, lines, more)


def cell_line(cell: CellRow, labels: Labels) -> CellLine:
    """One cell as a row."""
    return CellLine(
        arm=labels(cell.arm),
        load=cell.load,
        point=cell.point,
        notes=cell.notes,
        status=cell.status,
        without=words.without_result(cell),
        reasons=cell.reasons,
        numbers=[number(cell, metric) for metric in COLUMNS],
        bodies=number(cell, BY_NAME["bodies"]) if is_large(cell) else None,
        ceiling=_ceiling(cell),
    )


def _ceiling(cell: CellRow) -> Shown:
    if cell.ceiling_per_s is None:
        return NOT_MEASURED
    of = f"of {in_words(cell.ceiling_per_s, is_bound=cell.ceiling_is_bound)}"
    if cell.ceiling_share is None or cell.status == "invalid":
        return Shown(words.NO_RESULT, of)
    share, card = cell.ceiling_share, _card(cell, "throughput")
    most = "at most " if cell.ceiling_is_bound else ""
    return Shown(f"{most}{units.percent(share)}", of, doubt(cell, "throughput"), share, card)


def comparison_line(row: Comparison, cells: Cells, labels: Labels) -> ComparisonLine:
    """One comparison as a row."""
    return ComparisonLine(
        arm=labels(row.arm),
        baseline=row.baseline,
        load=row.load,
        point=row.point,
        metric=row.metric,
        ratio=ratio_shown(row, cells),
        outcome=words.outcome(row),
    )


def ratio_shown(row: Comparison, cells: Cells) -> Shown:
    """The ratio of a comparison, with the doubt about it."""
    found = shown(row.ratio, words.ratio, doubt_of_ratio(row, cells), "verdicts")
    return replace(found, interval="; ".join(filter(None, (found.interval, row.in_common))))


def number(cell: CellRow, metric: Metric) -> Shown:
    """An estimate of a cell, with the doubt about it; none of an invalid one."""
    value = None if cell.status == "invalid" else getattr(cell, metric.column)
    about = metric.number
    return shown(value, metric.unit.in_report, doubt(cell, about), _card(cell, about))


def shown(estimate: Estimate | None, form: words.Format, doubt: str, card: str = "") -> Shown:
    """An estimate as a field of a table."""
    if estimate is None:
        return Shown(words.NO_RESULT, "")
    interval = "" if words.without_interval(estimate) else words.interval(estimate, form)
    return Shown(form(estimate.value), interval, doubt, estimate.value, card)


def cores_of(row: CapacityRow) -> float | None:
    """The cores for the rate of the study, or the most of them; None: not known."""
    return row.cores_at_most if row.cores_needed is None else row.cores_needed.value


def cores_shown(cell: CellRow, row: CapacityRow) -> Shown:
    """The cores for the rate of the study as a field of a table."""
    most, (doubt, card) = row.cores_at_most, _doubt_of_capacity(cell)
    if row.cores_needed is None and most is not None:
        return Shown(f"≤ {units.significant(most)}", "", doubt, most, card)
    return shown(row.cores_needed, units.significant, doubt, card)


def capacity_shown(cell: CellRow, row: CapacityRow) -> Shown:
    """A capacity, or the least that it is, as a field of a table."""
    least, (doubt, card) = row.at_least_per_s, _doubt_of_capacity(cell)
    if least is not None:
        return Shown(f"≥ {units.rate(least)}", "the search ended here", doubt, least, card)
    found = shown(row.capacity_per_s, units.rate, doubt, card)
    if not row.high_is_bound or not found.interval:
        return found
    return replace(found, interval=f"{found.interval} or more")


def _doubt_of_capacity(cell: CellRow) -> tuple[str, str]:
    """The first reason why a capacity is suspect, and the part of the page that explains it."""
    if cell.status != "suspect" or not cell.reasons:
        return "", ""
    return cell.reasons[0].text, card_id(cell.reasons[0].code)


def _card(cell: CellRow, about: Number | None) -> str:
    """Id of the part of the page that explains the first doubt about a number."""
    reasons = cell.reasons_of(about) if cell.status_of(about) == "suspect" else []
    return card_id(reasons[0].code) if reasons else "verdicts"
