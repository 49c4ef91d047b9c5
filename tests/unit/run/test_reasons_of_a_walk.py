"""Why a walk has no capacity or only a bound: a cause is named if its own counter shows it."""

from __future__ import annotations

import pytest
from httpdyno.limits.walk import Walk, WalkStep
from httpdyno.running.measuring.capacity.reasons import reasons
from httpdyno.study import CapacityLoad

LOAD = CapacityLoad(kind="capacity", limits=("p99<5ms",))


def step(rate_per_s: float, outcome: str, why: str = "") -> WalkStep:
    values = {"rate_per_s": rate_per_s, "outcome": outcome, "use": 1.1, "why": why}
    return WalkStep.model_validate(values)


def walk(ended: str, *steps: WalkStep) -> Walk:
    values = {"task": "climb", "cores": 1, "steps": steps, "ended": ended}
    return Walk.model_validate(values)


def test_a_climb_that_ended_at_the_limit_needs_no_reason() -> None:
    assert reasons(walk("limit", step(500.0, "failed")), LOAD, 1e5) == []


def test_a_step_that_was_disturbed_is_not_the_load_generators_limit() -> None:
    late = "p99 5.30 ms > 5 ms; the load generator sent calls late by 900 µs"
    (found,) = reasons(walk("disturbed", step(520.0, "disturbed", late)), LOAD, 1e5)
    assert (found.code, found.status) == ("too_busy", "invalid")
    assert found.text == f"the machine was too busy: the step at 520/s could not be judged: {late}"
    assert "noise can only lower a capacity" in found.hint


def test_the_load_generator_is_named_with_the_counter_that_shows_it() -> None:
    busy = "p99 9.00 ms > 5 ms; the load generator's busiest thread used 96 % of a CPU"
    steps = step(9000.0, "held"), step(9450.0, "generator", busy), step(9450.0, "failed", "p99")
    (found,) = reasons(walk("generator", *steps), LOAD, 1e5)
    assert found.status == "suspect"
    assert f"the load generator could send no more at 9,450/s: {busy}" in found.text


@pytest.mark.parametrize(
    ("rate_max", "words"), [(None, "80 % of the load generator's ceiling"), (60.0, "that was set")]
)
def test_the_end_of_a_search_says_who_set_it(rate_max: float | None, words: str) -> None:
    load = LOAD.model_copy(update={"rate_max": rate_max})
    (found,) = reasons(walk("ceiling", step(60.0, "held")), load, 60.0)
    assert words in found.text


def test_the_end_of_a_search_says_that_the_machine_was_busy_when_the_ceiling_was_measured() -> None:
    (found,) = reasons(walk("ceiling", step(60.0, "held")), LOAD, 60.0, ceiling_is_bound=True)
    assert found.text.endswith("ceiling, which is at least so high (the machine was busy)")
    assert "stop other programs, or give the load generator more CPUs" in found.hint


def test_limits_that_never_held_say_what_was_measured() -> None:
    lowest = step(12.5, "failed", "p99 9.00 ms > 5 ms")
    (found,) = reasons(walk("never", step(25.0, "failed"), lowest), LOAD, 1e5)
    assert found.text == "the limits did not hold even at 12.5/s: p99 9.00 ms > 5 ms"
    alone = walk("never").model_copy(update={"why": " even for one call at a time: p99 5.20 ms"})
    (found,) = reasons(alone, LOAD, 1e5)
    assert found.text == "the limits did not hold even for one call at a time: p99 5.20 ms"


def test_a_start_that_was_not_searched_says_nothing_about_the_limits() -> None:
    why = {"why": "not searched, because 2 starts before it held no rate"}
    (found,) = reasons(walk("skipped").model_copy(update=why), LOAD, 1e5)
    assert (found.code, found.status, found.text) == ("skipped", "invalid", why["why"])
