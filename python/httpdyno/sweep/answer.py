"""The answer of a sweep: the rate up to which the server kept up, in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from httpdyno import units
from httpdyno.doubts import Number, why_invalid
from httpdyno.sweep.point import Point, TimeKind
from httpdyno.sweep.rates import shown

__all__ = ["answer"]


def answer(points: Sequence[Point], kind: TimeKind, planned: int | None = None) -> str:
    """Says where the server stopped keeping up; empty if no point is complete.

    `planned`: the number of rates, if not all of them may have been measured.
    """
    ranked = sorted((one for one in points if not one.interrupted), key=lambda p: p.rate_per_s)
    if not ranked:
        return ""
    held = list(takewhile(lambda point: point.kept_up, ranked))
    known = f"{_offered(held[-1])} ({_time(held[-1], kind)}{_why(held[-1])})" if held else ""
    if len(held) == len(ranked):
        return f"The server kept up with {_every(len(held), planned)}, up to {known}."
    first = ranked[len(held)]
    begin = f"kept up to {known}" if held else "did not keep up with the lowest rate"
    end = f"At {_offered(first)}: {_failure(first, kind)}{_cause(first)}.{_most(ranked)}"
    return f"The server {begin}. {end}"


def _every(measured: int, planned: int | None) -> str:
    """`every rate`, or `every measured rate (1 of 5)`."""
    if planned is None or measured >= planned:
        return "every rate"
    return f"every measured rate ({measured} of {planned})"


def _offered(point: Point) -> str:
    return f"{shown(point.rate_per_s)}/s"


def _time(point: Point, kind: TimeKind) -> str:
    """`p99 3.20 ms, suspect`; for httperf, which has no percentiles, `mean 1.20 ms`."""
    name, value = ("p99", point.p99_s) if kind == "response" else ("mean", point.mean_s)
    if value is None:
        return "no times"
    bound = "at least " if name == "p99" and point.p99_is_lower_bound else ""
    numbers: tuple[Number, ...] = ("p99",) if name == "p99" else ("p50", "p99")
    doubt = ", suspect" if any(point.status_of(one) == "suspect" for one in numbers) else ""
    return f"{name} {bound}{units.duration(value)}{doubt}"


def _failure(point: Point, kind: TimeKind) -> str:
    """The replies at a rate that the server did not keep up with, and their times.

    An invalid point has a reason, and no numbers.
    """
    if invalid := why_invalid(point.reasons):
        return f"no result: {invalid}"
    replies = f"{units.rate(point.replies_per_s)} replies of {units.rate(point.offered_per_s)} due"
    failed = f", {units.percent(point.error_share)} failed" if point.error_share else ""
    return f"{replies}, {_time(point, kind)}{failed}"


def _why(point: Point) -> str:
    """The fault of the load generator that makes a time suspect, if it has one."""
    faults = [reason for reason in point.reasons if reason.code.startswith("generator_")]
    return f": {faults[0].clause}" if faults else ""


def _cause(point: Point) -> str:
    if not point.is_generator_doubted:
        return ""
    return "; the load generator may be the reason, see below"


def _most(points: Sequence[Point]) -> str:
    """The highest rate of replies; an invalid point is no result."""
    known = [point for point in points if point.verdict != "invalid"]
    if not known:
        return ""
    most = max(known, key=lambda point: point.replies_per_s)
    return f" Most replies: {units.rate(most.replies_per_s)}, at {_offered(most)}."
