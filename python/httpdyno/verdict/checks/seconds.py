"""A measurement by its seconds."""

from __future__ import annotations

import math
from typing import Literal

from httpdyno.measurement import Interval, Measurement

CHANGED = 0.10
"""Halves of a window whose rates differ by more than this share are not alike."""


def whole_seconds(m: Measurement) -> list[Interval]:
    """The seconds that lie entirely in the measured window."""
    return [one for one in m.seconds if one.second >= 0 and one.second + 1 <= m.window_s]


def offering_seconds(m: Measurement) -> list[Interval]:
    """The whole seconds up to the last one in which calls fell due.

    After it, a counted run only waits for replies that are late.
    """
    seconds = whole_seconds(m)
    last = max((n for n, second in enumerate(seconds) if second.due), default=-1)
    return seconds[: last + 1]


def halves(m: Measurement, what: Literal["ok", "due"]) -> tuple[float, float]:
    """The mean rates of the first and the second half of the whole seconds."""
    seconds = whole_seconds(m)
    half = len(seconds) // 2
    return _per_second(seconds[:half], what), _per_second(seconds[len(seconds) - half :], what)


def chance(m: Measurement, rates: tuple[float, float]) -> float:
    """The gap that random arrivals make between the halves: three standard deviations of two
    Poisson counts."""
    calls = len(whole_seconds(m)) // 2 * max(rates)
    return 3 * math.sqrt(2 / max(1.0, calls))


def load_changed(m: Measurement) -> bool:
    """The schedule of an open load offered another rate in the second half."""
    due = halves(m, "due")
    return m.is_open and gap(*due) > max(CHANGED, chance(m, due))


def gap(one: float, other: float) -> float:
    """The difference of two rates as a share of the larger."""
    largest = max(one, other)
    return abs(one - other) / largest if largest > 0 else 0.0


def _per_second(seconds: list[Interval], what: Literal["ok", "due"]) -> float:
    total = sum(one.ok if what == "ok" else one.due for one in seconds)
    return total / len(seconds) if seconds else 0.0
