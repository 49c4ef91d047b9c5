"""The engine receives exactly the load that a study declares."""

from __future__ import annotations

import base64
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from httpdyno.engine_plan import EnginePlan
from httpdyno.host.pinning import split
from httpdyno.plan import Plan
from httpdyno.running.measuring.ceiling import shape
from httpdyno.running.measuring.engine_plan import engine_plan, longest_s
from httpdyno.running.measuring.measure import longest
from httpdyno.study.read import parse_study
from httpdyno.workloads import WORKLOADS

HEAD = 'title = "x"\nwarm_up = "2s"\n[[arms]]\nserver = "a"\ndeployments = ["1"]\n[loads.one]\n'


def plans(
    load: str, cpus: list[int] | None = None, workload: str = "hello", server_cores: int = 1
) -> list[EnginePlan]:
    found = Plan(parse_study(HEAD + load, Path("x.toml"))).cells
    at = ("127.0.0.1", 8080)
    pinning = split([0, *(cpus or [1])], server_cores)
    return [engine_plan(cell, WORKLOADS[workload], at, pinning, seed=9) for cell in found]


TABLE: list[tuple[str, dict[str, Any]]] = [
    (
        'kind = "closed"\nrequests = 1000\nhttp = "1.0"\nkeep_alive = false\nwarm_up = 0',
        {
            "http": "1.0",
            "keep_alive": False,
            "warm_up_s": 0.0,
            "load": {"kind": "closed", "connections": 10},
            "stop": {"count": 1000, "duration_s": None, "drain_s": 5.0, "until": None},
        },
    ),
    (
        'kind = "closed"\nduration = 3\nrequests = 9\nburst = 4\ncalls_per_connection = 7',
        {
            "burst": 4,
            "calls_per_connection": 7,
            "warm_up_s": 2.0,
            "stop": {"count": 9, "duration_s": 3.0, "drain_s": 5.0, "until": None},
        },
    ),
    (
        'kind = "sessions"\nrate = 20\ncalls = 5\nsessions = 400\nmax_open = 9\nthink = "1s"',
        {
            "think_s": 1.0,
            "calls_per_connection": None,
            "stop": {"count": 400, "duration_s": None, "drain_s": 5.0, "until": None},
        },
    ),
    (
        'kind = "closed"\nduration = 1\ntimeout = 3\nconnect_timeout = 2\nfirst_byte_timeout = 1',
        {"timeouts": {"connect_s": 2.0, "first_byte_s": 1.0, "reply_s": 3.0, "idle_s": None}},
    ),
]


@pytest.mark.parametrize(("load", "expected"), TABLE)
def test_every_word_of_a_load_reaches_the_engine(load: str, expected: dict[str, Any]) -> None:
    (plan,) = plans(load)
    written = asdict(plan)
    assert {name: written[name] for name in expected} == expected
    assert plan.seed == 9


def test_each_rate_is_a_plan_of_its_own() -> None:
    rates = plans('kind = "requests"\nrate = [100, 250]\nduration = 1\narrivals = "uniform"')
    arrivals = [asdict(plan)["load"]["arrivals"] for plan in rates]
    assert [one["segments"][0]["from_per_s"] for one in arrivals] == [100.0, 250.0]
    assert {one["spacing"] for one in arrivals} == {"uniform"}


def test_every_reply_is_checked_byte_for_byte() -> None:
    (plan,) = plans('kind = "closed"\nduration = 1')
    (request,) = plan.requests
    expected = base64.b64encode(b"Hello, world!").decode()
    assert asdict(request)["expect"] == {
        "status": [200],
        "body": {"base64": expected},
        "check_one_in": 1,
        "decode": None,
        "wrong_status": None,
    }


@pytest.mark.parametrize(
    ("connections", "cpus", "threads"), [(10, [3], 1), (10, [2, 3, 5], 3), (2, [1, 2, 3], 2)]
)
def test_the_engine_has_a_thread_a_core_but_none_without_a_connection(
    connections: int, cpus: list[int], threads: int
) -> None:
    (plan,) = plans(f'kind = "closed"\nduration = 1\nconnections = {connections}', cpus)
    assert (plan.threads, plan.cpus) == (threads, cpus[:threads])


def test_a_stuck_run_is_given_up_only_after_all_that_it_may_take() -> None:
    (plan,) = plans('kind = "closed"\nduration = 3\ntimeout = 7')
    assert longest_s(plan) > 2 + 3 + 5 + 7


def test_points_of_the_same_shape_share_a_ceiling_and_others_do_not() -> None:
    rates = Plan(
        parse_study(HEAD + 'kind = "requests"\nrate = [1, 2]\nduration = 1', Path("x"))
    ).cells
    pools = Plan(
        parse_study(HEAD + 'kind = "closed"\nconnections = [1, 2]\nduration = 1', Path("x"))
    ).cells
    assert len({shape(cell) for cell in rates}) == 1
    assert len({shape(cell) for cell in pools}) == 2


def test_a_ceiling_is_measured_for_no_longer_than_the_longest_trial_of_its_shape() -> None:
    loads = {
        "short": 'kind = "closed"\nduration = "400ms"',
        "long": 'kind = "closed"\nduration = "900ms"',
        "counted": 'kind = "closed"\nconnections = 2\nrequests = 300',
        "minute": 'kind = "closed"\nconnections = 3\nduration = 60',
        "search": 'kind = "capacity"\nlimits = ["p99<20ms"]\nduration = "100ms"',
    }
    head = HEAD.partition("[loads")[0]
    text = "".join(f"[loads.{name}]\n{load}\n" for name, load in loads.items())
    found = Plan(parse_study(head + text, Path("x"))).cells
    assert [cell.ceiling_s for cell in found] == [0.4, 0.9, 0.2, 1.5, 1.5]
    shared = [cell.load_name for cell in longest(found).values()]
    assert shared == ["long", "counted", "minute", "search"]


def test_every_trial_asks_for_low_latency_so_that_all_arms_have_the_same() -> None:
    loads = (
        'kind = "closed"\nduration = 1\nconnections = [1, 2]',
        'kind = "requests"\nrate = [10, 20]\nconnections = 2\nduration = 1',
    )
    found = [plan for load in loads for plan in plans(load)]
    assert all(plan.low_latency and not plan.shared_cpus for plan in found)


def test_a_server_that_wants_every_core_shares_the_generator_s() -> None:
    (plan,) = plans('kind = "closed"\nduration = 1', server_cores=2)
    assert (plan.cpus, plan.shared_cpus) == ([1], True)
