"""The progress of a load on a terminal, drawn a few times a second."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from httpdyno import units
from httpdyno.engine import Progress
from httpdyno.engine_plan import EnginePlan

if TYPE_CHECKING:
    from rich.live import Live

__all__ = ["View", "lines", "showing"]

_BAR = 30
_PHASES = {
    "connecting": "connecting",
    "warm_up": "warming up",
    "measuring": "measuring",
    "draining": "waiting for the last replies",
    "done": "done",
}


class View:
    """The target and the progress, drawn over themselves; messages are printed above them."""

    def __init__(self, about: str, plan: EnginePlan, live: Live) -> None:
        self._about = about
        self._plan = plan
        self._live = live
        self._said: list[str] = []

    def say(self, text: str) -> None:
        """Show a line with the next progress; may be called by a signal in the midst of one."""
        self._said.append(text)

    def update(self, progress: Progress) -> None:
        """Draw the progress."""
        from rich.text import Text

        while self._said:
            self._live.console.print(self._said.pop(0), markup=False, highlight=False)
        text = "\n".join([self._about, "", *lines(self._plan, progress)])
        self._live.update(Text(text), refresh=True)


@contextmanager
def showing(about: str, plan: EnginePlan) -> Iterator[View]:
    """A view on stderr, under the lines `about`, that disappears at the end."""
    from rich.console import Console
    from rich.live import Live

    # No thread of its own: it draws when there is something new, while this thread waits anyway.
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        yield View(about, plan, live)


def lines(plan: EnginePlan, progress: Progress) -> list[str]:
    """The progress in three lines."""
    return [
        f"{_PHASES.get(progress.phase, progress.phase)}  {_bar(plan, progress)}",
        _last_second(plan, progress),
        f"{progress.ok:,} ok   {_failed(progress)}"
        f"   {progress.in_flight:,} in flight on {progress.open_connections:,} connections",
    ]


def _failed(progress: Progress) -> str:
    classes = dict(progress.errors)
    wrong = progress.failed - sum(classes.values())
    if wrong:
        classes["wrong reply"] = wrong
    failures = ", ".join(f"{name} {count:,}" for name, count in classes.items())
    return f"{progress.failed:,} failed" + (f" ({failures})" if failures else "")


def _last_second(plan: EnginePlan, progress: Progress) -> str:
    """Rate and times of the right replies."""
    if not progress.p50_ns:
        if not progress.ok + progress.failed:
            return "no reply yet"
        return "no right reply in the last second"
    times = {"p50": progress.p50_ns, "p99": progress.p99_ns}
    if progress.lag_p99_ns:
        times["lag p99"] = progress.lag_p99_ns
    shown = "".join(f"   {name} {units.duration(ns * 1e-9)}" for name, ns in times.items())
    return units.rate(progress.rate_per_s) + shown


def _bar(plan: EnginePlan, progress: Progress) -> str:
    elapsed_s, whole_s, count = progress.elapsed_s, plan.stop.duration_s, plan.stop.count
    if progress.phase == "warm_up":
        whole_s, count = plan.warm_up_s, None
    else:
        elapsed_s = max(0.0, elapsed_s - plan.warm_up_s)
    elapsed = units.duration(elapsed_s)
    shares = []
    if whole_s:
        shares.append(elapsed_s / whole_s)
        elapsed = f"{elapsed} of {units.duration(whole_s)}"
    if count and plan.load.kind != "sessions":
        shares.append(progress.due / count)
        elapsed = f"{elapsed}, {progress.due:,} of {count:,}"
    if not shares:
        return elapsed
    done = round(min(1.0, max(shares)) * _BAR)
    return "━" * done + "─" * (_BAR - done) + f"  {elapsed}"
