"""The progress of a load on a terminal, a few times a second; elsewhere, nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from httpdyno import units
from httpdyno.engine import Progress
from httpdyno.engine_plan import EnginePlan

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["lines", "showing"]

_BAR = 30
_PHASES = {
    "connecting": "connecting",
    "warm_up": "warming up",
    "measuring": "measuring",
    "draining": "waiting for the last replies",
    "done": "done",
}


@contextmanager
def showing(plan: EnginePlan) -> Iterator[Callable[[Progress], None]]:
    """A view that takes each progress; it wipes itself away at the end."""
    from rich.console import Console
    from rich.live import Live

    # No thread of its own: it is drawn when there is something new, in the waits of this thread.
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        yield lambda progress: live.update(_text(plan, progress), refresh=True)


def lines(plan: EnginePlan, progress: Progress) -> list[str]:
    """The three lines of the view."""
    failures = ", ".join(f"{name} {count:,}" for name, count in progress.errors.items())
    failed = f"{progress.failed:,} failed" + (f" ({failures})" if failures else "")
    return [
        f"{_PHASES[progress.phase]}  {_bar(plan, progress)}",
        _last_second(plan, progress),
        f"{progress.ok:,} ok   {failed}"
        f"   {progress.in_flight:,} in flight on {progress.open_connections:,} connections",
    ]


def _last_second(plan: EnginePlan, progress: Progress) -> str:
    if not progress.p50_ns:
        return "no reply in the last second" if progress.elapsed_s >= 1 else "…"
    times = {"p50": progress.p50_ns, "p99": progress.p99_ns}
    if plan.load.kind != "closed":
        times["lag p99"] = progress.lag_p99_ns
    shown = "".join(f"   {name} {units.duration(ns * 1e-9)}" for name, ns in times.items())
    return units.rate(progress.rate_per_s) + shown


def _bar(plan: EnginePlan, progress: Progress) -> str:
    elapsed = units.duration(progress.elapsed_s)
    whole_s, count = plan.stop.duration_s, plan.stop.count
    shares = []
    if progress.phase == "warm_up":
        whole_s, count = plan.warm_up_s, None
    if whole_s:
        shares.append(progress.elapsed_s / whole_s)
        elapsed = f"{elapsed} of {units.duration(whole_s)}"
    if count and plan.load.kind != "sessions":
        shares.append(progress.due / count)
        elapsed = f"{elapsed}, {progress.due:,} of {count:,}"
    if not shares:
        return elapsed
    done = round(min(1.0, max(shares)) * _BAR)
    return "━" * done + "─" * (_BAR - done) + f"  {elapsed}"


def _text(plan: EnginePlan, progress: Progress) -> Text:
    from rich.text import Text

    return Text("\n".join(lines(plan, progress)))
