"""The promise of a report: with equal arms, at most 1 in 20 claims a difference anywhere."""

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
    return importlib.import_module("promise")


@pytest.mark.parametrize(("arms", "loads"), [(1, 1), (2, 4), (5, 2)])
def test_few_reports_of_equal_arms_claim_a_difference(bench: Any, arms: int, loads: int) -> None:
    together, apart = bench.shares(arms, loads, 200)
    # 5 % and two standard errors of 200 studies; the seed is fixed.
    assert together <= 0.08
    assert together <= apart


def test_decisions_made_apart_do_not_keep_the_promise(bench: Any) -> None:
    _, apart = bench.shares(5, 4, 100)
    assert apart > 0.1
