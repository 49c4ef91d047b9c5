"""One point of a sweep: a rate, the measurement at this rate, and its verdict."""

from __future__ import annotations

from typing import Literal

from httpdyno.doubts import Number, Reason, Status, status_of
from httpdyno.doubts.pace import Pace, pace_of
from httpdyno.measurement import Measurement, Time
from httpdyno.value import Value
from httpdyno.verdict import Verdict

__all__ = ["Point", "TimeKind", "point_of"]

TimeKind = Literal["response", "first_byte"]
"""The time that a sweep shows: due → last byte, as `load`; sent → first byte, as httperf."""


class Point(Value):
    """The result at one offered rate. Without any reply, it has no times."""

    rate_per_s: float
    """The rate of the sweep: requests, sessions or connections per second."""
    offered_per_s: float
    """Calls that fell due per second."""
    replies_per_s: float
    """Right replies per second."""
    mean_s: float | None
    p50_s: float | None
    p99_s: float | None
    p99_is_lower_bound: bool
    """Calls that never finished make the true p99 higher."""
    error_share: float
    """Share of the calls that failed or never finished, 0 to 1."""
    verdict: Status
    reasons: list[Reason]
    pace: Pace
    """The server kept up with the rate, fell behind, or the measurement does not show it, as where
    it fell behind while the load generator or the server was disturbed."""
    interrupted: bool
    """The point was stopped early, so it says less."""
    measurement: Measurement

    def status_of(self, number: Number) -> Status:
        """The status of one number."""
        return status_of(number, self.verdict, self.reasons)


def point_of(rate_per_s: float, m: Measurement, verdict: Verdict, kind: TimeKind) -> Point:
    """The point of a measurement at this rate."""
    time: Time = getattr(m.times, kind)
    pace = pace_of(m, verdict.status, verdict.reasons)
    known = time.count > 0
    interrupted = m.stopped_by == "interrupt"
    return Point(
        rate_per_s=rate_per_s,
        offered_per_s=m.offered_per_s or 0.0,
        replies_per_s=m.throughput_per_s,
        mean_s=time.mean_ns * 1e-9 if known else None,
        p50_s=time.p50_ns * 1e-9 if known else None,
        p99_s=time.p99_ns * 1e-9 if known else None,
        p99_is_lower_bound=known and time.is_lower_bound(0.99, time.p99_ns),
        error_share=m.error_share,
        verdict=verdict.status,
        reasons=list(verdict.reasons),
        pace="unknown" if interrupted else pace,
        interrupted=interrupted,
        measurement=m,
    )
