"""Intervals and ratios: laws that hold for any values, and how often the truth is inside."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from httpdyno.result import Comparison, Estimate
from httpdyno.statistics import compare as module
from httpdyno.statistics.compare import compare
from httpdyno.statistics.intervals import (
    geometric_estimate,
    level_estimate,
    median_estimate,
    median_interval,
)
from httpdyno.statistics.unpaired_comparison import compare_unpaired
from hypothesis import given
from hypothesis import strategies as st

POSITIVE = st.floats(0.01, 1e6, allow_nan=False)
BLOCKS = st.dictionaries(st.integers(0, 9), POSITIVE, max_size=10)


def compared(
    base: dict[int, float], arm: dict[int, float], metric: str = "throughput"
) -> Comparison:
    at = ("closed", "10 connections")
    return compare(base, arm, names=("a", "b"), at=at, metric=metric)  # type: ignore[arg-type]


@given(st.lists(POSITIVE, min_size=1, max_size=12))
def test_the_interval_is_around_the_median_and_hardly_leaves_the_values(
    values: list[float],
) -> None:
    found = median_estimate(values)
    assert found is not None
    assert found.trials == len(values)
    if len(values) < 5:
        assert (found.low, found.high) == (None, None)
    else:
        assert found.low is not None
        assert found.high is not None
        # Five values cover 93.75 %, so their interval reaches a little beyond them.
        beyond = 0.19 * (max(values) - min(values)) if len(values) == 5 else 0.0
        slack = 1e-9 * max(values) + beyond
        assert found.low >= 0
        assert min(values) - slack <= found.low <= found.value + slack
        assert found.value - slack <= found.high <= max(values) + slack


@given(st.lists(POSITIVE, min_size=5, max_size=8))
def test_the_order_of_the_values_changes_no_interval(values: list[float]) -> None:
    assert median_estimate(values) == median_estimate(values[::-1])


def test_values_that_are_zero_have_an_interval() -> None:
    found = median_estimate([0.0] * 9 + [0.5])
    assert found is not None
    assert (found.low, found.value) == (0, 0)
    assert found.high is not None
    assert 0 <= found.high < 0.5
    none = median_estimate([0.0] * 5)
    assert none is not None
    assert (none.low, none.value, none.high) == (0, 0, 0)


@pytest.mark.parametrize(
    ("n", "low"),
    [(5, 0.818), (6, 1.357), (7, 1.733), (10, 2.658), (20, 6.235)],
)
def test_the_interval_of_the_median_lies_between_the_ranks_of_the_sign_test(
    n: int, low: float
) -> None:
    """By hand, from 1 - 2 P(Bin(n, 0.5) < rank): 10 values cover 97.85 % from the second to the
    ninth, and 89.06 % from the third to the eighth."""
    found = median_interval([float(value) for value in range(1, n + 1)])
    assert found == pytest.approx([low, n + 1 - low], abs=0.001)


def test_no_values_have_no_estimate() -> None:
    assert median_estimate([]) is None


@given(st.lists(st.tuples(POSITIVE, POSITIVE), min_size=1, max_size=10))
def test_swapping_the_arms_turns_the_ratio_over(pairs: list[tuple[float, float]]) -> None:
    base, arm = ({i: p[k] for i, p in enumerate(pairs)} for k in (0, 1))
    one, other = compared(base, arm).ratio, compared(arm, base).ratio
    assert one is not None
    assert other is not None
    assert one.value * other.value == pytest.approx(1)


def test_the_ratio_is_the_geometric_mean_of_the_pairs_as_the_page_about_statistics_says() -> None:
    found = compared({0: 1.0, 1: 1.0, 2: 1.0}, {0: 1.0, 1: 1.0, 2: 8.0}).ratio
    assert found is not None
    assert found.value == pytest.approx(2)
    page = Path(__file__).parents[3] / "docs" / "concepts" / "statistics.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert "The estimate is the geometric mean of these ratios" in text
    assert "Its interval is Student's t of the logarithms" in text
    assert "geometric means over its trials. The interval of one is Student's t" in text
    assert "geometric mean" in str(compare.__doc__)
    assert "Its interval is Student's t of the\nlogarithms" in str(module.__doc__)
    assert "sign interval" in str(median_estimate.__doc__)


def values(found: Comparison) -> tuple[float, float]:
    """The two numbers that are shown beside the ratio."""
    assert found.baseline_value is not None
    assert found.arm_value is not None
    return found.baseline_value, found.arm_value


@given(BLOCKS, BLOCKS)
def test_the_ratio_is_that_of_the_two_numbers_beside_it_whatever_blocks_they_lack(
    base: dict[int, float], arm: dict[int, float]
) -> None:
    found = compared(base, arm)
    pairs = len(base.keys() & arm.keys())
    assert found.lone_blocks == len(base) + len(arm) - 2 * pairs
    if found.ratio is None:
        assert (found.baseline_value, found.arm_value, pairs) == (None, None, 0)
        return
    before, after = values(found)
    assert found.ratio.value == pytest.approx(after / before, rel=1e-9)
    for number, of in ((before, base), (after, arm)):
        level = level_estimate([of[block] for block, _ in found.dots])
        assert level is not None
        assert level.value == pytest.approx(number, rel=1e-9)


@given(st.lists(POSITIVE, min_size=1, max_size=9), st.lists(POSITIVE, min_size=1, max_size=9))
def test_the_ratio_of_two_sessions_is_that_of_the_two_numbers_beside_it(
    then: list[float], now: list[float]
) -> None:
    names, at = ("then", "now"), ("closed", "10 connections")
    found = compare_unpaired(then, now, names=names, at=at, metric="throughput")
    before, after = values(found)
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(after / before, rel=1e-9)


@given(st.lists(POSITIVE, min_size=5, max_size=12), st.booleans())
def test_the_interval_of_a_level_belongs_to_its_value(
    numbers: list[float], sequential: bool
) -> None:
    found = level_estimate(numbers, sequential=sequential)
    assert found is not None
    assert min(numbers) <= found.value * (1 + 1e-9)
    assert found.value <= max(numbers) * (1 + 1e-9)
    if found.low is None or found.high is None:
        assert sequential
        assert len(numbers) < 10
        return
    # Student's t of the logarithms is symmetric about their mean, and at most doubled on one side.
    below, above = math.log(found.value / found.low), math.log(found.high / found.value)
    logs = np.log(numbers)
    away = logs - logs.mean()
    longer, shorter = (below, above) if float((away**3).sum()) < 0 else (above, below)
    assert shorter <= longer + 1e-6
    assert longer <= 2 * shorter + 1e-6


def test_a_level_with_a_zero_is_a_median_because_zero_has_no_logarithm() -> None:
    assert level_estimate([0.0, 1, 2, 3, 4]) == median_estimate([0.0, 1, 2, 3, 4])
    assert level_estimate([1.0, 1, 8]) == geometric_estimate([1.0, 1, 8], drifting=True)
    assert level_estimate([]) is None


def test_drift_that_hits_both_arms_alike_leaves_the_ratio_sharp() -> None:
    drift = {block: 1000.0 * (1 + block) for block in range(8)}
    found = compared(drift, {block: 2 * value for block, value in drift.items()})
    assert found.ratio is not None
    assert found.ratio.low == pytest.approx(2)
    assert found.ratio.high == pytest.approx(2)
    assert found.smallest_detectable == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("metric", "factor", "outcome"),
    [
        ("throughput", 2.0, "better"),
        ("throughput", 0.5, "worse"),
        ("p99", 2.0, "worse"),
        ("p99", 0.5, "better"),
        ("server CPU per request", 2.0, "worse"),
    ],
)
def test_the_outcome_is_the_users_of_the_server(metric: str, factor: float, outcome: str) -> None:
    base = {block: 100.0 + block for block in range(6)}
    arm = {block: factor * (100 + (block + 3) % 6) for block in range(6)}
    assert compared(base, arm, metric).outcome == outcome


def test_numbers_that_differ_by_rounding_alone_are_equal() -> None:
    base, arm = dict.fromkeys(range(6), 0.3), dict.fromkeys(range(6), 0.1 * 3)
    assert base != arm
    for found in (compared(base, arm), compared(arm, base, "server CPU per request")):
        assert (found.outcome, found.p_value) == ("no difference shown", 1.0)
        assert found.ratio == Estimate(value=1.0, low=1.0, high=1.0, trials=6)


def test_no_difference_comes_with_what_could_have_been_seen() -> None:
    base = dict(enumerate([100.0, 104, 97, 101, 99, 103]))
    arm = dict(enumerate([101.0, 99, 102, 98, 104, 100]))
    found = compared(base, arm)
    logs = [math.log(arm[i] / base[i]) for i in range(6)]
    sd = float(np.std(logs, ddof=1))
    assert found.outcome == "no difference shown"
    # More than by the quantiles of Student's t alone, 2.5706 and 0.9195 standard errors: these take
    # the spread of six pairs for the true one.
    assert found.smallest_detectable is not None
    errors = math.log1p(found.smallest_detectable) / (sd / math.sqrt(6))
    assert 4.5 < errors < 5.3


def test_only_blocks_that_have_both_are_paired_and_too_few_have_no_result() -> None:
    found = compared({0: 1.0, 1: 1, 2: 1, 4: 0}, {1: 2.0, 2: 2, 3: 2, 4: 2})
    assert found.dots == [(1, 2.0), (2, 2.0)]
    assert found.ratio is not None
    assert found.ratio.value == pytest.approx(2)
    assert found.ratio.low is None
    assert (found.outcome, found.smallest_detectable) == ("no result", None)


def test_nothing_to_pair_is_no_result_and_no_ratio() -> None:
    found = compared({0: 1.0}, {1: 1.0})
    assert (found.ratio, found.outcome, found.dots) == (None, "no result", [])
