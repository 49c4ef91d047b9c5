"""The checks of load generators on several machines: do they measure the same, at one schedule?"""

from __future__ import annotations

import math
from collections.abc import Callable

from httpdyno.measurement import Measurement, Node
from httpdyno.units import duration
from httpdyno.verdict.checks.lateness import LEAST_NS
from httpdyno.verdict.checks.seconds import gap
from httpdyno.verdict.checks.words import Words, at_most, beside
from httpdyno.verdict.context import Context


def unlike_nodes(m: Measurement, _: Context, limit: float) -> Words | None:
    """No load generator has a tail, or a lag, of its own.

    In the merged tail, the calls of one slow load generator look like those of the server.
    """
    nodes = m.nodes or []
    if len(nodes) < 2 or not any(node.ok for node in nodes):
        return None
    if not all(node.ok for node in nodes):
        return _words(nodes, "the number of correct replies", lambda n: n.ok, str, "1")
    return _unlike_tails(m, nodes, limit) or _unlike_lags(m, nodes, limit)


def unsure_clocks(m: Measurement, _: Context, limit: float) -> Words | None:
    """Evenly spaced calls of several machines come in turn, as far as their clocks are known.

    In a queue, calls that are off by up to t change no response time by more than t, and none if
    each call has ended by then: `docs/decisions/scale.md`, “Clocks”.
    """
    fit = m.validity.arrivals
    nodes = sorted(m.nodes or [], key=lambda node: node.offset_error_ns or 0, reverse=True)
    if len(nodes) < 2 or fit is None or fit.spacing == "exponential" or not fit.due:
        return None
    one, other = nodes[:2]
    gap_ns = m.window_s * 1e9 / fit.due
    unsure_ns = (one.offset_error_ns or 0) + (other.offset_error_ns or 0)
    # A part of one even schedule that is later by a whole gap of its own is the same part.
    apart_ns = min(unsure_ns, len(nodes) * gap_ns / 2)
    response = m.times.response
    for percentile, response_ns in (("p50", response.p50_ns), ("p99", response.p99_ns)):
        allowed_ns = max(LEAST_NS, limit * response_ns)
        if apart_ns > allowed_ns and response_ns + apart_ns > gap_ns:
            return {
                "apart": beside(apart_ns * 1e-9, allowed_ns * 1e-9, duration),
                "gap": _time(gap_ns),
                "one": one.name,
                "other": other.name,
                "limit": _time(allowed_ns),
                "response": _time(response_ns),
                "percentile": percentile,
            }
    return None


def _unlike_tails(m: Measurement, nodes: list[Node], limit: float) -> Words | None:
    half_width = _half_width(m)
    if half_width is None:
        return None
    # A node has a share of the calls, so its p99 is known less precisely.
    allowed = max(limit, 2 * half_width * math.sqrt(len(nodes)))
    tails = [node.p99_ns for node in nodes]
    if gap(min(tails), max(tails)) <= allowed:
        return None
    return _words(nodes, "p99", lambda node: node.p99_ns, _time, at_most(allowed))


def _unlike_lags(m: Measurement, nodes: list[Node], limit: float) -> Words | None:
    lags = [node.lag_p99_ns for node in nodes]
    allowed_ns = max(LEAST_NS, limit * m.times.response.p99_ns)
    if max(lags) - min(lags) <= allowed_ns:
        return None
    return _words(nodes, "the lag's p99", lambda n: n.lag_p99_ns, _time, _time(allowed_ns))


def _half_width(m: Measurement) -> float | None:
    tail = m.percentile(0.99)
    return tail.half_width if tail else None


def _words(
    nodes: list[Node],
    what: str,
    value: Callable[[Node], int],
    shown: Callable[[int], str],
    limit: str,
) -> Words:
    least, most = min(nodes, key=value), max(nodes, key=value)
    return {
        "what": what,
        "least": shown(value(least)),
        "one": least.name,
        "most": shown(value(most)),
        "other": most.name,
        "limit": limit,
    }


def _time(ns: float) -> str:
    return duration(ns * 1e-9)
