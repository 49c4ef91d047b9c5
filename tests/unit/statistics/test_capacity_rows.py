"""Capacities from the walks of a study's trials."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from httpdyno.limits.thresholds import parse_limit
from httpdyno.limits.walk import OverloadSecond, Walk
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Plan
from httpdyno.report.contents.rows.tables import capacity_shown
from httpdyno.statistics.capacity.answer import capacity_answer
from httpdyno.statistics.capacity.rows import confirmed_rate, recovery_s
from httpdyno.study.read import parse_study
from walk_samples import STUDY, climbs, confirmed, profiled, result, row, step, study, with_walk


def test_a_capacity_is_the_median_over_restarts_with_its_interval() -> None:
    found = row(result(study(), climbs([900.0, 1000.0, 1010.0, 1020.0, 1100.0]))).capacity
    assert found is not None
    assert found.capacity_per_s is not None
    assert found.capacity_per_s.value == 1010.0
    assert found.capacity_per_s.low is not None
    assert found.capacity_per_s.low < 1010.0
    assert len(found.curve) == 10


def bent(*disturbed: float) -> TrialOutcome:
    """A climb whose median latency bends at 700/s, and steps of these rates that others slowed."""
    rates = range(100, 1001, 100)
    steps = [step(rate, 0.005 + 0.00005 * max(0, rate - 700)) for rate in rates]
    slow = [step(r, 0.5, held=False).model_copy(update={"outcome": "disturbed"}) for r in disturbed]
    walk = Walk(task="climb", cores=1, steps=(*steps, *slow), ended="limit", capacity_per_s=1000.0)
    return with_walk(0, 0, "a/1-worker", walk)


@pytest.mark.parametrize("disturbed", [(), (950.0,), (150.0, 950.0)])
def test_a_disturbed_step_does_not_move_the_knee(disturbed: tuple[float, ...]) -> None:
    found = row(result(study(blocks=2), [bent(*disturbed)])).capacity
    assert found is not None
    assert found.knee_per_s == 700.0


def test_the_answer_says_what_each_arm_needs_for_the_rate_and_then_what_it_holds() -> None:
    made = result(study(), climbs([990.0, 1000.0, 1010.0, 1020.0, 1030.0]))
    assert made.answer.startswith(
        "Ay (1 worker) needs 3 to 4 cores (2.97; 95 % CI 2.91 to 3.04) for"
    )
    assert " 3,000/s at p99 ≤ 20 ms. It holds 1,010 requests/s (95 % CI " in made.answer
    assert "5 trials" in made.answer


@pytest.mark.parametrize(("loads", "noun"), [(("l0",), "arms"), (("l0", "l1"), "results")])
def test_the_results_of_several_searches_are_not_counted_as_arms(
    loads: Sequence[str], noun: str
) -> None:
    one = row(result(study(), climbs([1000.0] * 5)))
    names = {f"a{number}": f"A{number}" for number in range(12 // len(loads))}
    rows = [one.model_copy(update={"arm": arm, "load": load}) for load in loads for arm in names]
    assert capacity_answer(rows, names).endswith(f"The table has 4 more {noun}.")


def test_nothing_is_said_of_the_intervals_of_comparisons_that_have_none() -> None:
    alone = result(study(), climbs([1000.0] * 5))
    assert not any("Each interval" in note for note in alone.notes)
    both = result(study(), [*climbs([1000.0] * 5), *climbs([1900.0] * 5, "a/2-workers", 2)])
    assert any("Each interval" in note for note in both.notes)


def bounds(first: int, *values: float) -> list[TrialOutcome]:
    """Climbs that the ceiling of the generator ended."""
    return [
        with_walk(
            first + n,
            first + n,
            "a/1-worker",
            Walk(task="climb", cores=1, ended="ceiling", at_least_per_s=value),
        )
        for n, value in enumerate(values)
    ]


def test_where_the_generator_ended_most_climbs_there_is_a_bound_and_no_number() -> None:
    made = result(study(), [*climbs([1000.0] * 2), *bounds(2, 1000.0, 1000.0, 1000.0)])
    found = row(made).capacity
    assert found is not None
    assert (found.capacity_per_s, found.at_least_per_s) == (None, 1000.0)
    assert "at least 1,000 requests/s" in made.answer
    assert (
        "needs at most 3 cores (3.00 or fewer) for 3,000/s at p99 ≤ 20 ms."
        " It holds at least 1,000 requests/s: the search ended before the server reached its"
        " limits." in made.answer
    )


@pytest.mark.parametrize(("held", "status"), [(3, "valid"), (1, "invalid")])
def test_a_capacity_that_fresh_starts_do_not_hold_is_invalid(held: int, status: str) -> None:
    fresh = [confirmed(20 + n, 5 + n, held=n < held) for n in range(4)]
    found = row(result(study(confirm=4), [*climbs([1000.0] * 5), *fresh]))
    assert found.status == status
    assert found.capacity is not None
    assert (found.capacity.held, found.capacity.confirmations) == (held, 4)
    assert (found.capacity.capacity_per_s is None) == (status == "invalid")


def test_what_fresh_starts_hold_on_the_way_down_replaces_a_capacity_that_they_do_not_hold() -> None:
    kept = (700.0, 720.0, 740.0, 760.0, 780.0)
    fresh = [confirmed(20 + n, 5 + n, held=False, sustained=one) for n, one in enumerate(kept)]
    made = result(study(confirm=5), [*climbs([1000.0] * 5), *fresh])
    found = row(made)
    assert found.status == "suspect"
    assert found.reasons[0].code == "not_held"
    assert found.capacity is not None
    assert found.capacity.capacity_per_s is not None
    assert found.capacity.capacity_per_s.value == 740.0
    assert found.capacity.held == 0
    assert {trial.capacity_per_s for trial in found.trials} == {None}
    assert "holds 740 requests/s" in made.answer


def test_one_start_on_its_way_down_replaces_nothing() -> None:
    fresh = [confirmed(20 + n, 5 + n, held=n != 0, sustained=700.0) for n in range(5)]
    found = row(result(study(confirm=5), [*climbs([1000.0] * 5), *fresh]))
    assert found.status == "valid"
    assert found.capacity is not None
    assert found.capacity.capacity_per_s is not None
    assert found.capacity.capacity_per_s.value == 1000.0


def test_confirmations_do_not_count_as_restarts() -> None:
    fresh = confirmed(20, 5, held=True)
    found = row(result(study(confirm=1), [*climbs([1000.0] * 5), fresh]))
    assert len(found.trials) == 5


def test_a_study_is_complete_only_with_its_confirmations() -> None:
    both = [*climbs([1000.0] * 5), *climbs([1000.0] * 5, "a/2-workers", 2)]
    assert result(study(), both).complete
    assert not result(study(confirm=1), both).complete


def test_cores_are_in_proportion_to_the_deployment_with_the_most_cores() -> None:
    both = [*climbs([1000.0] * 5), *climbs([1500.0] * 5, "a/2-workers", 2)]
    found = row(result(study(), both)).capacity
    assert found is not None
    assert found.cores_needed is not None
    assert found.cores_needed.value == pytest.approx(3000 / (1500 / 2))
    assert found.cores_from == "a/2-workers"


def test_arms_are_compared_by_capacity_and_more_is_better() -> None:
    slow = climbs([1000.0, 1001.0, 1002.0, 1003.0, 1004.0])
    fast = climbs([2000.0, 2001.0, 2002.0, 2003.0, 2004.0], "a/2-workers", 2)
    (compared,) = result(study(), [*slow, *fast]).comparisons
    assert (compared.metric, compared.outcome) == ("capacity", "better")
    assert compared.ratio is not None
    assert compared.ratio.value == pytest.approx(2.0, rel=0.01)


@pytest.mark.parametrize(("bound", "median"), [(495.0, 544.0), (900.0, 551.0)])
def test_one_climb_that_ended_early_makes_no_bound_of_what_the_others_found(
    bound: float, median: float
) -> None:
    """A bound below the others says nothing; one above them counts as a value above the median."""
    made = result(study(), [*climbs([576.0, 551.0, 501.0, 537.0]), *bounds(4, bound)])
    found = row(made).capacity
    assert found is not None
    assert found.capacity_per_s is not None
    assert found.capacity_per_s.value == median
    assert found.high_is_bound == (bound > median)
    assert ("to at least " in made.answer) == (bound > median)
    assert "holds at least" not in made.answer


def test_an_arm_whose_best_starts_are_bounds_is_neither_compared_nor_ranked() -> None:
    """Its geometric mean is at least 107,000/s, more than that of the other arm."""
    unknown = [*climbs([95e3 + n for n in range(6)]), *bounds(6, 130e3, 130e3, 130e3, 130e3)]
    known = climbs([100e3 + n for n in range(10)], "a/2-workers", 2)
    made = result(study(blocks=10), [*unknown, *known])
    assert [(one.outcome, one.ratio) for one in made.comparisons] == [("no result", None)]
    assert made.rankings == []
    low = [*climbs([95e3 + n for n in range(6)]), *bounds(6, 90e3, 90e3, 90e3, 90e3)]
    (compared,) = result(study(blocks=10), [*low, *known]).comparisons
    assert compared.outcome == "better", "bounds below all others say nothing"


@pytest.mark.parametrize(
    ("found", "said"), [([576.0, 551.0], ""), ([576.0, 551, 540, 530], " or more")]
)
def test_an_interval_without_an_upper_end_is_one_only_where_there_is_an_interval(
    found: list[float], said: str
) -> None:
    cell = row(result(study(), [*climbs(found), *bounds(len(found), 900.0)]))
    assert cell.capacity is not None
    assert cell.capacity.high_is_bound
    shown = capacity_shown(cell, cell.capacity)
    assert shown.interval[-len(" or more") :] == said


def test_the_rate_to_confirm_is_the_lower_end_of_the_interval() -> None:
    few, many = climbs([1000.0, 900.0]), climbs([1000.0, 1010.0, 1020.0, 1030.0, 1040.0])
    assert confirmed_rate([]) is None
    assert confirmed_rate(few) == 900.0
    low = confirmed_rate(many)
    assert low is not None
    assert 990.0 <= low < 1020.0


def seconds(*p99_s: float) -> list[OverloadSecond]:
    shares = [2.0, *[0.7] * len(p99_s)]
    return [
        OverloadSecond(second=n, share=share, due=1, ok=1, p99_s=value)
        for n, (share, value) in enumerate(zip(shares, [9.0, *p99_s], strict=True))
    ]


def test_a_recovery_ends_with_two_seconds_within_the_limit() -> None:
    limits = [parse_limit("p99<20ms")]
    assert recovery_s(seconds(1.0, 0.01, 0.5, 0.01, 0.01), limits) == 3.0
    assert recovery_s(seconds(0.01, 0.01), limits) == 0.0
    assert recovery_s(seconds(1.0, 1.0, 0.01), limits) is None


def test_a_plan_confirms_and_profiles_after_all_blocks() -> None:
    text = STUDY.format(blocks=2, confirm=2).replace("profile = false", "profile = true")
    trials = Plan(parse_study(text, Path("most.toml"))).trials
    tasks = [trial.task for trial in trials]
    assert tasks == ["climb"] * 4 + ["confirm"] * 4 + ["profile"] * 2
    assert [trial.index for trial in trials] == list(range(10))
    assert [trial.block for trial in trials] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_a_capacity_load_has_one_point_that_its_limits_name() -> None:
    assert {cell.point.label for cell in Plan(study()).cells} == {"p99 ≤ 20 ms"}


def test_a_profile_says_what_is_kept_of_the_capacity_and_when_it_recovers() -> None:
    found = row(result(study(), [*climbs([1000.0] * 5), profiled(30, 5, 1000.0)])).capacity
    assert found is not None
    assert found.goodput_per_s == {"1.5": 1000.0, "2": 1000.0}
    assert found.recovery_s == 2.0
    assert [step.rate_per_s for step in found.profile] == [250.0, 500.0, 800.0]
