"""Corrections of Student's t for skewed values.

A few values from a skewed distribution seldom hold its long tail. Their mean is then off to the
other side, and their spread is too small: the interval misses on one side. So it reaches further
towards the longer tail of the values. Without skew it is Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from httpdyno.statistics.noise.moments import skewness
from httpdyno.statistics.student import LEVEL, critical

_MOST = 2.0
"""The most by which an interval is widened on one side."""
_SYMMETRIC = 1e-9
_SUSPECTED = 0.5
"""Skewness by which the tail of a few values is assumed to be longer than it looks."""


def reaches(values: Sequence[float]) -> tuple[float, float]:
    """The factors by which a t interval reaches further below and above the mean: 1 to 2 each.

    The factor is that of the 95 % interval without skew: P. Hall, "On the Removal of Skewness by
    Transformation", Journal of the Royal Statistical Society B 54 (1992), his second
    transformation without its shift. It never makes an interval narrower. `make coverage` shows
    what it repairs.
    """
    n = len(values)
    return reaches_of(skewness(values) / math.sqrt(n), critical(LEVEL, n - 1))


def reaches_of(skew: float, t: float) -> tuple[float, float]:
    """The factors for an estimate that has this skewness itself: of a mean of n values, theirs
    divided by √n. `t` is that of a 95 % interval."""
    bent = max(abs(skew), _SYMMETRIC) * t
    further = min(max(3 / bent * (1 + math.cbrt(bent - 1)), 1.0), _MOST)
    return (further if skew < 0 else 1.0), (further if skew > 0 else 1.0)


def cautious_reach(values: Sequence[float], *, below: bool) -> float:
    """The factor of the t bound on one side whose error stays at 3 % with one long tail there.

    Chosen by simulation (`make decisions`): with exponential noise of one arm, whose mean lies in
    the tail that few trials show, it keeps 2.5 to 3 % from 5 to 40 blocks.
    """
    skew = skewness(values) * (-1 if below else 1)
    return 1 + cautious_slope(len(values)) * max(0.0, skew + _SUSPECTED)


def cautious_slope(n: int) -> float:
    """The growth of the cautious factor with the skewness of n values."""
    return 6.5 / n * max(1.0, 4 / math.sqrt(n))
