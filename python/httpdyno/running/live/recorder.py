"""A listener that writes a journal of a run, and passes everything on to another listener."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from httpdyno.doubts import suspect_numbers
from httpdyno.running.live.identity import Identity
from httpdyno.running.live.journal import VERSION, Journal, folder_of
from httpdyno.running.live.server_use import ServerUse
from httpdyno.running.live.threads import BusyThreads

if TYPE_CHECKING:
    from httpdyno.engine import Progress
    from httpdyno.engine_plan import EnginePlan
    from httpdyno.outcome import TrialOutcome
    from httpdyno.plan import Trial
    from httpdyno.result import FailureRow
    from httpdyno.running.listener import Listener
    from httpdyno.servers import Meter

PAUSE_S = 0.25
MOST_REASONS = 5
_QUANTILES = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99}


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
    """Writes the journal of a study. Where a file says so, it waits before a trial begins."""

    def __init__(self, shown: Listener, journal: Journal) -> None:
        self._shown = shown
        self._journal = journal
        self._samples = Samples(journal)

    def run_begins(self, run_id: int, folder: Path, title: str) -> None:
        """Write which stored run it is."""
        self._journal.add("stored", run=run_id, folder=str(folder), title=title)
        self._shown.run_begins(run_id, folder, title)

    def planned(self, stored: int, of: int, left_s: float) -> None:
        """Pass it on: each trial says it again."""
        self._shown.planned(stored, of, left_s)

    def note(self, text: str) -> None:
        """Write it."""
        self._journal.add("note", text=text)
        self._shown.note(text)

    def stage(self, text: str, waits_for: str | None = None) -> None:
        """Write it."""
        self._journal.add("stage", text=text)
        self._shown.stage(text, waits_for)

    def failed(self, failure: FailureRow) -> None:
        """Write the arm, and why it is left out."""
        self._journal.add(
            "failed", arm=failure.arm, stage=failure.stage, reason=failure.reason, log=failure.log
        )
        self._shown.failed(failure)

    def trial_begins(self, trial: Trial, number: int, of: int, left_s: float) -> None:
        """Write the trial, once the run is not paused."""
        if self._journal.pause.exists():
            self._wait()
        arm, load, point = trial.cell.key
        self._journal.add(
            "trial",
            number=number,
            of=of,
            left_s=round(left_s, 1),
            arm=arm,
            load=load,
            point=point,
            block=trial.block,
            task=trial.task,
        )
        self._shown.trial_begins(trial, number, of, left_s)

    def measuring(self, plan: EnginePlan, meter: Meter | None) -> None:
        """Write the load."""
        self._samples.begin(plan, meter)
        self._shown.measuring(plan, meter)

    def progress(self, progress: Progress) -> None:
        """Write a sample."""
        with suppress(Exception):
            self._samples.add(progress)
        self._shown.progress(progress)

    def trial_ends(self, outcome: TrialOutcome) -> None:
        """Write its numbers and its verdict."""
        self._journal.add("result", **found(outcome))
        self._shown.trial_ends(outcome)

    def _wait(self) -> None:
        """Wait until the run is continued. A request to stop ends the waiting."""
        self._journal.add("paused")
        self._shown.note(f"paused, until it is continued or `{self._journal.pause}` is removed")
        while self._journal.pause.exists():
            time.sleep(PAUSE_S)
        self._journal.add("continued")


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
    values: dict[str, Any] = {
        "arm": outcome.arm,
        "load": outcome.load,
        "point": outcome.point,
        "block": outcome.block,
        "status": outcome.status,
        "reasons": [reason.text for reason in outcome.reasons[:MOST_REASONS]],
        "suspect": suspect_numbers(outcome.status, outcome.reasons),
    }
    measured, walk = outcome.measurement, outcome.walk
    if measured is not None and outcome.usable:
        times = measured.times.response
        values |= {
            "throughput_per_s": measured.throughput_per_s,
            "p50_ns": times.p50_ns,
            "p99_ns": times.p99_ns,
            "error_share": measured.error_share,
        }
    if walk is not None:
        capacity = walk.capacity_per_s or walk.sustained_per_s
        values |= {"task": walk.task, "capacity_per_s": capacity, "steps": len(walk.steps)}
        values["at_least_per_s"] = walk.at_least_per_s
    return values


def _working_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - a text, which may not be UTF-8
    except OSError:
        return "/"
