"""A lower bound of a capacity is a rate that was tried."""

from __future__ import annotations

from httpdyno.limits.walk import Walk, WalkStep
from httpdyno.running.measuring.capacity.reasons import reasons
from httpdyno.study import CapacityLoad


def test_a_search_that_ends_between_two_steps_names_the_last_one_that_held() -> None:
    steps = tuple(WalkStep(rate_per_s=one, outcome="held", use=0.5) for one in (2000.0, 3857.0))
    walk = Walk(task="climb", cores=1, steps=steps, ended="ceiling", at_least_per_s=3857.0)
    load = CapacityLoad(kind="capacity", limits=["p99<20ms"], rate_max=4000)
    (reason,) = reasons(walk, load, 4000.0)
    assert reason.text == (
        "the limits held at every rate that was tried, up to 3,860/s: the next is beyond 4,000/s,"
        " the end that was set"
    )
    assert (reason.hint or "").startswith("the capacity is 3,860/s or more; set a higher end")
