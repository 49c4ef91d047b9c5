"""Trials of two sessions are compared without pairs, and their interval covers the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from httpdyno.result import Comparison
from httpdyno.statistics.unpaired_comparison import compare_unpaired


def compared(baseline: list[float], arm: list[float]) -> Comparison:
    at = ("full-speed", "10 connections")
    return compare_unpaired(baseline, arm, names=("then", "now"), at=at, metric="throughput")


def test_the_ratio_is_that_of_the_geometric_means() -> None:
    found = compared([1, 2, 4, 8, 16], [2, 4, 8, 16, 32]).ratio
    assert found is not None
    assert found.value == pytest.approx(2)


def test_numbers_that_differ_by_rounding_alone_are_equal() -> None:
    for before, now in (([0.3] * 5, [0.1 * 3] * 7), ([0.1 * 3] * 7, [0.3] * 5)):
        found = compared(before, now)
        assert found.outcome == "no difference shown"
        assert found.ratio is not None
        assert found.ratio.value == 1


def test_the_interval_is_welchs() -> None:
    """By hand: variances of the logs 1/5 of 2.5 and of 10, 5.88 degrees of freedom, t(5) 2.571."""
    before, now = [math.exp(x) for x in range(5)], [math.exp(2 * x) for x in range(5)]
    found = compared(before, now).ratio
    assert found is not None
    assert found.low is not None
    reach = 2.5706 * math.sqrt(2.5 / 5 + 10 / 5)
    assert math.log(found.low) == pytest.approx(2 - reach, abs=1e-3)


def test_too_few_trials_have_no_interval_and_none_have_no_ratio() -> None:
    few = compared([1.0] * 4, [1.0] * 10)
    assert few.ratio is not None
    assert (few.ratio.low, few.outcome) == (None, "no result")
    assert compared([], [1.0] * 5).ratio is None


def test_a_long_tail_of_one_side_is_allowed_for() -> None:
    """Welch's interval alone holds the truth in 90 of 100."""
    source, held = np.random.default_rng(6), 0
    for _ in range(1500):
        before = np.exp(source.normal(0, 0.005, 10)).tolist()
        now = np.exp(0.05 * (1 - source.standard_exponential(10))).tolist()
        ratio = compared(before, now).ratio
        assert ratio is not None
        assert ratio.low is not None
        assert ratio.high is not None
        held += ratio.low <= 1 <= ratio.high
    assert held / 1500 >= 0.925


@pytest.mark.parametrize("sizes", [(5, 5), (10, 10), (5, 20)])
def test_at_least_94_of_100_intervals_hold_the_truth(sizes: tuple[int, int]) -> None:
    source = np.random.default_rng(3)
    held = 0
    for _ in range(600):
        before = np.exp(source.normal(0, 0.02, sizes[0])).tolist()
        now = np.exp(source.normal(0.1, 0.06, sizes[1])).tolist()
        ratio = compared(before, now).ratio
        assert ratio is not None
        assert ratio.low is not None
        assert ratio.high is not None
        held += ratio.low <= math.exp(0.1) <= ratio.high
    assert held / 600 >= 0.93
