"""Checks of the window and its times: long enough, steady, consistent, known well enough?"""

from __future__ import annotations

import math

from httpdyno.measurement import BRIEF_S, Measurement, Percentile
from httpdyno.units import counted, duration, rate
from httpdyno.verdict.checks.seconds import (
    CHANGED,
    chance,
    gap,
    halves,
    load_changed,
    whole_seconds,
)
from httpdyno.verdict.checks.words import Words, at_most, beside
from httpdyno.verdict.context import Context

FEWEST_AT_ALL = 100
"""Fewer calls say too little about anything."""
FEWEST_SECONDS = 6
"""Shorter windows have no halves to compare."""
SPREAD = 2
"""Calls for each sampled one, from which on neighbours in the sample are apart in time."""


def littles_law(m: Measurement, _: Context, limit: float) -> Words | None:
    """Calls in flight are throughput × response time in any stable system: N = X·R (Little).

    Calls that are under way at an edge of the window have a part of their time outside it, at most
    all of the longest: on each connection, that explains a gap of so much of the window.
    """
    response_s = m.times.response.mean_ns * 1e-9
    edges_matter = m.window_s < 2 or response_s > m.window_s / 20
    if not m.is_closed or edges_matter or m.error_share > 0.01:
        return None
    product, in_flight = m.throughput_per_s * response_s, m.mean_in_flight
    edges = m.times.response.max_ns * 1e-9 / m.window_s
    if abs(product - in_flight) <= max(limit, edges) * in_flight:
        return None
    return {
        "gap": beside(abs(product - in_flight) / in_flight, limit) if in_flight > 0 else "100 %",
        "limit": at_most(limit),
        "in_flight": f"{in_flight:.1f}",
        "product": f"{product:.1f}",
    }


def too_short(m: Measurement, context: Context, limit: float) -> Words | None:
    """A second at least, and enough calls for a median."""
    if m.window_s >= limit and m.calls.ended >= FEWEST_AT_ALL:
        return None
    return None if _by_design(m, context) else _length(m)


def too_few(m: Measurement, context: Context, limit: float) -> Words | None:
    """Enough calls for a tail."""
    if m.calls.ended >= limit or _by_design(m, context):
        return None
    return _length(m)


def _length(m: Measurement) -> Words:
    return {"calls": counted(m.calls.ended, "call"), "window": duration(m.window_s)}


def _by_design(m: Measurement, context: Context) -> bool:
    """The published load is as short as that: it ends after so many calls, or in under a second.

    The study says so once, of the load. A server that answers too few calls in a longer time is no
    part of the design.
    """
    plan = context.plan
    if not context.as_published or plan is None:
        return False
    brief = plan.stop.duration_s is not None and plan.stop.duration_s < BRIEF_S
    return brief or m.stopped_by == "count"


def not_steady(m: Measurement, _: Context, limit: float) -> Words | None:
    """Both halves have the same rate of correct replies, unless the load was meant to change."""
    if len(whole_seconds(m)) < FEWEST_SECONDS or load_changed(m):
        return None
    first, second = halves(m, "ok")
    allowed = max(limit, chance(m, (first, second)))
    if gap(first, second) <= allowed:
        return None
    return {
        "first": rate(first),
        "second": rate(second),
        "gap": beside(gap(first, second), allowed),
        "limit": at_most(allowed),
    }


def drifting(m: Measurement, _: Context, limit: float) -> Words | None:
    """Response times return to their mean, or do not wander far enough to matter."""
    drift = m.validity.drift
    if drift.dickey_fuller is None or drift.dickey_fuller <= limit:
        return None
    first, second = drift.first_half_ns or 0.0, drift.second_half_ns or 0.0
    if gap(first, second) <= CHANGED or load_changed(m):
        return None
    return {
        "first": duration(first * 1e-9),
        "second": duration(second * 1e-9),
        "gap": beside(gap(first, second), CHANGED),
        "gap_limit": at_most(CHANGED),
    }


def dependent(m: Measurement, context: Context, limit: float) -> Words | None:
    """Response times of calls that are apart in time are independent.

    Not judged in a closed loop, where calls queue behind each other by design, nor in a study,
    whose intervals come from restarts.
    """
    found = m.validity.dependence
    if found.apart is None or context.in_study or load_changed(m):
        return None
    if not m.is_open or m.calls.ended < SPREAD * found.sampled:
        return None
    # Independent calls reach four standard deviations by chance alone.
    allowed = max(limit, 4 / math.sqrt(max(1, found.sampled)))
    if abs(found.apart) <= allowed:
        return None
    return {
        "sampled": f"{found.sampled:,}",
        "correlation": f"{found.apart:.2f}",
        "limit": f"{allowed:.2g}",
    }


def vague_tail(m: Measurement, context: Context, limit: float) -> Words | None:
    """p99 is known well enough; not judged in a study, whose intervals come from restarts."""
    p99 = m.percentile(0.99)
    if p99 is None or context.in_study:
        return None
    width = p99.half_width
    if width is not None and width <= limit:
        return None
    return {
        "interval": _interval(p99),
        "width": "no upper bound" if width is None else f"± {beside(width, limit)}",
        "limit": at_most(limit),
    }


def _interval(p: Percentile) -> str:
    low = "0 s" if p.low_ns is None else duration(p.low_ns * 1e-9)
    if p.high_ns is None:
        return f"{low} or more"
    return f"{low} to {duration(p.high_ns * 1e-9)}"
