"""Every rule of the verdict: a measurement that trips it, and one just inside its limit."""

from __future__ import annotations

import http2_facts
import pytest
from httpdyno.verdict import RULES, Context, judge
from httpdyno.verdict.contention import Contention
from measured import (
    Change,
    calls,
    codes,
    dependence,
    drift,
    fit,
    known_within,
    late,
    like,
    measurement,
    node,
    of_sessions,
    p99,
    plan,
    second,
    two_machines,
    with_database,
    with_shared_cores,
)

NO_REPLY: Change = {"completed_in_window": 0, "throughput_per_s": 0.0}
CLOSED: Change = {"load": "closed", "offered_per_s": None}
HALVES = [second(n, ok=1000 if n < 5 else 850) for n in range(10)]
RAMP = [second(n, ok=1000 + 200 * n, due=1000 + 200 * n) for n in range(10)]
BEHIND = [second(n, ok=500) for n in range(10)]
FIRST_LAGS = [second(n, ok=700 if n == 0 else 1000) for n in range(10)]
GONE = [second(n, ok=1000 if n < 8 else 0) for n in range(10)]
LATE = [second(n, ok=1000 if n < 9 else 0) for n in range(10)]

# code → changes that trip it, changes just inside its limit that do not
TABLE: dict[str, tuple[Change, Change]] = {
    "counts": ({"calls__due": 10_001}, {"calls": calls(unsent=1)}),
    "no_reply": (
        {"calls": calls(0, errors={"refused": 9}), **NO_REPLY},
        {"calls": calls(1, errors={"refused": 9}), "completed_in_window": 1},
    ),
    "wrong_replies": ({"calls": calls(wrong_status=1)}, {"calls": calls(wrong_status=0)}),
    "stopped_answering": ({"intervals": GONE}, {"intervals": LATE}),
    "errors": (
        {"calls": calls(9_800, errors={"reset": 150}, in_flight=50)},
        {"calls": calls(9_900, errors={"reset": 100})},
    ),
    "some_errors": (
        {"calls": calls(9_900, errors={"reset": 100})},
        {"calls": calls(9_990, errors={"reset": 10})},
    ),
    "overload": (
        {"offered_per_s": 2000.0, "intervals": BEHIND},
        {"offered_per_s": 1031.0, "intervals": FIRST_LAGS, "calls": calls(unsent=310)},
    ),
    "backlog": (
        {"completed_in_window": 10_210, "throughput_per_s": 1021.0},
        {"completed_in_window": 10_200, "throughput_per_s": 1020.0},
    ),
    "unsent": ({"calls": calls(unsent=11)}, {"calls": calls(unsent=10)}),
    "generator_busy": ({"cpu__busy_share": 0.91}, {"cpu__busy_share": 0.90}),
    "generator_stopped": ({"cpu__waiting_share": 0.11}, {"cpu__standstill_share": 0.10}),
    "generator_behind": (late(at_p50_ns=112_000), late(at_p50_ns=111_000)),
    "generator_late": (late(at_p99_ns=223_000), late(at_p99_ns=222_000)),
    "excess_data": ({"connections__excess_data": 1}, {"connections__excess_data": 0}),
    "littles_law": (CLOSED | {"mean_in_flight": 1.2}, CLOSED | {"mean_in_flight": 1.05}),
    "too_short": ({"calls": calls(99)}, {"calls": calls(100)}),
    "too_few": ({"calls": calls(999)}, {"calls": calls(1000)}),
    "not_steady": ({"intervals": HALVES}, {"intervals": RAMP}),
    "schedule": (
        {"validity__arrivals": fit(scheduled=10_002)},
        {"validity__arrivals": fit(scheduled=10_001)},
    ),
    "spacing": (
        {"validity__arrivals": fit(off_share=0.11)},
        {"validity__arrivals": fit(off_share=0.10)},
    ),
    "arrivals": (
        {"validity__arrivals": fit(spacing="exponential", anderson_darling=6.1, sampled=600)},
        {"validity__arrivals": fit(spacing="exponential", anderson_darling=6.0, sampled=600)},
    ),
    "drifting": (
        {"validity__drift": drift(-2.85, 1_120_000)},
        {"validity__drift": drift(-2.86, 1_120_000)},
    ),
    "dependent": (
        {"validity__dependence": dependence(0.51)},
        {"validity__dependence": dependence(0.50)},
    ),
    "unlike_nodes": (
        {"nodes": [node(), node(2_510_000)]},
        {"nodes": [node(), node(2_500_000, lag_p99_ns=410_000)]},
    ),
    "unsure_clocks": (
        {"nodes": known_within(60_000, 40_001)},
        {"nodes": known_within(60_000, 40_000)},
    ),
    "vague_tail": (
        {"validity__percentiles": p99(1_000_000, 3_010_000)},
        {"validity__percentiles": p99(1_000_000, 3_000_000)},
    ),
    **http2_facts.CASES,
    "unlike_replies": ({"replies": like(6_000)}, {"replies": like(6_001)}),
    "descheduled": ({"cpu__involuntary_switches": 1001}, {"cpu__involuntary_switches": 1000}),
}

# code → what the measurement cannot know about itself: what trips the rule, what does not
BY_CONTEXT: dict[str, tuple[Change, Change]] = {
    "missing_calls": ({"expected_count": 10_001}, {"expected_count": 10_000}),
    "ceiling": ({"ceiling_per_s": 1249.0}, {"ceiling_per_s": 1250.0}),
    "server_starved": ({"contention": Contention(0.051, 2)}, {"contention": Contention(0.05, 2)}),
    "shared_cores": ({"shared_cores": True}, {"shared_cores": False}),
    "too_few_queries": (with_database(reads=9_899), with_database(reads=9_900)),
    "rows_not_read": (with_database(rows_read=9_899), with_database(rows_read=9_900)),
    "updates_not_written": (with_database(rows_written=9_899), with_database(rows_written=9_900)),
    "database_limit": (with_database(cpu_s=9.01), with_database(cpu_s=9.0)),
    "fewer_than_cores": (http2_facts.busy_cores(0.901), http2_facts.busy_cores(0.899)),
    "database_shares": (with_shared_cores(0.41), with_shared_cores(0.39)),
    "wire_limit": (two_machines(sent_bytes=1_125_000_000), two_machines(sent_bytes=1_124_999_999)),
    "path_losses": (two_machines(retransmits=101), two_machines(retransmits=100)),
}


def test_a_sound_run_is_valid_and_has_no_reason() -> None:
    verdict = judge(measurement())
    assert (verdict.status, verdict.reasons) == ("valid", ())


@pytest.mark.parametrize("code", TABLE)
def test_each_rule_trips_outside_its_limit_and_only_there(code: str) -> None:
    trips, holds = TABLE[code]
    assert code in codes(measurement(**trips))
    assert code not in codes(measurement(**holds))


@pytest.mark.parametrize("code", BY_CONTEXT)
def test_each_rule_about_the_surroundings_trips_on_them_only(code: str) -> None:
    trips, holds = BY_CONTEXT[code]
    assert codes(measurement(), **trips) == [code]
    assert codes(measurement(), **holds) == []


def test_every_rule_has_its_cases() -> None:
    assert set(RULES) == set(TABLE) | set(BY_CONTEXT)


@pytest.mark.parametrize("code", RULES)
def test_every_reason_says_what_to_do_and_leaves_no_blank(code: str) -> None:
    changes, context = (TABLE[code][0], {}) if code in TABLE else ({}, BY_CONTEXT[code][0])
    reason = next(
        one for one in judge(measurement(**changes), Context(**context)).reasons if one.code == code
    )
    assert reason.status == RULES[code].status
    assert reason.hint
    assert "{" not in reason.text + reason.hint


def test_replies_that_all_came_too_late_are_no_rate_of_zero() -> None:
    verdict = judge(measurement(completed_in_window=0, throughput_per_s=0.0, calls=calls(ok=100)))
    assert verdict.status == "invalid"
    assert verdict.reasons[0].text == "no correct reply in 10.0 s: 100 replies came later"


@pytest.mark.parametrize(
    ("stopped_by", "failed", "told"),
    [("duration", 0, False), ("duration", 1, True), ("count", 0, True)],
)
def test_sessions_cut_off_by_the_clock_may_leave_calls_unsent(
    stopped_by: str, failed: int, told: bool
) -> None:
    sessions = of_sessions(100, 100, 99 - failed, failed)
    run = measurement(
        load="sessions", stopped_by=stopped_by, calls=calls(unsent=11), sessions=sessions
    )
    assert ("unsent" in [reason.code for reason in judge(run).reasons]) == told


def test_the_worst_reason_decides_and_comes_first() -> None:
    run = measurement(calls=calls(wrong_body=1), cpu__busy_share=0.99)
    verdict = judge(run)
    assert verdict.status == "invalid"
    assert [reason.status for reason in verdict.reasons] == ["invalid", "suspect"]


def test_calls_as_long_as_the_gap_explain_why_counts_and_times_differ() -> None:
    contradiction = CLOSED | {"mean_in_flight": 1.2}
    assert "littles_law" in codes(measurement(**contradiction, times__response__max_ns=10**9))
    longer = codes(measurement(**contradiction, times__response__max_ns=2 * 10**9))
    assert "littles_law" not in longer


def test_a_spinning_generator_is_not_blamed_for_being_busy() -> None:
    run = measurement(cpu__busy_share=1.0)
    assert codes(run) == ["generator_busy"]
    assert codes(run, plan=plan(spin=True)) == []


def test_the_first_failure_is_quoted_when_replies_were_wrong() -> None:
    run = measurement(calls=calls(wrong_status=3), first_failure="status 500, expected 200")
    assert "status 500, expected 200" in judge(run).reasons[0].text


def test_random_arrivals_of_a_slow_load_are_not_called_unsteady() -> None:
    few = [second(n, ok=20 if n < 5 else 15, due=20 if n < 5 else 19) for n in range(10)]
    assert "not_steady" not in codes(measurement(intervals=few))


def test_a_tail_without_an_upper_bound_is_vague_and_says_so() -> None:
    verdict = judge(measurement(validity__percentiles=p99(high_ns=None)))
    assert verdict.reasons[0].text == (
        "p99 is uncertain: 1.90 ms or more at 95 % (no upper bound, limit ± 50 %)"
    )


def test_a_drift_too_small_to_matter_is_not_told() -> None:
    assert codes(measurement(validity__drift=drift(0.0, 1_100_000))) == []


def test_a_drift_under_a_load_that_was_meant_to_change_is_not_told() -> None:
    rising = measurement(intervals=RAMP, validity__drift=drift(0.0, 2_000_000))
    assert codes(rising) == []


def test_a_drift_is_told_in_plain_words() -> None:
    (reason,) = judge(measurement(validity__drift=drift(0.0, 2_000_000))).reasons
    assert reason.text.endswith("apart, limit 10 %), and did not return to their mean")


def test_what_a_drift_explains_is_not_told_again_as_dependence() -> None:
    tells = {"validity__drift": drift(0.0, 2e6), "validity__dependence": dependence(0.9)}
    assert codes(measurement(**tells)) == ["drifting"]


def test_few_calls_that_correlate_by_chance_are_not_called_dependent() -> None:
    assert codes(measurement(validity__dependence=dependence(0.39, sampled=100))) == []


def test_an_overload_explains_every_doubt_about_times_and_arrivals() -> None:
    tells = {
        "validity__arrivals": fit(off_share=0.9),
        "validity__drift": drift(0.0, 9e6),
        "validity__dependence": dependence(0.9),
        "validity__percentiles": p99(high_ns=None),
    }
    assert codes(measurement(offered_per_s=2000.0, intervals=BEHIND, **tells)) == ["overload"]


def test_a_generator_that_is_always_late_explains_arrivals_and_dependence() -> None:
    tells = {
        "validity__arrivals": fit(off_share=0.9),
        "validity__dependence": dependence(0.9),
    }
    behind = late(at_p50_ns=200_000, at_p99_ns=400_000)
    assert codes(measurement(**tells, **behind)) == ["generator_behind"]


def test_a_generator_that_is_late_at_p99_leaves_the_doubts_about_p50() -> None:
    tells = {
        "validity__arrivals": fit(off_share=0.9),
        "validity__dependence": dependence(0.9),
    }
    told = codes(measurement(**tells, **late(at_p99_ns=400_000)))
    assert told == ["generator_late", "spacing", "dependent"]


@pytest.mark.parametrize("changes", [{"load": "closed"}, {"calls": calls(7999)}])
def test_calls_that_queue_by_design_or_stand_close_are_not_called_dependent(
    changes: dict[str, object],
) -> None:
    assert "dependent" not in codes(measurement(validity__dependence=dependence(0.9), **changes))


def test_a_misfit_that_only_a_large_sample_shows_is_not_told() -> None:
    seen = fit(spacing="exponential", anderson_darling=39.0, sampled=4000)
    assert codes(measurement(validity__arrivals=seen)) == []
    assert codes(measurement(validity__arrivals=fit(**{**seen, "anderson_darling": 41.0})))


def test_one_trial_of_several_is_not_asked_what_only_restarts_can_tell() -> None:
    tells = {
        "validity__dependence": dependence(0.9),
        "validity__percentiles": p99(high_ns=None),
    }
    assert codes(measurement(**tells)) == ["dependent", "vague_tail"]
    assert judge(measurement(**tells), Context(in_study=True)).status == "valid"


def test_few_arrivals_are_not_held_to_their_spacing() -> None:
    assert codes(measurement(validity__arrivals=fit(off_share=0.9, sampled=49))) == []


DEAD = {
    "load": "closed",
    "offered_per_s": None,
    "validity__arrivals": None,
    "calls": calls(0, errors={"refused": 1693, "early_close": 114}),
    "warm_up_calls": calls(300),
    "completed_in_window": 100,
    "throughput_per_s": 10.0,
}


def test_replies_to_the_warm_up_do_not_make_a_run_valid_whose_own_calls_all_failed() -> None:
    verdict = judge(measurement(**DEAD))
    assert verdict.status == "invalid"
    assert [one.text for one in verdict.reasons[:2]] == [
        "no correct reply in 10.0 s: 1,693 refused, 114 early close",
        "all 1,807 calls failed (limit 1 %): 1,693 refused, 114 early close",
    ]


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        (calls(ok=0, in_flight=3), "all 3 calls were unanswered (limit 1 %): 3 unanswered"),
        (calls(ok=0, in_flight=1), "the only call was unanswered (limit 1 %): 1 unanswered"),
        (
            calls(ok=193, in_flight=5),
            "2.53 % of calls were unanswered (limit 1 %): 5 unanswered",
        ),
        (
            calls(ok=193, in_flight=4, errors={"reset": 1}),
            "2.53 % of calls failed or were unanswered (limit 1 %): 1 reset, 4 unanswered",
        ),
    ],
)
def test_calls_that_were_only_unanswered_did_not_fail(seen: Change, text: str) -> None:
    reasons = judge(measurement(calls=seen, stopped_by="interrupt")).reasons
    assert [reason.text for reason in reasons if reason.code == "errors"] == [text]


def test_a_noisy_limit_is_the_one_that_is_shown() -> None:
    few = [second(n, ok=40 if n < 5 else 10, due=25) for n in range(10)]
    (text,) = [r.text for r in judge(measurement(intervals=few)).reasons if r.code == "not_steady"]
    assert "limit 30 %" in text


def test_random_arrivals_whose_halves_differ_by_chance_do_not_excuse_a_drift() -> None:
    few = [second(n, ok=10, due=11 if n < 5 else 9) for n in range(10)]
    assert codes(measurement(intervals=few, validity__drift=drift(0.0, 2e6))) == ["drifting"]


SPEED = ("throughput", "p50", "p99")


@pytest.mark.parametrize(
    ("changes", "doubts"),
    [
        ({}, ("p50", "p99")),
        (CLOSED, SPEED),
        ({"offered_per_s": 2000.0, "intervals": BEHIND}, SPEED),
    ],
    ids=["open, kept up", "closed", "overloaded"],
)
def test_a_rate_that_was_offered_and_achieved_is_not_limited_by_the_generator(
    changes: Change, doubts: tuple[str, ...]
) -> None:
    limited = {"cpu__waiting_share": 0.5, "cpu__busy_share": 0.95}
    reasons = judge(measurement(**changes, **limited), Context(ceiling_per_s=1001.0)).reasons
    told = {one.code: one.doubts for one in reasons}
    for code in ("generator_stopped", "generator_busy", "ceiling"):
        assert told[code] == doubts


def test_a_valid_closed_load_may_have_a_suspect_tail() -> None:
    verdict = judge(measurement(**CLOSED, calls=calls(999)))
    assert [one.code for one in verdict.reasons] == ["too_few"]
    assert verdict.status == "valid"
    assert (verdict.status_of("p99"), verdict.status_of("p50")) == ("suspect", "valid")
    assert judge(measurement(calls=calls(999))).status == "suspect"


SHORT = {"window_s": 0.5, "calls": calls(1000), "stopped_by": "count", "intervals": [second(0)]}


@pytest.mark.parametrize(
    ("stop", "stopped_by", "as_published", "told"),
    [
        ({"count": 1000}, "count", True, False),
        ({"count": 1000}, "count", False, True),
        ({"duration_s": 0.5}, "duration", True, False),
        ({"duration_s": 60}, "interrupt", True, True),
    ],
)
def test_only_the_design_of_a_published_load_excuses_its_shortness(
    stop: Change, stopped_by: str, as_published: bool, told: bool
) -> None:
    run = measurement(**CLOSED, **SHORT | {"stopped_by": stopped_by})
    of = plan({"kind": "closed", "connections": 10}, stop=stop)
    assert ("too_short" in codes(run, plan=of, as_published=as_published)) == told


def test_a_published_load_that_brings_too_few_calls_in_its_time_is_told() -> None:
    slow = {"window_s": 60.0, "calls": calls(150), "intervals": [second(n, 2) for n in range(60)]}
    of = plan({"kind": "closed", "connections": 10}, stop={"duration_s": 60})
    assert codes(measurement(**CLOSED, **slow), plan=of, as_published=True) == ["too_few"]
