"""Ways to compute a 95 % interval, along the last axis of an array of studies.

The chosen ones are those of the program itself. `earlier_mean` and `earlier_median` are what it did
at first: the expanded percentile bootstrap (Hesterberg, "What Teachers Should Know About the
Bootstrap", The American Statistician 69, 2015).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from httpdyno.statistics.intervals import for_drift, mean_interval, median_interval
from httpdyno.statistics.noise.moments import skewness
from httpdyno.statistics.student import LEVEL, critical
from numpy.typing import NDArray

Values = NDArray[np.float64]
Interval = tuple[Values, Values]
Candidate = Callable[[Values], Interval]
RESAMPLES = 2000
TAIL = (1 - LEVEL) / 2
_NORMAL = NormalDist()


@lru_cache(maxsize=64)
def _picked(n: int) -> NDArray[np.int64]:
    """Resamples of n values, by index; all studies share them."""
    return np.random.default_rng([7, n]).integers(0, n, size=(RESAMPLES, n))


@lru_cache(maxsize=64)
def _weights(n: int) -> Values:
    """The number of times each value is in each resample."""
    counted = [np.bincount(row, minlength=n) for row in _picked(n)]
    return np.asarray(counted, dtype=np.float64)


def _means(values: Values) -> Values:
    """The mean of each resample: (studies, resamples)."""
    return values @ _weights(values.shape[-1]).T / values.shape[-1]


def _medians(values: Values) -> Values:
    """The median of each resample: the value whose rank is the median of the resampled ranks."""
    n = values.shape[-1]
    ordered, ranks = np.sort(values, axis=-1), np.sort(_picked(n), axis=-1)
    return (ordered[:, ranks[:, (n - 1) // 2]] + ordered[:, ranks[:, n // 2]]) / 2


def _expanded_tail(n: int) -> float:
    return _NORMAL.cdf(-critical(LEVEL, n - 1) * math.sqrt(n / (n - 1)))


def earlier_mean(values: Values) -> Interval:
    tail = _expanded_tail(values.shape[-1])
    low, high = np.quantile(_means(values), [tail, 1 - tail], axis=-1)
    return low, high


def earlier_median(values: Values) -> Interval:
    tail = _expanded_tail(values.shape[-1])
    low, high = np.quantile(_medians(values), [tail, 1 - tail], axis=-1)
    return low, high


def bootstrap_t(values: Values) -> Interval:
    n = values.shape[-1]
    mean, sd = values.mean(axis=-1), values.std(axis=-1, ddof=1)
    means = _means(values)
    squares = _means(values**2)
    spread = np.sqrt(np.maximum(squares - means**2, 1e-12 * sd[:, None] ** 2) * n / (n - 1))
    t = (means - mean[:, None]) / spread
    below, above = np.quantile(t, [TAIL, 1 - TAIL], axis=-1)
    return mean - above * sd, mean - below * sd


def bca(values: Values) -> Interval:
    """Bias-corrected and accelerated (Efron, 1987)."""
    mean, means = values.mean(axis=-1), np.sort(_means(values), axis=-1)
    share = np.clip((means < mean[:, None]).mean(axis=-1), 1 / RESAMPLES, 1 - 1 / RESAMPLES)
    bias = np.asarray([_NORMAL.inv_cdf(float(one)) for one in share])
    # The influence of each value on the mean is its distance from it.
    away = values - mean[:, None]
    bent = (away**3).sum(axis=-1) / np.maximum((away**2).sum(axis=-1), 1e-300) ** 1.5 / 6
    return _moved(means, bias, bent, -1), _moved(means, bias, bent, 1)


def _moved(ordered: Values, bias: Values, bent: Values, side: int) -> Values:
    z = bias + side * _NORMAL.inv_cdf(1 - TAIL)
    moved = bias + z / (1 - bent * z)
    shares = np.asarray([_NORMAL.cdf(float(one)) for one in moved])
    places = np.clip((shares * RESAMPLES).astype(int), 0, RESAMPLES - 1)
    return np.asarray(np.take_along_axis(ordered, places[:, None], axis=-1)[:, 0])


def signed_rank(values: Values) -> Interval:
    """Wilcoxon's signed-rank test, exact: between two of the averages of all pairs."""
    n = values.shape[-1]
    one, other = np.triu_indices(n)
    averages = np.sort((values[:, one] + values[:, other]) / 2, axis=-1)
    rank = _signed_rank(n)
    return averages[:, rank - 1], averages[:, -rank]


@lru_cache(maxsize=64)
def _signed_rank(n: int) -> int:
    """The lowest rank among the averages that keeps 95 %, or the first if none does."""
    ways: Any = np.zeros(n * (n + 1) // 2 + 1)
    ways[0] = 1
    for rank in range(1, n + 1):
        ways[rank:] += ways[:-rank].copy()
    below = ways.cumsum() / 2.0**n
    return max(1, int((below <= TAIL).sum()))


def sign(values: Values) -> Interval:
    """The sign test without interpolation: the narrowest ranks that keep 95 %, or the range."""
    n, ordered = values.shape[-1], np.sort(values, axis=-1)
    ranks = range(1, n // 2)
    shares = [2 * sum(math.comb(n, i) for i in range(rank)) / 2**n for rank in ranks]
    rank = max([1, *(r for r, share in zip(ranks, shares, strict=True) if share <= 1 - LEVEL)])
    return ordered[:, rank - 1], ordered[:, -rank]


def student_t(values: Values) -> Interval:
    """Student's t alone."""
    n = values.shape[-1]
    reach = critical(LEVEL, n - 1) * values.std(axis=-1, ddof=1) / math.sqrt(n)
    return values.mean(axis=-1) - reach, values.mean(axis=-1) + reach


def johnson(values: Values) -> Interval:
    """Student's t about a mean that is corrected for skew (N. J. Johnson, "Modified t Tests and
    Confidence Intervals for Asymmetrical Populations", JASA 73, 1978)."""
    n, spread = values.shape[-1], values.std(axis=-1, ddof=1)
    low, high = student_t(values)
    skews = np.asarray([skewness(row) for row in values.tolist()])
    moved = skews * spread / (6 * n)
    return low + moved, high + moved


def by_dependence(values: Values) -> Interval:
    """Student's t, widened for the correlation of successive values."""
    low, high = student_t(values)
    rows = zip(values.tolist(), zip(low, high, strict=True), strict=True)
    return _columns(for_drift(row, ends) for row, ends in rows)


def for_both(row: Sequence[float]) -> tuple[float, float]:
    """The t interval, widened for skew and for the correlation of successive values."""
    return for_drift(row, mean_interval(row))


def of_rows(interval: Callable[[Sequence[float]], tuple[float, float]]) -> Candidate:
    """The interval of one study, computed for each row of an array."""
    return lambda values: _columns(map(interval, values.tolist()))


def _columns(ends: Iterable[tuple[float, float]]) -> Interval:
    low, high = np.asarray(list(ends)).reshape(-1, 2).T
    return low, high


CHOSEN = "t, widened for skew (chosen)"
CHOSEN_LEVEL = "t, widened for skew and drift (chosen)"
OF_RATIOS: dict[str, Candidate] = {
    CHOSEN: of_rows(mean_interval),
    "Student's t (earlier)": student_t,
    "t, corrected for skew (Johnson)": johnson,
    "t, widened for skew and drift": of_rows(for_both),
    "expanded percentile bootstrap (first)": earlier_mean,
    "BCa bootstrap": bca,
    "bootstrap-t": bootstrap_t,
    "signed rank (Hodges-Lehmann)": signed_rank,
    "sign test": sign,
}
OF_LEVELS: dict[str, Candidate] = {
    CHOSEN_LEVEL: of_rows(for_both),
    "t, widened for skew": of_rows(mean_interval),
    "Student's t (earlier)": student_t,
    "t, corrected for skew (Johnson)": johnson,
    "t, widened for drift": by_dependence,
    "bootstrap-t": bootstrap_t,
    "median, sign test interpolated": of_rows(median_interval),
    "median, sign test": sign,
    "median, expanded percentile bootstrap (first)": earlier_median,
    "median, signed rank": signed_rank,
}
ABOUT_THE_MEAN = {name for name in OF_LEVELS if not name.startswith("median")}
