"""Limits of one endpoint in a search for a capacity: what they judge, how many calls they need."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from httpdyno.capacity.limits import excess_of, in_words, parse_limits, step_s, why_never
from httpdyno.capacity.step import judge_step
from httpdyno.limits.walk import OverloadSecond
from httpdyno.measurement import Measurement
from httpdyno.statistics.capacity.rows import recovery_s
from trial_samples import measurement, with_endpoints


def quantiles(hdr: str, at: Sequence[float]) -> list[int]:
    """The sample has its p99 as text in place of a histogram."""
    return [int(hdr)] * len(at)


def shop() -> Measurement:
    """All calls have a p99 of 10 ms, items of 5 ms, and orders of 30 ms."""
    whole = measurement(p99_s=0.010, load="requests")
    return with_endpoints(whole, {"GET /items": 0.005, "POST /orders": 0.030})


@pytest.mark.parametrize(
    ("limits", "outcome", "use", "why"),
    [
        (["p99<20ms"], "held", 0.5, ""),
        (["p99[GET /items]<20ms", "p99<20ms"], "held", 0.5, ""),
        (
            ["p99[POST /orders]<20ms"],
            "failed",
            1.5,
            "p99[POST /orders] 30.0 ms > 20 ms",
        ),
        (["p99[POST /orders]<60ms", "errors[POST /orders]<1%"], "held", 0.5, ""),
    ],
)
def test_a_step_holds_if_each_endpoint_keeps_its_limit(
    limits: list[str], outcome: str, use: float, why: str
) -> None:
    found = judge_step(shop(), [], parse_limits(limits), quantiles)
    assert (found.outcome, found.why) == (outcome, why)
    assert found.use == pytest.approx(use)


def test_a_limit_of_an_endpoint_that_was_not_measured_fails_the_step() -> None:
    found = judge_step(shop(), [], parse_limits(["p99[GET /about]<1s"]), quantiles)
    assert (found.outcome, found.why) == ("failed", "nothing was measured")


def test_late_calls_are_those_of_the_endpoint() -> None:
    late = excess_of(parse_limits(["p99[POST /orders]<20ms"]), shop(), quantiles)
    none = excess_of(parse_limits(["p99[GET /items]<20ms"]), shop(), quantiles)
    assert late is not None
    assert late > 1
    assert none == 0.0


def test_a_limit_below_the_fastest_call_of_its_endpoint_is_never_held() -> None:
    words = why_never(parse_limits(["p99[POST /orders]<1us"]), shop(), quantiles, noisy=True)
    assert words == "p99[POST /orders] 30.0 ms > 1 µs"


def test_a_rare_endpoint_needs_longer_steps() -> None:
    limits = parse_limits(["p99<20ms", "p99[POST /orders]<20ms"])
    shares = {"GET /items": 0.9, "POST /orders": 0.1}
    assert step_s(limits, 1000.0, 0.1) == pytest.approx(1.0)
    assert step_s(limits, 1000.0, 0.1, "constant", shares) == pytest.approx(10.0)
    assert in_words(limits) == "p99 ≤ 20 ms, p99[POST /orders] ≤ 20 ms"


def test_seconds_after_an_overload_are_held_against_the_limits_of_all_calls_only() -> None:
    seconds = [
        OverloadSecond(second=n, share=1.3 if n < 2 else 0.5, due=10, ok=10, p99_s=0.01)
        for n in range(6)
    ]
    assert recovery_s(seconds, parse_limits(["p99[GET /items]<1ms"])) is None
    assert recovery_s(seconds, parse_limits(["p99<20ms", "p99[GET /items]<1ms"])) == 0.0
