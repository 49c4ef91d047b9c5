"""Checks of the load generator's lateness, by what it adds to the percentiles that are reported.

Response time runs from due to the last byte, service time from sent to the last byte. So the
difference of a percentile of both is what passed before calls were sent: the generator's lateness,
connecting, and waiting for a free connection. The last two are the server's, and the lag tells them
apart: it is the lateness of the calls that found a free connection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from httpdyno.measurement import Measurement, Time
from httpdyno.units import duration, percent
from httpdyno.verdict.checks.words import Words, beside
from httpdyno.verdict.context import Context

LEAST_NS = 100_000
"""A smaller delay matters to no user."""
MOSTLY = 0.5
"""A lag over this share of the response time says that replies were read late as well."""


@dataclass(frozen=True)
class _Percentile:
    """A reported percentile, and one with a tenth of the calls beyond it."""

    name: str
    of: Callable[[Time], int]
    further: Callable[[Time], int]
    beyond: float
    """Share of the calls that are slower."""


_P50 = _Percentile("p50", lambda time: time.p50_ns, lambda time: time.p90_ns, 0.5)
_P99 = _Percentile("p99", lambda time: time.p99_ns, lambda time: time.p999_ns, 0.01)


def generator_behind(m: Measurement, context: Context, limit: float) -> Words | None:
    """The generator adds little to the median of the response time."""
    return _late(m, context, limit, _P50)


def generator_late(m: Measurement, context: Context, limit: float) -> Words | None:
    """The generator adds little to p99 of the response time."""
    return _late(m, context, limit, _P99)


def _late(m: Measurement, context: Context, limit: float, at: _Percentile) -> Words | None:
    if m.is_closed:
        return None  # A call is due when its connection is free, and no earlier.
    response_ns, lag_ns = at.of(m.times.response), at.of(m.times.lag)
    if not response_ns:
        return None  # No request has a response time that lateness could have changed.
    before_sent_ns = response_ns - at.of(m.times.service) - _connecting_ns(m, context)
    response = duration(response_ns * 1e-9)
    late_ns, allowed_ns = min(before_sent_ns, _latest_ns(m, at)), max(LEAST_NS, limit * response_ns)
    if late_ns > allowed_ns:
        late, allowed = _times(late_ns, allowed_ns)
        return {
            "what": f"{late} of the response time of {response} at {at.name} passed before calls"
            f" were sent ({percent(late_ns / response_ns)}, limit {allowed})"
        }
    allowed_ns = max(LEAST_NS, MOSTLY * response_ns)
    if lag_ns > allowed_ns:
        # Not a part of the response time: in sessions, only the first call of each has a lag.
        late, allowed = _times(lag_ns, allowed_ns)
        return {
            "what": f"it sent calls {late} after they were due at {at.name}, beside a response time"
            f" of {response} (limit {allowed})"
        }
    return None


def _times(late_ns: float, allowed_ns: float) -> tuple[str, str]:
    """A delay and its limit in words."""
    allowed_s = allowed_ns * 1e-9
    return beside(late_ns * 1e-9, allowed_s, duration), duration(allowed_s)


def _latest_ns(m: Measurement, at: _Percentile) -> int:
    """The lag that can have moved this percentile.

    Fewer calls than those beyond the percentile can move it; a tenth of them hardly can.
    """
    return max(at.further(m.times.lag), _standstill_ns(m, at))


def _standstill_ns(m: Measurement, at: _Percentile) -> int:
    """The length of a standstill of the generator, if it stood still often enough; else 0.

    Calls that fall due while it stands still find no connection free when it goes on, except for
    the first ones: as many as there are connections. So that many late calls are one standstill.
    """
    if not m.calls.waited:
        return 0
    lag, connections = m.times.lag, max(1, m.connections.peak_open)
    shares = {0.1: lag.p90_ns, 0.01: lag.p99_ns, 0.001: lag.p999_ns, 0.0001: lag.p9999_ns}
    cases = [(share * lag.count / connections, ns) for share, ns in shares.items()]
    least_s = at.beyond / 4 * m.window_s
    cases.append((1.0, lag.max_ns))
    return max((ns for times, ns in cases if times * ns * 1e-9 >= least_s), default=0)


def _connecting_ns(m: Measurement, context: Context) -> int:
    """The median time of connecting, if each call or session connects; else 0."""
    plan = context.plan
    each = m.in_sessions or (plan is not None and not plan.keep_alive)
    if not each:
        return 0
    return m.times.connect.p50_ns + (m.times.tls.p50_ns if m.times.tls else 0)
