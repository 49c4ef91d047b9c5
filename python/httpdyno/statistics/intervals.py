"""Estimates with 95 % confidence intervals, from the trials of a cell.

The replicate is a trial, which starts its server anew: a cell with ten trials has ten values,
however many million requests it answered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from httpdyno.result import Estimate

FEWEST_TRIALS = 5
"""Resampling fewer trials says little about the next one, so there is no interval."""
RESAMPLES = 10_000
LEVEL = 0.95

Values = NDArray[np.float64]
Statistic = Callable[[Values, int], Any]
"""Statistic of an array along an axis: `numpy.mean`, `numpy.median`."""


def median_estimate(values: Sequence[float], seed: str) -> Estimate | None:
    """The median with its interval; None without values. `seed` determines the resamples."""
    if not values:
        return None
    array = np.asarray(values, dtype=np.float64)
    low, high = bootstrap(array, _median, seed)
    return Estimate(value=float(np.median(array)), low=low, high=high, trials=len(values))


def bootstrap(values: Values, statistic: Statistic, seed: str) -> tuple[float | None, float | None]:
    """The expanded percentile bootstrap interval of a statistic; (None, None) for too few values.

    The plain percentile interval is too narrow for few values. Its percentiles are moved
    outwards so that its coverage is that of Student's t for a mean: Hesterberg, "What Teachers
    Should Know About the Bootstrap", The American Statistician 69 (2015), section 4.3.
    """
    n = len(values)
    if n < FEWEST_TRIALS:
        return None, None
    source = np.random.default_rng(list(seed.encode()))
    samples = statistic(values[source.integers(0, n, size=(RESAMPLES, n))], 1)
    tail = expanded_tail(n)
    low, high = np.quantile(samples, [tail, 1 - tail])
    return float(low), float(high)


def expanded_tail(n: int) -> float:
    """The share of the bootstrap distribution below the interval, for `n` values."""
    t = _student_t(1 - (1 - LEVEL) / 2, n - 1)
    return NormalDist().cdf(-t * (n / (n - 1)) ** 0.5)


def _student_t(share: float, freedom: int) -> float:
    """Student's t quantile by the Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5).

    Within 0.5 % of the exact one from 4 degrees of freedom on.
    """
    z = NormalDist().inv_cdf(share)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return float(sum(term / freedom**power for power, term in enumerate(terms)))


def _median(values: Values, axis: int) -> Any:
    return np.median(values, axis=axis)
