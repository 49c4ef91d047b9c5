"""Versions of HTTP on the same arm as rows: a table for each load of the newer version."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from httpdyno.metrics import COMPARED
from httpdyno.output.table import Cell, Column, TextColumn, fields
from httpdyno.report.contents.rows.arms import Labels
from httpdyno.report.contents.rows.groups import group_by
from httpdyno.report.contents.rows.tables import MOST_ROWS, Line, LoadTable, estimate_cell
from httpdyno.report.text import words
from httpdyno.report.text.doubts import Cells, cells_of, doubt
from httpdyno.result import ProtocolComparison, StudyResult


def protocol_tables(result: StudyResult, labels: Labels) -> list[LoadTable]:
    """A table for each load over a newer version whose work an older one does, too."""
    columns = _columns(cells_of(result))
    by_load, left, found = group_by(result.protocols, lambda one: one.newer.load), MOST_ROWS, []
    for load in result.loads:
        if mine := by_load.get(load.name):
            lines = [
                Line(labels(one.of_arm), fields(columns, one), point=one.work)
                for one in mine[:left]
            ]
            more = len(mine) - len(lines)
            found.append(LoadTable(load.name, load.title, "", "", columns, lines, more))
            left -= len(lines)
    return found


def _columns(cells: Cells) -> Sequence[Column[ProtocolComparison]]:
    return (
        TextColumn("compared", lambda one: f"HTTP/{one.newer.http} ÷ HTTP/{one.older.http}"),
        Column("CPU per request", lambda one: _value(one, one.compared.arm_value)),
        Column("older version", lambda one: _value(one, one.compared.baseline_value)),
        Column("ratio", partial(_ratio, cells=cells), interval="95 % CI or wider", sorts=True),
        TextColumn("outcome", lambda one: words.outcome(one.compared), is_prose=True),
    )


def _value(one: ProtocolComparison, value: float | None) -> Cell:
    form = COMPARED[one.compared.metric].unit.in_report
    return Cell(words.NO_RESULT if value is None else form(value))


def _ratio(one: ProtocolComparison, cells: Cells) -> Cell:
    doubts = dict.fromkeys(
        doubt(cells[one.of_arm, at.load, at.point], one.compared.number)
        for at in (one.older, one.newer)
        if (one.of_arm, at.load, at.point) in cells
    )
    return estimate_cell(
        one.compared.ratio, words.ratio, "; ".join(filter(None, doubts)), "verdicts"
    )
