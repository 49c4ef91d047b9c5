"""No rule goes silent because another count is zero: proved with generated measurements.

For each rule the facts of any measurement are changed until its condition holds; every other count
stays what it was, zero included. Then its reason is given, or one that names the cause of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import http2_facts
import pytest
from generated import MS, answered, built, facts, lost, many, open_load, some, with_tests
from httpdyno.doubts import NUMBERS
from httpdyno.measurement import Measurement
from httpdyno.verdict import RULES, Context, judge
from httpdyno.verdict.checks.rates import why_unsent
from httpdyno.verdict.contention import Contention, most_contention
from httpdyno.verdict.database_rules import DATABASE_RULES
from hypothesis import given
from hypothesis import strategies as st
from measured import (
    Change,
    fit,
    known_within,
    node,
    p99,
    two_machines,
    with_database,
)

Excuse = Callable[[Measurement], bool]
NOTHING: dict[str, tuple[set[str], Excuse]] = {
    # No answer shows no capacity, and calls that the generator may have left out no overload.
    "overload": ({"no_reply", "unsent"}, lambda m: not m.completed_in_window or _left_out(m)),
    # Where no call fell due, no rate was offered.
    "backlog": ({"no_reply"}, lambda m: m.calls.due == 0),
    # Counts with faults are no equilibrium.
    "littles_law": ({"errors", "wrong_replies"}, lambda m: m.error_share > 0.01),
}
"""Where a rule has nothing to judge: the reason that is then given instead."""


def _left_out(m: Measurement) -> bool:
    return why_unsent(m, None) in ("generator", "unknown")


def expected(code: str, m: Measurement) -> set[str]:
    """The reasons of which one must be given when the condition of `code` holds."""
    instead, holds = NOTHING.get(code, (set(), lambda _: False))
    causes = {code}
    # A cause is not shown either when another names it.
    while more := {cause for one in causes for cause in RULES[one].unless} - causes:
        causes |= more
    return causes | (instead if holds(m) else set())


def told(m: Measurement, **context: Any) -> list[str]:
    return [reason.code for reason in judge(m, Context(**context)).reasons]


def with_errors(f: Change, one_in: int) -> None:
    """More than one call in so many gets no reply."""
    missing = (answered(f) + lost(f)) // (one_in - 1) + 1 - lost(f)
    if missing > 0:
        f["calls"]["errors"]["refused"] = f["calls"]["errors"].get("refused", 0) + missing


def even_seconds(f: Change) -> None:
    """The load is the same in every second."""
    f["due_seconds"] = [1] * 13


def nothing_right(f: Change, draw: Any) -> None:
    if draw(st.booleans()):
        f["calls"]["ok"] = 0
    else:
        f["completed"] = f["carried"] = 0.0


def wrong(f: Change, draw: Any) -> None:
    way = draw(st.sampled_from(["wrong_status", "wrong_body"]))
    f["calls"][way] += draw(st.integers(1, 1000))


def chatty(f: Change, draw: Any) -> None:
    f["excess_data"] = draw(st.integers(1, 1000))


def other_pages(f: Change, draw: Any) -> None:
    f["calls"]["ok"] += 10
    one = f["same_other"] = draw(st.sampled_from([0.0, 1.0]))
    f["unlike"] = draw(st.floats(0.61, 1.0) if one else st.floats(0.2, 0.6))


def other_sizes(f: Change, draw: Any) -> None:
    f["calls"]["ok"] += 10
    f["unlike"], f["other_size"] = draw(st.floats(0.2, 1.0)), 1.0


def overloaded(f: Change, draw: Any) -> None:
    """Half of the calls never begin, as no connection is free; any second answers half at most."""
    open_load(f)
    f["stretch"] = 1.0
    never = 2 * (answered(f) + lost(f)) + 2 * f["per_session"] + 30
    f["calls"] |= {"unsent": never, "waited": never}
    f["not_started"] = 1.0
    f["carried"] = min(f["carried"], draw(st.sampled_from([0.0, 0.01])))
    if f["warm_up_calls"]:
        f["warm_up_calls"]["ok"] = min(f["warm_up_calls"]["ok"], f["calls"]["unsent"])
    f["ok_seconds"] = f["due_seconds"] = [1] * 13


def piling_up(f: Change, draw: Any) -> None:
    """All calls are sent, and twice as many are under way in the end as on average."""
    f["load"], f["stopped_by"], f["warm_up_s"] = "requests", "duration", 1.0
    f["warm_up_calls"] = f["warm_up_calls"] or dict(f["calls"], ok=0, errors={})
    ok = f["calls"]["ok"] = draw(st.integers(200, 200_000))
    f["calls"] |= {"wrong_status": 0, "wrong_body": 0, "errors": {}, "unsent": 0}
    f["carried"], f["completed"] = 0.0, draw(st.floats(0.1, 0.7))
    behind = ok - int(ok * f["completed"]) + f["calls"]["in_flight"]
    f["mean_in_flight"] = behind / 2
    f["ok_seconds"] = f["due_seconds"] = [1] * 13


def working_off(f: Change, draw: Any) -> None:
    """The replies to a queue of the warm-up come in the window, besides its own."""
    open_load(f)
    f["stopped_by"], f["warm_up_s"] = "duration", 1.0
    f["warm_up_calls"] = dict(f["calls"], errors={}, ok=0)
    f["mean_in_flight"] = draw(st.floats(0, 1000))
    due = answered(f) + lost(f) + f["calls"]["unsent"] + f["per_session"]
    f["warm_up_calls"]["ok"] = 2 * due + 200
    f["carried"] = 1.0


def unsent(f: Change, draw: Any) -> None:
    open_load(f)
    f["calls"]["unsent"] += (answered(f) + lost(f)) // 100 + 2 * f["per_session"]
    f["not_started"] = 1.0


def busy(f: Change, draw: Any) -> None:
    f["cpu"]["busy_share"] = draw(st.floats(0.901, 8))


def stopped(f: Change, draw: Any) -> None:
    f["cpu"][draw(st.sampled_from(["waiting_share", "standstill_share"]))] = draw(
        st.floats(0.101, 1)
    )


def late(f: Change, draw: Any) -> None:
    """The generator adds over a tenth to p99; in sessions a millisecond is connecting."""
    open_load(f)
    f["calls"]["in_flight"] += 1
    f["late_at_p99_ns"] = f["p50_ns"] * f["p99_factor"] // 4 + draw(st.integers(2 * MS, 10**10))
    f["lag_ns"] = f["late_at_p99_ns"]


def behind(f: Change, draw: Any) -> None:
    open_load(f)
    f["calls"]["in_flight"] += 1
    f["late_at_p50_ns"] = f["p50_ns"] // 4 + draw(st.integers(2 * MS, 10**10))
    f["calls"]["ok"] += 1
    f["lag_ns"] = f["late_at_p50_ns"]


def uneven(f: Change, draw: Any) -> None:
    open_load(f)
    with_tests(f, arrivals=fit(scheduled=None, off_share=draw(st.floats(0.101, 1))))


def misfit(f: Change, draw: Any) -> None:
    open_load(f)
    sampled = draw(st.integers(50, 4096))
    statistic = draw(st.floats(max(6.01, sampled * 0.0101), 1e6))
    random = fit(spacing="exponential", scheduled=None, sampled=sampled)
    with_tests(f, arrivals=random | {"off_share": None, "anderson_darling": statistic})


def contradiction(f: Change, draw: Any) -> None:
    """Calls in flight differ from throughput × response time by more than a tenth."""
    f["load"], f["window_s"] = "closed", draw(st.floats(2, 12))
    f["p50_ns"], f["p99_factor"] = 10_000_000, 1
    f["late_at_p50_ns"] = 0
    f["calls"]["ok"] = draw(st.integers(1, 100_000))
    f["completed"] = 1.0
    product = f["calls"]["ok"] / f["window_s"] * 0.01
    f["carried"] = 0.0
    f["mean_in_flight"] = draw(st.sampled_from([0.0, product * 0.9, product * 1.2]))


def brief(f: Change, draw: Any) -> None:
    if draw(st.booleans()):
        f["window_s"] = draw(st.floats(1e-9, 0.999))
    else:
        f["calls"]["ok"] = draw(st.integers(0, 30))
        f["calls"] |= {"wrong_status": 30, "wrong_body": 9, "errors": {"reset": 30}}


def few(f: Change, draw: Any) -> None:
    f["calls"]["ok"] = draw(st.integers(0, 300))
    f["calls"] |= {"wrong_status": 300, "wrong_body": 99, "errors": {"reset": 300}}


def unsteady(f: Change, draw: Any) -> None:
    """One half of the window sees at least 1,000 replies, the other few of them or none."""
    half = draw(st.integers(3, 6))
    f["window_s"] = 2.0 * half
    even_seconds(f)
    f["calls"]["ok"] += 10_000
    f["completed"] = draw(st.floats(0.5, 1))
    first, second = draw(st.permutations([10, draw(st.sampled_from([0, 1, 5]))]))
    f["ok_seconds"] = [first] * half + [second] * half + [0] * (13 - 2 * half)


def gone(f: Change, draw: Any) -> None:
    """Calls fall due to the end of the window; the last reply came two seconds earlier or more."""
    answered = draw(st.integers(1, 6))
    f["window_s"], f["p50_ns"], f["completed"] = draw(st.floats(answered + 2, 12)), MS, 1.0
    even_seconds(f)
    f["calls"]["ok"] += 1000
    f["calls"]["in_flight"] += 1
    f["ok_seconds"] = [1] * answered + [0] * (13 - answered)


def wandering(f: Change, draw: Any) -> None:
    even_seconds(f)
    slow = {"first_half_ns": 1e6, "second_half_ns": draw(st.sampled_from([0.0, 0.8e6, 5e6]))}
    statistic = draw(st.floats(-2.85, 10))
    with_tests(f, drift={"means": 60, "width_s": 0.1, "dickey_fuller": statistic} | slow)


def correlated(f: Change, draw: Any) -> None:
    open_load(f)
    even_seconds(f)
    sampled = draw(st.integers(100, 4096))
    f["calls"]["ok"] += 2 * sampled
    apart = draw(st.floats(0.51, 1)) * draw(st.sampled_from([-1, 1]))
    with_tests(f, dependence={"sampled": sampled, "successive": None, "apart": apart})


def vague(f: Change, draw: Any) -> None:
    f["calls"]["in_flight"] += 1
    with_tests(f, percentiles=p99(1_000_000, draw(st.none() | st.integers(3_100_000, 10**10))))


def preempted(f: Change, draw: Any) -> None:
    f["window_s"] = draw(st.floats(1, 12))
    f["cpu"]["involuntary_switches"] = int(101 * f["window_s"]) + draw(st.integers(1, 10**6))


def unlike(f: Change, draw: Any) -> None:
    """One load generator has a tail over 20 % longer, or no reply."""
    f["calls"]["ok"] += 1
    with_tests(f, percentiles=p99())
    tail = draw(st.integers(2_600_000, 10**10))
    f["nodes"] = [node(), draw(st.sampled_from([node(tail), node(ok=0)]))]


def unsynchronised(f: Change, draw: Any) -> None:
    """The clocks of two load generators are known to 1 to 5 ms, and calls of 10 ms overlap."""
    f["calls"] |= {"ok": max(1, f["calls"]["ok"])}
    f["load"], f["p50_ns"], f["window_s"] = "requests", 10 * MS, draw(st.floats(1, 12))
    with_tests(f, arrivals=fit(due=draw(st.integers(200, 400)) * int(f["window_s"])))
    f["nodes"] = known_within(draw(st.integers(MS, 5 * MS)), draw(st.integers(MS, 5 * MS)))


Makes = Callable[[Change, Any], None]
BY_FACTS: dict[str, list[Makes]] = {
    "no_reply": [nothing_right],
    "wrong_replies": [wrong],
    "errors": [lambda f, draw: with_errors(f, 100)],
    "some_errors": [lambda f, draw: with_errors(f, 1000)],
    "excess_data": [chatty],
    **{code: [makes] for code, makes in http2_facts.MAKES.items()},
    "unlike_replies": [other_pages, other_sizes],
    "overload": [overloaded, piling_up],
    "backlog": [working_off],
    "unsent": [unsent],
    "generator_busy": [busy],
    "generator_stopped": [stopped],
    "generator_behind": [behind],
    "generator_late": [late],
    "spacing": [uneven],
    "arrivals": [misfit],
    "littles_law": [contradiction],
    "too_short": [brief],
    "too_few": [few],
    "not_steady": [unsteady],
    "stopped_answering": [gone],
    "drifting": [wandering],
    "dependent": [correlated],
    "unlike_nodes": [unlike],
    "unsure_clocks": [unsynchronised],
    "vague_tail": [vague],
    "descheduled": [preempted],
}
CASES = [(code, makes) for code, several in BY_FACTS.items() for makes in several]


@pytest.mark.parametrize(("code", "makes"), CASES, ids=[f"{c} {m.__name__}" for c, m in CASES])
@many
@given(data=st.data())
def test_a_rule_whose_condition_holds_gives_its_reason_whatever_else_is_zero(
    code: str, makes: Makes, data: st.DataObject
) -> None:
    f = data.draw(facts())
    makes(f, data.draw)
    m = built(f)
    assert expected(code, m) & set(told(m))


@many
@given(facts(), st.integers(1, 10**6))
def test_counts_that_do_not_add_up_are_always_told(f: Change, extra: int) -> None:
    sound = built(f)
    for side in ("calls", "warm_up_calls"):
        for count in ("due", "sent", "unsent", "in_flight", "ok"):
            c = getattr(sound, side)
            other = c.model_copy(update={count: getattr(c, count) + extra})
            assert judge(sound.model_copy(update={side: other})).status == "invalid"


@many
@given(facts(), st.integers(-(10**6), 10**6))
def test_arrivals_that_are_not_those_of_the_schedule_are_always_told(f: Change, more: int) -> None:
    open_load(f)
    f["stopped_by"] = "duration"
    due = abs(more) + 5
    with_tests(f, arrivals=fit(due=due, scheduled=due + (more if abs(more) > 1 else 2)))
    assert "schedule" in [one.code for one in judge(built(f)).reasons]


@many
@given(facts(), some, st.floats(0, 1e6))
def test_what_the_surroundings_say_is_always_told(f: Change, missing: int, rate: float) -> None:
    m = built(f)
    assert "missing_calls" in told(m, expected_count=m.calls.due + missing + 1)
    assert "shared_cores" in told(m, shared_cores=True)
    starved = Contention(most_contention(m.window_s, 2) + 0.001, 2)
    assert "server_starved" in told(m, contention=starved)
    assert "database_limit" in told(m, **with_database(cpu_s=9.5, replies=missing))
    shared = with_database(shares_server=True, replies=missing)
    assert "database_shares" in told(m, server_share=0.45, **shared)
    assert "wire_limit" in told(m, **two_machines(sent_bytes=1_200_000_000, retransmits=missing))
    assert "path_losses" in told(m, **two_machines(retransmits=1000 + missing))
    for ceiling in (0.0, m.throughput_per_s, m.throughput_per_s * 1.24):
        assert ("ceiling" in told(m, ceiling_per_s=ceiling)) == (m.throughput_per_s > 0)


@many
@given(facts())
def test_a_run_without_a_right_reply_to_a_measured_call_is_invalid(f: Change) -> None:
    f["calls"]["ok"] = 0
    assert judge(built(f)).status == "invalid"


@many
@given(facts())
def test_what_is_valid_has_replies_and_none_wrong_or_missing(f: Change) -> None:
    for one in (f, f | {"calls": dict(f["calls"], errors={}, wrong_status=0, wrong_body=0)}):
        m = built(one)
        if judge(m).status == "invalid":
            continue
        c = m.calls
        assert min(c.ok, m.completed_in_window) > 0
        assert c.wrong_status == c.wrong_body == 0
        assert sum(c.errors.values()) + c.in_flight <= 0.01 * c.sent
        verdict = judge(m)
        assert verdict.reasons or c.ended >= 1000
        if verdict.status == "valid":
            assert c.ended >= 100
            assert m.window_s >= 1
            assert sum(c.errors.values()) + c.in_flight <= 0.001 * c.sent


def test_every_rule_has_a_proof_and_gives_way_only_to_one_that_says_as_much() -> None:
    elsewhere = {"counts", "schedule", "missing_calls", "ceiling", "shared_cores"}
    elsewhere |= {"server_starved", "wire_limit", "path_losses", "fewer_than_cores"}
    elsewhere |= set(DATABASE_RULES)
    assert set(BY_FACTS) | elsewhere == set(RULES)
    for code, rule in RULES.items():
        for cause in rule.unless:
            assert RULES[cause].status in ("invalid", rule.status), (code, cause)
            assert code not in RULES[cause].unless
            assert set(rule.doubts) <= set(RULES[cause].doubts), (code, cause)
        assert rule.doubts
        assert rule.status == "suspect" or set(rule.doubts) == set(NUMBERS), code
