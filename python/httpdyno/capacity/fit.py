"""The rate at which a limit is crossed, from all steps around it.

The percentile of one step is a biased judge of a queue with random arrivals: late calls come in
bursts, so that most short steps have fewer of them than a long one, and few have many more. The
*share* of late calls is not biased, however the calls depend on each other. So their number is
fitted by a quasi-Poisson regression on the logarithm of the rate (McCullagh and Nelder,
"Generalized Linear Models", 1989, chapter 9): its estimate needs the mean only, and the bursts are
in its dispersion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

NEAR = 1.25
"""Steps within this ratio of the crossing count: further away the logarithms are not in line."""
STEEPEST = 60.0
"""A steeper excess is that of a server that is full, not of a queue with chance: it grows from
nothing to everything within a step."""
FLATTEST = 1.0
FEWEST_STEPS = 4
FEWEST_LATE = 3
"""So many steps with late calls and within the largest excess show that it grows gradually."""
LARGEST = 30.0
SOME, SEVERAL = 0.03, 2
"""A step that held has late calls from this excess on; so many rates with them are no chance."""
ROUNDS = 30
CLOSE_ENOUGH = 1e-9


class Step(Protocol):
    """The part of a step that the fit reads."""

    @property
    def rate_per_s(self) -> float:
        """The rate that was held."""

    @property
    def seconds(self) -> float:
        """Its length."""

    @property
    def excess(self) -> float | None:
        """The share of late calls ÷ the share that the limit allows."""


@dataclass(frozen=True)
class Crossing:
    """The rate at which the excess is 1."""

    rate_per_s: float
    slope: float
    """The growth of the excess with the rate, both as logarithms."""
    error: float
    """Standard error of the logarithm of the rate."""


def is_gradual(steps: Sequence[Step], failed: Sequence[Step]) -> bool:
    """True if late calls seem to grow gradually: the steps that failed have few of them, or those
    that held have some at more than one rate. A queue that fills has none until it has nothing
    else."""
    if any(one.excess is None for one in steps):
        return False
    some = {one.rate_per_s for one in steps if SOME <= (one.excess or 0.0) <= 1}
    return len(some) >= SEVERAL or any((one.excess or 0.0) <= LARGEST for one in failed)


def crossing(steps: Sequence[Step], around_per_s: float) -> Crossing | None:
    """The crossing near a rate; None where too few steps show that the excess grows gradually."""
    near = [
        (math.log(one.rate_per_s / around_per_s), one.excess, one.rate_per_s * one.seconds)
        for one in steps
        if one.excess is not None and 1 / NEAR <= one.rate_per_s / around_per_s <= NEAR
    ]
    gradual = sum(0 < excess <= LARGEST for _, excess, _ in near)
    if len(near) < FEWEST_STEPS or gradual < FEWEST_LATE:
        return None
    found = _fit(near)
    if found is None:
        return None
    level, slope = found
    if not FLATTEST <= slope <= STEEPEST:
        return None
    at = -level / slope
    if abs(at) > math.log(NEAR):
        return None
    return Crossing(around_per_s * math.exp(at), slope, _error(near, level, slope, at))


def _fit(points: Sequence[tuple[float, float, float]]) -> tuple[float, float] | None:
    """Level and slope of the logarithm of the mean, by Newton's method on the quasi-likelihood."""
    total = sum(weight for _, _, weight in points)
    mean = sum(excess * weight for _, excess, weight in points) / total
    if mean <= 0:
        return None
    level, slope = math.log(mean), 10.0
    for _ in range(ROUNDS):
        means = [weight * math.exp(min(20.0, level + slope * x)) for x, _, weight in points]
        rests = [y * weight - m for (_, y, weight), m in zip(points, means, strict=True)]
        up, up_x = sum(rests), sum(r * x for r, (x, _, _) in zip(rests, points, strict=True))
        a = sum(means)
        b = sum(m * x for m, (x, _, _) in zip(means, points, strict=True))
        c = sum(m * x * x for m, (x, _, _) in zip(means, points, strict=True))
        spread = a * c - b * b
        if spread <= CLOSE_ENOUGH * a * a:
            return None
        d_level, d_slope = (c * up - b * up_x) / spread, (a * up_x - b * up) / spread
        size = max(abs(d_level), abs(d_slope) / 20)
        damped = min(1.0, 1.0 / size) if size > 0 else 1.0
        level, slope = level + damped * d_level, slope + damped * d_slope
        if size < 1e-6:
            return level, slope
    return None


def _error(
    points: Sequence[tuple[float, float, float]], level: float, slope: float, at: float
) -> float:
    """The delta method, with the dispersion that Pearson's residuals show."""
    means = [weight * math.exp(level + slope * x) for x, _, weight in points]
    rests = [
        (y * weight - m) ** 2 / m for (_, y, weight), m in zip(points, means, strict=True) if m > 0
    ]
    dispersion = sum(rests) / max(1, len(points) - 2)
    a = sum(means)
    b = sum(m * x for m, (x, _, _) in zip(means, points, strict=True))
    c = sum(m * x * x for m, (x, _, _) in zip(means, points, strict=True))
    spread = a * c - b * b
    variance = dispersion * (c - 2 * b * at + a * at * at) / spread / slope**2
    return math.sqrt(max(0.0, variance))
