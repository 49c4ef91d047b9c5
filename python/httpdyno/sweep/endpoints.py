"""The endpoint whose p99 rises first along the rates of a sweep."""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno.measurement import Endpoint
from httpdyno.statistics.first_rise import AtRate, first_rise, is_known
from httpdyno.sweep.point import Point

__all__ = ["first_to_rise"]


def first_to_rise(points: Sequence[Point]) -> str:
    """The sentence about it; empty if the intervals do not show it. Nothing is known of points
    without a result, or with a suspect p99."""
    ranked = sorted((one for one in points if not one.interrupted), key=lambda p: p.rate_per_s)
    names = [one.name for one in ranked[0].measurement.endpoints] if ranked else []
    rise = first_rise({name: [_at_rate(point, name) for point in ranked] for name in names})
    return "" if rise is None else rise.in_words


def _at_rate(point: Point, name: str) -> AtRate:
    found = point.measurement.part(name)
    if not isinstance(found, Endpoint):
        return AtRate(point.rate_per_s, None, 0)
    p99 = found.percentile(0.99) if is_known(point.verdict, point.reasons) else None
    return AtRate(point.rate_per_s, p99, found.calls.failed + found.calls.in_flight)
