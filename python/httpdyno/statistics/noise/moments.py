"""The moments of a few values. Sums are rounded once, so they do not depend on the order."""

from __future__ import annotations

import math
from collections.abc import Sequence


def mean(values: Sequence[float]) -> float:
    """The mean of at least one value."""
    return math.fsum(values) / len(values)


def from_mean(values: Sequence[float]) -> list[float]:
    """The values, less their mean."""
    middle = mean(values)
    return [value - middle for value in values]


def squares(away: Sequence[float]) -> float:
    """The sum of the squares of these distances."""
    return math.fsum([one * one for one in away])


def variance(values: Sequence[float]) -> float:
    """The variance that at least two values show of the distribution that they are from."""
    return squares(from_mean(values)) / (len(values) - 1)


def deviation(values: Sequence[float]) -> float:
    """The standard deviation that at least two values show."""
    return math.sqrt(variance(values))


def skewness(values: Sequence[float]) -> float:
    """The third moment about the mean, in standard deviations; 0 for equal values."""
    away = from_mean(values)
    spread = math.sqrt(squares(away) / len(away))
    # Equal values differ by rounding alone: the skewness of that is none.
    if spread <= 1e-12 * max(map(abs, values)):
        return 0.0
    return third(away) / spread**3


def third(away: Sequence[float]) -> float:
    """The mean of the third powers of these distances."""
    return math.fsum([one * one * one for one in away]) / len(away)
