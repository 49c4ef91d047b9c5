"""The progress of a load on stderr: a view on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from httpdyno.cli.live.load import in_words, load_lines
from httpdyno.cli.live.screen import Screen, usable
from httpdyno.cli.signals import tell
from httpdyno.engine_plan import EnginePlan
from httpdyno.output.echo import echo
from httpdyno.running.live.events import Event, Events, PlanProgress
from httpdyno.running.live.pace import Pace
from httpdyno.running.live.recorder import plan_record
from httpdyno.running.live.threads import BusyThreads

__all__ = ["Lines", "View", "showing"]

EVERY_S = 5.0
"""The shortest time between two lines."""
EVERY_SHARE = 0.1
"""The shortest part of a run between two lines."""


@contextmanager
def showing(events: Events, about: str, plan: EnginePlan) -> Iterator[View | Lines]:
    """Shows the progress of `plan` under the lines `about`: a view, or lines once it begins."""
    if not usable():
        lines = Lines(about, plan)
        events.add(lines)
        yield lines
        return
    view = View(about, plan)
    events.add(view)
    with view.screen:
        yield view


class View:
    """Charts of a load that change, and disappear at the end; messages stay above them."""

    def __init__(self, about: str, plan: EnginePlan) -> None:
        self._about = about.split("\n")
        self._pace = Pace(plan_record(plan))
        self._busy = BusyThreads()
        self.screen = Screen(self.lines)
        self.say = self.screen.say

    def begin(self) -> None:
        """The load begins; the view is there already."""

    def __call__(self, event: Event) -> None:
        """Draw the progress."""
        if not isinstance(event, PlanProgress):
            return
        another_second = self._pace.add(event.progress)
        if another_second:
            self._pace.busy = self._busy.share(time.monotonic())
        self.screen.follow(another_second=another_second)

    def lines(self, width: int, height: int) -> list[str]:
        """The view at this size."""
        return load_lines(self._about, self._pace, width, height)


class Lines:
    """A line every few seconds; every tenth of a run that is longer than a minute."""

    def __init__(self, about: str, plan: EnginePlan) -> None:
        self._about = about
        self._pace = Pace(plan_record(plan))
        self._next_s = EVERY_S
        self.say = tell

    def begin(self) -> None:
        """Print what the load is."""
        echo(f"{self._about}\n", err=True)

    def __call__(self, event: Event) -> None:
        """Print the progress, if it is time."""
        if not isinstance(event, PlanProgress):
            return
        self._pace.add(event.progress)
        if event.progress.phase != "measuring" or self._pace.elapsed_s < self._next_s:
            return
        whole_s = self._pace.elapsed_s + (self._pace.left_s or 0.0)
        self._next_s += max(EVERY_S, EVERY_SHARE * whole_s)
        if self._pace.left_s is None or self._pace.left_s > 1:
            echo(in_words(self._pace), err=True)
