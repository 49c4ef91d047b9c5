"""Estimates and comparisons as rows of the page's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from httpdyno import units
from httpdyno.doubts.ceiling import in_words
from httpdyno.metrics import BY_NAME, COLUMNS, OF_DATABASE, Metric, Number
from httpdyno.output.table import Cell, Column, Field, TextColumn, fields
from httpdyno.report.charts.figures.metrics import is_large
from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.contents.rows.groups import group_by
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

MOST_ROWS = 1000
"""All tables of numbers together have so many rows; those of comparisons half as many again. The
data files have the others."""


NOT_MEASURED = Cell("")
"""An empty cell; screen readers say the words."""


@dataclass(frozen=True)
class Line:
    """A row: an arm, and its fields in the order of the columns."""

    arm: ArmLabel
    fields: Sequence[Field]
    load: str = ""
    point: str = ""
    """Below the arm; empty: a column has it, or the table."""
    notes: Sequence[str] = ()
    status: Status | None = None
    without: str = ""
    """`no result` or `refused`, instead of all fields."""
    reasons: Sequence[Reason] = ()
    """Why there is no result."""


@dataclass(frozen=True)
class LoadTable:
    """The rows of one load."""

    load: str
    title: str
    kind: str
    note: str
    """A limit of the load itself, for all its rows."""
    columns: Sequence[Column[Any]]
    lines: Sequence[Line]
    left_out: int = 0
    """Rows that the page has no room for."""


def card_id(code: str) -> str:
    """Id of the part of the page that explains reasons with this code."""
    return f"doubt-{''.join(c if c.isalnum() and c.isascii() else '-' for c in code)}"


def cell_tables(result: StudyResult, labels: Labels) -> list[LoadTable]:
    """A table for each load, also for one that was not measured. A capacity has its own."""
    cells = group_by(result.cells, lambda cell: cell.load)
    left, found = MOST_ROWS, []
    for load in result.loads:
        if load.kind != "capacity":
            found.append(_cell_table(load, cells.get(load.name, []), labels, left))
            left -= len(found[-1].lines)
    return found


def _cell_table(load: LoadInfo, cells: Sequence[CellRow], labels: Labels, most: int) -> LoadTable:
    """The cells of a load. The table says once where they have no intervals."""
    columns = [*_ON_THE_PAGE, *_of_database(cells)]
    lines = [cell_line(cell, labels, columns) for cell in cells[:most]]
    table = load_table(load, columns, lines, len(cells))
    without = words.note_on_intervals([cell.throughput_per_s for cell in cells])
    return replace(table, note="; ".join(part for part in (table.note, without) if part))


def comparison_tables(result: StudyResult, labels: Labels) -> list[LoadTable]:
    """A table for each load with comparisons."""
    columns = _comparison_columns(cells_of(result))
    rows = group_by(result.comparisons, lambda row: row.load)
    left, found = MOST_ROWS * 3 // 2, []
    for load in result.loads:
        if mine := rows.get(load.name):
            lines = [Line(labels(row.arm), fields(columns, row)) for row in mine[:left]]
            found.append(load_table(load, columns, lines, len(mine)))
            left -= len(lines)
    return found


def _comparison_columns(cells: Cells) -> Sequence[Column[Comparison]]:
    ratio = partial(ratio_shown, cells=cells)
    return (
        TextColumn("baseline", lambda row: row.baseline),
        TextColumn("load point", lambda row: row.point),
        TextColumn("metric", lambda row: row.metric),
        Column("ratio", ratio, interval="95 % CI or wider", sorts=True),
        TextColumn("outcome", words.outcome, is_prose=True),
    )


def load_table(
    load: LoadInfo, columns: Sequence[Column[Any]], lines: Sequence[Line], rows: int
) -> LoadTable:
    """The table of a load with so many rows, the first of them as lines."""
    more = rows - len(lines)
    return LoadTable(load.name, load.title, kind_words(load), load.note, columns, lines, more)


def cell_line(cell: CellRow, labels: Labels, columns: Sequence[Column[CellRow]]) -> Line:
    """One cell as a row."""
    is_invalid = cell.status == "invalid"
    return Line(
        arm=labels(cell.arm),
        fields=[] if is_invalid else fields(columns, cell),
        load=cell.load,
        point=cell.point,
        notes=cell.notes,
        status=cell.status,
        without=words.without_result(cell) if is_invalid else "",
        reasons=cell.reasons,
    )


def _of_database(cells: Sequence[CellRow]) -> Iterator[Column[CellRow]]:
    """The columns of the database, where there is one."""
    for metric in OF_DATABASE:
        if any(getattr(cell, metric.column) for cell in cells):
            yield Column(metric.heading, partial(number, metric=metric), sorts=True)


def _throughput(cell: CellRow) -> Cell:
    """With the bytes of bodies, where they are large."""
    bodies = number(cell, BY_NAME["bodies"]) if is_large(cell) else None
    return replace(number(cell, BY_NAME["throughput"]), bodies=bodies)


def _ceiling(cell: CellRow) -> Cell:
    if cell.ceiling_per_s is None:
        return NOT_MEASURED
    of = f"of {in_words(cell.ceiling_per_s, is_bound=cell.ceiling_is_bound)}"
    if cell.ceiling_share is None or cell.status == "invalid":
        return Cell(words.NO_RESULT, of)
    share, card = cell.ceiling_share, card_of(cell, "throughput")
    most = "at most " if cell.ceiling_is_bound else ""
    return Cell(f"{most}{units.percent(share)}", of, doubt(cell, "throughput"), share, card)


def ratio_shown(row: Comparison, cells: Cells) -> Cell:
    """The ratio of a comparison, with the doubt about it."""
    found = estimate_cell(row.ratio, words.ratio, doubt_of_ratio(row, cells), "verdicts")
    return replace(found, interval="; ".join(filter(None, (found.interval, row.in_common))))


def number(cell: CellRow, metric: Metric) -> Cell:
    """An estimate of a cell, with the doubt about it; none of an invalid one."""
    value = None if cell.status == "invalid" else getattr(cell, metric.column)
    about = metric.number
    return estimate_cell(value, metric.unit.in_report, doubt(cell, about), card_of(cell, about))


def estimate_cell(
    estimate: Estimate | None, form: words.Format, doubt: str, card: str = ""
) -> Cell:
    """An estimate as a field of a table."""
    if estimate is None:
        return Cell(words.NO_RESULT)
    interval = "" if words.without_interval(estimate) else words.interval(estimate, form)
    return Cell(form(estimate.value), interval, doubt, estimate.value, card)


def cores_of(row: CapacityRow) -> float | None:
    """The cores for the rate of the study, or the most of them; None: not known."""
    return row.cores_at_most if row.cores_needed is None else row.cores_needed.value


def cores_shown(cell: CellRow, row: CapacityRow) -> Cell:
    """The cores for the rate of the study as a field of a table."""
    most, (doubt, card) = row.cores_at_most, _doubt_of_capacity(cell)
    if row.cores_needed is None and most is not None:
        return Cell(f"≤ {units.significant(most)}", "", doubt, most, card)
    return estimate_cell(row.cores_needed, units.significant, doubt, card)


def capacity_shown(cell: CellRow, row: CapacityRow) -> Cell:
    """A capacity, or the least that it is, as a field of a table."""
    least, (doubt, card) = row.at_least_per_s, _doubt_of_capacity(cell)
    if least is not None:
        return Cell(f"≥ {units.rate(least)}", "the search ended here", doubt, least, card)
    found = estimate_cell(row.capacity_per_s, units.rate, doubt, card)
    if not row.high_is_bound or not found.interval:
        return found
    return replace(found, interval=f"{found.interval} or more")


def _doubt_of_capacity(cell: CellRow) -> tuple[str, str]:
    """The first reason why a capacity is suspect, and the part of the page that explains it."""
    if cell.status != "suspect" or not cell.reasons:
        return "", ""
    return cell.reasons[0].text, card_id(cell.reasons[0].code)


def card_of(cell: CellRow, about: Number | None) -> str:
    """Id of the part of the page that explains the first doubt about a number."""
    reasons = cell.reasons_of(about) if cell.status_of(about) == "suspect" else []
    return card_id(reasons[0].code) if reasons else "verdicts"


NUMBERS: Sequence[Column[CellRow]] = tuple(
    Column(metric.heading, partial(number, metric=metric)) for metric in COLUMNS
)
"""The columns of all numbers of a cell."""
_ON_THE_PAGE: Sequence[Column[CellRow]] = (
    replace(NUMBERS[0], field=_throughput, sorts=True),
    *(replace(column, sorts=True) for column in NUMBERS[1:]),
    Column("share of ceiling", _ceiling, sorts=True, in_markdown=False),
)
