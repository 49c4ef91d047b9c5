"""No rule cries wolf because of another count: proved with generated measurements.

The other side of `test_no_rule_goes_silent.py`. For each rule the facts of any measurement are
changed until its condition does not hold; all else stays what it was. Then its reason is not given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import http2_facts
import pytest
from generated import built, facts, many, open_load, with_tests
from httpdyno.measurement import Measurement
from httpdyno.verdict import RULES, Context, judge
from httpdyno.verdict.contention import Contention, most_contention
from httpdyno.verdict.database_rules import DATABASE_RULES
from hypothesis import given
from hypothesis import strategies as st
from measured import (
    Change,
    datagrams,
    fit,
    known_within,
    node,
    p99,
    streams,
    time,
    two_machines,
    with_database,
)

MOST = 10**6


def nothing_lost(f: Change) -> None:
    """Every call that fell due was sent, and got a right reply within the window."""
    f["calls"] |= {"wrong_status": 0, "wrong_body": 0, "errors": {}, "in_flight": 0, "unsent": 0}
    f["completed"], f["stretch"], f["per_session"], f["failed_sessions"] = 1.0, 1.0, 1, 0
    f["calls"]["ok"] += 1


def answered(f: Change, draw: Any) -> None:
    f["calls"]["ok"] += 1
    f["completed"] = 1.0


def none_wrong(f: Change, draw: Any) -> None:
    f["calls"] |= {"wrong_status": 0, "wrong_body": 0}


def few_lost(one_in: int) -> Callable[[Change, Any], None]:
    """At most one call in so many gets no reply."""

    def make(f: Change, draw: Any) -> None:
        lost = draw(st.integers(0, 100))
        f["calls"] |= {"errors": {"reset": lost} if lost else {}, "in_flight": 0}
        f["calls"]["ok"] += one_in * lost

    return make


def silent(f: Change, draw: Any) -> None:
    f["excess_data"] = 0


def one_page(f: Change, draw: Any) -> None:
    f["other_size"] = f["same_other"] = 0.0
    f["unlike"] = draw(st.sampled_from([0.0, 1.0]))
    f["calls"]["ok"] += 3  # of three replies, two are unlike the first: more than 60 %


def kept_up(f: Change, draw: Any) -> None:
    nothing_lost(f)


def none_left_over(f: Change, draw: Any) -> None:
    f["carried"] = 0.0


def all_sent(f: Change, draw: Any) -> None:
    f["calls"]["unsent"], f["per_session"], f["failed_sessions"] = 0, 1, 0


def at_ease(f: Change, draw: Any) -> None:
    f["cpu"]["busy_share"] = draw(st.floats(0, 0.9))


def running(f: Change, draw: Any) -> None:
    f["cpu"]["waiting_share"] = draw(st.none() | st.floats(0, 0.1))
    f["cpu"]["standstill_share"] = draw(st.floats(0, 0.1))


def in_time(f: Change, draw: Any) -> None:
    """Any queue of the server, and a generator that is not late."""
    f["lag_ns"] = draw(st.integers(0, 100_000))


def even(f: Change, draw: Any) -> None:
    open_load(f)
    with_tests(f, arrivals=fit(scheduled=None, off_share=draw(st.floats(0, 0.1))))


def fitting(f: Change, draw: Any) -> None:
    open_load(f)
    statistic = draw(st.floats(0, 6.0))
    random = fit(spacing="exponential", scheduled=None, sampled=draw(st.integers(0, 4096)))
    with_tests(f, arrivals=random | {"off_share": None, "anderson_darling": statistic})


def as_scheduled(f: Change, draw: Any) -> None:
    open_load(f)
    due = draw(st.integers(1, MOST))
    with_tests(f, arrivals=fit(due=due, scheduled=due + draw(st.integers(-1, 1))))


def long_enough(calls: int) -> Callable[[Change, Any], None]:
    def make(f: Change, draw: Any) -> None:
        f["window_s"] = draw(st.floats(1, 12))
        f["calls"]["ok"] += calls

    return make


def steady(f: Change, draw: Any) -> None:
    f["calls"]["ok"] += 20_000
    f["completed"], f["carried"] = 1.0, 0.0
    f["ok_seconds"] = f["due_seconds"] = [1] * 13


def at_rest(f: Change, draw: Any) -> None:
    """Response times that return to their mean, or whose halves hardly differ."""
    returns = draw(st.booleans())
    statistic = draw(st.floats(-20, -2.86) if returns else st.floats(-20, 10))
    halves = {"first_half_ns": 1e6, "second_half_ns": 5e6 if returns else 1.1e6}
    with_tests(f, drift={"means": 60, "width_s": 0.1, "dickey_fuller": statistic} | halves)


def independent(f: Change, draw: Any) -> None:
    apart = draw(st.floats(-0.5, 0.5))
    sampled = draw(st.integers(0, 4096))
    with_tests(f, dependence={"sampled": sampled, "successive": None, "apart": apart})


def precise(f: Change, draw: Any) -> None:
    with_tests(f, percentiles=p99(1_000_000, draw(st.integers(1_000_000, 3_000_000))))


def alike(f: Change, draw: Any) -> None:
    """One load generator, or several that differ by a fifth at most and are as late."""
    several = [node(draw(st.integers(1_600_000, 2_000_000)), draw(st.integers(0, 100_000)))]
    several.append(node(2_000_000, draw(st.integers(0, 100_000))))
    f["nodes"] = draw(st.sampled_from([None, [node()], several]))


def synchronised(f: Change, draw: Any) -> None:
    """One load generator, or several whose clocks are known within 50 µs."""
    errors = draw(st.lists(st.integers(0, 50_000), min_size=1, max_size=5))
    f["nodes"] = draw(st.sampled_from([None, known_within(10**9), known_within(*errors)]))


def undisturbed(f: Change, draw: Any) -> None:
    f["cpu"]["involuntary_switches"] = int(100 * f["window_s"])


def anything(f: Change, draw: Any) -> None:
    """The counts of all generated facts add up."""


def not_cancelled(f: Change, draw: Any) -> None:
    """Connections end in order, or timeouts cancel nothing."""
    in_order = draw(st.booleans())
    codes = {"NO_ERROR" if in_order else "PROTOCOL_ERROR": 7}
    cancels = draw(st.integers(0, 1000)) if in_order else 0
    f |= streams(cancels=cancels, goaway_codes=codes)


def few_waits(f: Change, draw: Any) -> None:
    f["calls"]["ok"] += 10_000
    waits = {"stream_wait": time(draw(st.integers(0, 100)))}
    f |= streams(windows_used_up=draw(st.integers(0, 100)), **waits)


def few_lost_packets(f: Change, draw: Any) -> None:
    """Few packets are lost, or many on a path through a network."""
    is_near = draw(st.booleans())
    lost = draw(st.integers(0, 10 if is_near else 10_000))
    f |= datagrams(packets_lost=lost, min_rtt_s=0.0001 if is_near else 0.001)


Makes = Callable[[Change, Any], None]
BY_FACTS: dict[str, Makes] = {
    "counts": anything,
    "no_reply": answered,
    "wrong_replies": none_wrong,
    "errors": few_lost(100),
    "some_errors": few_lost(1000),
    "excess_data": silent,
    "goaway_after_cancels": not_cancelled,
    "packets_lost": few_lost_packets,
    "stream_limit": few_waits,
    "window_limited": few_waits,
    "unlike_replies": one_page,
    "overload": kept_up,
    "backlog": none_left_over,
    "unsent": all_sent,
    "generator_busy": at_ease,
    "generator_stopped": running,
    "generator_behind": in_time,
    "generator_late": in_time,
    "spacing": even,
    "arrivals": fitting,
    "schedule": as_scheduled,
    "too_short": long_enough(100),
    "too_few": long_enough(1000),
    "not_steady": steady,
    "stopped_answering": steady,
    "drifting": at_rest,
    "dependent": independent,
    "unlike_nodes": alike,
    "unsure_clocks": synchronised,
    "vague_tail": precise,
    "descheduled": undisturbed,
}
ELSEWHERE = {"missing_calls", "ceiling", "littles_law", "shared_cores", "wire_limit", "path_losses"}
ELSEWHERE |= {"server_starved", "fewer_than_cores", *DATABASE_RULES}


def told(m: Measurement, **context: Any) -> set[str]:
    return {reason.code for reason in judge(m, Context(**context)).reasons}


@pytest.mark.parametrize("code", BY_FACTS)
@many
@given(data=st.data())
def test_a_rule_whose_condition_does_not_hold_is_silent_whatever_else_there_is(
    code: str, data: st.DataObject
) -> None:
    f = data.draw(facts())
    BY_FACTS[code](f, data.draw)
    assert code not in told(built(f))


@many
@given(facts(), st.floats(1.25, 100))
def test_surroundings_without_a_fault_give_no_reason(f: Change, times: float) -> None:
    m = built(f)
    at_ease: Change = {"ceiling_per_s": m.throughput_per_s * times * 1.000001}
    at_ease |= {"shared_cores": False}
    at_ease |= {"contention": Contention(most_contention(m.window_s, 2) - 0.001, 2)}
    at_ease |= with_database(cpu_s=8.9)
    at_ease |= http2_facts.busy_cores(2, connections=4)
    at_ease |= two_machines(sent_bytes=10**9, retransmits=9)
    assert not ELSEWHERE - {"littles_law"} & told(m, expected_count=m.calls.due, **at_ease)


@many
@given(facts())
def test_counts_and_times_that_agree_are_no_contradiction(f: Change) -> None:
    m = built(f)
    in_flight = m.throughput_per_s * m.times.response.mean_ns * 1e-9
    assert "littles_law" not in told(m.model_copy(update={"mean_in_flight": in_flight}))


@many
@given(facts())
def test_long_calls_at_the_edges_of_the_window_are_no_contradiction(f: Change) -> None:
    m = built(f)
    product = m.throughput_per_s * m.times.response.mean_ns * 1e-9
    edges = m.times.response.max_ns * 1e-9 / m.window_s
    in_flight = product / (1 + 0.99 * edges)
    assert "littles_law" not in told(m.model_copy(update={"mean_in_flight": in_flight}))


def test_every_rule_has_a_proof() -> None:
    assert set(BY_FACTS) | ELSEWHERE == set(RULES)
