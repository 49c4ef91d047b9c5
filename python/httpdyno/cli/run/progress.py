"""Progress of a study on stderr: two lines that change on a terminal, lines that stay elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from httpdyno.cli.signals import tell
from httpdyno.output.printable import printable, printable_lines
from httpdyno.units import duration, rate, roughly

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
BAR_WIDTH = 24


@contextmanager
def listening(stop: Stop) -> Iterator[Listener]:
    """A listener for this stderr, for as long as the study runs.

    It tells `stop` what the run waits for when the user interrupts it.
    """
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield Lines(stop)
        return
    view = View()
    # Nothing is drawn between events: a drawing thread would take time from what is measured.
    with Live(view, console=console, auto_refresh=False, transient=True) as live:
        stop.say = view.interject
        yield Bar(live, view, stop)
    stop.say = tell


class Lines:
    """A plain line for each event."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._place = ""

    def run_begins(self, run_id: int, folder: Path, title: str) -> None:
        """Print nothing: the plan is noted next."""

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
        """Print nothing: a line four times a second is too much."""

    def trial_ends(self, outcome: TrialOutcome) -> None:
        """Print its numbers, or why there are none."""
        self._print(f"{self._place} {summary(outcome)}")

    def _print(self, text: str) -> None:
        typer.echo(printable_lines(text), err=True)


class View:
    """The two lines of a terminal: how far the study is, and what it does now."""

    def __init__(self) -> None:
        self.number = 0
        self.of = 0
        self.left = ""
        self.now = "preparing"
        self.live = Text()

    def __rich__(self) -> Group:
        return Group(self._bar(), self._now())

    def interject(self, text: str) -> None:
        """Print a line above the two, at once: a signal may have interrupted the console itself."""
        # The cursor is at the end of the second line, and must be there again afterwards.
        os.write(2, f"\r\x1b[2K\x1b[1A\x1b[2K{text}\n\n".encode())

    def _bar(self) -> Table | Text:
        if not self.of:
            return Text()
        line = Table.grid(padding=(0, 1, 0, 0))
        bar = ProgressBar(self.of, self.number - 1, width=BAR_WIDTH)
        line.add_row(bar, f"{self.number} of {self.of}", Text(self.left, "dim"))
        return line

    def _now(self) -> Text:
        line = Text(f"{self.now}  ", no_wrap=True, overflow="ellipsis", end="")
        return line.append_text(self.live)


class Bar:
    """Two lines that change; notes and failures scroll by above them."""

    def __init__(self, live: Live, view: View, stop: Stop) -> None:
        self._live = live
        self._view = view
        self._stop = stop

    def run_begins(self, run_id: int, folder: Path, title: str) -> None:
        """Show nothing: the plan is noted next."""

    def note(self, text: str) -> None:
        """Print it above."""
        self._above(text, "dim")

    def stage(self, text: str, waits_for: str | None = None) -> None:
        """Show it in place of a trial."""
        self._stop.waiting_for = waits_for
        self._show(text)

    def failed(self, failure: FailureRow) -> None:
        """Print above the arm, and why it is left out."""
        self._above(left_out(failure), "red")

    def trial_begins(self, trial: Trial, number: int, of: int, left_s: float) -> None:
        """Move the bar."""
        self._stop.waiting_for = SERVER
        self._view.number, self._view.of = number, of
        self._view.left = f"about {roughly(left_s)} left"
        self._show(" · ".join(trial.cell.key))

    def measuring(self, plan: EnginePlan, meter: Meter | None) -> None:
        """Show nothing: the trial is shown already."""

    def progress(self, progress: engine.Progress) -> None:
        """Show rate and latency of the last second, once there are any."""
        live = Text()
        if progress.rate_per_s:
            live.append(
                f"{rate(progress.rate_per_s)}  p99 {duration(progress.p99_ns * 1e-9)}", "bold"
            )
        if errors := sum(progress.errors.values()):
            live.append(f"  {errors:,} errors", "red")
        self._show(self._view.now, live)

    def trial_ends(self, outcome: TrialOutcome) -> None:
        """Print above why an invalid trial is one, and what a search found."""
        if outcome.walk is not None and outcome.status != "invalid":
            self._above(summary(outcome), "dim")
        if outcome.status == "invalid":
            self._above(summary(outcome), "yellow")

    def _show(self, now: str, live: Text | None = None) -> None:
        self._view.now, self._view.live = printable(now), live or Text()
        self._live.refresh()

    def _above(self, text: str, style: str) -> None:
        self._live.console.print(printable_lines(text), style=style, markup=False)


def left_out(failure: FailureRow) -> str:
    """An arm that cannot be measured, in a line."""
    return f"{failure.arm}: left out ({failure.stage}): {failure.reason}"


def walked(walk: Walk) -> str:
    """The findings of a trial of a capacity load."""
    steps = f"{len(walk.steps)} steps"
    if walk.task == "profile":
        return f"cost and overload measured in {steps}" if walk.steps else "no capacity to profile"
    if walk.task == "confirm":
        if not walk.steps:
            return "no capacity to confirm"
        at = rate(walk.steps[0].rate_per_s)
        if walk.held:
            return f"{at} held"
        kept = walk.sustained_per_s
        instead = "" if kept is None else f"; {rate(kept)} held"
        return f"{at} did not hold: {walk.steps[0].why}{instead}"
    if walk.capacity_per_s is not None:
        return f"{rate(walk.capacity_per_s)} in {steps}"
    return f"{rate(walk.at_least_per_s or 0.0)} or more in {steps}"


def summary(outcome: TrialOutcome) -> str:
    """A trial in a line: its cell, its numbers, its doubts."""
    where = f"{outcome.arm} · {outcome.load} · {outcome.point}"
    why = "; ".join(reason.text for reason in outcome.reasons)
    if outcome.walk is not None and outcome.status != "invalid":
        return f"{where}: {walked(outcome.walk)}" + (f" (suspect: {why})" if why else "")
    if outcome.measurement is None or outcome.status == "invalid":
        return f"{where}: no result: {why}"
    throughput = rate(outcome.measurement.throughput_per_s) + _mark(outcome, "throughput")
    p99 = duration(outcome.measurement.times.response.p99_ns * 1e-9) + _mark(outcome, "p99")
    return f"{where}: {throughput}, p99 {p99}" + (f" (suspect: {why})" if why else "")


def _mark(outcome: TrialOutcome, number: Number) -> str:
    """`?` behind a suspect number."""
    return "?" if outcome.status_of(number) == "suspect" else ""
