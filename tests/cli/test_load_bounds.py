"""Times of calls that never finished are lower bounds in the summary of a load."""

from __future__ import annotations

from .measurements import MS, measurement, time, validity
from .plans import plan
from .test_load_summary import shown


def test_percentiles_among_calls_that_were_given_up_are_lower_bounds() -> None:
    times = measurement().times.model_dump()
    # 5 of 1,000 were given up, after 10 ms at least.
    times["response"] = time(p50_ns=MS) | {"censored": 5, "censored_min_ns": 10 * MS}
    text = shown(plan(), measurement(times=times))
    response = "response        0.500   ≥1.10    1.00    3.00   ≥10.0   ≥10.0   ≥20.0   ≥40.0"
    assert response in text
    assert response.replace("response", "service ").replace("≥", " ") in text
    assert "p99 ≥10.0 ms, none failed" in text
    note = "≥ lower bound: 5 calls never finished; counted at their age when given up"
    assert note in text
    assert "≥" not in shown(plan(), measurement())


def test_the_shortest_of_calls_that_were_given_up_is_a_lower_bound() -> None:
    times = measurement().times.model_dump()
    # An unsent call was a third of a millisecond old when the run stopped.
    old = {"censored": 760, "censored_min_ns": MS // 3, "min_ns": MS // 3}
    times["response"] = time(p50_ns=MS) | old
    text = shown(plan(), measurement(times=times))
    assert "response       ≥0.333   ≥1.10   ≥1.00" in text


def test_the_interval_of_a_percentile_that_is_a_lower_bound_has_no_upper_end() -> None:
    times = measurement().times.model_dump()
    times["response"] = time(p50_ns=MS) | {"censored": 760, "censored_min_ns": MS // 3}
    text = shown(plan(), measurement(times=times, validity=validity()))
    assert text.splitlines()[-3] == "p99          ≥10.0 ms, 95 % CI 9.00 ms or more"
    of = measurement(times=times, validity=validity()).percentile(0.99)
    assert of is not None
    assert of.high_ns is None


def test_percentiles_never_fall_and_end_at_the_maximum() -> None:
    # The bucket of a histogram ends beyond the only call in it.
    one = time(p50_ns=MS, count=1) | dict.fromkeys(
        ("min_ns", "mean_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"), MS
    )
    times = measurement().times.model_dump() | {"response": one}
    row = next(
        line for line in shown(plan(), measurement(times=times)).splitlines() if "response" in line
    )
    assert set(row.split()[1:]) == {"1.00"}
