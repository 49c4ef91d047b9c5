"""Change points are found where they are, as Apache Otava finds them, and seldom where none is."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from httpdyno.history import change_points
from httpdyno.history.steps.change_points import SEARCHED
from httpdyno.history.steps.divisive import best_split
from httpdyno.history.steps.student import p_value
from hypothesis import given
from hypothesis import strategies as st

ORACLE = json.loads((Path(__file__).parent / "otava.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", ORACLE["cases"], ids=lambda case: case["name"])
def test_a_series_is_divided_first_where_otava_divides_it_by_the_same_divergence(
    case: dict[str, Any],
) -> None:
    split = best_split(case["series"], least=1)
    assert split is not None
    assert split.cut == case["first_index"]
    assert split.divergence == pytest.approx(case["first_divergence"], rel=1e-9)


@pytest.mark.parametrize("case", ORACLE["cases"], ids=lambda case: case["name"])
def test_the_change_points_are_those_of_otava(case: dict[str, Any]) -> None:
    found = change_points(case["series"])
    assert [point.index for point in found] == case["change_points"]


@pytest.mark.parametrize("case", ORACLE["apart"], ids=lambda case: case["name"])
def test_where_we_differ_from_otava_on_purpose(
    case: dict[str, Any],
) -> None:
    assert [point.index for point in change_points(case["series"])] == case["ours"]
    assert case["ours"] != case["change_points"]


def test_a_step_is_found_with_its_means_on_both_sides() -> None:
    (point,) = change_points([100, 101, 99, 100, 110, 111, 109, 110])
    assert point.index == 4
    assert (point.before, point.after) == pytest.approx((100, 110), rel=1e-4)
    assert point.change == pytest.approx(0.1, abs=1e-4)
    assert point.p < 0.001
    assert point.interval is not None
    assert point.interval[0] < 0.1 < point.interval[1]
    assert point.interval == pytest.approx((0.084, 0.116), abs=0.002)


def test_a_change_is_in_the_middle_of_its_interval_however_skewed_its_runs_are() -> None:
    (point,) = change_points([100.0, 98, 102, 100, 101, 150, 150, 152, 150, 180])
    assert point.interval is not None
    low, high = (1 + end for end in point.interval)
    assert 1 + point.change == pytest.approx(point.after / point.before)
    assert low * high == pytest.approx((1 + point.change) ** 2)


def test_a_series_that_begins_at_zero_has_means_and_no_interval() -> None:
    (point,) = change_points([0.0, 2, 1, 0, 30, 31, 29, 30, 31])
    assert (point.before, point.interval) == (0.75, None)


def test_two_steps_are_two_changes_also_if_the_second_undoes_the_first() -> None:
    series = [100, 101, 99, 100, 102, 80, 81, 79, 80, 82, 100, 101, 99, 100, 98]
    assert [point.index for point in change_points(series)] == [5, 10]


def test_one_odd_run_is_no_change_wherever_it_is() -> None:
    for place in range(12):
        series = [100.0 + at % 3 for at in range(12)]
        series[place] = 300.0
        assert change_points(series) == []


def test_a_short_or_a_constant_series_has_no_change() -> None:
    assert change_points([]) == []
    assert change_points([1.0, 1.0, 9.0, 9.0, 9.0][: SEARCHED - 1]) == []
    assert change_points([5.0] * 30) == []
    assert change_points([0.0] * 30) == []


def test_a_rise_from_zero_is_a_change() -> None:
    (point,) = change_points([0.0] * 5 + [1.0] * 5)
    assert (point.index, point.change, point.p) == (5, float("inf"), 0.0)


def test_a_long_series_is_searched_in_windows() -> None:
    noise = np.random.default_rng(3).normal(0, 1, 300)
    levels = np.repeat([100.0, 104.0, 100.0, 96.0, 100.0], 60)
    found = [point.index for point in change_points(list(levels + noise))]
    assert len(found) == 4
    assert all(abs(index - 60 * at) <= 2 for at, index in enumerate(found, start=1))


@given(
    values=st.lists(st.floats(1, 1e6), min_size=2, max_size=24),
    factor=st.sampled_from([1e-6, 0.25, 1024.0]),
)
def test_the_unit_of_a_series_does_not_matter(values: list[float], factor: float) -> None:
    plain, scaled = best_split(values), best_split([factor * value for value in values])
    assert plain is not None
    assert scaled is not None
    rounding = 1e-6 * factor * max(values)
    assert plain.divergence * factor == pytest.approx(scaled.divergence, rel=1e-6, abs=rounding)


@given(st.lists(st.floats(0, 1e9), max_size=40))
def test_any_series_has_its_changes_in_order_and_apart(values: list[float]) -> None:
    cuts = [point.index for point in change_points(values)]
    assert all(right - left >= 2 for left, right in pairwise([0, *cuts, len(values)]) if cuts)


@given(st.lists(st.floats(1, 1e3), min_size=4, max_size=14))
def test_the_divergence_is_that_of_the_formula(values: list[float]) -> None:
    """The sums over all pairs, as Matteson and James write them (2.3 to 2.5)."""
    found = best_split(values)
    assert found is not None
    divergences = {
        (t, k): _divergence(values[:t], values[t:k])
        for t in range(1, len(values))
        for k in range(t + 1, len(values) + 1)
    }
    assert found.divergence == pytest.approx(divergences[found.cut, found.until], abs=1e-6)
    assert found.divergence == pytest.approx(max(divergences.values()), abs=1e-6)


def _divergence(left: list[float], right: list[float]) -> float:
    n, m = len(left), len(right)
    across = sum(abs(a - b) for a in left for b in right) * 2 / (n * m)
    return n * m / (n + m) * (across - _inside(left) - _inside(right))


def _inside(values: list[float]) -> float:
    """Mean distance of two different values; 0 for a single one."""
    n = len(values)
    pairs = [abs(a - b) for at, a in enumerate(values) for b in values[at + 1 :]]
    return sum(pairs) / (n * (n - 1) / 2) if n > 1 else 0.0


def test_the_t_test_agrees_with_a_worked_example() -> None:
    """Student's own: the sleep of ten patients under two drugs, taken as two samples."""
    left = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    right = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    assert p_value(left, right) == pytest.approx(0.07918671, rel=1e-6)
    assert p_value(left[:1], right[:1]) == 1.0
    assert p_value([1.0] * 3, [1.0] * 3) == 1.0
