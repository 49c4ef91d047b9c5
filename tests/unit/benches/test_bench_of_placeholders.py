"""The arithmetic of `benches/placeholders.py`."""

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
    return importlib.import_module("placeholders")


def test_a_kind_is_compared_with_the_fixed_bytes_of_its_own_round(bench: Any) -> None:
    costs = {
        (kind, driver): [100.0, 200.0, 400.0] for kind in bench.KINDS for driver in bench.DRIVERS
    }
    costs[bench.GOAL_KIND, "io_uring"] = [102.0, 204.0, 600.0]
    costs[bench.GOAL_KIND, "epoll"] = [105.0, 210.0, 420.0]
    assert bench.ratios(costs, bench.GOAL_KIND, "io_uring") == [1.02, 1.02, 1.5]
    lines = "\n".join(bench.table(costs, 3, 1.0))
    assert "Goal on io_uring, one number costs at most 1.03 × fixed bytes: met (1.020)." in lines
    assert "Goal on epoll, one number costs at most 1.03 × fixed bytes: not met (1.050)." in lines
    assert lines.count("1.000 (1.000 to 1.000)") == 2 * (len(bench.KINDS) - 1)
