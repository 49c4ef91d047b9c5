"""Student's t-test of two samples with equal variances, two-sided; the interval of their ratio."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from httpdyno.statistics import student

Values = NDArray[np.float64]
LEVEL = 0.95
_LARGEST = 100.0
"""Logarithm of a ratio that no measurement has."""


def p_value(left: Values, right: Values) -> float:
    """The chance of so large a difference of the means if both samples are from one normal law.

    1 for fewer than three values in all.
    """
    freedom = len(left) + len(right) - 2
    if freedom < 1:
        return 1.0
    difference, error = _difference(left, right)
    if error == 0:
        return 0.0 if difference else 1.0
    return student.p_value(difference / error, freedom)


def ratio_interval(left: Values, right: Values) -> tuple[float, float] | None:
    """The 95 % interval of `right` ÷ `left`, of their geometric means; None for values up to 0
    and for ratios that no measurement has."""
    freedom = len(left) + len(right) - 2
    if freedom < 1 or min(left.min(), right.min()) <= 0:
        return None
    difference, error = _difference(np.log(left), np.log(right))
    half = student.critical(LEVEL, freedom) * error
    if abs(difference) + half > _LARGEST:
        return None
    return math.exp(difference - half), math.exp(difference + half)


def _difference(left: Values, right: Values) -> tuple[float, float]:
    """The difference of the means, and its standard error from the pooled variance."""
    squares = float(((left - left.mean()) ** 2).sum() + ((right - right.mean()) ** 2).sum())
    freedom = len(left) + len(right) - 2
    error = math.sqrt(squares / freedom * (1 / len(left) + 1 / len(right)))
    return float(right.mean() - left.mean()), error
