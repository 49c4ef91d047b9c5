"""The summary of a load from several machines."""

from __future__ import annotations

from .measurements import MS, measurement
from .test_load_summary import plan, shown


def test_a_clock_that_is_not_known_well_is_told_beside_its_machine() -> None:
    node = {"ok": 5, "p99_ns": MS, "lag_p99_ns": 0, "busy_share": 0.1, "started_at_ns": 0}
    offsets = {"a": MS, "b": MS + 1}
    nodes = [{"name": name, "offset_error_ns": error} | node for name, error in offsets.items()]
    text = " ".join(shown(plan(), measurement(nodes=nodes), width=160).split())
    assert "clock ±1.00 ms b: " in text
    assert "clock ±1.00 ms (its seconds may be shifted by as much)" in text
