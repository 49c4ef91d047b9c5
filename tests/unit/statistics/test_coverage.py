"""Intervals hold the truth as often as they say: a short form of `make coverage`, seeded."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from httpdyno.result import Comparison, Estimate
from httpdyno.statistics.compare import compare
from httpdyno.statistics.intervals import level_estimate, mean_interval, median_estimate

BENCHES = Path(__file__).resolve().parents[3] / "benches"
NORMAL, HEAVY = "normal", "heavy-tailed (t, 3 degrees of freedom)"
STUDIES = 4000
SLACK = 0.008
"""Over 4,000 studies a share of 95 % is known to ±0.7 %."""
CHOSEN = "t, widened for skew (chosen)"
LEVEL = "t, widened for skew and drift (chosen)"
WIDER = 0.02
"""So much more often than 95 % an interval may hold the truth: it is widened for skew."""


@pytest.fixture
def covered(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The simulation, imported from a folder that is not a package."""
    monkeypatch.syspath_prepend(str(BENCHES))
    return importlib.import_module("simulated.covered")


@pytest.mark.parametrize("noise", [NORMAL, HEAVY])
@pytest.mark.parametrize("blocks", [5, 10])
def test_95_of_100_ratios_are_within_their_intervals(covered: Any, noise: str, blocks: int) -> None:
    drawn = covered.studies(noise, STUDIES, 2, blocks)
    values = np.exp(drawn.logs)
    held = 0
    for base, arm in values:
        one, other = ({b: float(v) for b, v in enumerate(row)} for row in (base, arm))
        ratio = compare(one, other, names=("a", "b"), at=("l", "p"), metric="throughput").ratio
        assert ratio is not None
        assert ratio.low is not None
        assert ratio.high is not None
        held += ratio.low <= 1 <= ratio.high
    assert 0.95 - SLACK <= held / STUDIES <= 0.95 + WIDER + SLACK


@pytest.mark.parametrize("noise", [NORMAL, HEAVY])
@pytest.mark.parametrize("blocks", [5, 10])
def test_95_of_100_levels_are_within_their_intervals(covered: Any, noise: str, blocks: int) -> None:
    drawn = covered.studies(noise, STUDIES, 1, blocks)
    found = [level_estimate([float(v) for v in row]) for row in np.exp(drawn.logs[:, 0])]
    share = held(found, float(np.exp(drawn.means[0])))
    assert 0.95 - SLACK <= share <= 0.95 + 0.01 + WIDER + SLACK


@pytest.mark.parametrize("noise", [NORMAL, HEAVY, "skewed (exponential)"])
@pytest.mark.parametrize("blocks", [5, 7])
def test_95_of_100_medians_are_within_their_intervals(
    covered: Any, noise: str, blocks: int
) -> None:
    drawn = covered.studies(noise, STUDIES, 1, blocks)
    found = [median_estimate([float(v) for v in row]) for row in np.exp(drawn.logs[:, 0])]
    assert held(found, float(np.exp(drawn.medians[0]))) == pytest.approx(0.95, abs=0.01 + SLACK)


def held(found: Sequence[Estimate | None], truth: float) -> float:
    """The share of the intervals that hold the truth."""
    known = [one for one in found if one is not None]
    return sum((one.low or 0) <= truth <= (one.high or 0) for one in known) / len(found)


def test_the_same_studies_expose_the_earlier_bootstrap(covered: Any) -> None:
    """So the tests above fail with an interval that is too narrow."""
    earlier = covered.of_ratios(NORMAL, 5, "expanded percentile bootstrap (first)", STUDIES)
    chosen = covered.of_ratios(NORMAL, 5, CHOSEN, STUDIES)
    assert 0.95 - SLACK <= chosen.share <= 0.95 + WIDER + SLACK
    assert earlier.share < 0.95 - 0.01 - SLACK


def test_equal_arms_show_a_difference_in_1_of_20_studies_however_many_there_are(
    covered: Any,
) -> None:
    found = covered.alarms(NORMAL, 6, 5, 1000)
    assert found.together <= 0.05 + 0.02
    assert found.alone > 0.10


def test_a_study_that_stops_when_it_is_precise_still_holds_the_truth(covered: Any) -> None:
    found = covered.stopped(NORMAL, 0.02, 40, 2000)
    assert found.always >= 0.95 - SLACK
    assert found.level >= 0.95 - SLACK
    assert found.sequence >= 0.95 - SLACK
    assert found.fixed < found.sequence
    assert found.fixed_blocks < found.blocks


def test_the_true_ranks_are_within_their_limits(covered: Any) -> None:
    found = covered.ranks(NORMAL, 5, 6, 0.03, 400)
    assert found.share >= 0.95 - 0.02
    assert 1 < found.ranks < 5


@pytest.mark.parametrize("blocks", [5, 7, 10, 20])
def test_4_of_5_studies_show_a_difference_of_the_size_called_detectable(blocks: int) -> None:
    """The size comes from one study, and another one has a true difference of that size."""
    rng = np.random.default_rng(blocks)
    shown = 0
    for first, second in 0.03 * rng.standard_normal((STUDIES // 2, 2, blocks)):
        size = against_a_steady_arm(first).smallest_detectable
        assert size is not None
        shown += against_a_steady_arm(second + np.log1p(size)).outcome == "better"
    assert 0.78 <= shown / (STUDIES // 2) <= 0.85


def against_a_steady_arm(logs: Any) -> Comparison:
    arm = {block: float(np.exp(value)) for block, value in enumerate(logs)}
    at = ("l", "p")
    return compare(dict.fromkeys(arm, 1.0), arm, names=("a", "b"), at=at, metric="throughput")


@pytest.mark.parametrize(("blocks", "least"), [(5, 0.90), (7, 0.91), (10, 0.92), (20, 0.94)])
def test_a_long_tail_of_one_arm_is_allowed_for(covered: Any, blocks: int, least: float) -> None:
    """Student's t alone holds the truth in 88, 89, 90 and 92 of 100."""
    drawn = covered.studies("skewed in one arm only", STUDIES, 2, blocks)
    for values, truth in ((drawn.ratios, drawn.ratio), (drawn.logs[:, 1], drawn.means[1])):
        low, high = np.array([mean_interval(row) for row in values.tolist()]).T
        assert np.mean((low <= truth) & (truth <= high)) >= least


def test_an_interval_misses_a_mode_that_no_start_was_in_and_hardly_any_other(covered: Any) -> None:
    """The most that an interval can hold: 76 and 94 of 100 with 5 and 10 restarts."""
    for blocks, seen in ((5, 0.763), (10, 0.944), (20, 0.997)):
        found = covered.of_levels("25 % of starts 15 % slower", blocks, LEVEL, STUDIES)
        assert seen - 0.04 <= found.share <= seen + 0.02


@pytest.mark.parametrize(("drift", "least"), [("0.3", 0.925), ("0.8", 0.72)])
@pytest.mark.parametrize("blocks", [5, 7, 10, 20])
def test_a_level_allows_for_drift(covered: Any, drift: str, least: float, blocks: int) -> None:
    """Student's t alone holds the truth in 86 to 89 of 100, and in 47 to 54."""
    found = covered.of_levels(f"each arm drifts, AR(1) {drift}", blocks, LEVEL, STUDIES)
    assert found.share >= least


def test_a_difference_is_shown_exactly_if_its_interval_at_that_level_is_on_one_side() -> None:
    rng = np.random.default_rng(8)
    for logs in rng.standard_exponential((300, 7)) - 0.6:
        found = against_a_steady_arm(logs)
        assert found.p_value is not None
        assert (found.outcome == "no difference shown") == (found.p_value >= 0.05)
