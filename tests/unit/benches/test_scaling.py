"""The arithmetic of `benches/scaling/`."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

BENCHES = Path(__file__).resolve().parents[3] / "benches"


@pytest.fixture
def beside(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The bench of a worker, imported from a folder that is not on the path."""
    monkeypatch.syspath_prepend(str(BENCHES))
    return importlib.import_module("scaling.beside")


def pairs(beside: Any, ratios: list[float]) -> list[Any]:
    """Pairs in which the worker multiplies every figure."""
    alone = beside.Found(5.0, 20.0, 4.0)
    inside = [beside.Found(5.0 * ratio, 20.0 * ratio, 4.0 * ratio) for ratio in ratios]
    return [beside.Pair(alone, found, 0.01) for found in inside]


def test_a_worker_that_makes_no_difference_on_average_meets_the_goals(beside: Any) -> None:
    found = pairs(beside, [0.9, 1.1, 1.02, 0.97, 1.0, 1.03, 0.98])
    assert [goal.met for goal in beside.goals(found)] == [True, True]


def test_a_small_cost_in_every_pair_misses_them(beside: Any) -> None:
    found = pairs(beside, [1.05, 1.06, 1.04, 1.05, 1.05, 1.06, 1.04])
    goals = list(beside.goals(found))
    assert [goal.met for goal in goals] == [False, False]
    assert goals[0].found == "1.050 × (95 % interval 1.042 to 1.058, 7 pairs)"


def test_a_few_noisy_pairs_tell_nothing(beside: Any) -> None:
    assert [goal.met for goal in beside.goals(pairs(beside, [0.4, 1.1, 2.5]))] == [None, None]
