"""Student's t-test of two samples with equal variances, two-sided."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def p_value(left: Values, right: Values) -> float:
    """The chance of so large a difference of the means if both samples are from one normal law.

    1 for fewer than three values in all.
    """
    freedom = len(left) + len(right) - 2
    if freedom < 1:
        return 1.0
    difference = float(right.mean() - left.mean())
    squares = float(((left - left.mean()) ** 2).sum() + ((right - right.mean()) ** 2).sum())
    error = math.sqrt(squares / freedom * (1 / len(left) + 1 / len(right)))
    if error == 0:
        return 0.0 if difference else 1.0
    return beyond(difference / error, freedom)


def beyond(t: float, freedom: int) -> float:
    """P(|T| > |t|) of Student's t with `freedom` degrees of freedom.

    The finite series of Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), 26.7.3
    and 26.7.4: exact to 1e-15.
    """
    angle = math.atan2(abs(t), math.sqrt(freedom))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    odd = freedom % 2
    term = total = math.cos(angle) if odd else 1.0
    for number in range(2 + odd, freedom - 1, 2):
        term *= square * (number - 1) / number
        total += term
    within = sine * total
    if odd:
        within = 2 / math.pi * (angle + (within if freedom > 1 else 0.0))
    return max(0.0, 1.0 - within)
