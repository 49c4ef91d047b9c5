"""Limits that no rate can hold, because calls that come one at a time break them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from httpdyno import engine
from httpdyno.capacity.limits import parse_limits, why_never
from httpdyno.measurement import Measurement
from one_histogram import Times, hdr_of
from trial_samples import measurement


def measured(times_s: Times, failed: int = 0) -> Measurement:
    """A measurement with these response times, of which each came back, and other calls failed."""
    found = measurement()
    ns = np.asarray(times_s * 1e9, dtype=np.int64)
    response = found.times.response.model_copy(
        update={
            "count": len(ns),
            "mean_ns": float(ns.mean()),
            "stdev_ns": float(ns.std()),
            "hdr": hdr_of(ns),
        }
    )
    calls = found.calls.model_copy(update={"ok": len(ns) - failed, "errors": {"reset": failed}})
    times = found.times.model_copy(update={"response": response})
    return found.model_copy(update={"times": times, "calls": calls})


def why(limit: str, times_s: Sequence[float] | Times, failed: int = 0) -> str:
    found = measured(np.asarray(times_s), failed)
    return why_never(parse_limits([limit]), found, engine.quantiles)


@pytest.mark.parametrize(
    ("limit", "fewest"), [("p99<1ms", 2), ("p50<1ms", 10), ("max<1ms", 2), ("mean<1ms", 10)]
)
def test_a_server_that_is_always_too_slow_is_known_after_few_calls(limit: str, fewest: int) -> None:
    assert limit.partition("<")[0] in why(limit, [0.005] * fewest)
    assert not why(limit, [0.005] * (fewest - 1))


def test_on_a_busy_machine_only_the_fastest_call_shows_that_a_limit_cannot_hold() -> None:
    found, limits = measured(np.asarray([0.005] * 1000)), parse_limits(["p99<1ms"])
    for fastest_s, broken in ((0.005, True), (0.0008, False)):
        times = found.times.response.model_copy(update={"min_ns": int(fastest_s * 1e9)})
        update = {"times": found.times.model_copy(update={"response": times})}
        one = found.model_copy(update=update)
        assert bool(why_never(limits, one, engine.quantiles, noisy=True)) == broken
        assert why_never(limits, one, engine.quantiles)


@pytest.mark.parametrize("limit", ["p99<10ms", "p50<10ms", "mean<10ms", "max<10ms"])
def test_a_server_within_its_limit_may_hold_it(limit: str) -> None:
    assert not why(limit, [0.005] * 1000)


def test_the_tail_decides_with_as_many_calls_as_it_needs() -> None:
    """3 % of calls are slow, and 1 % may be."""
    assert not why("p99<10ms", [0.005] * 97 + [0.05] * 3)
    assert why("p99<10ms", [0.005] * 970 + [0.05] * 30)
    assert not why("p90<10ms", [0.005] * 970 + [0.05] * 30)


def test_errors_count_like_slow_calls() -> None:
    assert not why("errors<0.1%", [0.005] * 1000, failed=1)
    assert why("errors<0.1%", [0.005] * 1000, failed=20)


@pytest.mark.parametrize(("limit", "within"), [("p99<10ms", 0.99), ("p50<10ms", 0.5)])
def test_calls_that_just_hold_a_limit_are_almost_never_refused(limit: str, within: float) -> None:
    random = np.random.default_rng(1)
    draws = random.random((300, 300)) < within
    refused = sum(bool(why(limit, np.where(draw, 0.005, 0.05))) for draw in draws)
    assert refused <= 1
