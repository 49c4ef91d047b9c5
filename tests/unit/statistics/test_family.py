"""Several comparisons: Holm's procedure, intervals that agree with it, ranks and ties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from httpdyno.result import Comparison, Ranking
from httpdyno.statistics.claims.comparisons import with_decision
from httpdyno.statistics.claims.family import judge, key_of
from httpdyno.statistics.claims.holm import holm
from httpdyno.statistics.claims.rankings import Contest, _ties, ranking
from httpdyno.statistics.compare import compare, paired_p_value
from httpdyno.statistics.intervals import geometric_mean
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


def judged(rows: list[Comparison], *, sequential: bool = False) -> list[Comparison]:
    decisions = judge(rows, [])
    return [
        with_decision(row, decisions.get(key_of(row)), len(decisions), sequential=sequential)
        for row in rows
    ]


@given(st.integers(0, 10_000), st.integers(1, 12), st.booleans())
def test_the_interval_shown_never_contradicts_the_outcome(
    seed: int, arms: int, sequential: bool
) -> None:
    blocks = 12 if sequential else 6
    alone = family(seed, arms, blocks=blocks, sequential=sequential)
    for before, one in zip(alone, judged(alone, sequential=sequential), strict=True):
        assert one.ratio is not None
        assert before.ratio is not None
        assert one.ratio.low is not None
        assert one.ratio.high is not None
        assert one.adjusted_p_value is not None
        assert one.shown == (not one.ratio.low <= 1 <= one.ratio.high)
        assert one.shown == (one.adjusted_p_value <= 0.05)
        assert one.level >= before.level == 0.95
        assert one.ratio.low <= (before.ratio.low or 0)
        assert one.adjusted_with == arms


def test_one_comparison_is_decided_as_if_it_were_alone() -> None:
    (alone,) = family(3, 1)
    (found,) = judged([alone])
    assert found.ratio == alone.ratio
    assert found.adjusted_p_value == alone.p_value


def test_every_metric_and_every_control_is_one_family() -> None:
    five = family(1, 5)
    other = [one.model_copy(update={"metric": "p99"}) for one in family(2, 2)]
    control = five[0].model_copy(update={"arm": "a (A/A)"})
    found = judged([*five, *other, control])
    assert [one.adjusted_with for one in found] == [8] * 8


def test_a_comparison_without_a_result_counts_for_nothing() -> None:
    few = [one.model_copy(update={"arm": "few"}) for one in family(1, 1, blocks=4)]
    found = judged([*few, *family(1, 2)])
    assert (found[0].outcome, found[0].adjusted_p_value) == ("no result", None)
    assert [one.adjusted_with for one in found[1:]] == [2, 2]


def contest(levels: dict[str, float], metric: str = "throughput", blocks: int = 8) -> Contest:
    rng = np.random.default_rng(5)
    noise = np.exp(0.01 * rng.standard_normal((len(levels), blocks)))
    trials = {
        name: {b: level * float(v) for b, v in enumerate(row)}
        for (name, level), row in zip(levels.items(), noise, strict=True)
    }
    return of_trials(trials, metric)


def of_trials(trials: dict[str, dict[int, float]], metric: str = "throughput") -> Contest:
    p_values = {
        (a, b): paired_p_value(trials[a], trials[b], sorted(trials[a].keys() & trials[b].keys()))
        for a in trials
        for b in trials
        if a < b
    }
    return Contest(
        load="l",
        point="p",
        metric="p99" if metric == "p99" else "throughput",
        trials=trials,
        estimates={arm: geometric_mean(list(mine.values())) or 0 for arm, mine in trials.items()},
        p_values={pair: p for pair, p in p_values.items() if p is not None},
        unranked={},
    )


def ranked(one: Contest) -> Ranking:
    decisions = judge([], [one])
    own = {pair: decisions[one.metric, "l", "p", frozenset(pair), ""] for pair in one.p_values}
    return ranking(one, own)


def test_arms_that_differ_by_rounding_alone_share_their_rank() -> None:
    found = ranked(
        of_trials({"a": dict.fromkeys(range(8), 0.3), "b": dict.fromkeys(range(8), 0.1 * 3)})
    )
    assert [(one.best, one.worst) for one in found.arms] == [(1, 2), (1, 2)]
    assert found.arms[1].ratio is not None
    assert found.arms[1].ratio.value == 1


def test_arms_far_apart_have_one_rank_each_and_equal_ones_share_theirs() -> None:
    found = ranked(contest({"slow": 1.0, "twin": 2.0, "same": 2.0, "fast": 4.0}))
    limits = {one.arm: (one.best, one.worst) for one in found.arms}
    assert limits == {"fast": (1, 1), "twin": (2, 3), "same": (2, 3), "slow": (4, 4)}
    assert (found.first, found.last) == (["fast"], "slow")
    assert [sorted(tie) for tie in found.ties] == [["same", "twin"]]


def test_the_lowest_response_time_ranks_first() -> None:
    levels = {"slow": 4.0, "fast": 1.0}
    assert ranked(contest(levels, "p99")).first == ["fast"]
    assert ranked(contest(levels)).first == ["slow"]


def test_the_other_arms_have_their_ratio_to_the_first_at_the_level_of_the_decision() -> None:
    first, *others = ranked(contest({"slow": 1.0, "twin": 2.0, "fast": 4.0})).arms
    assert (first.arm, first.ratio) == ("fast", None)
    for one, level in zip(others, (0.5, 0.25), strict=True):
        assert one.ratio is not None
        assert one.ratio.low is not None
        assert one.ratio.high is not None
        assert one.ratio.low < level < one.ratio.high < 1
        assert one.level > 0.95


def test_the_arm_shown_to_be_better_leads_though_its_estimate_is_lower() -> None:
    """One lacks its two best blocks: in each block that both have, it is better."""
    base = {block: 100.0 * 1.5**block for block in range(8)}
    better = {block: 1.1 * value * 1.001**block for block, value in base.items() if block < 6}
    found = ranked(of_trials({"whole": base, "better": better}))
    assert found.first == ["better"]
    assert [one.arm for one in found.arms] == ["better", "whole"]


def test_an_arm_between_two_that_differ_is_tied_with_both() -> None:
    assert _ties(["a", "b", "c"], {("a", "c")}) == [["a", "b"], ["b", "c"]]
    assert _ties(["a", "b", "c"], set()) == [["a", "b", "c"]]
    assert _ties(["a", "b"], {("a", "b")}) == []


def test_any_two_arms_without_a_shown_difference_are_tied() -> None:
    """Ties are no runs of neighbours: the first and the last are tied, too."""
    shown = {("a", "c"), ("b", "d")}
    assert _ties(["a", "b", "c", "d"], shown) == [["a", "b"], ["a", "d"], ["b", "c"], ["c", "d"]]


def test_an_arm_that_was_never_compared_with_another_is_not_the_last() -> None:
    """b and c have no block in common: c may be the better of the two."""
    levels = {"a": 1000.0, "b": 2000.0, "c": 500.0}
    wobble = (1.0, 1.01, 0.99, 1.005, 0.995)
    blocks = {"a": range(10), "b": range(5), "c": range(5, 10)}
    trials = {
        arm: {block: levels[arm] * wobble[(block + place) % 5] for block in blocks[arm]}
        for place, arm in enumerate(levels)
    }
    found = ranked(of_trials(trials))
    assert {(one.arm, one.best, one.worst) for one in found.arms} == {
        ("b", 1, 2),
        ("a", 2, 2),
        ("c", 2, 3),
    }
    assert (found.first, found.last) == (["b"], None)
