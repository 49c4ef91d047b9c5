"""A sweep while it runs: a table and charts on a terminal, a line for each point elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from httpdyno import units
from httpdyno.cli.signals import tell
from httpdyno.cli.sweep.chart import charts
from httpdyno.cli.sweep.program import Program
from httpdyno.cli.sweep.table import in_words, table
from httpdyno.engine import Progress
from httpdyno.output.printable import printable
from httpdyno.output.secrets import masked_url
from httpdyno.sweep import Point, shown
from httpdyno.units import roughly

__all__ = ["about", "viewing"]

_CHART = 3
"""Lines of each chart while the sweep runs."""
_LEAST_ROWS = 3
_AROUND = 11
"""Lines of the view besides charts and points: titles, axes, the point under way."""
_LOW = 24
"""On a lower terminal, each chart has one line."""


def about(program: Program, cool_down_s: float) -> str:
    """The sweep in one line: its URL, its points and their time."""
    rates = program.rates.per_s
    whole_s = program.seconds() + cool_down_s * (len(rates) - 1)
    span = f"{shown(rates[0])} to {shown(rates[-1])} {program.unit}/s"
    url = printable(masked_url(program.url))
    return f"{url}: {len(rates)} rates, {span}, about {roughly(whole_s)}"


@contextmanager
def viewing(program: Program, head: str, *, log: bool) -> Iterator[Lines | Screen]:
    """A view on stderr for as long as the sweep runs."""
    console = Console(stderr=True, highlight=False, emoji=False)
    if program.quiet or not console.is_terminal:
        if not program.quiet:
            typer.echo(head, err=True)
        yield Lines(program)
        return
    screen = Screen(program, head, console, log=log)
    # Nothing is drawn between events: a drawing thread would take time from what is measured.
    with Live(screen, console=console, auto_refresh=False, transient=True) as live:
        screen.live = live
        yield screen


class Lines:
    """A plain line for each point."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._count = 0

    def say(self, text: str) -> None:
        """Print it, also in the midst of another line."""
        tell(text)

    def begins(self, rate_per_s: float) -> None:
        """Print nothing."""

    def progress(self, progress: Progress) -> None:
        """Print nothing: a line four times a second is too much."""

    def ends(self, point: Point) -> None:
        """Print its numbers and its verdict."""
        self._count += 1
        if not self._program.quiet:
            place = f"{self._count}/{len(self._program.rates.per_s)} {shown(point.rate_per_s)}/s"
            typer.echo(f"{place}: {in_words(point, self._program.times)}", err=True)


class Screen:
    """The table and the charts of the points so far, and the point under way."""

    live: Live

    def __init__(self, program: Program, head: str, console: Console, *, log: bool) -> None:
        self._program = program
        self._head = head
        self._console = console
        self._log = log
        self._points: list[Point] = []
        self._now = ""
        self._rate = ""
        self._said: list[str] = []

    def __rich__(self) -> Group:
        low = self._console.height < _LOW
        height = 1 if low else _CHART
        rows = max(_LEAST_ROWS, self._console.height - _AROUND - 3 * height)
        program, points = self._program, self._points[-rows:]
        drawn = charts(
            self._points,
            program.times,
            width=self._console.width,
            height=height,
            log=self._log,
        )
        return Group(
            Text(self._head, no_wrap=True, overflow="ellipsis"),
            table(points, program.times, program.unit, self._console.width),
            Text(self._now, "dim", no_wrap=True, overflow="ellipsis"),
            Text("\n".join(drawn), no_wrap=True, overflow="crop"),
        )

    def say(self, text: str) -> None:
        """Show a line with the next progress; may be called by a signal in the midst of one."""
        self._said.append(text)

    def begins(self, rate_per_s: float) -> None:
        """Show its rate."""
        self._rate = f"{shown(rate_per_s)}/s"
        self._draw(f"{self._rate}: connecting")

    def progress(self, progress: Progress) -> None:
        """Show the last second of the point under way."""
        replies = units.rate(progress.rate_per_s)
        p99 = f", p99 {units.duration(progress.p99_ns * 1e-9)}" if progress.p99_ns else ""
        self._draw(f"{self._rate}: {replies} replies{p99}, {progress.failed:,} failed")

    def ends(self, point: Point) -> None:
        """Show the point in the table and the charts."""
        self._points.append(point)
        self._draw("")

    def _draw(self, now: str) -> None:
        rates = len(self._program.rates.per_s)
        self._now = f"{min(rates, len(self._points) + 1)} of {rates}  {now}"
        while self._said:
            self._console.print(self._said.pop(0), markup=False)
        self.live.refresh()
