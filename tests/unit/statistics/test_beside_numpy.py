"""The numbers of few values are those that NumPy computes from the formulas, in one array."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from httpdyno.statistics.intervals import (
    for_drift,
    geometric_mean,
    mean_bound,
    mean_interval,
    mean_sequence,
    median_estimate,
    median_interval,
    median_sequence,
    sequence_critical,
)
from httpdyno.statistics.noise import shape
from httpdyno.statistics.noise.dependence import allowance
from httpdyno.statistics.noise.moments import deviation, from_mean, mean, skewness, third, variance
from httpdyno.statistics.noise.skew import cautious_reach, cautious_slope, reaches
from httpdyno.statistics.student import critical
from numpy.typing import NDArray

Values = NDArray[np.float64]
COUNTS = (5, 6, 7, 10, 15, 20, 41)


def studies(count: int, n: int) -> Values:
    """Normal, skewed, drifting, tied and equal values."""
    source = np.random.default_rng(n)
    normal, skewed = source.standard_normal((count, n)), source.standard_exponential((count, n))
    tied = np.round(normal)
    equal = np.broadcast_to(source.standard_normal((count, 1)), (count, n))
    return np.concatenate([normal, skewed, -skewed, normal.cumsum(axis=1), tied, equal])


def near(found: Any, known: Any) -> None:
    """Equal but for rounding; the spread of equal values is rounding alone."""
    assert np.allclose(found, known, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", COUNTS)
def test_the_moments_are_those_of_numpy(n: int) -> None:
    for row in studies(20, n):
        values = row.tolist()
        near(mean(values), row.mean())
        near(from_mean(values), row - row.mean())
        near([variance(values), deviation(values)], [row.var(ddof=1), row.std(ddof=1)])
        near(third(from_mean(values)), ((row - row.mean()) ** 3).mean())
        positive = np.exp(row)
        near(geometric_mean(positive.tolist()), np.exp(np.log(positive).mean()))


def skews(values: Values) -> Values:
    away = values - values.mean(axis=-1, keepdims=True)
    spread = np.sqrt((away**2).mean(axis=-1))
    known = spread > 1e-12 * np.abs(values).max(axis=-1)
    return np.where(known, (away**3).mean(axis=-1) / np.where(known, spread, 1) ** 3, 0.0)


def factors(values: Values) -> tuple[Values, Values]:
    """Hall's second transformation without its shift, of all studies at once."""
    n = values.shape[-1]
    skew = skews(values) / math.sqrt(n)
    bent = np.maximum(np.abs(skew), 1e-9) * critical(0.95, n - 1)
    further = np.clip(3 / bent * (1 + np.cbrt(bent - 1)), 1, 2)
    return np.where(skew < 0, further, 1.0), np.where(skew > 0, further, 1.0)


@pytest.mark.parametrize("n", COUNTS)
def test_an_interval_of_a_mean_is_that_of_numpy(n: int) -> None:
    values = studies(50, n)
    rows = values.tolist()
    below, above = factors(values)
    near([skewness(row) for row in rows], skews(values))
    near([reaches(row) for row in rows], np.stack([below, above], axis=1))
    middle, error = values.mean(axis=-1), values.std(axis=-1, ddof=1) / math.sqrt(n)
    for interval, t in (
        (mean_interval, critical(0.95, n - 1)),
        (mean_sequence, sequence_critical(0.95, n)),
    ):
        ends = np.array([interval(row) for row in rows])
        near(ends, np.stack([middle - below * t * error, middle + above * t * error], axis=1))
    for side, reach in ((-1, below), (1, above)):
        slope = cautious_slope(n)
        cautious = 1 + slope * np.maximum(0, side * skews(values) + 0.5)
        near([cautious_reach(row, below=side < 0) for row in rows], cautious)
        bound = middle + side * np.maximum(reach, cautious) * critical(0.95, n - 1) * error
        near([mean_bound(row, below=side < 0) for row in rows], bound)


@pytest.mark.parametrize("n", COUNTS)
def test_the_allowance_for_drift_is_that_of_numpy(n: int) -> None:
    values = studies(50, n)[:-50]  # the correlation of equal values is one of rounding
    away = values - values.mean(axis=-1, keepdims=True)
    squares, products = (away**2).sum(axis=-1), (away[:, 1:] * away[:, :-1]).sum(axis=-1)
    found = products / np.where(squares > 0, squares, 1)
    r = np.clip((n * found + 1) / max(n - 3, 1), 0, 0.6)
    factor = np.sqrt((1 + r) / (1 - r))
    near([allowance(row) for row in values.tolist()], factor)
    drifting = [for_drift(row, (mean(row) - 1, mean(row) + 2)) for row in values.tolist()]
    middle = values.mean(axis=-1)
    near(drifting, np.stack([middle - factor, middle + 2 * factor], axis=1))


@pytest.mark.parametrize("n", COUNTS)
def test_a_median_and_its_interval_lie_at_the_ranks_of_numpy(n: int) -> None:
    for row in studies(10, n):
        values, ordered = row.tolist(), np.sort(row)
        middle = median_estimate(values)
        assert middle is not None
        near(middle.value, np.median(row))
        low, high = median_interval(values)
        places = (np.interp(end, ordered, np.arange(n)) for end in (low, high))
        if len(set(values)) == n > 5:  # the interval of five values reaches beyond them
            near(sum(places), n - 1)
        if n > 9:
            assert set(median_sequence(values)) <= set(values)


@pytest.mark.parametrize("n", COUNTS)
def test_the_shape_of_trials_is_that_of_numpy(n: int) -> None:
    for row in studies(50, n)[:-50]:
        step = 0.1
        ordered, lower = np.sort(row - row.mean()), np.arange(1, n)
        sums = np.cumsum(ordered)[:-1]
        between = sums**2 / lower + sums**2 / (n - lower)
        within = np.sqrt(np.maximum((ordered**2).sum() - between, 0) / (n - 2))
        widths = np.diff(ordered) / np.maximum(within, step / math.sqrt(12))
        width, at = shape.widest_gap(row.tolist(), step)
        near([width, widths[at - 1]], widths.max())
        squares = ((row - row.mean()) ** 2).sum()
        known = (np.diff(row) ** 2).sum() / squares if squares > 0 else 2.0
        near(shape.smoothness(row.tolist()), known)


def test_drift_is_looked_for_in_the_thirds_of_numpy() -> None:
    for count in range(5, 40):
        thirds = [part.tolist() for part in np.array_split(np.arange(count), 3)]
        assert shape._parts(count) == thirds


def test_a_limit_is_interpolated_over_the_logarithm_of_the_count_as_by_numpy() -> None:
    for limits in (shape._APART, shape._SMOOTH):
        for n in range(5, 90):
            known = np.interp(math.log(n), np.log(shape._COUNTS), limits)
            near(shape._limit(limits, n), known)
