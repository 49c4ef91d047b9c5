"""Writes the events of a run into its journal, and pauses the run where a file says so."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from httpdyno.running.live.events import (
    LoadEnds,
    PlanBegins,
    PlanProgress,
    PointEnds,
    RunContinues,
    RunEnds,
    RunPauses,
    ServerEnds,
    ServersAtWork,
    TrialBegins,
    TrialEnds,
    TrialsPlanned,
)
from httpdyno.running.live.identity import Identity
from httpdyno.running.live.journal import VERSION, Journal, folder_of
from httpdyno.running.live.records import (
    PlanRecord,
    Record,
    Result,
    Sample,
    VerbBegins,
    WindowTimes,
)
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


class Recorder:
    """A listener that writes the journal of a run."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._busy = BusyThreads()
        self._meter: Meter | None = None
        self._server = ServerUse(None)
        self._trial = TrialBegins(0, 0, 0.0, "", "", "")
        self.has_end = False

    def __call__(self, event: Event) -> None:
        """Write it."""
        record = self._record(event)
        if record is not None:
            self._journal.write(record)

    def _record(self, event: Event) -> Record | None:
        match event:
            case TrialsPlanned() | ServersAtWork() | ServerEnds():
                return None  # each trial says again what is planned; servers have no page
            case PlanBegins():
                self._read(event.meter)
                return plan_record(event.plan)
            case PlanProgress():
                return self._sample(event.progress)
            case TrialEnds() | PointEnds() | LoadEnds():
                return self._result(event)
            case TrialBegins():
                self._trial = event
            case RunEnds():
                self.has_end = True
        return event

    def _read(self, meter: Meter | None) -> None:
        """The meter of the server; that of the last plan goes on in the next step of a trial."""
        if meter is None or meter is not self._meter:
            self._meter, self._server = meter, ServerUse(meter)

    def _result(self, event: TrialEnds | PointEnds | LoadEnds) -> Result:
        if isinstance(event, TrialEnds):
            return result_of(self._trial, event.outcome)
        if isinstance(event, PointEnds):
            point = event.point
            return result(self._trial, point.verdict, point.reasons, point.measurement)
        verdict = event.verdict
        return result(self._trial, verdict.status, verdict.reasons, event.measurement)

    def _sample(self, progress: Progress) -> Sample:
        now = time.monotonic()
        busy, server = self._busy.share(now), self._server.now(now)
        return Sample(
            phase=progress.phase,
            elapsed_s=round(progress.elapsed_s, 3),
            window_s=round(progress.window_s, 3),
            due=progress.due,
            ok=progress.ok,
            failed=progress.failed,
            in_flight=progress.in_flight,
            open_connections=progress.open_connections,
            rate_per_s=round(progress.rate_per_s, 3),
            p50_ns=progress.p50_ns,
            p99_ns=progress.p99_ns,
            lag_p99_ns=progress.lag_p99_ns,
            errors=progress.errors,
            so_far=so_far_of(progress),
            busy=busy,
            server_cpus=server and server.cpus,
            server_rss_bytes=server and server.rss_bytes,
        )


def pausing(file: Path, events: Events) -> Listener:
    """A listener that waits before a trial while `file` exists. A request to stop ends the
    waiting."""

    def wait(event: Event) -> None:
        if isinstance(event, TrialBegins) and file.exists():
            events.send(RunPauses(str(file)))
            while file.exists():
                time.sleep(PAUSE_S)
            events.send(RunContinues())

    return wait


def begin_journal(verb: str, command: str, title: str) -> Journal:
    """The journal of this process, with its first event."""
    own = Identity.own()
    journal = Journal(folder_of(own.key))
    with suppress(OSError):
        journal.pause.unlink(missing_ok=True)
    journal.write(
        VerbBegins(
            version=VERSION,
            verb=verb,
            command=command,
            title=title,
            cwd=_working_folder(),
            pid=own.pid,
            started=own.started,
            boot=own.boot,
        )
    )
    return journal


def so_far_of(progress: Progress) -> WindowTimes | None:
    """The response times of the window so far; None: no whole second of it is over."""
    if not progress.so_far:
        return None
    return WindowTimes(progress.calls_so_far, *progress.quantiles((0.5, 0.9, 0.99)))


def plan_record(plan: EnginePlan) -> PlanRecord:
    """The load of a plan, as far as a viewer needs it."""
    load = plan.load
    segments = [] if load.schedule is None else load.schedule.segments
    return PlanRecord(
        load=load.kind,
        rates=[(one.from_per_s, one.to_per_s) for one in segments[:20]],
        warm_up_s=plan.warm_up_s,
        duration_s=plan.stop.duration_s,
        count=None if load.in_sessions else plan.stop.count,
        cpus=[] if plan.shared_cpus else plan.cpus or [],
        may_end_early=plan.stop.until is not None,
    )


def result_of(trial: TrialBegins, outcome: TrialOutcome) -> Result:
    """The numbers of a trial, as far as a viewer needs them; its store has them all."""
    measured, walk = outcome.measurement if outcome.usable else None, outcome.walk
    plain = result(trial, outcome.status, outcome.reasons, measured)
    if walk is None:
        return plain
    return replace(
        plain,
        task=walk.task,
        capacity_per_s=walk.capacity_per_s or walk.sustained_per_s,
        at_least_per_s=walk.at_least_per_s,
    )


def result(
    trial: TrialBegins, status: Status, reasons: Sequence[Reason], measured: Measurement | None
) -> Result:
    """A verdict, and the numbers of a measurement; None: there is none to show."""
    from httpdyno.doubts import suspect_numbers  # noqa: PLC0415 - once there is a result

    verdict = Result(
        arm=trial.arm,
        load=trial.load,
        point=trial.point,
        block=trial.block,
        status=status,
        reasons=[reason.text for reason in reasons[:MOST_REASONS]],
        suspect=suspect_numbers(status, reasons),
    )
    if measured is None:
        return verdict
    return replace(
        verdict,
        throughput_per_s=measured.throughput_per_s,
        p50_ns=measured.times.response.p50_ns,
        p99_ns=measured.times.response.p99_ns,
        error_share=measured.error_share,
    )


def _working_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - a text, which may not be UTF-8
    except OSError:
        return "/"
