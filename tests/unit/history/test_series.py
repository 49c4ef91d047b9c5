"""A change stands beside what differs between the runs before and after it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from httpdyno.history import Observation, Others, Place, follow, machine_key, machine_words
from httpdyno.history.circumstances import circumstances, differences
from httpdyno.history.words import answer, causes, likely
from httpdyno.metrics import METRICS
from httpdyno.result import Estimate, Fact

THROUGHPUT = next(metric for metric in METRICS if metric.name == "throughput")
P99 = next(metric for metric in METRICS if metric.name == "p99")
STEP = [100.0, 101, 99, 100, 101, 90, 89, 91, 90, 89]


def facts(**values: str) -> list[Fact]:
    known = {"processor": "X", "cores": "2", "kernel": "6.1", **values}
    return [Fact(label=label, value=value) for label, value in known.items()]


def observations(
    values: list[float],
    *,
    server: str = "alpha",
    versions: tuple[str, str] = ("1.0", "1.0"),
    kernels: tuple[str, str] = ("6.1", "6.1"),
    at: int = 5,
) -> list[Observation]:
    """A number per night; versions and kernels before night `at`, and from it on."""
    place = Place("nightly", f"{server}/1", "full", "10 connections", THROUGHPUT, "m", "d")
    return [
        Observation(
            place=place,
            run=night + 1,
            at=night * 86_400.0,
            estimate=Estimate(value=value, low=None, high=None, trials=5),
            status="valid",
            server=server,
            load_words="closed",
            machine_words="X",
            circumstances=circumstances(
                versions[night >= at], "0.1.0", facts(kernel=kernels[night >= at])
            ),
        )
        for night, value in enumerate(values)
    ]


def test_a_new_version_of_the_server_is_named_as_the_cause() -> None:
    (series,) = follow(observations(STEP, versions=("1.0", "2.0")))
    (change,) = series.changes
    assert (change.before.run, change.after.run, change.outcome) == (5, 6, "worse")
    assert list(causes(change)) == ["server: 1.0 → 2.0"]
    assert likely(change) == "The server's version changed, nothing else that is recorded."


def test_a_change_of_all_servers_at_once_points_to_the_machine() -> None:
    both = [*observations(STEP), *observations(STEP, server="beta", kernels=("6.1", "6.6"))]
    alpha, beta = follow(both)
    assert likely(alpha.changes[0]).startswith("All 2 servers of this run changed alike: the mach")
    assert "facts about it changed" in likely(beta.changes[0])
    assert list(causes(beta.changes[0])) == ["kernel: 6.1 → 6.6"]


def test_a_change_of_one_server_among_others_says_that_these_did_not_change() -> None:
    series = follow([*observations(STEP), *observations([100.0] * 10, server="beta")])
    (change,) = series[0].changes
    assert change.others == Others(steady=1)
    assert likely(change) == (
        "Nothing that is recorded changed with it; the other server of this run did not change"
        " with it."
    )


def test_runs_that_were_stored_out_of_order_are_followed_by_date() -> None:
    (series,) = follow(reversed(observations(STEP)))
    assert [one.run for one in series.observations] == list(range(1, 11))
    assert series.changes[0].after.run == 6


def test_less_latency_is_better() -> None:
    slower = [
        Observation(**{**vars(one), "place": Place("s", "a/1", "l", "p", P99, "m", "d")})
        for one in observations(STEP)
    ]
    (series,) = follow(slower)
    assert series.changes[0].outcome == "better"


@pytest.mark.parametrize(("nights", "said"), [(1, "1 run,"), (3, "3 runs,")])
def test_a_short_history_says_so(nights: int, said: str) -> None:
    series = follow(observations(STEP[:nights]))
    assert series[0].is_short
    told = answer(series)
    assert told.startswith(f"Too few runs to tell a change: the longest series has {said}")
    assert "expected 4 or more" in told


def test_a_history_without_a_change_says_over_how_many_runs() -> None:
    calm = [100.0, 102, 99, 101, 98, 100, 101, 99]
    assert answer(follow(observations(calm))) == (
        "No change of more than 5 % is shown in 1 series over 8 runs, 1970-01-01 to 1970-01-08."
        " In it, a lasting rise of 6.9 % or fall of 6.5 % would probably have shown; a smaller one"
        " may not."
    )


def test_runs_of_one_day_have_one_date_and_a_change_its_run() -> None:
    hours = [replace(one, at=one.run * 3600.0) for one in observations(STEP)]
    told = answer(follow(hours))
    assert "in 1 series over 10 runs on 1970-01-01. The latest is" in told
    assert "worse from run 6 (1970-01-01) on." in told


def test_what_others_did_is_said_as_far_as_it_is_known() -> None:
    rise = [100.0, 101, 99, 100, 101, 112, 111, 110, 112, 111]
    noisy = [100.0, 140, 80, 120, 90, 130, 70, 110, 100, 95]
    for beside, others, said in (
        (rise, Others(opposite=1), "the other server of this run changed the other way"),
        (
            noisy,
            Others(unclear=1),
            "the other server of this run may or may not have changed with it",
        ),
        (STEP[:3], Others(), "Nothing that is recorded changed with it."),
    ):
        first = follow([*observations(STEP), *observations(beside, server="beta")])[0]
        assert first.changes[0].others == others
        assert said in likely(first.changes[0])


def test_a_change_within_the_margin_is_told_and_is_no_headline() -> None:
    found = follow(observations(STEP), margin=0.3)
    assert found[0].changes[0].outcome == "small"
    told = answer(found)
    assert told.startswith("No change of more than 30 % is shown in 1 series over 10 runs")
    assert "1 smaller change is shown" in told


def test_a_large_margin_is_a_plain_number() -> None:
    told = answer(follow(observations(STEP), margin=9.996))
    assert told.startswith("No change of more than 1,000 % is shown in 1 series")


def test_a_machine_is_told_by_its_processor_and_not_by_its_load_or_its_kernel() -> None:
    assert machine_key(facts()) == machine_key(facts(kernel="6.6", memory="8 GiB"))
    assert machine_key(facts()) != machine_key(facts(processor="Y"))
    assert machine_words(facts(memory="8 GiB")) == "X, 2, 8 GiB"
    assert machine_words([]) == "unknown machine"


def test_what_differs_from_run_to_run_on_the_same_machine_is_no_cause() -> None:
    load = "load average at the start"
    one = circumstances("1", "2", [*facts(), Fact(label=load, value="0.1")])
    other = circumstances("1", "2", [*facts(), Fact(label=load, value="3.0")])
    assert differences(one, other) == ()


def test_a_fact_that_only_one_side_has_is_a_difference() -> None:
    (found,) = differences({"server": "1"}, {"server": "1", "SMT": "on"})
    assert (found.what, found.before, found.after, found.kind) == ("SMT", "", "on", "machine")


def test_a_server_that_changed_at_another_run_did_not_change_with_this_one() -> None:
    later = [100.0 + at % 3 for at in range(12)] + [80.0 + at % 3 for at in range(6)]
    early = [200.0 + at % 3 for at in range(6)] + [160.0 + at % 3 for at in range(12)]
    series = follow([*observations(early), *observations(later, server="beta")])
    assert [change.others for one in series for change in one.changes] == [Others(steady=1)] * 2
