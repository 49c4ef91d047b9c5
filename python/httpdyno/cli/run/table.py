"""The end of a study on stdout: the answer, a table of arms by loads, and every kind of doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from httpdyno.cli.run.capacity_table import capacity_tables
from httpdyno.cli.run.fitted import Column, FittedTable
from httpdyno.cli.run.ratio_table import show_ratios
from httpdyno.cli.run.text import DOUBT, stdout_console
from httpdyno.cli.run.text import paragraph as _paragraph
from httpdyno.doubts import Number, in_words
from httpdyno.metrics import BY_NAME, FEW, Metric
from httpdyno.output.printable import printable
from httpdyno.report.text import words
from httpdyno.result import CellRow, Estimate, Reason, StudyResult
from httpdyno.statistics.doubts import by_kind
from httpdyno.units import percent, significant, span

__all__ = ["marked", "show_doubts", "show_result"]

_STYLE = {"valid": "green", "suspect": "yellow", "invalid": "red"}
_DASH = "–"
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
    _paragraph(console, result.title, style="bold")
    console.print()
    _paragraph(console, result.answer)
    if result.stopping is not None:
        _paragraph(console, result.stopping.text)
    console.print()
    show_ratios(console, result, report)
    if any(cell.capacity is None for cell in result.cells):
        table = _table(result)
        table.show(console)
        if RANK in table.shown(console):
            _paragraph(console, RANK_MEANS, style="dim")
    for table in capacity_tables(result):
        table.show(console)
        console.print()
    for load in result.loads:
        if load.note:
            _paragraph(console, f"{load.name}: {load.note}")
    show_shapes(console, result)
    for failure in result.failures:
        _paragraph(console, f"{failure.arm} was left out: {failure.reason}", style="red")
    for row in result.machines:
        _paragraph(console, f"{row.name}: {row.text}")
    for path in result.paths:
        _paragraph(console, f"path {path.generator} → {path.server}: {path.text}")
    show_doubts(console, result)


def show_shapes(console: Console, result: StudyResult) -> None:
    """Print which cells have two modes or a drift."""
    for cell in result.cells:
        if cell.shape is not None:
            text = f"{cell.arm} · {cell.load} · {cell.point}: {cell.shape.text}."
            _paragraph(console, text, style="yellow")


def show_doubts(console: Console, result: StudyResult) -> None:
    """Print how many results are doubtful, then each kind of reason once."""
    for line, style in _doubts(result):
        _paragraph(console, line, style)


def _table(result: StudyResult) -> FittedTable:
    ranks = _ranks(result)
    intervals = any(_known(cell.throughput_per_s) for cell in result.cells)
    failures = any(any(_failed(cell)) for cell in result.cells)
    columns = _columns(failures=failures)
    table = FittedTable(
        Column(_FIRST.short),
        *([Column("95 % CI", drop=_INTERVAL_PLACE)] if intervals else []),
        *(Column("failed" if one is _ERRORS else one.short, drop=one.place) for one in columns),
        *([Column(RANK, drop=_RANK_PLACE)] if ranks else []),
        Column("verdict", right=False),
    )
    before = ""
    for cell in (one for one in result.cells if one.capacity is None):
        load = f"{cell.load} · {cell.point}"
        if load != before:
            table.add_heading(printable(load))
        rank = [ranks.get((cell.load, cell.point, cell.arm), _DASH)] if ranks else []
        arm = Text(f"  {printable(cell.arm)}")
        numbers = _numbers_of(cell, columns, intervals=intervals)
        table.add_row(arm, *numbers, *rank, _status(cell))
        before = load
    return table


def _columns(*, failures: bool) -> list[Metric]:
    """The metrics of the columns behind the first one."""
    shown = [*FEW[1:], *([_ERRORS] if failures else [])]
    return sorted(shown, key=lambda one: _FAILED_PLACE if one is _ERRORS else one.place)


def _ranks(result: StudyResult) -> dict[tuple[str, str, str], str]:
    """The ranks that each arm can have at a load point, where there are more than two arms."""
    return {
        (ranking.load, ranking.point, one.arm): words.ranks(one)
        for ranking in result.rankings
        if len(ranking.arms) > 2
        for one in ranking.arms
    }


def _numbers_of(cell: CellRow, columns: Sequence[Metric], *, intervals: bool) -> list[str | Text]:
    if cell.throughput_per_s is None:
        return ["no result" if _measured(cell) else _DASH, *[""] * (len(columns) + intervals)]
    return [
        _number(cell, _FIRST),
        *([_interval(cell.throughput_per_s)] if intervals else []),
        *(_number(cell, one) for one in columns),
    ]


def _number(cell: CellRow, metric: Metric) -> Text:
    if metric is _ERRORS:
        return marked(cell, metric.number, _shares(_failed(cell)))
    found: Estimate | None = getattr(cell, metric.column)
    return marked(cell, metric.number, _DASH if found is None else metric.in_column(found.value))


def _failed(cell: CellRow) -> list[float]:
    """The share of calls that failed in each trial with a result."""
    known = (one.error_share for one in cell.trials if one.status != "invalid")
    return [share for share in known if share is not None]


def _shares(shares: list[float]) -> str:
    """The lowest and the highest: `0.36 to 0.91 %`."""
    if not shares:
        return _DASH
    low, high = percent(min(shares)), percent(max(shares))
    return high if low == high else span(low, high)


def _status(cell: CellRow) -> str | Text:
    if cell.throughput_per_s is None and not _measured(cell):
        return _DASH
    return Text(cell.status, _STYLE[cell.status])


def marked(cell: CellRow, number: Number | None, text: str) -> Text:
    """A number, with a mark if it is suspect."""
    if text == _DASH or cell.status_of(number) != "suspect":
        return Text(text)
    return Text(text + DOUBT, _STYLE["suspect"])


def _measured(cell: CellRow) -> bool:
    """False for a cell that an interrupted study did not come to."""
    return bool(cell.trials or cell.reasons)


def _known(estimate: Estimate | None) -> bool:
    return estimate is not None and estimate.low is not None and estimate.high is not None


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return _DASH
    return f"{significant(estimate.low)} to {significant(estimate.high)}"


def _doubts(result: StudyResult) -> Iterator[tuple[str, str]]:
    """Lines with their styles: how many results are doubtful, then each kind of reason once."""
    measured = [cell for cell in result.cells if _measured(cell)]
    count = Counter(cell.status for cell in measured)
    partly = sum(cell.status == "valid" and bool(cell.doubted) for cell in measured)
    parts = [
        *_counted(count["invalid"], "invalid"),
        *_counted(count["suspect"], "suspect"),
        *_counted(partly, "valid except for single numbers"),
    ]
    if not parts:
        return
    noun = "result" if len(measured) == 1 else "results"
    mark = f" {DOUBT} marks a suspect number." if any(cell.doubted for cell in measured) else ""
    yield "", ""
    *first_parts, last = parts
    told = f"{', '.join(first_parts)} and {last}" if first_parts else last
    yield f"Of {len(measured)} {noun}, {told}.{mark} Each kind of reason once:", ""
    for reason, cells in by_kind(result):
        first, *others = cells
        more = f", and {len(others)} more result{'s' if len(others) > 1 else ''}" if others else ""
        yield f"  {first.arm} · {first.load} · {first.point}{more}", _STYLE[reason.status]
        yield f"    {_numbers(reason)}{reason.text}", ""
        yield f"    hint: {reason.hint}", "dim"


def _counted(number: int, status: str) -> list[str]:
    return [f"{number} {'is' if number == 1 else 'are'} {status}"] if number else []


def _numbers(reason: Reason) -> str:
    """The numbers that a reason doubts; empty for one that leaves no result."""
    return "" if reason.status == "invalid" else f"{in_words(reason.doubts)}: "
