"""Several comparisons: Holm's procedure, intervals that agree with it, ranks and ties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from httpdyno.result import Comparison
from httpdyno.statistics.compare import compare
from httpdyno.statistics.several.comparisons import judged_together
from httpdyno.statistics.several.holm import holm
from httpdyno.statistics.several.rankings import _limits, _ties, shown_pairs
from hypothesis import given
from hypothesis import strategies as st

SHARE = st.floats(0, 1)


def test_holm_decides_as_in_its_textbook_example() -> None:
    """0.01, 0.04, 0.03, 0.005 of four: R's `p.adjust(p, "holm")` gives 0.03, 0.06, 0.06, 0.02."""
    found = holm([0.01, 0.04, 0.03, 0.005])
    assert [one.adjusted for one in found] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    # The smallest was decided at 5 % / 4, the next at 5 % / 3, the rest where it stopped.
    levels = [1 - one.level for one in found]
    assert levels == pytest.approx([0.05 / 3, 0.05 / 2, 0.05 / 2, 0.05 / 4])


@given(st.lists(SHARE, max_size=20))
def test_a_decision_shows_a_difference_exactly_if_its_own_level_does(p_values: list[float]) -> None:
    for p_value, one in zip(p_values, holm(p_values), strict=True):
        assert one.adjusted >= p_value
        assert 0.95 <= one.level < 1
        if not math.isclose(p_value, 1 - one.level, rel_tol=1e-9):
            assert (one.adjusted <= 0.05) == (p_value <= 1 - one.level)


def family(
    seed: int, arms: int, *, blocks: int = 6, spread: float = 0.03, sequential: bool = False
) -> list[Comparison]:
    """Comparisons with one baseline of arms, half of which are 10 % better."""
    rng = np.random.default_rng(seed)
    values = np.exp(spread * rng.standard_normal((arms + 1, blocks)))
    values[arms // 2 + 1 :] *= 1.1
    base, *others = ({b: float(v) for b, v in enumerate(arm)} for arm in values)
    return [
        compare(
            base,
            other,
            names=("a", str(n)),
            at=("l", "p"),
            metric="throughput",
            sequential=sequential,
        )
        for n, other in enumerate(others)
    ]


@given(st.integers(0, 10_000), st.integers(1, 12), st.booleans())
def test_the_interval_shown_never_contradicts_the_outcome(
    seed: int, arms: int, sequential: bool
) -> None:
    blocks = 12 if sequential else 6
    alone = family(seed, arms, blocks=blocks, sequential=sequential)
    for before, one in zip(alone, judged_together(alone, sequential=sequential), strict=True):
        assert one.ratio is not None
        assert before.ratio is not None
        assert one.ratio.low is not None
        assert one.ratio.high is not None
        assert one.adjusted_p_value is not None
        shown = one.outcome in ("better", "worse")
        assert shown == (not one.ratio.low <= 1 <= one.ratio.high)
        assert shown == (one.adjusted_p_value <= 0.05)
        assert one.level >= before.level == 0.95
        assert one.ratio.low <= (before.ratio.low or 0)
        assert one.adjusted_with == arms


def test_one_comparison_is_decided_as_if_it_were_alone() -> None:
    (alone,) = family(3, 1)
    (judged,) = judged_together([alone])
    assert judged.ratio == alone.ratio
    assert judged.adjusted_p_value == alone.p_value


def test_each_metric_is_judged_for_itself_and_controls_stay_alone() -> None:
    five = family(1, 5)
    other = [one.model_copy(update={"metric": "p99"}) for one in family(2, 2)]
    control = five[0].model_copy(update={"arm": "a (A/A)"})
    judged = judged_together([*five, *other, control], {"a (A/A)"})
    assert [one.adjusted_with for one in judged] == [5] * 5 + [2] * 2 + [1]
    assert judged[-1] == control


def test_a_comparison_without_a_result_counts_for_nothing() -> None:
    few = family(1, 1, blocks=4)
    judged = judged_together([*few, *family(1, 2)])
    assert (judged[0].outcome, judged[0].adjusted_p_value) == ("no result", None)
    assert [one.adjusted_with for one in judged[1:]] == [2, 2]


def trials(levels: dict[str, float], blocks: int = 8) -> dict[str, dict[int, float]]:
    rng = np.random.default_rng(5)
    noise = np.exp(0.01 * rng.standard_normal((len(levels), blocks)))
    return {
        name: {b: level * float(v) for b, v in enumerate(row)}
        for (name, level), row in zip(levels.items(), noise, strict=True)
    }


def test_arms_far_apart_have_one_rank_each_and_equal_ones_share_theirs() -> None:
    found = trials({"slow": 1.0, "twin": 2.0, "same": 2.0, "fast": 4.0})
    pairs = [(a, b) for a in found for b in found if a < b]
    shown = shown_pairs(found, pairs, "throughput")
    limits = {arm: (one.best, one.worst) for arm in found for one in [_limits(arm, 4, shown)]}
    assert limits == {"fast": (1, 1), "twin": (2, 3), "same": (2, 3), "slow": (4, 4)}
    assert _ties(["fast", "same", "twin", "slow"], shown) == [["same", "twin"]]


def test_the_lowest_response_time_ranks_first() -> None:
    found = trials({"slow": 4.0, "fast": 1.0})
    assert shown_pairs(found, [("slow", "fast")], "p99") == {("fast", "slow")}
    assert shown_pairs(found, [("slow", "fast")], "throughput") == {("slow", "fast")}


def test_an_arm_between_two_that_differ_is_tied_with_both() -> None:
    assert _ties(["a", "b", "c"], {("a", "c")}) == [["a", "b"], ["b", "c"]]
    assert _ties(["a", "b", "c"], set()) == [["a", "b", "c"]]
    assert _ties(["a", "b"], {("a", "b")}) == []
