"""The search on one start: where it begins, what it believes, and where it ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import pytest
from httpdyno.capacity.search import (
    MOST_DISTURBED,
    REFUTING,
    UP,
    Climb,
    Descent,
    bracket,
    climb,
    crossing,
    descend,
    first_rate,
)
from httpdyno.limits.walk import StepOutcome

MOST = 1e6


@dataclass(frozen=True)
class Step:
    rate_per_s: float
    outcome: StepOutcome
    use: float | None
    seconds: float = 1.0
    excess: float | None = None


class Server:
    """Holds rates up to its capacity, and keeps what it was asked."""

    def __init__(
        self, capacity: float, odd: Callable[[int], StepOutcome | None] = lambda _: None
    ) -> None:
        self.capacity, self.odd = capacity, odd
        self.asked: list[float] = []

    def __call__(self, rate_per_s: float) -> Step:
        self.asked.append(rate_per_s)
        use = (rate_per_s / self.capacity) ** 8
        odd = self.odd(len(self.asked) - 1)
        return Step(rate_per_s, odd or ("held" if use <= 1 else "failed"), use)


def test_a_bracket_holds_at_its_lower_end_and_fails_at_its_upper_one() -> None:
    for capacity in (37.0, 500.0, 999.0):
        found = bracket(Server(capacity), 1000.0, MOST)
        assert found.good is not None
        assert found.bad is not None
        assert found.good <= capacity < found.bad <= found.good * 1.2


def test_a_bracket_goes_down_where_even_an_eighth_of_full_speed_fails() -> None:
    found = bracket(Server(5.0), 1000.0, MOST)
    assert found.good is not None
    assert found.good <= 5.0


def test_limits_that_hold_at_no_rate_cost_few_steps() -> None:
    server = Server(1e-9)
    assert bracket(server, 1000.0, MOST).good is None
    assert len(server.asked) == 8
    assert min(server.asked) == pytest.approx(1000 / 512)


def test_a_bracket_that_is_disturbed_from_the_first_rate_on_ends_at_once() -> None:
    server = Server(1e9, lambda _: "disturbed")
    assert bracket(server, 1000.0, MOST).good is None
    assert len(server.asked) == 2


def test_a_bracket_ends_at_the_ceiling_without_exceeding_it() -> None:
    server = Server(1e9)
    found = bracket(server, 1000.0, 700.0)
    assert found.at_ceiling
    assert found.good == pytest.approx(700.0)
    assert max(server.asked) <= 700.0


def test_a_server_that_holds_nothing_has_no_bracket() -> None:
    assert bracket(Server(1e-9), 1000.0, MOST).good is None


def test_a_climb_goes_up_by_even_steps_and_finds_the_capacity() -> None:
    server = Server(1000.0)
    found = climb(server, 850.0, MOST)
    assert found.ended == "limit"
    assert found.capacity_per_s == pytest.approx(1000.0, rel=1e-6)
    *rates, above = server.asked
    ups = [b / a for a, b in pairwise(rates) if b > a]
    assert ups == pytest.approx([UP] * len(ups))
    assert above == pytest.approx(1000.0 * REFUTING, rel=1e-6)


def test_a_rate_that_failed_once_has_to_hold_twice() -> None:
    once = Server(1000.0, lambda number: "failed" if number == 1 else None)
    assert climb(once, 850.0, MOST).capacity_per_s == pytest.approx(1000.0, rel=1e-6)
    twice = Server(1000.0, lambda number: "failed" if number in (1, 3) else None)
    found = climb(twice, 850.0, MOST)
    assert found.ended == "limit"
    assert found.capacity_per_s is not None
    assert 850.0 <= found.capacity_per_s <= 850.0 * UP


def test_a_climb_that_begins_too_high_goes_down_first() -> None:
    found = climb(Server(500.0), 1500.0, MOST)
    assert found.capacity_per_s == pytest.approx(500.0, rel=1e-6)


def test_a_climb_ends_at_the_ceiling_with_a_lower_bound_only() -> None:
    server = Server(1e9)
    found = climb(server, 850.0, 1000.0)
    assert (found.ended, found.capacity_per_s) == ("ceiling", None)
    assert found.at_least_per_s is not None
    assert 950.0 <= found.at_least_per_s <= 1001.0
    assert max(server.asked) <= 1001.0


def test_a_failure_of_the_generator_is_not_the_servers() -> None:
    late = Server(1e9, lambda number: "generator" if number >= 2 else None)
    found = climb(late, 100.0, MOST)
    assert (found.ended, found.capacity_per_s) == ("generator", None)
    assert found.at_least_per_s == pytest.approx(105.0)


def test_a_server_that_never_holds_ends_a_climb() -> None:
    assert climb(Server(1e-9), 1000.0, MOST).ended == "never"


def test_a_failure_within_its_limit_has_its_crossing_in_the_middle_of_the_step() -> None:
    found = crossing(Step(100.0, "held", 0.2), [Step(105.0, "failed", 0.5)])
    assert found == pytest.approx((100.0 * 105.0) ** 0.5)


def test_a_climb_begins_below_the_earlier_capacities() -> None:
    found = bracket(Server(1000.0), 1000.0, MOST)
    assert found.good is not None
    assert first_rate(found, [], 0.0) < found.good
    assert first_rate(None, [900.0, 1000.0, 5000.0], 0.0) == pytest.approx(930.0)
    assert first_rate(None, [1000.0], 1.0) == pytest.approx(930.0 / UP)


def test_a_server_that_fell_behind_counts_with_the_largest_use() -> None:
    behind, far = Step(105.0, "failed", None), Step(105.0, "failed", 1e6)
    good = Step(100.0, "held", 0.5)
    assert crossing(good, [behind, behind]) == crossing(good, [far, far])
    assert 100.0 < crossing(good, [behind, behind]) < crossing(good, [Step(105.0, "failed", 1.1)])


def test_a_rate_that_holds_needs_no_way_down() -> None:
    server = Server(1000.0)
    assert descend(server, 990.0) == Descent(True, 990.0)
    assert server.asked == [990.0]


def test_one_failure_alone_is_no_way_down() -> None:
    server = Server(1000.0, lambda number: "failed" if number == 0 else None)
    assert descend(server, 990.0) == Descent(True, 990.0)


def test_the_way_down_ends_at_the_first_rate_that_holds() -> None:
    found = descend(Server(900.0), 1000.0)
    assert found.held is False
    assert found.sustained_per_s is not None
    assert 900.0 / UP < found.sustained_per_s <= 900.0
    assert descend(Server(1.0), 1000.0) == Descent(False)


def test_disturbed_steps_are_repeated_and_do_not_count_as_failures() -> None:
    noisy = Server(1000.0, lambda number: "disturbed" if number in (1, 2, 4) else None)
    found = climb(noisy, 850.0, MOST)
    assert found.ended == "limit"
    assert found.capacity_per_s == pytest.approx(1000.0, rel=1e-6)


def test_where_late_calls_grow_gradually_more_steps_around_the_end_are_fitted() -> None:
    """The end of the climb errs by 8 %, as a few steps do that have fewer late calls by chance."""
    asked: list[float] = []

    def measure(rate_per_s: float) -> Step:
        asked.append(rate_per_s)
        excess = (rate_per_s / 1000) ** 10
        late = excess * (0.4 if len(asked) < 6 else 1.0)
        return Step(rate_per_s, "held" if late <= 1 else "failed", late, 5.0, late)

    found = climb(measure, 880.0, MOST)
    assert found.fitted
    assert found.capacity_per_s == pytest.approx(1000.0, rel=0.04)
    last = asked[-2:]
    assert max(last) / min(last) == pytest.approx(1 / 0.94, rel=0.05)


def test_a_rate_far_above_that_holds_refutes_the_end_of_a_climb() -> None:
    slowed = Server(1000.0, lambda number: "failed" if number in (2, 3) else None)
    found = climb(slowed, 500.0, MOST)
    assert slowed.asked[4] > 1.2 * 525.0
    assert found.ended == "limit"
    assert found.capacity_per_s == pytest.approx(1000.0, rel=1e-6)


def test_a_climb_that_is_refuted_again_and_again_has_no_capacity() -> None:
    """Every rate fails twice and then holds, as beside a program that comes and goes."""
    rates: dict[float, int] = {}

    def measure(rate_per_s: float) -> Step:
        tried = rates[rate_per_s] = rates.get(rate_per_s, 0) + 1
        grown = len(rates) % 3 == 2
        return Step(rate_per_s, "failed" if grown and tried <= 2 else "held", 0.9)

    found = climb(measure, 100.0, MOST)
    assert (found.ended, found.capacity_per_s, found.at_least_per_s) == ("contradicted", None, None)


def test_a_climb_that_is_always_disturbed_ends_without_a_bound() -> None:
    server = Server(1e9, lambda number: "disturbed" if number >= 2 else None)
    assert climb(server, 100.0, MOST) == Climb("disturbed")
    assert len(server.asked) == 2 + MOST_DISTURBED + 1


def test_a_confirmation_that_is_disturbed_neither_held_nor_failed() -> None:
    server = Server(1000.0, lambda _: "disturbed")
    assert descend(server, 990.0) == Descent(None)
