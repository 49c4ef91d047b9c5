"""The ratios of a result as a table: each arm compared with its baseline, as it was decided."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rich.console import Console

from httpdyno.cli.table import FittedTable
from httpdyno.cli.text import paragraph
from httpdyno.output.table import Cell, Column, TextColumn
from httpdyno.report.text import words
from httpdyno.report.text.doubts import Cells, cells_of, doubt_of_ratio
from httpdyno.result import Comparison, StudyResult
from httpdyno.units import counted

__all__ = ["show_ratios"]

MOST_RATIOS = 20
"""A terminal shows so many; the report has all."""
_METRICS = {
    "throughput": "requests/s",
    "p99": "p99",
    "server CPU per request": "CPU/request",
    "capacity": "capacity",
}
_SHOWN = {"no difference shown": "none"}


def show_ratios(console: Console, result: StudyResult, report: str = "") -> None:
    """Print the ratios that were decided, those of the answer first; of many, how many more there
    are, and where. `report`: the place of the report."""
    at = (result.answer_load, result.answer_point)
    compared = (row for row in result.comparisons if row.outcome != "no result")
    decided = [row for row in compared if words.levels([row])]
    if not decided:
        return
    places = list(dict.fromkeys((row.load, row.point) for row in decided))
    places.sort(key=lambda place: place != at)
    decided.sort(key=lambda row: places.index((row.load, row.point)))
    shown, more = decided[:MOST_RATIOS], len(decided) - MOST_RATIOS
    paragraph(console, _about(shown))
    _table(shown, cells_of(result)).show(console)
    if more > 0:
        are = "is" if more == 1 else "are"
        where = f"the report: {report}" if report else "the report."
        paragraph(console, f"{counted(more, 'more ratio')} {are} in {where}", style="dim")
    if any(row.in_common for row in shown):
        paragraph(console, words.LEFT_OUT, style="dim")
    console.print()


def _about(rows: list[Comparison]) -> str:
    """`Compared with a/x (97.5 to 99.2 % CI, because 28 differences were decided together):`"""
    baselines = list(dict.fromkeys(row.baseline for row in rows))
    baseline = baselines[0] if len(baselines) == 1 else "the baseline of each workload"
    together = max(row.adjusted_with for row in rows)
    why = f", because {together:,} differences were decided together" if together > 1 else ""
    return f"Compared with {baseline} ({words.levels(rows)} CI{why}):"


def _table(rows: list[Comparison], cells: Cells) -> FittedTable:
    columns: Sequence[Column[Comparison]] = (
        TextColumn("", lambda row: row.arm),
        TextColumn("metric", lambda row: _METRICS[row.metric]),
        Column("ratio", partial(_ratio, cells)),
        Column("CI", _interval, drop=1),
        TextColumn("shown", lambda row: _SHOWN.get(row.outcome, row.outcome)),
    )
    return FittedTable(columns, rows, under=lambda row: f"{row.load} · {row.point}")


def _ratio(cells: Cells, row: Comparison) -> Cell:
    shown = "" if row.ratio is None else words.ratio(row.ratio.value)
    return Cell(shown, doubt=doubt_of_ratio(row, cells))


def _interval(row: Comparison) -> str:
    return "" if row.ratio is None else words.interval(row.ratio, words.ratio)
