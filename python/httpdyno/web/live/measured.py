"""The parts of a run that its journal describes: trials, their loads, samples and results.

Times of requests are in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from httpdyno.web.live.values import Values, is_number

LEAST_WINDOW_S = 0.2
"""A rate over a shorter time would be noise."""


@dataclass(frozen=True)
class SoFar:
    """The response times of the window so far, up to its last whole second."""

    calls: int
    p50_ns: int
    p90_ns: int
    p99_ns: int


@dataclass(frozen=True)
class Sample:
    """The progress of a measurement at one moment."""

    at: float
    """Seconds since its first sample."""
    phase: str
    window_s: float
    """The length of the window up to these counts; 0 before it begins."""
    offered_per_s: float | None
    """Requests due in the last second, per second."""
    rate_per_s: float | None
    """Right replies of the last second; None: no second is over yet."""
    p50_ns: int
    p99_ns: int
    so_far: SoFar | None
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

    @classmethod
    def read(cls, values: Values, at: float, offered_per_s: float | None) -> Sample:
        """The sample of an event."""
        return cls(
            at=at,
            phase=values.text("phase"),
            window_s=values.number("window_s") or 0.0,
            offered_per_s=offered_per_s,
            rate_per_s=_rate(values),
            p50_ns=values.whole("p50_ns"),
            p99_ns=values.whole("p99_ns"),
            so_far=_so_far(values.inner("so_far")),
            lag_p99_ns=values.whole("lag_p99_ns"),
            due=values.whole("due"),
            ok=values.whole("ok"),
            failed=values.whole("failed"),
            in_flight=values.whole("in_flight"),
            connections=values.whole("open_connections"),
            errors=values.counts("errors"),
            busy=values.number("busy"),
            server_cpus=values.number("server_cpus"),
            server_rss_bytes=values.number("server_rss_bytes"),
        )


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

    @classmethod
    def read(cls, values: Values) -> Trial:
        """The trial of an event."""
        return cls(
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
    at_least_per_s: float | None
    """The highest rate that held, where the load generator ended a climb."""
    task: str
    suspect: list[str]
    """Its numbers that are suspect: `throughput`, `p99`."""

    @classmethod
    def read(cls, values: Values) -> Result:
        """The result of an event."""
        return cls(
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
            at_least_per_s=values.number("at_least_per_s"),
            task=values.text("task"),
            suspect=values.texts("suspect"),
        )


@dataclass(frozen=True)
class Limit:
    """A sentence that limits what an answer says."""

    severity: str
    sentence: str
    section: str
    """Part of the report with the reasons; empty: there is none."""


@dataclass(frozen=True)
class Answer:
    """The answer of a run that has ended, in the words of its report."""

    text: str
    limits: list[Limit]

    @classmethod
    def read(cls, values: Values) -> Answer:
        """The answer in the event of the end."""
        found = [one for one in values.rows("limits") if len(one) == 3]
        told = [Limit(*one) for one in found if all(isinstance(part, str) for part in one)]
        return cls(values.text("answer"), told)


@dataclass(frozen=True)
class LoadNow:
    """The load of the plan under way."""

    kind: str
    connections: int
    rates: list[tuple[float, float]]
    """The least and the greatest planned rate of each part."""
    warm_up_s: float
    duration_s: float | None
    count: float | None
    """Requests, after which it ends; None: there is no such number."""
    at: float
    cpus: list[int]
    """The engine's own processors, which no server shares; empty: it has none."""

    @classmethod
    def read(cls, values: Values) -> LoadNow:
        """The load of an event."""
        rates = [
            (min(one[:2]), max(one[:2]))
            for one in values.rows("rates")
            if len(one) > 1 and all(map(is_number, one[:2]))
        ]
        return cls(
            kind=values.text("load"),
            connections=values.whole("connections"),
            rates=rates,
            warm_up_s=values.number("warm_up_s") or 0.0,
            duration_s=values.number("duration_s"),
            count=values.number("count"),
            at=values.number("at") or 0.0,
            cpus=values.wholes("cpus"),
        )


def _rate(values: Values) -> float | None:
    """The engine's rate is that of a whole second: in the first one, the count so far."""
    rate, window_s = values.number("rate_per_s"), values.number("window_s") or 0.0
    if values.text("phase") == "measuring" and window_s < 1:
        return values.whole("ok") / window_s if window_s >= LEAST_WINDOW_S else None
    return rate or (None if window_s < 1 else 0.0)


def _so_far(values: Values | None) -> SoFar | None:
    if values is None or not values.whole("calls"):
        return None
    times = (values.whole(f"{name}_ns") for name in ("p50", "p90", "p99"))
    return SoFar(values.whole("calls"), *times)
