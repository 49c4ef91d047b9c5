"""The smallest lasting step that a series would probably have shown.

The spread from run to run is not known but estimated, from few runs. So the step is one that is
found in 4 of 5 series over all spreads that the estimate may come from, not at the estimate itself,
which would promise too much.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from httpdyno.history.steps.scan import LEAST, Scaled, critical
from httpdyno.history.steps.student import Values
from httpdyno.statistics.noise.power import POWER

_POINTS = 160
_TABLE = np.linspace(-9, 9, 3601)
_NORMAL = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in _TABLE])
_LARGEST = 1e4


def detectable(series: Scaled, level: float) -> float | None:
    """The factor (1.2: a rise to 1.2×, or a fall to 1 ÷ 1.2) of the smallest step that is found,
    wherever it begins, in 4 of 5 series like this one; None for a series that reaches 0.

    `level` is that at which the series is judged: 0.95, or more beside others.
    """
    count = len(series.values)
    if not series.logarithmic:
        return None
    spread = series.spread * math.sqrt(1 / LEAST + 1 / (count - LEAST))
    newest, others = series.within[-LEAST:].sum(), series.within[:-LEAST].sum()
    own = math.sqrt(newest / LEAST**2 + others / (count - LEAST) ** 2)
    return math.exp(min(50.0, _errors(count, critical(level, series)) * max(spread, own)))


@lru_cache(maxsize=1024)
def _errors(count: int, limit: float) -> float:
    """The step, in estimated standard errors, whose t exceeds `limit` in 4 of 5 series."""
    tested, seen = _relative_spreads(count - 2), _relative_spreads(count - 1)
    low, high = 0.0, _LARGEST
    for _ in range(40):
        middle = (low + high) / 2
        distance = middle * seen[:, None] - limit * tested[None, :]
        if float(np.interp(distance, _TABLE, _NORMAL).mean()) < POWER:
            low = middle
        else:
            high = middle
    return high


def _relative_spreads(freedom: int) -> Values:
    """Values of estimated ÷ true standard deviation with equal chances: √(χ² ÷ f)."""
    grid = np.linspace(1e-4, 5.0, 20_000)
    logs = (freedom - 1) * np.log(grid) - freedom * grid**2 / 2
    cumulated = np.exp(logs - logs.max()).cumsum()
    chances = (np.arange(_POINTS) + 0.5) / _POINTS
    return np.interp(chances, cumulated / cumulated[-1], grid)
