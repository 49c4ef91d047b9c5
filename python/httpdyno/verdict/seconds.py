"""A measurement by its seconds."""

from __future__ import annotations

from typing import Literal

from httpdyno.measurement import Interval, Measurement


def whole_seconds(m: Measurement) -> list[Interval]:
    """Those that lie wholly in the measured window."""
    return [one for one in m.intervals if one.second >= 0 and one.second + 1 <= m.window_s]


def offering_seconds(m: Measurement) -> list[Interval]:
    """The whole seconds up to the last in which calls fell due: after it a counted run only waits
    for the replies that it is behind with."""
    seconds = whole_seconds(m)
    last = max((n for n, second in enumerate(seconds) if second.due), default=-1)
    return seconds[: last + 1]


def per_second(seconds: list[Interval], what: Literal["ok", "due"]) -> float:
    """The mean rate over some seconds."""
    return sum(one.ok if what == "ok" else one.due for one in seconds) / len(seconds)


def gap(one: float, other: float) -> float:
    """The difference of two rates as a share of the larger."""
    largest = max(one, other)
    return abs(one - other) / largest if largest > 0 else 0.0
