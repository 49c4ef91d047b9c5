"""The arithmetic of `benches/low_latency.py`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

BENCHES = Path(__file__).resolve().parents[3] / "benches"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The bench, imported from a folder that is not a package."""
    monkeypatch.syspath_prepend(str(BENCHES))
    return importlib.import_module("low_latency")


def found(bench: Any, over_p99: float, lag_p99: float = 50.0) -> Any:
    return bench.Found(5.0, lag_p99, 20.0, over_p99, 4.0, None)


def test_each_case_has_a_pair_without_low_latency_and_only_sleepers_have_a_neighbour(
    bench: Any,
) -> None:
    cases = bench.cases([1000.0, 20_000.0])
    assert len(cases) == len(set(cases)) == 16 + 8
    with_it = {(c.rate, c.driver, c.waits, c.neighbour) for c in cases if c.low_latency}
    without = {(c.rate, c.driver, c.waits, c.neighbour) for c in cases if not c.low_latency}
    assert with_it == without
    assert all(case.waits == "asleep" for case in cases if case.neighbour)


def test_the_worst_case_with_low_latency_decides_a_goal_and_neighbours_never_do(bench: Any) -> None:
    case = bench.Case(1000.0, "epoll", "asleep", True, False)
    results = {
        case: [found(bench, 90.0), found(bench, 10.0), found(bench, 95.0)],
        bench.Case(1000.0, "io_uring", "asleep", True, False): [found(bench, 40.0)],
        bench.Case(1000.0, "epoll", "asleep", False, False): [found(bench, 4000.0)],
        bench.Case(1000.0, "epoll", "asleep", True, True): [found(bench, 4000.0)],
    }
    by_name = {goal.title: goal for goal in bench.goals(results)}
    met = by_name["asleep: p99 over the truth ≤ 100 µs"]
    assert (met.met, met.found) == (True, "worst: 90.0 µs, epoll at 1,000/s")
    assert by_name["spinning: p50 over the truth ≤ 10 µs"].met is None


def test_drivers_are_compared_round_by_round(bench: Any) -> None:
    results = {
        bench.Case(1000.0, "io_uring", "asleep", True, True): [
            found(bench, 200.0, lag_p99=10.0),
            found(bench, 300.0, lag_p99=90.0),
        ],
        bench.Case(1000.0, "epoll", "asleep", True, True): [
            found(bench, 100.0, lag_p99=10.0),
            found(bench, 100.0, lag_p99=30.0),
        ],
    }
    line = list(bench.drivers(results))[2]
    assert line == (
        "| 1,000 | low latency, busy neighbour | 2.00 (1.00 to 3.00) | 2.50 (2.00 to 3.00) |"
    )
