"""The lines of a journal: what its viewers need of the events of a run.

A journal may be damaged, or of another version: a value that is not of the type of its field is
read as an empty one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from httpdyno.running.live.events import (
    ArmFails,
    Note,
    RunBegins,
    RunContinues,
    RunEnds,
    RunPauses,
    Stage,
    TrialBegins,
)

LATE_NS = 1_000_000
"""A lag from which the load generator is marked: it sent 1 % of the requests this late."""
BUSY = 0.9
"""A share of its time from which the load generator is marked."""
MOST = 1e300
"""Greater numbers are none that was measured."""


@dataclass(frozen=True)
class VerbBegins:
    """The process of a run, and its command line without credentials."""

    version: int
    """Of the journal."""
    verb: str
    command: str
    title: str
    cwd: str
    pid: int
    started: int
    boot: str
    """Identifies the start of the machine."""


@dataclass(frozen=True)
class PlanRecord:
    """The load of a plan that begins."""

    load: str
    """Its kind."""
    rates: Sequence[tuple[float, float]]
    """The planned rates at both ends of each part."""
    warm_up_s: float
    duration_s: float | None
    count: float | None
    """Requests, after which it ends; None: there is no such number."""
    cpus: Sequence[int]
    """The engine's own processors, which no server shares; empty: it has none."""
    may_end_early: bool = False
    """It ends once a number is known well enough."""

    @property
    def is_closed(self) -> bool:
        """Each connection waits for its reply before it sends the next call."""
        return self.load == "closed"

    @property
    def in_sessions(self) -> bool:
        """Sessions arrive, each with connections of its own."""
        return self.load == "sessions"


@dataclass(frozen=True)
class WindowTimes:
    """The response times (ns) of the window so far, up to its last whole second."""

    calls: int
    p50_ns: int
    p90_ns: int
    p99_ns: int


@dataclass(frozen=True)
class Sample:
    """The progress of a plan at one moment. Times of requests are in nanoseconds."""

    phase: str
    elapsed_s: float
    """Since the plan began."""
    window_s: float
    """The length of the window up to these counts; 0 before it begins."""
    due: int
    ok: int
    failed: int
    in_flight: int
    open_connections: int
    rate_per_s: float | None
    """Right replies of the last second."""
    p50_ns: int
    p99_ns: int
    lag_p99_ns: int
    errors: Mapping[str, int]
    so_far: WindowTimes | None
    busy: float | None
    """Share of its time that the busiest thread of the load generator worked."""
    server_cpus: float | None
    server_rss_bytes: float | None


@dataclass(frozen=True)
class Result:
    """A trial that has ended, a point of a sweep, or a load."""

    arm: str
    load: str
    point: str
    block: int
    status: str
    reasons: Sequence[str]
    suspect: Sequence[str]
    """Its numbers that are suspect: `throughput`, `p99`."""
    throughput_per_s: float | None = None
    p50_ns: float | None = None
    p99_ns: float | None = None
    error_share: float | None = None
    task: str = ""
    """Of a trial of a search."""
    capacity_per_s: float | None = None
    at_least_per_s: float | None = None
    """The highest rate that held, where the load generator ended a climb."""


Record = (
    VerbBegins
    | RunBegins
    | Note
    | Stage
    | ArmFails
    | TrialBegins
    | PlanRecord
    | Sample
    | Result
    | RunPauses
    | RunContinues
    | RunEnds
)
_CLASSES: Mapping[str, type[Record]] = {
    "begin": VerbBegins,
    "stored": RunBegins,
    "note": Note,
    "stage": Stage,
    "failed": ArmFails,
    "trial": TrialBegins,
    "plan": PlanRecord,
    "sample": Sample,
    "result": Result,
    "paused": RunPauses,
    "continued": RunContinues,
    "end": RunEnds,
}
_KINDS = {record: kind for kind, record in _CLASSES.items()}


def line_of(record: Record) -> tuple[str, dict[str, Any]]:
    """The kind of a record, and its values."""
    values = {name: value for name, value in vars(record).items() if value is not None}
    return _KINDS[type(record)], values


def read(kind: str, values: Mapping[str, Any]) -> Record | None:
    """The record of a line; None: another version knows its kind."""
    found = _CLASSES.get(kind)
    return None if found is None else _make(found, values)


def _make(record: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    return record(**{name: take(values.get(name)) for name, take in _readers(record)})


@cache
def _readers(record: Any) -> Sequence[tuple[str, Callable[[Any], Any]]]:
    """The name of each field, and the reader of its type."""
    return [(field.name, _READERS[str(field.type)]) for field in fields(record)]


def number(value: Any) -> float | None:
    """A number that can be computed with."""
    return float(value) if isinstance(value, int | float) and -MOST < value < MOST else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: Any) -> int:
    return int(number(value) or 0)


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _wholes(value: Any) -> Sequence[int]:
    return [int(one) for one in map(number, _items(value)) if one is not None]


def _window_times(value: Any) -> WindowTimes | None:
    known = isinstance(value, dict) and _whole(value.get("calls"))
    return _make(WindowTimes, value) if known else None


def _counts(value: Any) -> Mapping[str, int]:
    found = value.items() if isinstance(value, dict) else ()
    return {name: count for name, count in found if isinstance(count, int)}


def _rates(value: Any) -> Sequence[tuple[float, float]]:
    ends = [list(map(number, one[:2])) for one in _items(value) if _is_row(one, 2)]
    return [(low, high) for low, high in ends if low is not None and high is not None]


def _limits(value: Any) -> Sequence[tuple[str, str, str]]:
    rows = [one for one in _items(value) if _is_row(one, 3)]
    return [(one[0], one[1], one[2]) for one in rows if all(isinstance(part, str) for part in one)]


def _is_row(value: Any, least: int) -> bool:
    return isinstance(value, list) and len(value) >= least


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "bool": lambda value: value is True,
    "int": _whole,
    "float": lambda value: number(value) or 0.0,
    "float | None": number,
    "str": _text,
    "str | None": lambda value: value if isinstance(value, str) else None,
    "Outcome": _text,
    "Sequence[str]": lambda value: [one for one in _items(value) if isinstance(one, str)],
    "Sequence[int]": _wholes,
    "Mapping[str, int]": _counts,
    "WindowTimes | None": _window_times,
    "Sequence[tuple[float, float]]": _rates,
    "Sequence[tuple[str, str, str]]": _limits,
}
"""By the type of a field, as it is written."""
