"""The output of a comparison: its length before, then the decision, a table, and every doubt."""

from __future__ import annotations

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from httpdyno.cli.run.table import show_doubts
from httpdyno.cli.run.text import paragraph, stdout_console
from httpdyno.comparison.compare import Compared
from httpdyno.comparison.estimate import estimate
from httpdyno.comparison.wanted import Wanted
from httpdyno.comparison.words import NOUNS, change, interval, percent
from httpdyno.output.printable import printable, printable_lines
from httpdyno.result import CellRow, Estimate, StudyResult
from httpdyno.statistics.decide import Decision
from httpdyno.statistics.several.comparisons import COLUMN
from httpdyno.study.model import describe
from httpdyno.units import duration, rate

__all__ = ["show", "show_plan"]

WIDE = 110
"""A narrower terminal has no room for the numbers of both."""
MOST_HEADING = 16
_ROWS = {
    "throughput": "requests/s",
    "p99": "p99",
    "server CPU per request": "CPU per request",
}
_STYLE = {
    "regression": "red",
    "no result": "red",
    "cannot tell": "yellow",
    "no regression shown": "green",
}


def show_plan(wanted: Wanted, *, aside: bool) -> None:
    """Print what is compared and how long it takes: `aside` on stderr, in one line."""
    lines = [estimate(wanted)]
    if not aside:
        lines += [f"load {name}: {describe(load)}" for name, load in wanted.loads.items()]
        if wanted.paced_s is not None:
            lines.append("load same-rate: at 50 % of the slower arm's throughput, for p99 and CPU")
        for metric, margin in wanted.margins.items():
            lines.append(f"margin for {NOUNS[metric]}: {percent(margin)}")
    typer.echo(printable_lines("\n".join(lines)), err=aside)


def show(compared: Compared, result: StudyResult) -> None:
    """Print the answer, a line for each metric, the arms left out, the doubts, and the report."""
    console = stdout_console()
    console.print()
    paragraph(console, result.answer, style="bold")
    console.print()
    console.print(_table(compared, result, wide=console.width >= WIDE))
    for failure in result.failures:
        paragraph(console, f"{failure.arm} was left out: {failure.reason}", style="red")
    show_doubts(console, result)
    report = compared.ended.report
    if report is not None:
        typer.echo(f"\nreport: {report.html}\n  data: {report.json}")


def _table(compared: Compared, result: StudyResult, *, wide: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for name in compared.names if wide else ():
        table.add_column(_heading(name), justify="right", no_wrap=True)
    table.add_column("change", justify="right", no_wrap=True)
    table.add_column("95 % interval", justify="right", no_wrap=True)
    table.add_column("margin", justify="right", no_wrap=True)
    table.add_column("decision", no_wrap=True)
    for decision in compared.decisions:
        table.add_row(*_row(decision, compared, result, wide=wide))
    return table


def _heading(name: str) -> str:
    shown = printable(name)
    return shown if len(shown) <= MOST_HEADING else f"{shown[: MOST_HEADING - 1]}…"


def _row(one: Decision, compared: Compared, result: StudyResult, *, wide: bool) -> list[str | Text]:
    saved = compared.wanted.saved
    ratio = None if one.comparison is None else one.comparison.ratio
    before = saved.result if saved is not None else result
    sides = zip((before, result), compared.names, strict=True)
    return [
        Text(_ROWS[one.metric], "bold"),
        *(_number(one, source, name) for source, name in sides if wide),
        "–" if ratio is None else change(one.metric, ratio.value),
        "–" if ratio is None else interval(one.metric, ratio),
        percent(one.margin),
        Text(one.decided.removesuffix(" shown"), _STYLE[one.decided]),
    ]


def _number(one: Decision, result: StudyResult, arm: str) -> str:
    if one.comparison is None:
        return "–"
    place = (arm, one.comparison.load)
    cell = next((cell for cell in result.cells if (cell.arm, cell.load) == place), None)
    found = _estimate(cell, COLUMN[one.metric])
    if found is None:
        return "no result"
    return rate(found.value) if one.metric == "throughput" else duration(found.value)


def _estimate(cell: CellRow | None, column: str) -> Estimate | None:
    found = getattr(cell, column, None)
    return found if isinstance(found, Estimate) else None
