"""The allowance of a level's interval for trials that are alike because they follow each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from httpdyno.statistics.noise.moments import from_mean, squares

_MOST = 0.6
"""The largest correlation that is allowed for: it makes an interval twice as wide."""


def allowance(values: Sequence[float]) -> float:
    """The factor of an interval's width for values in the order of time: 1 to 2.

    With a correlation r of successive values, a mean varies √((1 + r) ÷ (1 - r)) times as much as
    that of independent ones. The estimate of r is corrected for its bias, -(1 + 3r) ÷ n: M. G.
    Kendall, "Note on Bias in the Estimation of Autocorrelation", Biometrika 41 (1954). A negative
    one makes no interval narrower.
    """
    n, away = len(values), from_mean(values)
    all_squares = squares(away)
    products = math.fsum([one * other for one, other in pairwise(away)])
    found = products / all_squares if all_squares > 0 else 0.0
    r = min(max((n * found + 1) / max(n - 3, 1), 0.0), _MOST)
    return math.sqrt((1 + r) / (1 - r))
