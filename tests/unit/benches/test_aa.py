"""The arithmetic of `benches/aa.py`."""

from __future__ import annotations

import importlib
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from httpdyno.plan import Plan
from httpdyno.study.read import parse_study

BENCHES = Path(__file__).resolve().parents[3] / "benches"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The bench, imported from a folder that is not a package."""
    monkeypatch.syspath_prepend(str(BENCHES))
    return importlib.import_module("aa")


def four(blocks: int, factor: float = 1.0) -> list[dict[int, float]]:
    """Four equal arms, or the second one different by a factor."""
    values = np.exp(0.01 * np.random.default_rng(6).standard_normal((4, blocks)))
    values[1] *= factor
    return [{b: float(v) for b, v in enumerate(row)} for row in values]


def test_the_study_is_one_server_under_four_names_and_three_loads(bench: Any) -> None:
    study = parse_study(bench.study("nginx", "1-worker", 20), Path("aa.toml"))
    assert len(Plan(study).arms) == 4
    assert {arm.server for arm in Plan(study).arms} == {"nginx"}
    assert len(Plan(study).trials) == 4 * 3 * 20


def test_each_group_of_blocks_is_two_comparisons(bench: Any) -> None:
    assert bench.counted(four(20), 5, 20).of == 8
    assert bench.counted(four(20), 10, 20).of == 4
    assert bench.counted(four(22), 5, 22).of == 8
    assert bench.counted(four(20, factor=2.0), 5, 20).alarms >= 4


def test_shuffled_names_keep_the_values_of_each_block(bench: Any) -> None:
    before = four(6)
    after = bench.shuffled(before, random.Random(1))
    for block in range(6):
        assert sorted(arm[block] for arm in after) == sorted(arm[block] for arm in before)
    assert after != before


def test_the_usual_range_is_the_binomial_distributions(bench: Any) -> None:
    """From tables: 20 at 5 % have 0 to 3 in 95 of 100, 100 have 1 to 10."""
    assert bench.usual(20) == (0, 3)
    assert bench.usual(100) == (1, 10)
