"""Progress of a study on stderr: a view that changes on a terminal, lines that stay elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from httpdyno.cli.live.pace import Pace, Series
from httpdyno.cli.live.screen import Screen, usable
from httpdyno.cli.live.steps import MARKS, Names, Steps, steps_lines
from httpdyno.cli.signals import tell
from httpdyno.output.printable import printable, printable_lines
from httpdyno.running.live.left import Left
from httpdyno.running.live.server_use import ServerUse
from httpdyno.study.size import points
from httpdyno.units import duration, rate

if TYPE_CHECKING:
    from pathlib import Path

    from httpdyno import engine
    from httpdyno.cli.signals import Stop
    from httpdyno.doubts import Number
    from httpdyno.engine_plan import EnginePlan
    from httpdyno.limits.walk import Walk
    from httpdyno.outcome import TrialOutcome
    from httpdyno.plan import Trial
    from httpdyno.result import FailureRow
    from httpdyno.running.listener import Listener
    from httpdyno.servers import Meter

__all__ = ["listening"]

SERVER = "the server to stop"


@contextmanager
def listening(stop: Stop) -> Iterator[Listener]:
    """A listener for this stderr, for as long as the study runs.

    It tells `stop` what the run waits for when the user interrupts it.
    """
    if not usable():
        yield Lines(stop)
        return
    view = View(stop)
    with view.screen as screen:
        stop.say = screen.say
        yield view
    stop.say = tell


class Lines:
    """A plain line for each event."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._place = ""

    def run_begins(self, run_id: int, folder: Path, title: str) -> None:
        """Print nothing: the plan is noted next."""

    def planned(self, stored: int, of: int, left_s: float) -> None:
        """Print nothing: it was noted."""

    def note(self, text: str) -> None:
        """Print it."""
        self._print(text)

    def stage(self, text: str, waits_for: str | None = None) -> None:
        """Print it."""
        self._stop.waiting_for = waits_for
        self._print(text)

    def failed(self, failure: FailureRow) -> None:
        """Print the arm, and why it is left out."""
        self._print(left_out(failure))

    def trial_begins(self, trial: Trial, number: int, of: int, left_s: float) -> None:
        """Remember the number."""
        self._stop.waiting_for = SERVER
        self._place = f"{number}/{of}"

    def measuring(self, plan: EnginePlan, meter: Meter | None) -> None:
        """Print nothing."""

    def progress(self, progress: engine.Progress) -> None:
        """Print nothing: a line a second is too much."""

    def trial_ends(self, outcome: TrialOutcome) -> None:
        """Print its numbers, or why there are none."""
        self._print(f"{self._place} {summary(outcome)}")

    def _print(self, text: str) -> None:
        typer.echo(printable_lines(text), err=True)


class View:
    """The study, the trial under way and the last verdicts; notes and failures scroll by above."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._steps = Steps("", "trials")
        self._left = Left()
        self._server = ServerUse(None)
        self._trial: Trial | None = None
        self.screen = Screen(self.lines)

    def lines(self, width: int, height: int) -> list[str]:
        """The view at this size."""
        self._steps.left_s = self._left.at(time.monotonic())
        return steps_lines(self._steps, width, height)

    def run_begins(self, run_id: int, folder: Path, title: str) -> None:
        """Show the title."""
        self._steps.title = printable(title)

    def planned(self, stored: int, of: int, left_s: float) -> None:
        """Show the bar, before anything is measured."""
        self._steps.number, self._steps.of = stored, of
        self._left.begins(time.monotonic(), left_s, of - stored)

    def note(self, text: str) -> None:
        """Print it above."""
        self.screen.say(text, "dim")

    def stage(self, text: str, waits_for: str | None = None) -> None:
        """Show it in place of a trial."""
        self._stop.waiting_for = waits_for
        self._show(text)

    def failed(self, failure: FailureRow) -> None:
        """Print above the arm, and why it is left out."""
        self.screen.say(left_out(failure), "red")

    def trial_begins(self, trial: Trial, number: int, of: int, left_s: float) -> None:
        """Move the bar."""
        self._stop.waiting_for = SERVER
        self._trial = trial
        self._left.begins(time.monotonic(), left_s, of - number + 1)
        self._steps.number, self._steps.of = number - 1, of
        self._steps.tried = None if trial.task == "measure" else Series(max)
        task = "" if trial.task == "measure" else f" ({trial.task})"
        self._show(task, named(trial))

    def measuring(self, plan: EnginePlan, meter: Meter | None) -> None:
        """Begin new charts; a search goes on with its own."""
        self._server, self._steps.server = ServerUse(meter), None
        self._steps.pace = pace = Pace(plan)
        if self._steps.tried is not None and pace.offered_per_s:
            self._steps.tried.add(pace.offered_per_s)

    def progress(self, progress: engine.Progress) -> None:
        """Draw the trial as it is now."""
        if self._steps.pace is not None:
            another_second = self._steps.pace.add(progress)
            self._steps.server = self._server.now(time.monotonic())
            self.screen.follow(another_second=another_second)

    def trial_ends(self, outcome: TrialOutcome) -> None:
        """Add its verdict; print above why an invalid trial is one."""
        self._left.ends(time.monotonic())
        self._steps.number += 1
        what, why = found(outcome)
        names = named(self._trial) if self._trial is not None else ()
        self._steps.add(*MARKS[outcome.status], printable(what), printable(why), names)
        if outcome.status == "invalid":
            self.screen.say(summary(outcome), "yellow")
        self._show("")

    def _show(self, now: str, names: Names = ()) -> None:
        self._steps.now, self._steps.pace = [printable(now)], None
        self._steps.names = names
        self.screen.refresh()


def left_out(failure: FailureRow) -> str:
    """An arm that cannot be measured, in a line."""
    return f"{failure.arm}: left out ({failure.stage}): {failure.reason}"


def walked(walk: Walk) -> str:
    """The findings of a trial of a capacity load."""
    steps = f"{len(walk.steps)} steps"
    if walk.task == "profile":
        return f"cost and overload measured in {steps}" if walk.steps else "no capacity to profile"
    if walk.task == "confirm":
        return _confirmed(walk)
    if walk.capacity_per_s is not None:
        return f"{rate(walk.capacity_per_s)} in {steps}"
    return f"at least {rate(walk.at_least_per_s or 0.0)} in {steps}"


def _confirmed(walk: Walk) -> str:
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
    return f"{outcome.arm} · {outcome.load} · {outcome.point}: " + "".join(found(outcome))


def found(outcome: TrialOutcome) -> tuple[str, str]:
    """The numbers of a trial, and the reasons to doubt them."""
    why = "; ".join(reason.text for reason in outcome.reasons)
    suspect = f" (suspect: {why})" if why else ""
    if outcome.walk is not None and outcome.status != "invalid":
        what, colon, why_not = walked(outcome.walk).partition(":")
        return what, colon + why_not + suspect
    if outcome.measurement is None or outcome.status == "invalid":
        return "no result", f": {why}"
    throughput = rate(outcome.measurement.throughput_per_s) + _mark(outcome, "throughput")
    p99 = duration(outcome.measurement.times.response.p99_ns * 1e-9) + _mark(outcome, "p99")
    return f"{throughput}, p99 {p99}", suspect


def named(trial: Trial) -> Names:
    """The names of a cell, and those without the point of a load that has only one."""
    every = [printable(name) for name in trial.cell.key]
    return (every, every[:-1]) if points(trial.cell.load) == 1 else (every,)


def _mark(outcome: TrialOutcome, number: Number) -> str:
    """`?` behind a suspect number."""
    return "?" if outcome.status_of(number) == "suspect" else ""
