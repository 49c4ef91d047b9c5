"""Climbs that the machine disturbed: recognised by its counters, repeated, and never a number."""

from __future__ import annotations

import pytest
from httpdyno.limits.walk import Walk, WalkStep
from httpdyno.outcome import CoreUse, MachineUse
from httpdyno.running.measuring.capacity.trial import (
    MOST_REPEATED,
    repeat_if_disturbed,
    stays_busy,
)
from httpdyno.verdict.contention import (
    ContentionShares,
    Neighbours,
    contention_shares,
    in_words,
    most_contention,
)
from walk_samples import climbs


def used(
    busy: float, steal: float = 0.0, softirq: float = 0.0, window_s: float = 5.0
) -> MachineUse:
    core = CoreUse(core=0, busy_share=busy, softirq_share=softirq, steal_share=steal)
    other = CoreUse(core=1, busy_share=1.0, softirq_share=0.0, steal_share=0.5)
    return MachineUse(
        roles=("server", "generator"),
        window_s=window_s,
        cores=(core, other),
        memory_bytes=0,
        memory_total_bytes=0,
    )


def test_a_neighbour_is_what_no_known_program_used() -> None:
    assert contention_shares(used(busy=0.9), [0], known_cpu_s=3.0).others == pytest.approx(0.3)
    assert contention_shares(used(busy=0.6), [0], known_cpu_s=3.0).others == pytest.approx(0.0)


def test_time_that_the_host_took_counts_also_where_no_program_can_be_seen() -> None:
    for known_s in (3.0, None):
        found = contention_shares(used(busy=0.8, steal=0.2), [0], known_cpu_s=known_s)
        assert [found.stolen, found.others] == pytest.approx([0.2, 0.0])


def test_interrupts_of_the_load_are_no_neighbour() -> None:
    found = contention_shares(used(busy=0.75, softirq=0.15), [0], known_cpu_s=3.0)
    assert found.others == pytest.approx(0.0)


def test_other_cores_do_not_count() -> None:
    assert contention_shares(used(busy=0.6), [7], known_cpu_s=3.0) == (0.0, 0.0)


def test_a_neighbour_that_is_there_without_load_disturbs_every_step() -> None:
    seen = Neighbours(idle=ContentionShares(0.0, 0.3))
    assert [seen.share(ContentionShares(0.0, 0.3), rate) for rate in (500.0, 525.0)] == [0.3, 0.3]


def test_a_neighbour_that_comes_and_goes_disturbs_the_steps_in_which_it_is_there() -> None:
    seen = Neighbours(idle=ContentionShares(0.0, 0.0))
    assert seen.share(ContentionShares(0.0, 0.01), 500.0) == pytest.approx(0.0)
    assert seen.share(ContentionShares(0.0, 0.4), 525.0) == pytest.approx(0.39, abs=0.01)


def test_the_work_of_a_server_in_a_container_is_no_neighbour() -> None:
    """No process of it is known, and its work grows with the load."""
    seen = Neighbours(idle=ContentionShares(0.0, 0.01))
    shares = [
        seen.share(ContentionShares(0.0, 0.001 * rate), rate) for rate in (500.0, 525.0, 551.0)
    ]
    assert max(shares) < 0.05


def test_time_that_the_host_took_is_never_the_servers() -> None:
    seen = Neighbours(idle=ContentionShares(0.0, 0.0))
    assert seen.share(ContentionShares(0.2, 0.0), 500.0) == pytest.approx(0.2)


def test_a_short_measurement_is_disturbed_by_more_than_its_samples_can_err() -> None:
    assert most_contention(1.0, 1) > 0.09
    assert most_contention(60.0, 1) == 0.05
    assert "others took 31.0 % of the server's processors" in in_words(0.31, 0.05)


def walk(ended: str, capacity: float | None = None) -> Walk:
    step = WalkStep(rate_per_s=520.0, outcome="disturbed", use=1.2, why="others took 31 %")
    values = {"task": "climb", "cores": 1, "steps": (step,), "ended": ended}
    return Walk.model_validate(values | {"capacity_per_s": capacity})


def test_a_disturbed_climb_is_repeated_on_a_fresh_start() -> None:
    walks, notes = [walk("disturbed"), walk("limit", 560.0)], list[str]()
    found = repeat_if_disturbed(lambda: walks.pop(0), notes.append, restarted=True)
    assert (found.capacity_per_s, found.repeated) == (560.0, 1)
    assert notes == [
        "the machine was too busy: the step at 520/s could not be judged: others took 31 %:"
        " the climb is repeated on a fresh start"
    ]


def test_a_machine_that_stays_busy_ends_the_repeats() -> None:
    measured: list[Walk] = []

    def measure() -> Walk:
        measured.append(walk("disturbed"))
        return measured[-1]

    found = repeat_if_disturbed(measure, lambda _: None, restarted=True)
    assert (found.ended, found.capacity_per_s) == ("disturbed", None)
    assert len(measured) == MOST_REPEATED + 1


def test_a_climb_that_ended_at_its_limit_is_not_repeated() -> None:
    walks = [walk("limit", 560.0)]
    assert repeat_if_disturbed(lambda: walks.pop(0), lambda _: None, restarted=True).repeated == 0


def test_a_climb_of_a_server_that_ran_already_is_not_repeated_on_a_fresh_start() -> None:
    walks, notes = [walk("disturbed"), walk("limit", 560.0)], list[str]()
    repeat_if_disturbed(lambda: walks.pop(0), notes.append, restarted=False)
    assert notes[0].endswith("others took 31 %: the climb is repeated")


def test_two_searches_in_a_row_that_the_machine_disturbed_say_what_to_do_now() -> None:
    busy, fine = walk("disturbed"), walk("limit", 560.0)
    before = climbs([50.0])[0].model_copy(update={"walk": busy})
    repeated = busy.model_copy(update={"repeated": 1})
    assert stays_busy(repeated, [])
    assert stays_busy(busy, [before])
    assert not stays_busy(busy, [])
    assert not stays_busy(busy, climbs([50.0]))
    assert not stays_busy(fine.model_copy(update={"repeated": 1}), [before])
