"""Student's t-test of two samples with equal variances, two-sided; the interval of a step."""

from __future__ import annotations

import math
from collections.abc import Sequence

from httpdyno.statistics import student
from httpdyno.statistics.noise.moments import from_mean, mean, squares

_LARGEST = 100.0
"""Logarithm of a ratio that no measurement has."""


def p_value(left: Sequence[float], right: Sequence[float]) -> float:
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


def ratio_interval(
    parts: Sequence[Sequence[float]], own: Sequence[Sequence[float]], at: int
) -> tuple[float, float] | None:
    """The 95 % interval of part `at` + 1 ÷ part `at`, of their geometric means, with the spread of
    all parts; None for values up to 0 and for ratios that no measurement has.

    `own` are the variances of the values' logarithms by the intervals of their own runs. No step is
    more certain than these allow.
    """
    freedom = sum(map(len, parts)) - len(parts)
    if freedom < 1 or min(map(min, parts)) <= 0:
        return None
    logs = [list(map(math.log, part)) for part in parts]
    left, right = logs[at], logs[at + 1]
    within = sum(squares(from_mean(part)) for part in logs)
    error = max(
        math.sqrt(within / freedom * (1 / len(left) + 1 / len(right))),
        math.sqrt(sum(own[at]) / len(left) ** 2 + sum(own[at + 1]) / len(right) ** 2),
    )
    difference = mean(right) - mean(left)
    half = student.critical(student.LEVEL, freedom) * error
    if abs(difference) + half > _LARGEST:
        return None
    return math.exp(difference - half), math.exp(difference + half)


def _difference(left: Sequence[float], right: Sequence[float]) -> tuple[float, float]:
    """The difference of the means, and its standard error from the pooled variance."""
    within = squares(from_mean(left)) + squares(from_mean(right))
    freedom = len(left) + len(right) - 2
    error = math.sqrt(within / freedom * (1 / len(left) + 1 / len(right)))
    return mean(right) - mean(left), error
