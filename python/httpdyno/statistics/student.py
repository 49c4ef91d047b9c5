"""Student's t distribution, exact for whole degrees of freedom.

Its probability is then a finite sum (Abramowitz and Stegun, "Handbook of Mathematical Functions",
26.7.3 and 26.7.4), so this needs neither scipy nor an expansion.
"""

from __future__ import annotations

import math
from functools import lru_cache

LEVEL = 0.95
"""The confidence level of an interval by itself."""
_HALVINGS = 60
"""Of the interval that holds a quantile: more than a float has bits."""


def p_value(t: float, freedom: int) -> float:
    """The probability of a value at least as far from 0 as `t`, on either side."""
    return max(0.0, 1.0 - _within(math.atan(abs(t) / math.sqrt(freedom)), freedom))


@lru_cache(maxsize=4096)
def critical(level: float, freedom: int) -> float:
    """The t for which the values between -t and t have the probability `level`."""
    low, high = 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _within(middle, freedom) < level:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan((low + high) / 2)


def _within(angle: float, freedom: int) -> float:
    """The probability of the values between -t and t, with t = √freedom · tan(angle)."""
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for power in range(odd, freedom - 1, 2):
        total += term
        term *= math.cos(angle) ** 2 * (power + 1) / (power + 2)
    total *= math.sin(angle)
    return (angle + total) * 2 / math.pi if odd else total
