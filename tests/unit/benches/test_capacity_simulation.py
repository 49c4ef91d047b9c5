"""Queues of known capacity, and the search for it in simulated time."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHES = Path(__file__).resolve().parents[3] / "benches"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import from `benches/`, which is a folder of programs, not a package."""
    monkeypatch.syspath_prepend(str(BENCHES))
    return importlib.import_module


def test_one_server_of_m_m_c_has_the_closed_form_of_m_m_1(load: Any) -> None:
    theory = load("queues.theory")
    beyond = theory.mmc_beyond(700.0, 1, 0.001, 0.010)
    assert beyond == pytest.approx(math.exp(-(1000 - 700) * 0.010))
    limit_s = math.log(100) / 300
    assert theory.mmc_capacity(1, 0.001, limit_s) == pytest.approx(700.0)


def test_erlang_c_is_that_of_the_published_tables(load: Any) -> None:
    # Cooper, "Introduction to Queueing Theory", 1981: 2 servers, 1 Erlang: 1/3.
    assert load("queues.theory").erlang_c(2, 1.0) == pytest.approx(1 / 3)
    assert load("queues.theory").erlang_c(1, 0.7) == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("queue", "servers", "service"), [("mmc", 8, "exponential"), ("md1", 1, "fixed")]
)
def test_simulated_queues_have_the_percentiles_of_theory(
    load: Any, queue: str, servers: int, service: str
) -> None:
    theory, simulated = load("queues.theory"), load("queues.simulated")
    mean_s, limit_s = 0.005, 0.025
    capacity = (
        theory.mmc_capacity(servers, mean_s, limit_s)
        if queue == "mmc"
        else theory.md1_capacity(mean_s, limit_s)
    )
    random, calls = np.random.default_rng(7), 60_000
    due = np.cumsum(simulated._gaps(random, "exponential", capacity, calls))
    served = simulated._services(random, service, mean_s, calls)
    response = simulated._responses(due, served, servers)
    assert float(np.mean(response > limit_s)) == pytest.approx(0.01, rel=0.25)


def test_a_limit_of_too_many_service_times_is_refused(load: Any) -> None:
    with pytest.raises(ValueError, match="too long"):
        load("queues.theory").md1_beyond(100.0, 0.001, 0.1)


@pytest.mark.parametrize(
    "number", range(6), ids=["steady", "3 %", "10 %", "slow starts", "drift", "pauses"]
)
def test_the_search_finds_the_capacity_of_a_simulated_server(load: Any, number: int) -> None:
    simulation = load("capacity_simulation")
    found = simulation.row(simulation.KINDS[number], restarts=5, studies=40)
    assert abs(found.bias) < 0.03
    assert found.coverage >= 0.8


@pytest.mark.parametrize("number", [0, 2, 6], ids=["M/D/1 of 1 ms", "of 0.2 ms", "M/M/4"])
def test_chance_does_not_move_the_capacity_of_a_queue_to_one_side(load: Any, number: int) -> None:
    simulation = load("capacity_simulation")
    kind = simulation.QUEUES[number]
    found = simulation.row(kind, restarts=5, studies=20)
    assert abs(found.bias) < 0.01
    assert found.error < 0.03


def test_the_capacity_of_d_m_1_is_that_of_its_recursion(load: Any) -> None:
    theory, simulated = load("queues.theory"), load("queues.simulated")
    capacity = theory.dm1_capacity(0.001, 0.020)
    random, calls = np.random.default_rng(7), 200_000
    due = np.cumsum(simulated._gaps(random, "constant", capacity, calls))
    response = simulated._responses(
        due, simulated._services(random, "exponential", 0.001, calls), 1
    )
    assert float(np.mean(response > 0.020)) == pytest.approx(0.01, rel=0.25)


def test_the_search_is_nearer_than_a_plain_bisection_where_restarts_differ(load: Any) -> None:
    simulation = load("capacity_simulation")
    kind = simulation.KINDS[1]
    climbs = simulation.row(kind, restarts=5, studies=60)
    bisected = simulation.row(kind, restarts=0, studies=60)
    assert climbs.error < bisected.error


def test_a_steady_server_is_known_within_three_percent_in_a_minute(load: Any) -> None:
    simulation = load("capacity_simulation")
    found = simulation.row(simulation.KINDS[0], restarts=5, studies=40)
    assert found.seconds < 60
    assert found.error < 0.03


def test_the_same_seed_gives_the_same_search(load: Any) -> None:
    simulation = load("capacity_simulation")
    kind = simulation.KINDS[1]
    assert simulation.search(kind, 5, "a") == simulation.search(kind, 5, "a")
    assert simulation.search(kind, 5, "a") != simulation.search(kind, 5, "b")
