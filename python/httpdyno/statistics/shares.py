"""The share of a population that has a property, from a sample of it."""

from __future__ import annotations

import math

from httpdyno.statistics.student import LEVEL

__all__ = ["most_share"]

_HALVINGS = 60
_TERMS = 10_000
"""Of the continued fraction, which needs about the square root of the sample's size."""
_TINY = 1e-300


def most_share(found: int, of: int, level: float = LEVEL) -> float:
    """The highest share that is plausible at this level if `found` of the sample have the property.

    The one-sided bound of Clopper and Pearson ("The use of confidence or fiducial limits", 1934).
    It holds for a sample that was drawn from groups, too, which varies less (Hoeffding, "On the
    distribution of the number of successes in independent trials", 1956).
    """
    if found >= of:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _at_most(found, of, middle) > 1 - level:
            low = middle
        else:
            high = middle
    return high


def _at_most(found: int, of: int, share: float) -> float:
    """The probability of at most `found` in a sample of `of`: the regularized incomplete beta
    function I(1 - share; of - found, found + 1)."""
    if share >= 1.0:
        return 0.0
    if share <= 0.0:
        return 1.0
    a, b, x = float(of - found), found + 1.0, 1.0 - share
    log_front = a * math.log(x) + b * math.log1p(-x) if x < 0.5 else a * math.log1p(-share)
    if x >= 0.5:
        log_front += b * math.log(share)
    log_front += math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) / a * _fraction(a, b, x)
    return 1.0 - math.exp(log_front) / b * _fraction(b, a, share)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method (Press and others,
    "Numerical Recipes", 3rd edition, 6.4)."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    d = 1.0 / (d or _TINY)
    value = d
    for m in range(1, _TERMS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / ((1.0 + term * d) or _TINY)
            c = (1.0 + term / c) or _TINY
            value *= c * d
        if abs(c * d - 1.0) < 1e-12:
            break
    return value
