"""Overload is called overload, and nothing else is."""

from __future__ import annotations

import pytest
from httpdyno.verdict import Context, judge
from measured import (
    Change,
    calls,
    codes,
    measurement,
    of_sessions,
    open_load,
    plan,
    second,
    time,
)

BEHIND = [second(n, ok=500) for n in range(10)]


def test_overload_is_told_with_offered_and_achieved_rate() -> None:
    verdict = judge(measurement(offered_per_s=8000.0, throughput_per_s=4012.0, intervals=BEHIND))
    assert verdict.reasons[0].text == (
        "overload: 8,000/s offered, 4,010/s achieved (50.1 %, limit 99 %)"
    )
    assert verdict.status == "suspect"


def test_a_counted_run_that_catches_up_after_its_last_call_was_overloaded() -> None:
    behind = [second(n, ok=450, due=1000 if n < 5 else 0) for n in range(11)]
    run = measurement(
        load="sessions",
        stopped_by="count",
        window_s=11.0,
        offered_per_s=1000.0,
        throughput_per_s=455.0,
        intervals=behind,
    )
    assert "overload" in codes(run)


def test_calls_left_unsent_by_an_overload_are_not_a_second_reason() -> None:
    run = measurement(offered_per_s=8000.0, calls=calls(unsent=5000), intervals=BEHIND)
    assert codes(run) == ["overload"]


@pytest.mark.parametrize("times", [1.02, 2, 4, 40])
def test_overload_after_a_warm_up_is_called_overload_at_any_multiple_of_the_capacity(
    times: float,
) -> None:
    # 1,000/s are answered. The warm-up of 10 s leaves as many calls over as it was overloaded by.
    due = int(10_000 * times)
    own = max(0, 20_000 - due)
    run = measurement(
        warm_up_s=10.0,
        calls=calls(own, unsent=due - own, waited=own),
        warm_up_calls=calls(due, waited=9_000),
        offered_per_s=due / 10,
        intervals=[second(n, ok=1000, due=due // 10) for n in range(10)],
        validity__arrivals=None,
    )
    told = codes(run)
    assert "overload" in told
    assert "unsent" not in told
    assert ("no_reply" in told) == (own == 0)


def test_an_overload_that_no_measured_call_got_past_is_invalid_and_says_why() -> None:
    run = measurement(
        calls=calls(0, unsent=80_000),
        warm_up_calls=calls(1000, waited=900),
        offered_per_s=8000.0,
        intervals=BEHIND,
    )
    verdict = judge(run, Context(plan()))
    assert [one.code for one in verdict.reasons] == ["no_reply", "overload"]
    assert verdict.reasons[0].text == (
        "no correct reply in 10.0 s: of 80,000 calls none was sent, because every connection was"
        " still busy with earlier calls"
    )
    assert verdict.reasons[0].hint == "lower the rate (`--rate 900`), or shorten the warm-up"


UNDER_WAY: dict[str, Change] = {
    "seven calls at 50/s": {
        "stopped_by": "count",
        "warm_up_s": 0.0,
        "window_s": 0.1203,
        "calls": calls(7),
        "completed_in_window": 7,
        "offered_per_s": 50.0,
        "throughput_per_s": 58.2,
        "intervals": [second(0, 7, 7)],
    },
    "seven calls of 100 ms at 50/s": {
        "stopped_by": "count",
        "warm_up_s": 0.0,
        "window_s": 0.22,
        "calls": calls(7),
        "completed_in_window": 7,
        "offered_per_s": 50.0,
        "throughput_per_s": 31.8,
        "mean_in_flight": 3.2,
        "times__service": time(7, 100_000_000, 100_000_000),
        "intervals": [second(0, 7, 7)],
    },
    "a second of calls of 50 ms, without a warm-up": {
        "warm_up_s": 0.0,
        "window_s": 1.0,
        "calls": calls(1000),
        "completed_in_window": 950,
        "throughput_per_s": 950.0,
        "mean_in_flight": 48.0,
        "times__service": time(1000, 50_000_000, 50_000_000),
        "intervals": [second(0, 950)],
    },
    "random arrivals, more under way at the end than at the beginning": {
        "calls": calls(1000),
        "completed_in_window": 975,
        "offered_per_s": 100.0,
        "throughput_per_s": 97.5,
        "mean_in_flight": 40.0,
        "intervals": [second(n, 97, 100) for n in range(10)],
    },
    "random arrivals, fewer under way at the end than at the beginning": {
        "calls": calls(1000),
        "completed_in_window": 1025,
        "offered_per_s": 100.0,
        "throughput_per_s": 102.5,
        "mean_in_flight": 40.0,
        "intervals": [second(n, 102, 100) for n in range(10)],
    },
}


@pytest.mark.parametrize("changes", UNDER_WAY.values(), ids=UNDER_WAY)
def test_calls_under_way_at_an_edge_of_the_window_are_no_overload_and_no_backlog(
    changes: Change,
) -> None:
    assert not {"overload", "backlog"} & set(codes(measurement(**changes)))


@pytest.mark.parametrize(("think_s", "overloaded"), [(1.0, False), (0.0, True)])
def test_sessions_that_think_when_the_window_ends_are_no_overload(
    think_s: float, overloaded: bool
) -> None:
    run = measurement(
        load="sessions",
        warm_up_s=0.0,
        window_s=8.0,
        calls=calls(1499, unsent=501),
        sessions=of_sessions(400, 400, 199),
        completed_in_window=1499,
        offered_per_s=250.0,
        throughput_per_s=187.4,
        intervals=[second(n, min(250, 50 * (n + 1)), 250) for n in range(8)],
    )
    of = plan(open_load("sessions", per_s=50, calls=5), think_s=think_s, warm_up_s=0)
    assert ("overload" in codes(run, plan=of)) == overloaded


@pytest.mark.parametrize(
    ("errors", "p50_ns", "overloaded"),
    [
        ({"reset": 500}, 1_000_000_000, False),
        ({"reply_timeout": 500}, 1_000_000, False),
        ({"reply_timeout": 500}, 1_000_000_000, True),
    ],
)
def test_calls_that_failed_are_an_overload_only_where_they_waited_in_a_queue(
    errors: dict[str, int], p50_ns: int, overloaded: bool
) -> None:
    run = measurement(
        calls=calls(9_500, errors=errors),
        completed_in_window=9_500,
        throughput_per_s=950.0,
        times__response=time(10_000, p50_ns, 2_000_000_000),
        intervals=[second(n, ok=950) for n in range(10)],
    )
    assert codes(run)[0] == "errors"
    assert ("overload" in codes(run)) == overloaded
