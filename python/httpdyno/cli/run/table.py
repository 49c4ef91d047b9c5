"""The end of a study on stdout: the answer, a table of arms by loads, and every kind of doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from rich.console import Console

from httpdyno.cli.run.capacity_table import capacity_tables
from httpdyno.cli.run.ratio_table import show_ratios
from httpdyno.cli.table import FittedTable
from httpdyno.cli.text import DASH, paragraph, stdout_console
from httpdyno.doubts import COLOURS, MARKS, Number, in_words
from httpdyno.listing import both
from httpdyno.metrics import BY_NAME, FEW, OF_DATABASE, Metric
from httpdyno.output.table import Cell, Column, Field, TextColumn
from httpdyno.report.contents.banners import notes_of_arms
from httpdyno.report.text import words
from httpdyno.result import CellRow, Estimate, Reason, StudyResult
from httpdyno.statistics.doubts import by_kind, of_the_first
from httpdyno.units import percent, significant, span

__all__ = ["mark_number", "show_doubts", "show_result"]

_FIRST, _ERRORS = FEW[0], BY_NAME["errors"]
_INTERVAL_PLACE, _RANK_PLACE, _FAILED_PLACE = 20, 30, 45
"""The places of other columns among those of metrics."""
RANK = "rank"
RANK_MEANS = (
    "rank: by requests/s, by p99 at a rate that all arms with a result kept up with, or by"
    " capacity. All true ranks of a report are within these limits at once, with 95 % confidence."
)


def show_result(result: StudyResult, report: str = "") -> None:
    """Print the answer, the ratios, the table, the notes on loads, the arms left out and the
    doubts. `report`: the place of the report."""
    console = stdout_console()
    console.print()
    paragraph(console, result.title, style="bold")
    console.print()
    paragraph(console, result.answer)
    if result.stopping is not None:
        paragraph(console, result.stopping.text)
    console.print()
    show_ratios(console, result, report)
    if any(cell.capacity is None for cell in result.cells):
        table = _table(result)
        table.show(console)
        if RANK in table.headings_that_fit(console):
            paragraph(console, RANK_MEANS, style="dim")
    for table in capacity_tables(result):
        table.show(console)
        console.print()
    for load in result.loads:
        if load.note:
            paragraph(console, f"{load.name}: {load.note}")
    show_notes(console, result)
    for failure in result.failures:
        paragraph(console, f"{failure.arm} was left out: {failure.reason}", style="red")
    for row in result.machines:
        paragraph(console, f"{row.name}: {row.text}")
    for path in result.paths:
        paragraph(console, f"path {path.generator} → {path.server}: {path.text}")
    show_doubts(console, result)


def show_notes(console: Console, result: StudyResult) -> None:
    """Print what applies to single arms, and which cells have two modes or a drift."""
    for note in notes_of_arms(result):
        paragraph(console, note, style="yellow")
    for cell in result.cells:
        if cell.shape is not None:
            text = f"{cell.arm} · {cell.load} · {cell.point}: {cell.shape.text}."
            paragraph(console, text, style="yellow")


def show_doubts(console: Console, result: StudyResult) -> None:
    """Print how many results are doubtful, then each kind of reason once."""
    for line, style in _doubts(result):
        paragraph(console, line, style)


def _table(result: StudyResult) -> FittedTable:
    ranks = _ranks(result)
    intervals = any(_has_interval(cell.throughput_per_s) for cell in result.cells)
    failures = any(any(_failed_shares(cell)) for cell in result.cells)
    columns: Sequence[Column[CellRow]] = (
        TextColumn("", lambda cell: cell.arm),
        Column(_FIRST.short, partial(_number, metric=_FIRST)),
        *([Column("95 % CI", _interval, drop=_INTERVAL_PLACE)] if intervals else []),
        *(
            Column(_heading(one), partial(_number, metric=one), drop=one.place)
            for one in _columns(result.cells, failures=failures)
        ),
        *([Column(RANK, partial(_rank, ranks), drop=_RANK_PLACE)] if ranks else []),
        TextColumn("verdict", _status),
    )
    cells = [one for one in result.cells if one.capacity is None]
    return FittedTable(columns, cells, under=lambda cell: f"{cell.load} · {cell.point}")


def _columns(cells: Sequence[CellRow], *, failures: bool) -> list[Metric]:
    """The metrics of the columns behind the first one."""
    shown = [*FEW[1:], *([_ERRORS] if failures else [])]
    shown += [
        one for one in OF_DATABASE if one.place and any(getattr(cell, one.column) for cell in cells)
    ]
    return sorted(shown, key=lambda one: _FAILED_PLACE if one is _ERRORS else one.place)


def _heading(metric: Metric) -> str:
    return "failed" if metric is _ERRORS else metric.short


def _ranks(result: StudyResult) -> Mapping[tuple[str, str, str], str]:
    """The ranks that each arm can have at a load point, where there are more than two arms."""
    return {
        (ranking.load, ranking.point, one.arm): words.ranks(one)
        for ranking in result.rankings
        if len(ranking.arms) > 2
        for one in ranking.arms
    }


def _rank(ranks: Mapping[tuple[str, str, str], str], cell: CellRow) -> str:
    return ranks.get((cell.load, cell.point, cell.arm), DASH)


def _number(cell: CellRow, metric: Metric) -> Field:
    if cell.throughput_per_s is None:
        return "" if metric is not _FIRST else "no result" if _is_measured(cell) else DASH
    if metric is _ERRORS:
        return mark_number(cell, metric.number, _shares(_failed_shares(cell)))
    found: Estimate | None = getattr(cell, metric.column)
    return mark_number(
        cell, metric.number, DASH if found is None else metric.in_column(found.value)
    )


def _failed_shares(cell: CellRow) -> list[float]:
    """The share of calls that failed in each trial with a result."""
    known = (one.error_share for one in cell.trials if one.status != "invalid")
    return [share for share in known if share is not None]


def _shares(shares: list[float]) -> str:
    """The lowest and the highest: `0.36 to 0.91 %`."""
    if not shares:
        return DASH
    low, high = percent(min(shares)), percent(max(shares))
    return high if low == high else span(low, high)


def _status(cell: CellRow) -> Field:
    if cell.throughput_per_s is None and not _is_measured(cell):
        return DASH
    return Cell(cell.status, tone=cell.status)


def mark_number(cell: CellRow, number: Number | None, text: str) -> Field:
    """A number, with a mark if it is suspect."""
    if text == DASH or cell.status_of(number) != "suspect":
        return text
    return Cell(text, doubt="suspect")


def _is_measured(cell: CellRow) -> bool:
    """False for a cell that an interrupted study did not come to."""
    return bool(cell.trials or cell.reasons)


def _has_interval(estimate: Estimate | None) -> bool:
    return estimate is not None and estimate.low is not None and estimate.high is not None


def _interval(cell: CellRow) -> str:
    estimate = cell.throughput_per_s
    if estimate is None:
        return ""
    if estimate.low is None or estimate.high is None:
        return DASH
    return f"{significant(estimate.low)} to {significant(estimate.high)}"


def _doubts(result: StudyResult) -> Iterator[tuple[str, str]]:
    """Lines with their styles: how many results are doubtful, then each kind of reason once."""
    measured = [cell for cell in result.cells if _is_measured(cell)]
    count = Counter(cell.status for cell in measured)
    partly = sum(cell.status == "valid" and bool(cell.doubted) for cell in measured)
    parts = [
        *_count(count["invalid"], "invalid"),
        *_count(count["suspect"], "suspect"),
        *_count(partly, "valid except for single numbers"),
    ]
    if not parts:
        return
    noun = "result" if len(measured) == 1 else "results"
    suspect = any(cell.doubted for cell in measured)
    mark = f" {MARKS['suspect']} marks a suspect number." if suspect else ""
    yield "", ""
    yield f"Of {len(measured)} {noun}, {both(parts)}.{mark} Each kind of reason once:", ""
    for reason, cells in by_kind(result):
        first, *others = cells
        more = f", and {len(others)} more result{'s' if len(others) > 1 else ''}" if others else ""
        yield f"  {first.arm} · {first.load} · {first.point}{more}", COLOURS[reason.status]
        there = "; the others have other numbers" if of_the_first(reason, cells) else ""
        yield f"    {_numbers(reason)}{reason.text}{there}", ""
        yield f"    hint: {reason.hint}", "dim"


def _count(number: int, status: str) -> list[str]:
    return [f"{number} {'is' if number == 1 else 'are'} {status}"] if number else []


def _numbers(reason: Reason) -> str:
    """The numbers that a reason doubts; empty for one that leaves no result."""
    return "" if reason.status == "invalid" else f"{in_words(reason.doubts)}: "
