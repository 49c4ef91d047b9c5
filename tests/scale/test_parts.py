"""The part of a plan that a load generator carries out, as it is stored."""

from __future__ import annotations

import json
from dataclasses import replace

from httpdyno.engine_plan import (
    Arrivals,
    ClosedLoad,
    EnginePlan,
    Load,
    RequestsLoad,
    Segment,
    SessionsLoad,
    Stop,
    Target,
)
from httpdyno.engine_plan.reading import read
from httpdyno.scale.parts import document, part_of

RAMP = Arrivals(
    segments=[
        Segment(from_per_s=100, to_per_s=100, seconds=2),
        Segment(from_per_s=100, to_per_s=400, seconds=3),
    ]
)


def plan(load: Load, count: int | None = None) -> EnginePlan:
    return EnginePlan(target=Target(), load=load, stop=Stop(count=count, duration_s=60))


def test_a_part_has_its_share_and_the_first_parts_get_what_is_left_over() -> None:
    closed = plan(ClosedLoad(connections=5), count=8)
    parts = [part_of(closed, (1, 2, 3, 4), None, index, 3) for index in range(3)]
    assert [part.connections for part in parts] == [2, 2, 1]
    assert [part.count for part in parts] == [3, 3, 2]
    assert [(part.index, part.of) for part in parts] == [(0, 3), (1, 3), (2, 3)]
    assert {part.threads for part in parts} == {1}  # the last part has one connection
    assert {part.rates_per_s is None for part in parts} == {True}


def test_the_rates_of_a_part_are_its_share_of_each_step_and_ramp() -> None:
    steady = plan(RequestsLoad(arrivals=Arrivals.steady(300), connections=9))
    ramp = plan(SessionsLoad(arrivals=RAMP))
    of_ramp = part_of(ramp, (0, 1), 1, 1, 2)
    assert part_of(steady, (0, 1), None, 0, 3).rates_per_s == [100]
    assert of_ramp.rates_per_s == [50, 200]
    assert (of_ramp.connections, of_ramp.count) == (None, None)
    assert (of_ramp.threads, of_ramp.cpus) == (1, [0])


def test_the_plan_that_is_sent_is_the_whole_with_the_part_on_its_own_cores() -> None:
    closed = plan(ClosedLoad(connections=8), count=80)
    part = part_of(closed, (2, 3), None, 1, 2)
    sent = read(json.loads(document(closed, part)))
    assert sent.part is not None
    assert (sent.part.index, sent.part.of, sent.threads, sent.cpus) == (1, 2, 2, [2, 3])
    assert replace(sent, part=None, threads=1, cpus=None) == closed
