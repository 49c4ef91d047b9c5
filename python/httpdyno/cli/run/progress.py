"""What a person sees on stderr while a study runs: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from httpdyno.units import duration, rate

if TYPE_CHECKING:
    from httpdyno import engine
    from httpdyno.outcome import TrialOutcome
    from httpdyno.plan import Trial
    from httpdyno.result import FailureRow
    from httpdyno.running.options import Listener

__all__ = ["listening"]


@contextmanager
def listening() -> Iterator[Listener]:
    """A listener for this stderr, for as long as the study runs."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield Lines(console)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=12),
        TextColumn("{task.fields[rest]}"),
    )
    # Nothing is drawn between events: a drawing thread would take time from what is measured.
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as bar:
        yield Bar(console, bar)


class Lines:
    """A plain line an event."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._place = ""

    def note(self, text: str) -> None:
        """Print it."""
        self._say(text)

    def failed(self, failure: FailureRow) -> None:
        """Print which arm is left out, and why."""
        self._say(f"{failure.arm}: left out ({failure.stage}): {failure.reason}")

    def trial_begins(self, trial: Trial, number: int, of: int, left_s: float) -> None:
        """Remember where we are."""
        self._place = f"{number}/{of}"

    def progress(self, progress: engine.Progress) -> None:
        """Say nothing: a line twice a second is too much."""

    def trial_ends(self, outcome: TrialOutcome) -> None:
        """Print what it brought."""
        self._say(f"{self._place} {told(outcome)}")

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)


class Bar:
    """A bar over the whole study, the running trial behind it; notes scroll by above."""

    def __init__(self, console: Console, bar: Progress) -> None:
        self._console = console
        self._bar = bar
        self._task: TaskID = bar.add_task("preparing", total=None, rest="")

    def note(self, text: str) -> None:
        """Print it above the bar."""
        self._above(text, "dim")

    def failed(self, failure: FailureRow) -> None:
        """Print which arm is left out, and why."""
        self._above(f"{failure.arm}: left out ({failure.stage}): {failure.reason}", "red")

    def trial_begins(self, trial: Trial, number: int, of: int, left_s: float) -> None:
        """Move the bar."""
        arm, load, point = trial.cell.key
        self._bar.update(
            self._task,
            total=of,
            completed=number - 1,
            description=f"{number}/{of} · {_minutes(left_s)} left",
            rest=escape(f"{arm} · {load} · {point}"),
        )
        self._now = escape(f"{arm} · {load} · {point}")
        self._bar.refresh()

    def progress(self, progress: engine.Progress) -> None:
        """Show rate and latency of the last second."""
        live = f"{rate(progress.rate_per_s)}  p99 {duration(progress.p99_ns * 1e-9)}"
        errors = sum(progress.errors.values())
        trouble = f"  [red]{errors:,} errors[/red]" if errors else ""
        self._bar.update(self._task, rest=f"{self._now}  [bold]{live}[/bold]{trouble}")
        self._bar.refresh()

    def trial_ends(self, outcome: TrialOutcome) -> None:
        """Move on; a trial that is not valid leaves a line with its reason."""
        self._bar.advance(self._task)
        self._bar.refresh()
        if outcome.status == "invalid":
            self._above(told(outcome), "yellow")

    def _above(self, text: str, style: str) -> None:
        self._console.print(text, style=style, markup=False, soft_wrap=True)


def told(outcome: TrialOutcome) -> str:
    """A trial in a line: where, how fast, how sure."""
    where = f"{outcome.arm} · {outcome.load} · {outcome.point}"
    why = "; ".join(reason.text for reason in outcome.reasons)
    if outcome.measurement is None or outcome.status == "invalid":
        return f"{where}: no result: {why}"
    response = outcome.measurement.times.response
    numbers = (
        f"{rate(outcome.measurement.throughput_per_s)}, p99 {duration(response.p99_ns * 1e-9)}"
    )
    return f"{where}: {numbers}" + (f" (suspect: {why})" if why else "")


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
