"""The rules on the database beside the server: missing work, and a database at its limit."""

from __future__ import annotations

import pytest
from generated import built, facts, many
from httpdyno.verdict import Context, judge
from hypothesis import given
from hypothesis import strategies as st
from measured import Change, codes, measurement, with_database
from test_no_rule_goes_silent import expected, told


@pytest.mark.parametrize(
    ("code", "work"),
    [
        ("too_few_queries", "reads"),
        ("rows_not_read", "rows_read"),
        ("updates_not_written", "rows_written"),
    ],
)
def test_missing_work_of_right_replies_is_told_beyond_one_percent(code: str, work: str) -> None:
    assert codes(measurement(), **with_database(**{work: 9_800})) == [code]
    assert codes(measurement(), **with_database(**{work: 9_901})) == []


def test_updates_that_were_rolled_back_are_not_written() -> None:
    (reason,) = judge(measurement(), Context(**with_database(rows_changed=0))).reasons
    assert reason.code == "updates_not_written"
    assert "0 rows of `world` had another number (expected about 6,321 of 10,000)" in reason.text


def test_a_database_that_counts_nothing_gives_no_reason() -> None:
    counters = dict.fromkeys(("queries", "reads", "rows_read", "rows_written", "rows_changed"))
    assert codes(measurement(), **with_database(**counters)) == []


def test_a_busy_database_is_no_limit_where_the_server_is_busier() -> None:
    busy = with_database(cpu_s=9.5)
    assert codes(measurement(), server_share=0.97, **busy) == []
    (reason,) = judge(measurement(), Context(server_share=0.4, **busy)).reasons
    assert (
        "it used 95.0 % of its CPUs (limit 90 %), and the server 40.0 % of its own" in reason.text
    )


def test_a_database_that_shares_the_processors_is_told_where_it_takes_most_of_their_time() -> None:
    busy = with_database(cpu_s=5.5, shares_server=True)
    assert codes(measurement(), server_share=0.34, **busy) == []  # time to spare
    assert codes(measurement(), server_share=0.56, **busy) == []  # the server takes most
    (reason,) = judge(measurement(), Context(server_share=0.4, **busy)).reasons
    assert reason.code == "database_shares"
    assert (
        "55.0 % of their CPUs, and the server 40.0 % (together 95.0 %, limit 90 %)" in reason.text
    )


@pytest.mark.parametrize("code", ["too_few_queries", "rows_not_read", "updates_not_written"])
@many
@given(facts(), st.integers(100, 1_000_000))
def test_a_database_that_did_not_do_the_work_of_the_replies_is_always_told(
    code: str, f: Change, replies: int
) -> None:
    done = dict.fromkeys(("reads", "rows_read", "rows_written"), replies)
    left_out = {"too_few_queries": "reads", "rows_not_read": "rows_read"}
    done[left_out.get(code, "rows_written")] = int(0.98 * replies)
    changed = {"replies": replies, "rows_changed": 10_000}
    found = told(built(f), **with_database(**done | changed))
    assert expected(code, built(f)) & set(found)
