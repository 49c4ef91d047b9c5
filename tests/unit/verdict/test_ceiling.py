"""Throughput near the ceiling of the load generators: how it is told, and whose ceiling it is."""

from __future__ import annotations

import pytest
from httpdyno.verdict import Context, judge
from measured import Change, codes, measurement, node


@pytest.mark.parametrize("ceiling", [0.0, 0.001])
def test_a_ceiling_of_nothing_is_exceeded_by_anything(ceiling: float) -> None:
    assert codes(measurement(), ceiling_per_s=ceiling) == ["ceiling"]


@pytest.mark.parametrize(
    ("nodes", "whose"),
    [
        (None, "load generator's ceiling on this machine"),
        ([node()], "load generator's ceiling on `generator`"),
        ([node(), node()], "ceiling of all 2 load generators together"),
    ],
)
def test_a_ceiling_is_that_of_the_machines_that_sent_the_load(
    nodes: list[Change] | None, whose: str
) -> None:
    (reason,) = judge(measurement(nodes=nodes), Context(ceiling_per_s=1001.0)).reasons
    assert reason.text == f"1,000/s is 99.9 % of the {whose}, 1,000/s (limit 80 %)"


def test_a_ceiling_of_a_busy_machine_is_a_lower_bound() -> None:
    (reason,) = judge(measurement(), Context(ceiling_per_s=1001.0, ceiling_is_bound=True)).reasons
    assert reason.text == (
        "1,000/s is up to 99.9 % of the load generator's ceiling on this machine, at least 1,000/s"
        " (the machine was busy) (limit 80 %)"
    )
    assert reason.clause.endswith("at least 1,000/s (the machine was busy)")
    assert "stop other programs, or give the load generator more CPUs" in reason.hint
