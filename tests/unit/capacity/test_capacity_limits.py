"""Limits: what they may be, and how long a step has to be to judge them."""

from __future__ import annotations

import numpy as np
import pytest
from httpdyno.capacity.limits import connections_for, in_words, parse_limits, step_s
from httpdyno.limits.thresholds import parse_limit


def test_limits_are_shown_with_units_and_signs() -> None:
    limits = parse_limits(["p99<20ms", "errors<=0.1%", "service_p50<5ms"])
    assert in_words(limits) == "p99 ≤ 20 ms, errors ≤ 0.1 %, service_p50 ≤ 5 ms"


@pytest.mark.parametrize(
    "text",
    ["", "p99", "p99>20ms", "p99<20", "p99<0ms", "rate<10", "min<1ms", "fast<1ms", "errors<0%"],
)
def test_what_is_no_upper_limit_of_a_time_or_of_errors_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"p99<20ms|such as `20ms`"):
        parse_limit(text)


def test_a_step_has_ten_calls_beyond_the_percentile() -> None:
    assert step_s(parse_limits(["p99<20ms"]), 100.0, 1.0) == pytest.approx(10.0)
    assert step_s(parse_limits(["p50<20ms"]), 100.0, 1.0) == pytest.approx(1.0)
    assert step_s(parse_limits(["p99.9<20ms"]), 10_000.0, 0.5) == pytest.approx(1.0)


def test_a_step_shows_the_queue_of_a_rate_two_percent_too_high() -> None:
    length_s = step_s(parse_limits(["p99<40ms"]), 1e6, 0.1)
    assert 0.02 * length_s == pytest.approx(0.040)


@pytest.mark.parametrize("rate_per_s", [3.0, 40.0, 140.0, 560.0])
@pytest.mark.parametrize(
    ("limit", "needed"), [("p99<20ms", 1000), ("p90<20ms", 100), ("errors<1%", 300)]
)
def test_a_step_with_random_arrivals_almost_never_has_too_few_calls(
    limit: str, needed: int, rate_per_s: float
) -> None:
    limits = parse_limits([limit])
    seconds = step_s(limits, rate_per_s, 1.0, "exponential")
    counts = np.random.default_rng(1).poisson(rate_per_s * seconds, 100_000)
    if seconds < 60:  # no step is longer
        assert np.mean(counts < needed) < 0.002
    assert step_s(limits, rate_per_s, 1.0) <= seconds <= 60


def test_a_limit_of_errors_needs_three_times_its_inverse() -> None:
    assert step_s(parse_limits(["errors<0.1%"]), 1000.0, 1.0) == pytest.approx(3.0)


def test_no_step_is_longer_than_a_minute() -> None:
    assert step_s(parse_limits(["p99.99<1s"]), 1.0, 1.0) == 60.0


def test_a_step_has_a_connection_for_every_call_that_the_limits_allow_to_wait() -> None:
    limits = parse_limits(["p50<5ms", "p99<20ms"])
    assert connections_for(limits, 14_000.0) == 280
    assert connections_for(limits, 100.0) == 64
    assert connections_for(parse_limits(["errors<0.1%"]), 1e5) == 64
    assert connections_for(parse_limits(["p99<10s"]), 1e6) == 10_000
