"""The rules held against the raw logs of 2010: what was charted, and what would be refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from httpdyno.verdict import RULES, Log, judge_log
from httpdyno.verdict.log import FEWEST_SAMPLES, LOG_RULES
from hypothesis import given, settings
from hypothesis import strategies as st

CLEAN = Log(
    asked=1_000_000,
    replies=1_000_000,
    wrong=0,
    failed_connections=0,
    seconds=61,
    samples=12,
    mean_per_s=16_299,
    stdev_per_s=475,
)


def codes(log: Log) -> list[str]:
    return [reason.code for reason in judge_log(log).reasons]


def test_a_clean_run_of_the_time_is_still_valid() -> None:
    verdict = judge_log(CLEAN)
    assert verdict.status == "valid"
    assert verdict.reasons == ()


def test_a_bar_of_server_errors_would_be_refused() -> None:
    verdict = judge_log(replace(CLEAN, wrong=997_500, seconds=221, samples=44))
    assert verdict.status == "invalid"
    assert verdict.reasons[0].text == (
        "99.75 % of the replies were wrong: 997,500 of 1,000,000 (expected none)"
    )


def test_a_server_that_dropped_most_of_its_calls_would_be_refused() -> None:
    log = replace(CLEAN, replies=101_000, failed_connections=1000, seconds=10, samples=2)
    verdict = judge_log(replace(log, mean_per_s=9_770, stdev_per_s=6_819))
    assert verdict.status == "invalid"
    assert [one.code for one in verdict.reasons] == ["errors", "not_steady"]
    assert verdict.reasons[0].text == (
        "89.9 % of the calls got no reply (limit 1 %): 101,000 replies to 1,000,000 calls;"
        " 1,000 connections failed"
    )
    assert "69.80 %, limit 10 %" in verdict.reasons[1].text


def test_the_reason_that_spoils_more_of_the_run_is_told_first() -> None:
    rails = replace(CLEAN, replies=106_000, wrong=1, failed_connections=894)
    assert codes(rails)[:2] == ["errors", "wrong_replies"]
    assert codes(replace(CLEAN, replies=980_000, wrong=500_000))[0] == "wrong_replies"


@pytest.mark.parametrize(
    ("trips", "inside", "code"),
    [
        (replace(CLEAN, wrong=1_000_000), replace(CLEAN, wrong=0), "no_reply"),
        (replace(CLEAN, wrong=1), replace(CLEAN, wrong=0), "wrong_replies"),
        (replace(CLEAN, replies=989_999), replace(CLEAN, replies=990_000), "errors"),
        (replace(CLEAN, replies=998_999), replace(CLEAN, replies=999_000), "some_errors"),
        (replace(CLEAN, seconds=0.24), replace(CLEAN, seconds=1), "too_short"),
        (replace(CLEAN, stdev_per_s=1_631), replace(CLEAN, stdev_per_s=1_629), "not_steady"),
        (replace(CLEAN, samples=1), replace(CLEAN, samples=FEWEST_SAMPLES), "samples"),
    ],
)
def test_each_rule_trips_beyond_its_limit_and_not_inside(
    trips: Log, inside: Log, code: str
) -> None:
    assert code in codes(trips)
    assert code not in codes(inside)


def test_a_log_is_held_to_the_limits_of_a_measurement() -> None:
    shared = set(LOG_RULES) - {"samples"}
    assert shared <= set(RULES)
    for code in shared:
        assert LOG_RULES[code].limit == RULES[code].limit
        assert LOG_RULES[code].hint
    worse = replace(CLEAN, replies=900_000)
    assert judge_log(worse).status == RULES["errors"].status


def test_a_log_without_a_spread_is_not_called_unsteady() -> None:
    assert codes(replace(CLEAN, stdev_per_s=None)) == []


counts = st.sampled_from([0, 1, 1000, 1_000_000]) | st.integers(0, 10**7)


@settings(max_examples=200, deadline=None)
@given(asked=counts, replies=counts, wrong=counts, mean=st.floats(0, 1e6), spread=st.floats(0, 1e6))
def test_no_rule_about_a_log_goes_silent_because_a_count_is_zero(
    asked: int, replies: int, wrong: int, mean: float, spread: float
) -> None:
    log = replace(CLEAN, asked=asked, replies=replies, wrong=wrong)
    verdict = judge_log(replace(log, mean_per_s=mean, stdev_per_s=spread))
    told = [one.code for one in verdict.reasons]
    assert ("no_reply" in told) == (replies <= wrong)
    assert ("wrong_replies" in told) == (wrong > 0)
    assert ("errors" in told) == (asked - replies > 0.01 * asked)
    assert ("some_errors" in told) == (0.01 * asked >= asked - replies > 0.001 * asked)
    assert ("not_steady" in told) == (spread > 0.1 * mean)
    assert ("too_short" in told) == (wrong < replies < 1000)
