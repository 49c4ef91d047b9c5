"""A cause is named only where its own counter shows it."""

from __future__ import annotations

import pytest
from httpdyno.verdict import Context, judge
from measured import Change, calls, measurement, plan, time

LOST = calls(9_983, unsent=17)
LATE = time(p50_ns=5_000, p99_ns=50_000) | {"max_ns": 17_100_000}
LATER = LATE | {"max_ns": 16_000_000}
CAUSES: dict[str, tuple[Change, str, str]] = {
    "calls waited for a connection": (
        {"calls": LOST | {"waited": 20}},
        "): no connection was free",
        "allow more connections",
    ),
    "every connection was without its reply": (
        {"calls": calls(9_963, unsent=17, in_flight=20)},
        "): no connection was free",
        "allow more connections",
    ),
    "the generator was as late as they were due": (
        {"calls": LOST, "times__lag": LATE},
        "): the load generator was up to 17.1 ms late",
        "stop other programs",
    ),
    "the generator was late, and stood still for even longer": (
        {"calls": LOST, "times__lag": LATE, "cpu__standstill_share": 0.002},
        "): the load generator was up to 17.1 ms late",
        "stop other programs",
    ),
    "the generator stood still again and again": (
        {"calls": LOST, "times__lag": LATER, "cpu__standstill_share": 0.002},
        "): the load generator stood still for 20.0 ms in total",
        "stop other programs",
    ),
    "no counter shows a cause": ({"calls": LOST}, "limit 0.1 %)", "measure again"),
}


@pytest.mark.parametrize(("changes", "text", "hint"), CAUSES.values(), ids=CAUSES)
def test_unsent_calls_have_the_cause_that_a_counter_shows(
    changes: Change, text: str, hint: str
) -> None:
    reasons = judge(measurement(**changes), Context(plan())).reasons
    (unsent,) = [reason for reason in reasons if reason.code == "unsent"]
    assert unsent.text.endswith(text)
    assert unsent.hint.startswith(hint)


def test_calls_that_were_not_sent_without_any_that_waited_have_no_busy_connection() -> None:
    m = measurement(calls=calls(0, unsent=10_000), warm_up_calls=calls(0), completed_in_window=0)
    (reason, *_) = judge(m, Context(plan())).reasons
    assert reason.text == "no correct reply in 10.0 s: of 10,000 calls none was sent"


@pytest.mark.parametrize(("waited", "named"), [(100, True), (0, False)])
def test_more_connections_are_proposed_only_where_calls_waited_for_one(
    waited: int, named: bool
) -> None:
    m = measurement(
        validity__arrivals__off_share=0.5, calls=calls(waited=waited), cpu__busy_share=0.2
    )
    (reason,) = [one for one in judge(m, Context(plan())).reasons if one.code == "spacing"]
    assert ("connection" in reason.hint) == named


@pytest.mark.parametrize(
    ("stopped_by", "words"), [("interrupt", "stopped early"), ("duration", "allow more time")]
)
def test_missing_calls_name_what_ended_the_run(stopped_by: str, words: str) -> None:
    m = measurement(stopped_by=stopped_by)
    (reason,) = [
        one
        for one in judge(m, Context(plan(), expected_count=20_000)).reasons
        if one.code == "missing_calls"
    ]
    assert words in reason.hint


def test_a_single_call_was_never_sent() -> None:
    reasons = judge(measurement(calls=calls(402, unsent=1)), Context(plan())).reasons
    (unsent,) = [reason for reason in reasons if reason.code == "unsent"]
    assert unsent.text.startswith("1 of 403 calls was never sent")
