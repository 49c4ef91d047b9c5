"""A change is judged by its whole interval against the margin, on the side of the user."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from httpdyno.result import Comparison, Estimate
from httpdyno.statistics.compare import Metric, compare
from httpdyno.statistics.decide import Decision, decide, overall, worst_ratio
from hypothesis import given
from hypothesis import strategies as st

METRICS: list[Metric] = ["throughput", "p99", "server CPU per request"]
RATIOS = st.floats(0.2, 5.0)


def told(low: float | None, high: float | None, metric: Metric = "throughput") -> Comparison:
    value = 1.0 if low is None or high is None else math.sqrt(low * high)
    return Comparison(
        load="full-speed",
        point="10 connections",
        metric=metric,
        baseline="main",
        arm="branch",
        ratio=Estimate(value=value, low=low, high=high, trials=10),
        outcome="no result",
        smallest_detectable=None,
        dots=[],
    )


@pytest.mark.parametrize(
    ("metric", "low", "high", "decided"),
    [
        ("throughput", 0.90, 0.96, "regression"),
        ("throughput", 0.90, 0.98, "cannot tell"),
        ("throughput", 0.98, 0.99, "no regression shown"),
        ("throughput", 1.20, 1.30, "no regression shown"),
        ("throughput", 0.90, 1.30, "cannot tell"),
        ("p99", 1.04, 1.30, "regression"),
        ("p99", 1.02, 1.30, "cannot tell"),
        ("p99", 0.50, 1.02, "no regression shown"),
        ("server CPU per request", 1.04, 1.05, "regression"),
        ("server CPU per request", 0.90, 0.95, "no regression shown"),
    ],
)
def test_the_whole_interval_decides(metric: Metric, low: float, high: float, decided: str) -> None:
    assert decide(metric, 0.03, told(low, high, metric)).decided == decided


@given(st.sampled_from(METRICS), RATIOS, RATIOS, st.floats(0.001, 0.5), st.floats(0.001, 0.5))
def test_a_larger_margin_never_turns_a_pass_into_a_regression(
    metric: Metric, one: float, other: float, narrow: float, wide: float
) -> None:
    order = ["regression", "cannot tell", "no regression shown"]
    row = told(min(one, other), max(one, other), metric)
    found = [order.index(decide(metric, m, row).decided) for m in sorted((narrow, wide))]
    assert all(first <= second for first, second in pairwise(found))


@given(st.sampled_from(METRICS), RATIOS, RATIOS)
def test_an_interval_that_holds_the_margin_cannot_tell(
    metric: Metric, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    worst = worst_ratio(metric, 0.03)
    decided = decide(metric, 0.03, told(low, high, metric)).decided
    assert (decided == "cannot tell") == (low < worst < high) or worst in (low, high)


def test_without_an_interval_there_is_no_result() -> None:
    assert decide("throughput", 0.03, told(None, None)).decided == "no result"
    assert decide("throughput", 0.03, None).decided == "no result"


def test_one_regression_decides_and_no_result_is_never_a_pass() -> None:
    def of(*every: str) -> str:
        return overall([Decision("throughput", 0.03, one, None) for one in every])  # type: ignore[arg-type]

    assert of("no regression shown", "cannot tell", "regression", "no result") == "regression"
    assert of("no regression shown", "no result") == "cannot tell"
    assert of("no result", "no result") == "no result"
    assert of("no regression shown", "cannot tell") == "cannot tell"
    assert of("no regression shown", "no regression shown") == "no regression shown"
    assert of() == "no result"


def pairs(change: float, spread: float, blocks: int, seed: int) -> Comparison:
    """Blocks of a server and of its changed build, with log-normal noise of each restart."""
    source = np.random.default_rng(seed)
    noise = source.normal(0, spread / math.sqrt(2), size=(2, blocks))
    base = {b: 1000 * math.exp(noise[0, b]) for b in range(blocks)}
    arm = {b: 1000 * change * math.exp(noise[1, b]) for b in range(blocks)}
    at = ("full-speed", "10 connections")
    return compare(base, arm, names=("a", "b"), at=at, metric="throughput")


def test_the_blocks_that_it_asks_for_tell_in_about_four_of_five_studies() -> None:
    true, spread = 0.95, 0.05
    asked = [decide("throughput", 0.03, pairs(true, spread, 10, seed)) for seed in range(60)]
    needed = [one.blocks_needed for one in asked if one.blocks_needed is not None]
    assert len(needed) > 20
    enough = math.ceil(2.8**2 * spread**2 / math.log(0.95 / 0.97) ** 2)
    told_now = sum(
        decide("throughput", 0.03, pairs(true, spread, enough, seed)).decided == "regression"
        for seed in range(1000, 1200)
    )
    assert 0.7 <= told_now / 200 <= 0.92
    assert all(one > 10 for one in needed)


def test_an_estimate_at_the_margin_is_not_told_by_any_number_of_blocks() -> None:
    dots = [(block, 0.97 * math.exp(0.05 * (-1) ** block)) for block in range(10)]
    row = told(0.94, 1.01).model_copy(update={"dots": dots})
    found = decide("throughput", 0.03, row)
    assert (found.decided, found.blocks_needed) == ("cannot tell", None)


def test_an_unchanged_server_is_hardly_ever_a_regression() -> None:
    alarms = sum(
        decide("throughput", 0.03, pairs(1.0, 0.05, 10, seed)).decided == "regression"
        for seed in range(300)
    )
    assert alarms <= 3
