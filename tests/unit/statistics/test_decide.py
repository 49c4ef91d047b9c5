"""A change is judged by its whole interval against the margin, on the side of the user."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from httpdyno.metrics import ComparedBy
from httpdyno.result import Comparison, Estimate
from httpdyno.statistics.compare import compare
from httpdyno.statistics.decide import Decision, decide, decide_unchanged, overall, worst_ratio
from httpdyno.statistics.intervals import mean_bound, mean_interval
from hypothesis import given
from hypothesis import strategies as st

METRICS: list[ComparedBy] = ["throughput", "p99", "server CPU per request"]
RATIOS = st.floats(0.2, 5.0)


def told(low: float | None, high: float | None, metric: ComparedBy = "throughput") -> Comparison:
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
def test_the_whole_interval_decides(
    metric: ComparedBy, low: float, high: float, decided: str
) -> None:
    assert decide(metric, 0.03, told(low, high, metric)).decided == decided


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("rounding", [1 - 2**-52, 1.0, 1 + 2**-52])
def test_rounding_does_not_decide_at_the_margin(metric: ComparedBy, rounding: float) -> None:
    at = worst_ratio(metric, 0.05) * rounding
    assert decide(metric, 0.05, told(at, at, metric)).decided == "no regression shown"
    assert decide_unchanged(0.05, told(at, at, metric)) == "as before"


@given(st.sampled_from(METRICS), RATIOS, RATIOS, st.floats(0.001, 0.5), st.floats(0.001, 0.5))
def test_a_larger_margin_never_turns_a_pass_into_a_regression(
    metric: ComparedBy, one: float, other: float, narrow: float, wide: float
) -> None:
    order = ["regression", "cannot tell", "no regression shown"]
    row = told(min(one, other), max(one, other), metric)
    found = [order.index(decide(metric, m, row).decided) for m in sorted((narrow, wide))]
    assert all(first <= second for first, second in pairwise(found))


@given(st.sampled_from(METRICS), RATIOS, RATIOS)
def test_an_interval_that_holds_the_margin_cannot_tell(
    metric: ComparedBy, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    worst = worst_ratio(metric, 0.03)
    decided = decide(metric, 0.03, told(low, high, metric)).decided
    assert (decided == "cannot tell") == (low < worst < high) or worst in (low, high)


def test_without_an_interval_there_is_no_result() -> None:
    assert decide("throughput", 0.03, told(None, None)).decided == "no result"
    assert decide("throughput", 0.03, None).decided == "no result"


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (0.90, 0.96, "changed"),
        (1.04, 1.10, "changed"),
        (0.98, 1.02, "as before"),
        (0.96, 1.02, "cannot tell"),
        (0.98, 1.04, "cannot tell"),
        (None, None, "cannot tell"),
    ],
)
def test_the_same_build_has_stayed_as_it_was_if_neither_end_is_beyond_the_margin(
    low: float | None, high: float | None, found: str
) -> None:
    assert decide_unchanged(0.03, told(low, high)) == found


def test_rare_slow_starts_that_may_have_been_missed_leave_it_open_if_a_build_stayed_as_it_was() -> (
    None
):
    values = [0.99, 1.0, 1.0, 0.995, 1.0, 0.99, 1.0, 1.0, 0.92, 1.0]
    trials = dict(enumerate(values))
    names, at = ("a", "b"), ("full-speed", "10 connections")
    row = compare(dict.fromkeys(trials, 1.0), trials, names=names, at=at, metric="throughput")
    assert row.ratio is not None
    assert row.ratio.low is not None
    assert row.ratio.low > 0.95
    assert decide_unchanged(0.05, row) == decide("throughput", 0.05, row).decided == "cannot tell"


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


@pytest.mark.parametrize(("true", "blocks"), [(0.93, 5), (0.95, 10), (1.0, 10)])
def test_the_blocks_that_it_names_tell_in_at_least_four_of_five_studies(
    true: float, blocks: int
) -> None:
    """Each estimate of a first comparison is the true change of a second one."""
    right, tried = 0, 0
    for seed in range(300):
        first = decide("throughput", 0.03, pairs(true, 0.05, blocks, seed))
        if first.blocks_needed is None or first.comparison is None:
            continue
        ratio = first.comparison.ratio
        assert ratio is not None
        second = pairs(ratio.value, 0.05, first.blocks_needed, 1000 + seed)
        expected = "regression" if ratio.value < 0.97 else "no regression shown"
        right += decide("throughput", 0.03, second).decided == expected
        tried += 1
    assert tried > 150
    assert 0.78 <= right / tried <= 0.91


@pytest.mark.parametrize("blocks", [5, 6, 7, 10, 15, 20, 40])
@pytest.mark.parametrize("below", [True, False])
def test_the_bound_that_a_pass_needs_holds_when_one_side_has_a_long_tail(
    blocks: int, below: bool
) -> None:
    """Only B varies, with rare slow starts: few blocks show them, and the mean is beyond them."""
    source = np.random.default_rng(blocks)
    noise = (-1 if below else 1) * (source.standard_exponential((40_000, blocks)) - 1)
    rows = noise.tolist()
    bound = np.array([mean_bound(row, below=below) for row in rows])
    low, high = np.array([mean_interval(row) for row in rows]).T
    passes = np.mean(bound > 0) if below else np.mean(bound < 0)
    alone = np.mean(low > 0) if below else np.mean(high < 0)
    assert passes <= 0.031
    assert alone > 0.032, "the interval alone passes more"


@pytest.mark.parametrize(("metric", "tail"), [("throughput", -1), ("p99", 1)])
def test_a_change_of_the_margin_seldom_passes_with_rare_slow_starts(
    metric: ComparedBy, tail: int
) -> None:
    source = np.random.default_rng(5)
    noise = tail * 0.02 * (source.standard_exponential((600, 10)) - 1)
    found = [
        decide(metric, 0.03, of_logs(logs, metric))
        for logs in (noise + math.log(worst_ratio(metric, 0.03))).tolist()
    ]
    assert sum(one.decided == "no regression shown" for one in found) / 600 <= 0.04
    assert any(one.reserve for one in found)


def test_an_interval_within_the_margin_is_no_pass_if_slow_starts_may_be_missing() -> None:
    found = decide("throughput", 0.03, of_logs([0.0, 0.01, 0.02, 0.01, 0.0], "throughput"))
    assert found.decided == "no regression shown"
    some = decide("throughput", 0.03, of_logs([0.012, 0.01, 0.013, 0.012, -0.02]))
    assert some.comparison is not None
    assert some.comparison.ratio is not None
    assert some.comparison.ratio.low is not None
    assert some.comparison.ratio.low > 0.97
    assert some.decided == "cannot tell"
    assert some.reserve.startswith(
        "the interval is within the margin, but 5 restarts each may have"
    )


def of_logs(logs: Sequence[float], metric: ComparedBy = "throughput") -> Comparison:
    """Blocks of a server that does not vary, and of its changed build with these ratios."""
    arm = {block: math.exp(value) for block, value in enumerate(logs)}
    at = ("full-speed", "10 connections")
    return compare(dict.fromkeys(arm, 1.0), arm, names=("a", "b"), at=at, metric=metric)


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
