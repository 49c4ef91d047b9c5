"""Thresholds: how they are written, what passes and what fails them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from httpdyno.limits.thresholds import parse_threshold

from .conftest import Program
from .measurements import CALLS, MS, measurement, time

if TYPE_CHECKING:
    from httpdyno import _engine


def _quantiles(_hdr: str, at: Sequence[float]) -> list[int]:
    """A histogram in which the value at quantile q is q × 40 ms."""
    return [round(q * 40 * MS) for q in at]


@pytest.mark.parametrize(
    ("threshold", "measured"),
    [
        ("p99>20ms", "39.6 ms"),
        ("p99.9 > 20ms", "40.0 ms"),
        ("p50>=20ms", "20.0 ms"),
        ("service_p90>1ms", "36.0 ms"),
        ("lag_max>10us", "80.0 µs"),
        ("max>39ms", "40.0 ms"),
        ("mean>1ms", "1.10 ms"),
        ("errors>0.1%", "1.00 %"),
        ("errors>0.001", "1.00 %"),
        ("rate<600", "500/s"),
        ("rate<=500/s", "500/s"),
        ("achieved<0.9", "50.0 %"),
        ("failed>0", "7"),
        ("in_flight>=3", "3"),
        ("ok<1000", "990"),
    ],
)
def test_a_threshold_fails_and_says_what_was_measured(threshold: str, measured: str) -> None:
    calls = {**CALLS, "ok": 990, "errors": {"reset": 7}, "in_flight": 3}
    seen = measurement(calls=calls, offered_per_s=1000.0)
    checked = parse_threshold(threshold).check(seen, _quantiles)
    assert (checked.threshold.text, checked.passed, checked.measured) == (
        threshold,
        False,
        measured,
    )


@pytest.mark.parametrize(
    "threshold", ["p99>200ms", "p50>20ms", "rate<500", "failed>0", "errors>0%", "max>40ms"]
)
def test_a_measurement_within_its_limits_passes(threshold: str) -> None:
    assert parse_threshold(threshold).check(measurement(), _quantiles).passed


@pytest.mark.parametrize(
    ("threshold", "words"),
    [
        ("p99>200ms", "threshold passed: p99 39.6 ms ≤ 200 ms"),
        ("p99>1us", "threshold failed: p99 39.6 ms > 1 µs"),
        ("errors >= 0.1%", "threshold passed: errors 0 % < 0.1 %"),
        ("rate<5000/s", "threshold failed: rate 500/s < 5000/s"),
    ],
)
def test_a_threshold_says_value_and_limit(threshold: str, words: str) -> None:
    assert str(parse_threshold(threshold).check(measurement(), _quantiles)) == words


def test_a_percentile_of_one_call_is_no_longer_than_the_call() -> None:
    checked = parse_threshold("p99>1us").check(measurement(), lambda _hdr, at: [41 * MS] * len(at))
    assert checked.measured == "40.0 ms"


def test_what_was_not_measured_fails() -> None:
    times = measurement().times.model_dump() | {"service": time(p50_ns=0, count=0)}
    unanswered = measurement(times=times)
    checked = parse_threshold("service_p99>1s").check(unanswered, _quantiles)
    assert (checked.passed, checked.measured) == (False, "not measured")
    assert not parse_threshold("tls_p99>1s").check(unanswered, _quantiles).passed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "expected a metric"),
        ("p99", "expected a metric"),
        ("p99=20ms", "expected a metric"),
        ("p99", "in quotes"),
        ("p100>1ms", "is not a metric"),
        ("speed>1", "is not a metric"),
        ("p99>20", "a time such as"),
        ("p99>fast", "a time such as"),
        ("errors>1ms", "a share such as"),
        ("errors>200%", "no more than 100 % can fail: expected a share such as"),
        ("errors>5", "no more than 100 % can fail: expected a share such as"),
        ("rate<5%", "a rate per second such as"),
        ("ok<1/s", "a count such as"),
    ],
)
def test_a_threshold_that_cannot_be_parsed_is_reported_with_what_was_expected(
    text: str, expected: str
) -> None:
    with pytest.raises(ValueError, match=expected):
        parse_threshold(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("p99<50ms", "p99>50ms"),
        (" service_p90 <= 1ms", "service_p90 >= 1ms"),
        ("lag_max<1ms", "lag_max>1ms"),
        ("errors<1%", "errors>1%"),
        ("status_5xx<0.1%", "status_5xx>0.1%"),
        ("failed<1", "failed>1"),
        ("rate>500", "rate<500"),
        ("achieved>=0.9", "achieved<=0.9"),
        ("ok>1000", "ok<1000"),
    ],
)
def test_a_threshold_that_fails_good_runs_is_refused(text: str, meant: str) -> None:
    expected = re.escape(f"a threshold says when the run fails: did you mean `{meant}`?")
    with pytest.raises(ValueError, match=expected):
        parse_threshold(text)


def test_more_calls_or_fewer_may_fail_a_run() -> None:
    assert not parse_threshold("sent>1").check(measurement(), _quantiles).passed
    assert parse_threshold("due<1").check(measurement(), _quantiles).passed


@pytest.mark.parametrize(
    ("threshold", "code", "words"),
    [
        ("errors>2%", 0, "threshold    passed: errors "),
        ("status_5xx>2%", 0, "threshold    passed: status_5xx "),
        ("errors>0.1%", 6, "over the error budget: errors "),
        ("p99>10s", 6, "had a wrong status"),
    ],
)
def test_wrong_replies_within_an_error_budget_leave_a_measurement_its_result(
    called: Program, server: _engine.Reference, threshold: str, code: int, words: str
) -> None:
    url = f"http://{server.address}/hello?fault=status:503&share=0.01"
    run = called("load", url, "--requests", "4000", "--fail-if", threshold)
    assert run.returncode == code, run.stdout
    assert words in " ".join(run.stdout.split(" ")).replace("\n" + 13 * " ", " ")
