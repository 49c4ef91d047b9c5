"""The processors of a server beside `ab` and `httperf`: when is there something to look at?"""

from __future__ import annotations

import pytest
from httpdyno.cli.compat.judging import find_contention
from httpdyno.cli.compat.processor_counters import Counters, Shares, may_be_starved, shares_between
from httpdyno.engine_plan import ClosedLoad, EnginePlan, Request, Stop, Target


def counted(at: float, *cores: list[int]) -> Counters:
    return Counters(at, 0.0, dict(enumerate(cores)), {})


def test_the_shares_of_a_processor_are_those_of_the_time_between_two_readings() -> None:
    """user, nice, system, idle, iowait, irq, softirq, steal: proc_stat(5)"""
    before = counted(0.0, [100, 0, 50, 1000, 10, 0, 5, 0])
    after = counted(1.0, [130, 5, 60, 1020, 20, 0, 15, 15])
    assert shares_between(before, after)[0] == pytest.approx(Shares(0.7, 0.1, 0.15))
    assert shares_between(before, before)[0].busy == 1.0


def test_nothing_is_looked_at_where_one_of_several_processors_was_free() -> None:
    busy, free, half = Shares(1.0, 0.1, 0.0), Shares(0.0, 0.0, 0.0), Shares(0.5, 0.0, 0.0)
    assert not may_be_starved({0: busy, 1: free})
    assert not may_be_starved({0: half, 1: half})
    assert may_be_starved({0: busy, 1: half})
    assert may_be_starved({0: busy._replace(steal=0.1), 1: free, 2: free})
    assert may_be_starved({0: half})
    assert not may_be_starved({})


@pytest.mark.parametrize("seconds", [0.4, 2.0])
def test_a_short_test_or_a_server_that_cannot_be_seen_says_nothing(seconds: float) -> None:
    plan = EnginePlan(
        target=Target(host="127.0.0.1", port=1),
        requests=[Request(path="/")],
        load=ClosedLoad(connections=1),
        stop=Stop(count=1),
    )
    before, after = counted(0.0, [0] * 8), counted(seconds, [100, *[0] * 7])
    assert find_contention(before, after, plan, 100.0) is None
