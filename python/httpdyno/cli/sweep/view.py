"""A sweep while it runs: a table and charts on a terminal, a line for each point elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from httpdyno.cli.live.load import LABEL, in_words
from httpdyno.cli.live.screen import Screen, usable
from httpdyno.cli.live.steps import Steps, overview
from httpdyno.cli.live.text import with_style
from httpdyno.cli.signals import tell
from httpdyno.cli.sweep.chart import charts
from httpdyno.cli.sweep.program import Program
from httpdyno.cli.sweep.table import in_words as point_in_words
from httpdyno.cli.sweep.table import table
from httpdyno.cli.table import FittedTable
from httpdyno.engine import Progress
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable
from httpdyno.running.live.events import (
    Event,
    Events,
    PlanBegins,
    PlanProgress,
    PointEnds,
    TrialBegins,
)
from httpdyno.running.live.pace import Pace
from httpdyno.running.live.recorder import plan_record
from httpdyno.running.live.state import RunState
from httpdyno.sweep import Point, shown
from httpdyno.units import roughly

__all__ = ["about", "showing"]

_CHART = 3
"""Lines of each chart while the sweep runs."""
_ROWS = 6
"""Rows of the table for which the charts get lower."""
_LOW = 20
"""A lower view has no empty lines."""
_HEAD = 2
"""Lines of the head of the table."""


def about(program: Program, cool_down_s: float) -> str:
    """The sweep in one line: its URL, its points and their time."""
    rates = program.rates.per_s
    whole_s = program.seconds() + cool_down_s * (len(rates) - 1)
    return f"{printable(program.title)}: {program.span}, about {roughly(whole_s)}"


@contextmanager
def showing(
    events: Events, program: Program, head: str, *, log: bool
) -> Iterator[Callable[[str], None]]:
    """Shows the sweep on stderr for as long as it runs. Yields what shows a line at once, also in
    the midst of another one: a signal may call it."""
    if program.quiet:
        yield tell
        return
    if not usable():
        echo(head, err=True)
        events.add(Lines(program))
        yield tell
        return
    view = View(program, head, log=log)
    events.add(view)
    with view.screen:
        yield view.screen.say


class Lines:
    """A plain line for each point."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._count = 0

    def __call__(self, event: Event) -> None:
        """Print the numbers of a point and its verdict."""
        if isinstance(event, PointEnds):
            self._count += 1
            point, program = event.point, self._program
            place = f"{self._count}/{len(program.rates.per_s)} {shown(point.rate_per_s)}/s"
            echo(f"{place}: {point_in_words(point, program.times)}", err=True)


class View:
    """The table and the charts of the points so far, and the point under way."""

    def __init__(self, program: Program, head: str, *, log: bool) -> None:
        self._program = program
        self._log = log
        self._state = RunState()
        self._points: list[Point] = []
        self._steps = Steps(head, "rates", of=len(program.rates.per_s))
        self._rate = ""
        self._pace: Pace[Progress] | None = None
        self.screen = Screen(self.lines)

    def lines(self, width: int, height: int) -> list[str]:
        """The view at this size."""
        self._steps.left_s = self._state.left.at(time.monotonic())
        program, points = self._program, self._points
        gap = [] if height < _LOW else [""]
        head = [
            with_style(self._steps.title, "bold"),
            *overview(self._steps, width),
            f"{'now':<{LABEL}}{self._now()}",
            *gap,
        ]
        drawn, rows = [""], 0
        for high in (_CHART, 2, 1):
            if rows < min(len(points), _ROWS):
                drawn = charts(points, program.times, width=width, height=high, log=self._log)
                rows = height - len([*head, *gap, *drawn]) - _HEAD
        shown_points = table(points[-max(1, rows) :], program.times, program.unit)
        return [*head, *_render(shown_points, width), *gap, *drawn]

    def __call__(self, event: Event) -> None:
        """Show it."""
        self._state.take(event, time.monotonic())
        match event:
            case TrialBegins(point=rate):
                self._rate = rate
            case PlanBegins(plan):
                self._pace = Pace(plan_record(plan))
                self.screen.refresh()
            case PlanProgress(progress) if self._pace is not None:
                self.screen.follow(another_second=self._pace.add(progress))
            case PointEnds(point):
                self._points.append(point)
                self._steps.number, self._pace = len(self._points), None
                self.screen.refresh()

    def _now(self) -> str:
        pace = self._pace
        if pace is None:
            return "pause"
        if pace.now is None:
            return f"{self._rate}: connecting"
        return f"{self._rate}: {in_words(pace)}"


def _render(shown_table: FittedTable, width: int) -> list[str]:
    """The lines of a table, with its colours: the columns that fit."""
    console = Console(width=width, force_terminal=True, color_system="standard", highlight=False)
    with console.capture() as captured:
        shown_table.draw(console)
    return captured.get().splitlines()
