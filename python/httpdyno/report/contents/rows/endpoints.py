"""The endpoints of all arms as rows: a table for each load whose workload has several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from httpdyno.metrics import OF_ENDPOINTS, Metric
from httpdyno.output.printable import printable
from httpdyno.output.table import Cell, Column, Field, TextColumn, fields
from httpdyno.report.contents.rows.arms import Labels
from httpdyno.report.contents.rows.groups import group_by
from httpdyno.report.contents.rows.tables import (
    MOST_ROWS,
    Line,
    LoadTable,
    card_of,
    estimate_cell,
    load_table,
    ratio_shown,
)
from httpdyno.report.text import words
from httpdyno.report.text.doubts import Cells, cells_of, doubt
from httpdyno.result import CellRow, Comparison, EndpointRow, StudyResult


@dataclass(frozen=True)
class _Row:
    """An endpoint of a cell, and its comparisons with that of the baseline."""

    cell: CellRow
    endpoint: EndpointRow
    compared: Comparison | None
    """Of p99."""
    errors: Comparison | None
    is_baseline: bool
    """Others are compared with it at its place."""


def endpoint_tables(result: StudyResult, labels: Labels) -> list[LoadTable]:
    """A table for each load, of cells with several endpoints."""
    compared = {
        (one.arm, one.load, one.point, one.endpoint, one.metric): one
        for one in result.endpoint_comparisons
    }

    def row(cell: CellRow, one: EndpointRow) -> _Row:
        place = (cell.arm, cell.load, cell.point, one.name)
        of_p99, of_errors = (compared.get((*place, name)) for name in ("p99", "errors"))
        return _Row(cell, one, of_p99, of_errors, (cell.arm, cell.load, cell.point) in baselines)

    baselines = {(one.baseline, one.load, one.point) for one in result.endpoint_comparisons}
    rows = [row(cell, one) for cell in result.cells for one in cell.endpoints]
    by_load, left, found = group_by(rows, lambda row: row.cell.load), MOST_ROWS, []
    for load in result.loads:
        if mine := by_load.get(load.name):
            is_compared = any(one.compared is not None for one in mine)
            columns = _columns(cells_of(result), is_compared=is_compared)
            lines = [_line(row, columns, labels) for row in mine[:left]]
            found.append(load_table(load, columns, lines, len(mine)))
            left -= len(lines)
    return found


def _line(row: _Row, columns: Sequence[Column[_Row]], labels: Labels) -> Line:
    cell = row.cell
    return Line(
        arm=labels(cell.arm),
        fields=fields(columns, row),
        load=cell.load,
        point=cell.point,
        status=cell.status,
    )


def _columns(cells: Cells, *, is_compared: bool) -> Sequence[Column[_Row]]:
    numbers = tuple(_column(metric) for metric in OF_ENDPOINTS)
    ratio = Column("p99 ÷ baseline", partial(_ratio, cells=cells), interval="95 % CI or wider")
    outcome = TextColumn("outcome", _outcome, is_prose=True)
    compared = (ratio, outcome) if is_compared else ()
    return (TextColumn("endpoint", lambda row: printable(row.endpoint.name)), *numbers, *compared)


def _column(metric: Metric) -> Column[_Row]:
    """A number of an endpoint, with the doubt about that of its cell."""

    def field(row: _Row) -> Field:
        about = metric.number
        estimate = getattr(row.endpoint, metric.column)
        form: Callable[[float], str] = metric.unit.in_report
        return estimate_cell(estimate, form, doubt(row.cell, about), card_of(row.cell, about))

    return Column(metric.heading, field, sorts=True)


def _ratio(row: _Row, cells: Cells) -> Cell:
    return Cell("–") if row.compared is None else ratio_shown(row.compared, cells)


def _outcome(row: _Row) -> Field:
    if row.compared is None:
        return "baseline" if row.is_baseline else "–"
    outcome, errors = words.outcome(row.compared), row.errors
    if errors is None or not errors.shown:
        return outcome
    return f"errors: {errors.outcome}; p99: {outcome}"
