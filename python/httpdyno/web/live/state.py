"""The state of a run, from the events of its journal."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from httpdyno.running.live.reading import Event

Condition = Literal["running", "paused", "complete", "interrupted", "failed", "lost"]
MOST_SAMPLES = 6000
"""Of one trial: the journal thins them long before."""
MOST_RESULTS = 20_000
MOST_NOTES = 200
OFFERED_OVER = 4
"""Samples behind the offered rate: two seconds."""
MOST = 1e300
"""Greater numbers are none that was measured."""
PHASES = {
    "connecting": "connecting",
    "warm_up": "warming up",
    "measuring": "measuring",
    "draining": "waiting for the last replies",
    "done": "done",
}


class Values:
    """A value of an event, of the expected type: a journal may be of another version."""

    def __init__(self, event: Event) -> None:
        self._event = event

    def text(self, name: str) -> str:
        """A text; empty without it."""
        value = self._event.get(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str) -> float | None:
        """A number; None without it."""
        value = self._event.get(name)
        return float(value) if _is_number(value) else None  # type: ignore[arg-type]

    def whole(self, name: str) -> int:
        """A whole number; 0 without it."""
        return int(self.number(name) or 0)

    def texts(self, name: str) -> list[str]:
        """A list of texts."""
        value = self._event.get(name)
        return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []

    def counts(self, name: str) -> dict[str, int]:
        """Numbers by name."""
        value = self._event.get(name)
        given = value.items() if isinstance(value, dict) else ()
        return {str(key): one for key, one in given if isinstance(one, int)}


@dataclass(frozen=True)
class Sample:
    """The progress of a measurement at one moment. Times of requests in nanoseconds."""

    at: float
    """Seconds since its first sample."""
    phase: str
    offered_per_s: float | None
    """Requests due in the last two seconds, per second."""
    rate_per_s: float
    p50_ns: int
    p99_ns: int
    lag_p99_ns: int
    due: int
    ok: int
    failed: int
    in_flight: int
    connections: int
    errors: Mapping[str, int]
    busy: float | None
    """Share of its time that the busiest thread of the load generator worked."""
    server_cpus: float | None
    server_rss_bytes: float | None


@dataclass(frozen=True)
class Trial:
    """The trial under way."""

    number: int
    of: int
    left_s: float
    arm: str
    load: str
    point: str
    block: int
    task: str
    at: float


@dataclass(frozen=True)
class Result:
    """A trial that has ended."""

    arm: str
    load: str
    point: str
    block: int
    status: str
    reasons: list[str]
    throughput_per_s: float | None
    p50_ns: float | None
    p99_ns: float | None
    error_share: float | None
    capacity_per_s: float | None
    task: str


@dataclass(frozen=True)
class LoadNow:
    """The load of the plan under way."""

    kind: str
    connections: int
    rates: list[tuple[float, float]]
    """The least and the greatest planned rate of each part."""
    warm_up_s: float
    duration_s: float | None
    at: float


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
    results: list[Result] = field(default_factory=list)
    paused: bool = False
    paused_s: float = 0.0
    end: Event | None = None
    version: int = 0
    """Grows with each event."""
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
    def stored_before(self) -> int:
        """The trials that were stored before this process resumed the run."""
        return max(0, self.first.number - 1) if self.first else 0

    def left_s(self, now: float) -> float | None:
        """The time until the end, corrected by how long the trials so far really took."""
        if self.trial is None or self.first is None:
            return self._load_left_s(now)
        trial, first = self.trial, self.first
        planned = first.left_s - trial.left_s
        took = trial.at - first.at - self.paused_s
        factor = 1.0
        if planned > 0 and took > 0:
            factor = min(5.0, max(0.2, took / planned))
        if self.paused:
            now = self._paused_at
        return max(0.0, trial.left_s * factor - max(0.0, now - trial.at))

    def _load_left_s(self, now: float) -> float | None:
        if self.load is None or self.load.duration_s is None or self.verb != "load":
            return None
        whole = self.load.warm_up_s + self.load.duration_s
        return max(0.0, whole - (now - self.load.at))

    def add(self, events: Iterable[Event]) -> None:
        """Take in events."""
        for event in events:
            self.version += 1
            take = _TAKE.get(event["kind"])
            if take is not None:
                take(self, Values(event), event)

    def worst_p99_ns(self) -> int:
        """The highest p99 of a second of the window so far."""
        return max((one.p99_ns for one in self.samples if one.phase == "measuring"), default=0)

    def median_p50_ns(self) -> int:
        """The median of the medians of the seconds of the window so far."""
        values = sorted(
            one.p50_ns for one in self.samples if one.phase == "measuring" and one.p50_ns
        )
        return values[len(values) // 2] if values else 0

    def _begin(self, values: Values, event: Event) -> None:
        self.begin, self.title = event, values.text("title")

    def _stored(self, values: Values, _: Event) -> None:
        self.run, self.folder = values.whole("run"), values.text("folder")
        self.title = values.text("title") or self.title

    def _note(self, values: Values, _: Event) -> None:
        self.notes = [*self.notes, values.text("text")][-MOST_NOTES:]

    def _stage(self, values: Values, _: Event) -> None:
        self.stage, self.trial = values.text("text"), None
        self.samples, self.load = [], None

    def _failed(self, values: Values, _: Event) -> None:
        self.failures.append((values.text("arm"), values.text("reason")))

    def _trial(self, values: Values, _: Event) -> None:
        self.trial = Trial(
            number=values.whole("number"),
            of=values.whole("of"),
            left_s=values.number("left_s") or 0.0,
            arm=values.text("arm"),
            load=values.text("load"),
            point=values.text("point"),
            block=values.whole("block"),
            task=values.text("task"),
            at=values.number("at") or 0.0,
        )
        self.first = self.first or self.trial
        self.samples, self._origin, self.load, self.stage = [], None, None, ""

    def _plan(self, values: Values, event: Event) -> None:
        given = event.get("rates")
        rates = [
            (min(one[:2]), max(one[:2]))
            for one in (given if isinstance(given, list) else [])
            if isinstance(one, list) and len(one) > 1 and all(map(_is_number, one[:2]))
        ]
        self.load = LoadNow(
            kind=values.text("load"),
            connections=values.whole("connections"),
            rates=rates,
            warm_up_s=values.number("warm_up_s") or 0.0,
            duration_s=values.number("duration_s"),
            at=values.number("at") or 0.0,
        )
        self._dues = []

    def _sample(self, values: Values, _: Event) -> None:
        at = values.number("at") or 0.0
        if self._origin is None:
            self._origin = at
        elapsed, due = values.number("elapsed_s") or 0.0, values.whole("due")
        offered = self._offered_per_s(elapsed, due)
        self.samples.append(
            Sample(
                at=at - self._origin,
                phase=values.text("phase"),
                offered_per_s=offered,
                rate_per_s=values.number("rate_per_s") or 0.0,
                p50_ns=values.whole("p50_ns"),
                p99_ns=values.whole("p99_ns"),
                lag_p99_ns=values.whole("lag_p99_ns"),
                due=due,
                ok=values.whole("ok"),
                failed=values.whole("failed"),
                in_flight=values.whole("in_flight"),
                connections=values.whole("open_connections"),
                errors=values.counts("errors"),
                busy=values.number("busy"),
                server_cpus=values.number("server_cpus"),
                server_rss_bytes=values.number("server_rss_bytes"),
            )
        )
        del self.samples[:-MOST_SAMPLES]

    def _offered_per_s(self, elapsed_s: float, due: int) -> float | None:
        """Over some samples: the engine publishes its counts ten times a second."""
        before, count = self._dues[0] if self._dues else (elapsed_s, 0)
        self._dues = [*self._dues, (elapsed_s, due)][-OFFERED_OVER:]
        if elapsed_s <= before or not count:
            return None
        return max(0, due - count) / (elapsed_s - before)

    def _result(self, values: Values, _: Event) -> None:
        self.results.append(
            Result(
                arm=values.text("arm"),
                load=values.text("load"),
                point=values.text("point"),
                block=values.whole("block"),
                status=values.text("status"),
                reasons=values.texts("reasons"),
                throughput_per_s=values.number("throughput_per_s"),
                p50_ns=values.number("p50_ns"),
                p99_ns=values.number("p99_ns"),
                error_share=values.number("error_share"),
                capacity_per_s=values.number("capacity_per_s"),
                task=values.text("task"),
            )
        )
        del self.results[:-MOST_RESULTS]

    def _pause(self, values: Values, _: Event) -> None:
        self.paused, self._paused_at = True, values.number("at") or time.time()

    def _continue(self, values: Values, _: Event) -> None:
        if self.paused:
            self.paused_s += max(0.0, (values.number("at") or 0.0) - self._paused_at)
        self.paused = False

    def _end(self, _: Values, event: Event) -> None:
        self.end = event


def _is_number(value: object) -> bool:
    """True for a number that can be computed with."""
    return isinstance(value, int | float) and -MOST < value < MOST


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
