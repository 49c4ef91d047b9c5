"""The state of a run, from the events of its journal."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from httpdyno.running.live.left import Left
from httpdyno.running.live.reading import Event
from httpdyno.web.live.measured import LEAST_WINDOW_S, Answer, LoadNow, Result, Sample, Trial
from httpdyno.web.live.values import Values

Condition = Literal["running", "paused", "complete", "interrupted", "failed", "lost"]
MOST_SAMPLES = 6000
"""Of one trial: the journal thins them long before."""
MOST_RESULTS = 20_000
MOST_NOTES = 200
OFFERED_OVER_S = 0.9
"""The shortest time behind the offered rate, once the window is that long: about a second."""
_COURSES = itertools.count(1)
PHASES = {
    "connecting": "connecting",
    "warm_up": "warming up",
    "measuring": "measuring",
    "draining": "waiting for the last replies",
    "done": "done",
}


@dataclass
class RunState:
    """Everything that the viewers see of one run."""

    key: str
    begin: Event = field(default_factory=dict)
    run: int | None = None
    """Its number in the store."""
    folder: str = ""
    title: str = ""
    stage: str = ""
    notes: list[str] = field(default_factory=list)
    failures: list[tuple[str, str]] = field(default_factory=list)
    trial: Trial | None = None
    first: Trial | None = None
    load: LoadNow | None = None
    samples: list[Sample] = field(default_factory=list)
    course: int = field(default_factory=lambda: next(_COURSES))
    """Which measurement the samples are of: a number that no other has."""
    taken: int = 0
    """The samples of that measurement, with those that are no longer kept."""
    worst_p99_ns: int = 0
    """The highest p99 of a second of the window so far."""
    results: list[Result] = field(default_factory=list)
    paused: bool = False
    end: Event | None = None
    seen: Counter[str] = field(default_factory=Counter)
    """The number of events by kind."""
    drawn: dict[str, tuple[object, str]] = field(default_factory=dict)
    """The parts of the page that were drawn last, and from what."""
    _left: Left = field(default_factory=Left)
    _paused_at: float = 0.0
    _origin: float | None = None
    _dues: list[tuple[float, int]] = field(default_factory=list)

    @property
    def verb(self) -> str:
        """The verb that runs."""
        return Values(self.begin).text("verb")

    @property
    def command(self) -> str:
        """Its command line, credentials masked."""
        return Values(self.begin).text("command")

    @property
    def working_folder(self) -> str:
        """The folder in which it was started."""
        return Values(self.begin).text("cwd")

    @property
    def boot(self) -> str:
        """Identifies the start of the machine."""
        return Values(self.begin).text("boot")

    def condition(self, *, alive: bool) -> Condition:
        """The state of the process. One that is gone without an end was killed; one that is gone
        without a beginning ended by itself, with an error."""
        if self.end is not None:
            outcome = Values(self.end).text("outcome")
            return outcome if outcome in ("complete", "interrupted") else "failed"  # type: ignore[return-value]
        if not alive:
            return "lost" if self.begin else "failed"
        return "paused" if self.paused else "running"

    @property
    def answer(self) -> Answer | None:
        """The answer of the run; None while it runs."""
        return None if self.end is None else Answer.read(Values(self.end))

    @property
    def has_report(self) -> bool:
        """True once there is something to report: a trial, or the end of a complete run."""
        end = Values(self.end or {})
        some = self.results or self.stored_before or end.whole("stored")
        return bool(self.run and (some or end.text("outcome") == "complete"))

    @property
    def stored_before(self) -> int:
        """The trials that were stored before this process resumed the run."""
        return max(0, self.first.number - 1) if self.first else 0

    def left_s(self, now: float) -> float | None:
        """The time until the end, corrected by how long the trials so far really took."""
        if self.trial is None:
            return self._load_left_s(now) if self.verb == "load" else None
        then = self._paused_at if self.paused else now
        known = [one for one in (self._left.at(then), self._load_left_s(then)) if one is not None]
        return max(known, default=None)

    def _load_left_s(self, now: float) -> float | None:
        """The rest of the measurement under way."""
        load, newest = self.load, self.samples[-1] if self.samples else None
        if load is None:
            return None
        left = []
        if load.duration_s is not None:
            left.append(load.warm_up_s + load.duration_s - (now - load.at))
        if load.count and load.kind != "sessions" and newest and newest.due and newest.window_s:
            left.append((load.count - newest.due) * newest.window_s / newest.due)
        return max(0.0, min(left)) if left else None

    def add(self, events: Iterable[Event]) -> None:
        """Take in events."""
        for event in events:
            take = _TAKE.get(event["kind"])
            if take is not None:
                self.seen[event["kind"]] += 1
                take(self, Values(event), event)

    def _begin(self, values: Values, event: Event) -> None:
        self.begin, self.title = event, values.text("title")

    def _stored(self, values: Values, _: Event) -> None:
        self.run, self.folder = values.whole("run"), values.text("folder")
        self.title = values.text("title") or self.title

    def _note(self, values: Values, _: Event) -> None:
        self.notes = [*self.notes, values.text("text")][-MOST_NOTES:]

    def _stage(self, values: Values, _: Event) -> None:
        self.stage, self.trial = values.text("text"), None
        self._forget_samples()

    def _failed(self, values: Values, _: Event) -> None:
        self.failures.append((values.text("arm"), values.text("reason")))

    def _trial(self, values: Values, _: Event) -> None:
        self.trial = Trial.read(values)
        self.first = self.first or self.trial
        steps = self.trial.of - self.trial.number + 1
        self._left.begins(self.trial.at, self.trial.left_s, steps)
        self._forget_samples()
        self._origin, self.stage = None, ""

    def _plan(self, values: Values, _: Event) -> None:
        self.load = LoadNow.read(values)
        self._dues = [(0.0, 0)]

    def _sample(self, values: Values, _: Event) -> None:
        at = values.number("at") or 0.0
        if self._origin is None:
            self._origin = at
        offered = self._offered_per_s(values.number("window_s") or 0.0, values.whole("due"))
        sample = Sample.read(values, at - self._origin, offered)
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

    def _result(self, values: Values, _: Event) -> None:
        self.results.append(Result.read(values))
        self._left.ends(values.number("at") or 0.0)
        del self.results[:-MOST_RESULTS]

    def _pause(self, values: Values, _: Event) -> None:
        self.paused, self._paused_at = True, values.number("at") or time.time()
        self._forget_samples()

    def _continue(self, _: Values, __: Event) -> None:
        self.paused = False

    def _forget_samples(self) -> None:
        self.samples, self.load, self.worst_p99_ns = [], None, 0
        self.course, self.taken = next(_COURSES), 0

    def _end(self, _: Values, event: Event) -> None:
        self.end = event


_TAKE: dict[str, Any] = {
    "begin": RunState._begin,
    "stored": RunState._stored,
    "note": RunState._note,
    "stage": RunState._stage,
    "failed": RunState._failed,
    "trial": RunState._trial,
    "plan": RunState._plan,
    "sample": RunState._sample,
    "result": RunState._result,
    "paused": RunState._pause,
    "continued": RunState._continue,
    "end": RunState._end,
}
