"""The end of a study on stdout: the answer, and a table of arms by loads."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from httpdyno.result import CellRow, Estimate, StudyResult
from httpdyno.units import duration, percent, rate, significant

__all__ = ["show_result"]

_STYLE = {"valid": "green", "suspect": "yellow", "invalid": "red"}
WIDE = 100
"""A terminal narrower than this has no room for every column."""
NARROWEST = 110
"""Columns for the table when stdout is a file or a pipe."""


def show_result(result: StudyResult) -> None:
    """Print the answer, the table, what was left out."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=max(console.width, NARROWEST))
    console.print(f"\n[bold]{escape(result.title)}[/bold]")
    console.print(escape(result.answer))
    console.print(_table(result, wide=console.width >= WIDE))
    for failure in result.failures:
        console.print(f"[red]{escape(failure.arm)}[/red] left out: {escape(failure.reason)}")
    for reason in _why(result):
        console.print(escape(reason), style="dim")


def _table(result: StudyResult, *, wide: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("load and arm", no_wrap=True)
    numbers = ("replies/s", "95 % interval", "p99", *(("p50", "CPU/request") if wide else ()))
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict")
    before = ""
    for cell in result.cells:
        load = f"{cell.load} · {cell.point}"
        if load != before:
            table.add_row(f"[bold]{escape(load)}[/bold]")
        table.add_row(*_row(cell, wide=wide))
        before = load
    return table


def _row(cell: CellRow, *, wide: bool) -> list[str]:
    status = f"[{_STYLE[cell.status]}]{cell.status}[/]"
    if cell.throughput_per_s is None:
        return [f"  {escape(cell.arm)}", "no result", *[""] * (4 if wide else 2), status]
    return [
        f"  {escape(cell.arm)}",
        rate(cell.throughput_per_s.value),
        _interval(cell.throughput_per_s),
        _time(cell.p99_s),
        *((_time(cell.p50_s), _time(cell.server_cpu_s_per_request)) if wide else ()),
        status,
    ]


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "too few restarts"
    return f"{significant(estimate.low)} to {significant(estimate.high)}"


def _time(estimate: Estimate | None) -> str:
    return "–" if estimate is None else duration(estimate.value)


def _why(result: StudyResult) -> list[str]:
    """Each reason of the cells once, with what to do."""
    doubtful = [cell for cell in result.cells if cell.status != "valid"]
    seen: dict[str, str] = {}
    for cell in doubtful:
        for reason in cell.reasons:
            place = f"{cell.arm} · {cell.load} · {cell.point}"
            seen.setdefault(reason.code, f"{reason.status}: {place}: {reason.text}; {reason.hint}")
    share = percent(len(doubtful) / len(result.cells)) if result.cells else "0 %"
    return (
        [f"{share} of the cells are not simply valid; the report has all reasons:", *seen.values()]
        if seen
        else []
    )
