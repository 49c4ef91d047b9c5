"""The smallest lasting step that a series would probably have shown.

The spread from run to run is not known but estimated, from few runs. So the step is one that is
found in 4 of 5 series over all spreads that the estimate may come from, not at the estimate itself,
which would promise too much.
"""

from __future__ import annotations

import math
from functools import lru_cache

from httpdyno.compiled import compiled
from httpdyno.history.steps.scan import LEAST, ScaledSeries, critical
from httpdyno.statistics.noise.power import POWER


def detectable(series: ScaledSeries, level: float) -> float | None:
    """The factor (1.2: a rise to 1.2×, or a fall to 1 ÷ 1.2) of the smallest step that is found,
    wherever it begins, in 4 of 5 series like this one; None for a series that reaches 0.

    `level` is that at which the series is judged: 0.95, or more beside others.
    """
    count = len(series.values)
    if not series.logarithmic:
        return None
    spread = series.spread * math.sqrt(1 / LEAST + 1 / (count - LEAST))
    newest, others = sum(series.within[-LEAST:]), sum(series.within[:-LEAST])
    own = math.sqrt(newest / LEAST**2 + others / (count - LEAST) ** 2)
    return math.exp(min(50.0, _errors(count, critical(level, series)) * max(spread, own)))


@lru_cache(maxsize=1024)
def _errors(count: int, limit: float) -> float:
    """The step, in estimated standard errors, whose t exceeds `limit` in 4 of 5 series."""
    return float(compiled().step_errors(count, limit, POWER))
