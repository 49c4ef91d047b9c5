"""Progress of a study on stderr: a view that changes on a terminal, lines that stay elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from httpdyno.cli.live.screen import Screen, usable
from httpdyno.cli.live.steps import Names, Steps, steps_lines
from httpdyno.cli.signals import tell
from httpdyno.doubts import mark
from httpdyno.output.echo import echo
from httpdyno.output.printable import printable, printable_lines
from httpdyno.running.live.events import (
    ArmFails,
    Note,
    PlanBegins,
    PlanProgress,
    RunPauses,
    Stage,
    TrialBegins,
    TrialEnds,
)
from httpdyno.running.live.pace import Pace, Series
from httpdyno.running.live.recorder import plan_record
from httpdyno.running.live.server_use import ServerUse
from httpdyno.running.live.state import RunState
from httpdyno.units import duration, rate

if TYPE_CHECKING:
    from httpdyno.cli.signals import Stop
    from httpdyno.engine import Progress
    from httpdyno.limits.walk import Walk
    from httpdyno.outcome import TrialOutcome
    from httpdyno.running.live.events import Event, Events

__all__ = ["showing"]

SERVER = "the server to stop"


@contextmanager
def showing(events: Events, stop: Stop) -> Iterator[None]:
    """Shows the events on this stderr, for as long as the study runs.

    `stop` learns what the run waits for when the user interrupts it.
    """
    events.add(partial(_wait_for, stop))
    if not usable():
        events.add(Lines())
        yield
        return
    view = View()
    events.add(view)
    with view.screen as screen:
        stop.say = screen.say
        yield
    stop.say = tell


def _wait_for(stop: Stop, event: Event) -> None:
    if isinstance(event, Stage):
        stop.waiting_for = event.waits_for
    elif isinstance(event, TrialBegins):
        stop.waiting_for = SERVER


class Lines:
    """A plain line for each event that is not one of many."""

    def __init__(self) -> None:
        self._state = RunState()

    def __call__(self, event: Event) -> None:
        """Print it."""
        self._state.take(event, time.monotonic())
        match event:
            case Note(text) | Stage(text):
                self._print(text)
            case RunPauses(file):
                self._print(how_to_resume(file))
            case ArmFails():
                self._print(left_out(event))
            case TrialEnds(outcome):
                self._print(f"{self._state.ended}/{self._state.of} {summary(outcome)}")

    def _print(self, text: str) -> None:
        with suppress(BlockingIOError):  # a pipe that nobody empties loses this line only
            echo(printable_lines(text), err=True)


class View:
    """The study, the trial under way and the last verdicts; notes and failures scroll by above."""

    def __init__(self) -> None:
        self._state = RunState()
        self._steps = Steps("", "trials")
        self._server = ServerUse(None)
        self._names: Names = ()
        """Of the trial under way."""
        self.screen = Screen(self.lines)

    def lines(self, width: int, height: int) -> list[str]:
        """The view at this size."""
        state, steps = self._state, self._steps
        steps.title, steps.number, steps.of = printable(state.title), state.ended, state.of
        steps.left_s = state.left.at(time.monotonic())
        return steps_lines(steps, width, height)

    def __call__(self, event: Event) -> None:
        """Show it."""
        self._state.take(event, time.monotonic())
        match event:
            case Note(text):
                self.screen.say(text, "dim")
            case RunPauses(file):
                self.screen.say(how_to_resume(file), "dim")
            case Stage(text):
                self._show(text)
            case ArmFails():
                self.screen.say(left_out(event), "red")
            case TrialBegins():
                self._begin(event)
            case PlanBegins():
                self._measure(event)
            case PlanProgress(progress):
                self._follow(progress)
            case TrialEnds(outcome):
                self._end(outcome)

    def _begin(self, event: TrialBegins) -> None:
        """Name it; the rates that a search tries are shown together."""
        self._names = cell_names(event)
        self._steps.tried = None if event.task == "measure" else Series(max)
        task = "" if event.task == "measure" else f" ({event.task})"
        self._show(task, self._names)

    def _measure(self, event: PlanBegins) -> None:
        """Begin new charts; a search goes on with its own."""
        self._server, self._steps.server = ServerUse(event.meter), None
        self._steps.pace = pace = Pace(plan_record(event.plan))
        if self._steps.tried is not None and pace.offered_per_s:
            self._steps.tried.add(pace.offered_per_s)

    def _follow(self, progress: Progress) -> None:
        """Draw the trial as it is now."""
        if self._steps.pace is not None:
            another_second = self._steps.pace.add(progress)
            self._steps.server = self._server.now(time.monotonic())
            self.screen.follow(another_second=another_second)

    def _end(self, outcome: TrialOutcome) -> None:
        """Add its verdict; print above why an invalid trial is one."""
        what, why = numbers_and_doubts(outcome)
        self._steps.add(outcome.status, printable(what), printable(why), self._names)
        if outcome.status == "invalid":
            self.screen.say(summary(outcome), "yellow")
        self._show("")

    def _show(self, now: str, names: Names = ()) -> None:
        self._steps.now, self._steps.pace = [printable(now)], None
        self._steps.names = names
        self.screen.refresh()


def how_to_resume(file: str) -> str:
    """The way to continue a paused run."""
    return f"paused, until it is continued or `{file}` is removed"


def left_out(failure: ArmFails) -> str:
    """An arm that cannot be measured, in a line."""
    return f"{failure.arm}: left out ({failure.stage}): {failure.reason}"


def walk_words(walk: Walk) -> str:
    """The findings of a trial of a capacity load."""
    steps = f"{len(walk.steps)} steps"
    if walk.task == "profile":
        return f"cost and overload measured in {steps}" if walk.steps else "no capacity to profile"
    if walk.task == "confirm":
        return _confirmation(walk)
    if walk.capacity_per_s is not None:
        return f"{rate(walk.capacity_per_s)} in {steps}"
    return f"at least {rate(walk.at_least_per_s or 0.0)} in {steps}"


def _confirmation(walk: Walk) -> str:
    if not walk.steps:
        return "no capacity to confirm"
    at = rate(walk.steps[0].rate_per_s)
    if walk.held:
        return f"{at} held"
    if walk.held is None:
        return f"{at} could not be judged: {walk.steps[-1].why}"
    kept = walk.sustained_per_s
    instead = "" if kept is None else f"; {rate(kept)} held"
    return f"{at} did not hold: {walk.steps[0].why}{instead}"


def summary(outcome: TrialOutcome) -> str:
    """A trial in a line: its cell, its numbers, its doubts."""
    return f"{outcome.arm} · {outcome.load} · {outcome.point}: " + "".join(
        numbers_and_doubts(outcome)
    )


def numbers_and_doubts(outcome: TrialOutcome) -> tuple[str, str]:
    """The numbers of a trial, and the reasons to doubt them."""
    why = "; ".join(reason.text for reason in outcome.reasons)
    suspect = f" (suspect: {why})" if why else ""
    if outcome.walk is not None and outcome.status != "invalid":
        what, colon, why_not = walk_words(outcome.walk).partition(":")
        return what, colon + why_not + suspect
    if outcome.measurement is None or outcome.status == "invalid":
        return "no result", f": {why}"
    throughput = rate(outcome.measurement.throughput_per_s) + mark(outcome, "throughput")
    p99 = duration(outcome.measurement.times.response.p99_ns * 1e-9) + mark(outcome, "p99")
    return f"{throughput}, p99 {p99}", suspect


def cell_names(trial: TrialBegins) -> Names:
    """The names of a cell, and those without the point of a load that has only one."""
    every = [printable(name) for name in (trial.arm, trial.load, trial.point)]
    return (every, every[:-1]) if trial.only_point else (every,)
