"""The state of a run, from its events or from the lines of its journal."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from httpdyno.running.live import records
from httpdyno.running.live.events import (
    ArmFails,
    Event,
    Note,
    PointEnds,
    RunBegins,
    RunContinues,
    RunEnds,
    RunPauses,
    Stage,
    TrialBegins,
    TrialEnds,
    TrialsPlanned,
)
from httpdyno.running.live.pace import Pace
from httpdyno.running.live.reading import Line
from httpdyno.running.live.records import PlanRecord, Record, Result, VerbBegins
from httpdyno.running.live.time_left import TimeLeft

Condition = Literal["running", "paused", "complete", "interrupted", "failed", "lost"]
MOST_SAMPLES = 6000
"""Of one trial: the journal thins them long before."""
MOST_RESULTS = 20_000
MOST_NOTES = 200
LEAST_WINDOW_S = 0.2
"""A rate over a shorter time would be noise."""
OFFERED_OVER_S = 0.9
"""The shortest time behind the offered rate, once the window is that long: about a second."""
_COURSES = itertools.count(1)


@dataclass(frozen=True)
class Sample(records.Sample):
    """A sample beside those before it."""

    at: float
    """Seconds since the first sample."""
    offered_per_s: float | None
    """Requests due in the last second, per second."""


@dataclass
class RunState:
    """Everything that the viewers see of one run. Times are those of one clock, in seconds."""

    key: str = ""
    """That of its process, for its page."""
    begin: VerbBegins | None = None
    run: int | None = None
    """Its number in the store."""
    folder: str = ""
    title: str = ""
    stage: str = ""
    notes: list[str] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    trial: TrialBegins | None = None
    first: TrialBegins | None = None
    ended: int = 0
    """Trials that are stored."""
    of: int = 0
    """All trials."""
    left: TimeLeft = field(default_factory=TimeLeft)
    plan: PlanRecord | None = None
    """The plan under way."""
    pace: Pace[records.Sample] | None = None
    samples: list[Sample] = field(default_factory=list)
    course: int = field(default_factory=lambda: next(_COURSES))
    """Which measurement the samples are of: a number that no other has."""
    taken: int = 0
    """The samples of that measurement, with those that are no longer kept."""
    worst_p99_ns: int = 0
    """The highest p99 of a second of the window so far."""
    results: list[Result] = field(default_factory=list)
    paused: bool = False
    end: RunEnds | None = None
    seen: Counter[str] = field(default_factory=Counter)
    """The number of events by kind."""
    drawn: dict[str, tuple[object, str]] = field(default_factory=dict)
    """The parts of its page that were drawn last, and from what."""
    _paused_at: float = 0.0
    _pace_at: float = 0.0
    _origin: float | None = None
    _dues: list[tuple[float, int]] = field(default_factory=list)

    @property
    def verb(self) -> str:
        """The verb that runs."""
        return self.begin.verb if self.begin else ""

    @property
    def command(self) -> str:
        """Its command line, credentials masked."""
        return self.begin.command if self.begin else ""

    @property
    def working_folder(self) -> str:
        """The folder in which it was started."""
        return self.begin.cwd if self.begin else ""

    @property
    def boot(self) -> str:
        """Identifies the start of the machine."""
        return self.begin.boot if self.begin else ""

    def condition(self, *, alive: bool) -> Condition:
        """The state of the process. One that is gone without an end was killed; one that is gone
        without a beginning ended by itself, with an error."""
        if self.end is not None:
            outcome = self.end.outcome
            return outcome if outcome in ("complete", "interrupted") else "failed"
        if not alive:
            return "lost" if self.begin else "failed"
        return "paused" if self.paused else "running"

    @property
    def has_report(self) -> bool:
        """True once there is something to report: a trial, or the end of a complete run."""
        some = self.results or self.stored_before or (self.end and self.end.stored)
        return bool(self.run and (some or (self.end and self.end.outcome == "complete")))

    @property
    def stored_before(self) -> int:
        """The trials that were stored before this process resumed the run."""
        return max(0, self.first.number - 1) if self.first else 0

    def left_s(self, now: float) -> float | None:
        """The time until the end, corrected by how long the trials so far really took."""
        if self.trial is None:
            return self._load_left_s(now) if self.verb == "load" else None
        then = self._paused_at if self.paused else now
        known = [one for one in (self.left.at(then), self._load_left_s(then)) if one is not None]
        return max(known, default=None)

    def _load_left_s(self, now: float) -> float | None:
        """The rest of the measurement under way."""
        left_s = None if self.pace is None else self.pace.left_s
        return None if left_s is None else max(0.0, left_s - (now - self._pace_at))

    def add(self, lines: Iterable[Line]) -> None:
        """Take in lines of the journal."""
        for line in lines:
            kind, at = line["kind"], records.number(line.get("at"))
            record = records.read(kind, line)
            if record is not None:
                self.seen[kind] += 1
                self.take(record, at or 0.0)

    def take(self, event: Event | Record, at: float) -> None:
        """Take in an event."""
        match event:
            case records.Sample():
                self._sample(event, at)
            case PlanRecord():
                self.plan, self.pace = event, Pace(event)
                self._pace_at, self._dues = at, [(0.0, 0)]
            case TrialsPlanned():
                self._plan(event.stored, event.of, event.left_s, at)
            case TrialBegins():
                self._begin(event, at)
            case TrialEnds() | PointEnds() | Result():
                self._end(event, at)
            case RunPauses() | RunContinues():
                self._pause(at, begins=isinstance(event, RunPauses))
            case _:
                self._tell(event)

    def _tell(self, event: Event | Record) -> None:
        """Take in one that has no time."""
        match event:
            case VerbBegins():
                self.begin, self.title = event, event.title
            case RunBegins():
                self.run, self.folder = event.run, event.folder
                self.title = event.title or self.title
            case Note(text):
                self.notes = [*self.notes, text][-MOST_NOTES:]
            case Stage(text):
                self.stage, self.trial = text, None
                self._forget_samples()
            case ArmFails():
                self.failures.append((event.arm, event.reason))
            case RunEnds():
                self.end = event

    def _plan(self, stored: int, of: int, left_s: float, at: float) -> None:
        self.ended, self.of = stored, of
        self.left.begins(at, left_s, of - stored)

    def _begin(self, trial: TrialBegins, at: float) -> None:
        if self.trial is not None:
            self.left.ends(at)
        self.trial, self.first = trial, self.first or trial
        self._plan(trial.number - 1, trial.of, trial.left_s, at)
        self._forget_samples()
        self._origin, self.stage = None, ""

    def _end(self, event: TrialEnds | PointEnds | Result, at: float) -> None:
        self.ended += 1
        # A sweep plans its pauses: its step ends when the next one begins.
        if not isinstance(event, PointEnds) and self.verb != "sweep":
            self.left.ends(at)
        if isinstance(event, Result):
            self.results.append(event)
            del self.results[:-MOST_RESULTS]

    def _sample(self, record: records.Sample, at: float) -> None:
        if self._origin is None:
            self._origin = at
        if self.pace is not None:
            self.pace.add(record)
            self._pace_at = at
        offered = self._offered_per_s(record.window_s, record.due)
        known = {**vars(record), "rate_per_s": _rate(record)}
        sample = Sample(**known, at=at - self._origin, offered_per_s=offered)
        self.samples.append(sample)
        self.taken += 1
        if sample.phase == "measuring":
            self.worst_p99_ns = max(self.worst_p99_ns, sample.p99_ns)
        del self.samples[:-MOST_SAMPLES]

    def _offered_per_s(self, window_s: float, due: int) -> float | None:
        """Requests due per second, since about a second ago or since the window began."""
        if window_s <= self._dues_until:
            return None
        while len(self._dues) > 1 and window_s - self._dues[1][0] >= OFFERED_OVER_S:
            del self._dues[0]
        before_s, before = self._dues[0] if self._dues else (0.0, 0)
        self._dues.append((window_s, due))
        took_s = window_s - before_s
        return max(0, due - before) / took_s if took_s >= LEAST_WINDOW_S else None

    @property
    def _dues_until(self) -> float:
        return self._dues[-1][0] if self._dues else 0.0

    def _pause(self, at: float, *, begins: bool) -> None:
        self.paused = begins
        if begins:
            self._paused_at = at or time.time()
            self._forget_samples()

    def _forget_samples(self) -> None:
        self.samples, self.worst_p99_ns, self.plan, self.pace = [], 0, None, None
        self.course, self.taken = next(_COURSES), 0


def _rate(sample: records.Sample) -> float | None:
    """The engine's rate is that of a whole second: in the first one, the count so far."""
    rate, window_s = sample.rate_per_s, sample.window_s
    if sample.phase == "measuring" and window_s < 1:
        return sample.ok / window_s if window_s >= LEAST_WINDOW_S else None
    return rate or (None if window_s < 1 else 0.0)
