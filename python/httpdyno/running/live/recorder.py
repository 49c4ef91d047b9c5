"""Writes the events of a run into its journal, and pauses the run where a file says so."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from httpdyno.doubts import suspect_numbers
from httpdyno.running.live.events import (
    ArmFails,
    Continued,
    LoadEnds,
    Note,
    Paused,
    PlanBegins,
    PlanProgress,
    PointEnds,
    RunBegins,
    RunEnds,
    Stage,
    TrialBegins,
    TrialEnds,
)
from httpdyno.running.live.identity import Identity
from httpdyno.running.live.journal import VERSION, Journal, folder_of
from httpdyno.running.live.server_use import ServerUse
from httpdyno.running.live.threads import BusyThreads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from httpdyno.engine import Progress
    from httpdyno.engine_plan import EnginePlan
    from httpdyno.measurement import Measurement
    from httpdyno.outcome import TrialOutcome
    from httpdyno.result import Reason, Status
    from httpdyno.running.live.events import Event, Events, Listener
    from httpdyno.servers import Meter

PAUSE_S = 0.25
MOST_REASONS = 5
_QUANTILES = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99}
_KINDS: dict[type[Event], str] = {
    RunBegins: "stored",
    Note: "note",
    Stage: "stage",
    ArmFails: "failed",
    Paused: "paused",
    Continued: "continued",
    TrialBegins: "trial",
    RunEnds: "end",
}
"""The events whose values are written as they are."""


class Samples:
    """Writes the progress of one measurement after the other."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._busy = BusyThreads()
        self._meter: Meter | None = None
        self._server = ServerUse(None)

    def begin(self, plan: EnginePlan, meter: Meter | None) -> None:
        """A plan begins. `meter` reads what its server uses."""
        if meter is None or meter is not self._meter:  # else the next step of the same trial
            self._meter, self._server = meter, ServerUse(meter)
        self._journal.add("plan", **described(plan))

    def add(self, progress: Progress) -> None:
        """Write a sample."""
        now = time.monotonic()
        busy = self._busy.share(now)
        server = self._server.now(now)
        values: dict[str, Any] = progress.model_dump(exclude={"so_far"})
        if server is not None:
            values |= {"server_cpus": server.cpus, "server_rss_bytes": server.rss_bytes}
        for name in ("elapsed_s", "window_s", "rate_per_s"):
            values[name] = round(values[name], 3)
        if progress.so_far:
            values["so_far"] = spread(progress)
        self._journal.add("sample", **values, **({} if busy is None else {"busy": busy}))


class Recorder:
    """A listener that writes the journal of a run."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._samples = Samples(journal)
        self._cell: dict[str, object] = {}
        self.has_end = False

    def __call__(self, event: Event) -> None:
        """Write it."""
        match event:
            case PlanBegins():
                self._samples.begin(event.plan, event.meter)
            case PlanProgress(progress):
                self._samples.add(progress)
            case TrialEnds(outcome):
                self._journal.add("result", **self._cell, **found(outcome))
            case PointEnds(point):
                values = numbers(point.verdict, point.reasons, point.measurement)
                self._journal.add("result", **self._cell, **values)
            case LoadEnds(measurement, verdict):
                values = numbers(verdict.status, verdict.reasons, measurement)
                self._journal.add("result", **values)
            case _ if type(event) in _KINDS:
                self._plain(event)

    def _plain(self, event: Event) -> None:
        values = asdict(event)
        if isinstance(event, TrialBegins):
            self._cell = {name: values[name] for name in ("arm", "load", "point", "block")}
        self._journal.add(_KINDS[type(event)], **values)
        self.has_end = self.has_end or isinstance(event, RunEnds)


def pausing(file: Path, events: Events) -> Listener:
    """A listener that waits before a trial while `file` exists. A request to stop ends the
    waiting."""

    def wait(event: Event) -> None:
        if isinstance(event, TrialBegins) and file.exists():
            events.send(Paused(str(file)))
            while file.exists():
                time.sleep(PAUSE_S)
            events.send(Continued())

    return wait


def begun(verb: str, command: str, title: str, *, cwd: Path | None = None) -> Journal:
    """The journal of this process, with its first event."""
    own = Identity.own()
    journal = Journal(folder_of(own.key))
    with suppress(OSError):
        journal.pause.unlink(missing_ok=True)
    journal.add(
        "begin",
        version=VERSION,
        verb=verb,
        command=command,
        title=title,
        cwd=str(cwd or _working_folder()),
        pid=own.pid,
        started=own.started,
        boot=own.boot,
    )
    return journal


def described(plan: EnginePlan) -> dict[str, Any]:
    """The load of a plan, as far as a viewer needs it."""
    load = plan.load
    rates = None if load.kind == "closed" else load.arrivals
    segments = [] if rates is None else rates.segments
    return {
        "load": load.kind,
        "connections": load.max_open if load.kind == "sessions" else load.connections,
        "rates": [[one.from_per_s, one.to_per_s, one.seconds] for one in segments[:20]],
        "warm_up_s": plan.warm_up_s,
        "duration_s": plan.stop.duration_s,
        "count": plan.stop.count,
        "cpus": [] if plan.shared_cpus else plan.cpus or [],
    }


def spread(progress: Progress) -> dict[str, int | None]:
    """The response times of the window so far."""
    calls = sum(count for _, count in progress.so_far)
    return {"calls": calls} | {name: progress.quantile(at) for name, at in _QUANTILES.items()}


def found(outcome: TrialOutcome) -> dict[str, Any]:
    """The numbers of a trial, as far as a viewer needs them; its store has them all."""
    measured, walk = outcome.measurement if outcome.usable else None, outcome.walk
    values = numbers(outcome.status, outcome.reasons, measured)
    if walk is not None:
        capacity = walk.capacity_per_s or walk.sustained_per_s
        values |= {"task": walk.task, "capacity_per_s": capacity}
        values["at_least_per_s"] = walk.at_least_per_s
    return values


def numbers(
    status: Status, reasons: Sequence[Reason], measured: Measurement | None
) -> dict[str, Any]:
    """A verdict, and the numbers of a measurement; None: there is none to show."""
    values: dict[str, Any] = {
        "status": status,
        "reasons": [reason.text for reason in reasons[:MOST_REASONS]],
        "suspect": suspect_numbers(status, reasons),
    }
    if measured is not None:
        times = measured.times.response
        values |= {
            "throughput_per_s": measured.throughput_per_s,
            "p50_ns": times.p50_ns,
            "p99_ns": times.p99_ns,
            "error_share": measured.error_share,
        }
    return values


def _working_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - a text, which may not be UTF-8
    except OSError:
        return "/"
