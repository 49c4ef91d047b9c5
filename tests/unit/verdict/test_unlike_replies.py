"""Wrong replies are named by what came, and replies without a declared body are compared with the
first one."""

from __future__ import annotations

import pytest
from httpdyno.verdict import Context, judge
from measured import Change, calls, like, measurement, plan


def replies(unlike: int, other_size: int = 0, same_other: int = 0) -> Change:
    return {"replies": like(unlike, other_size, same_other)}


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (replies(5_000, 5_000), "5,000 of 10,000 replies had another size than the first one"),
        (replies(9_999, 1), "1 of 10,000 replies had another size than the first one"),
        (replies(1), "1 of 10,000 replies had another body than the first one"),
        (
            replies(9_999, same_other=9_999),
            "9,999 of 10,000 replies had one and the same other body",
        ),
        (
            replies(8_000, same_other=4_801),
            "4,801 of 10,000 replies had one and the same other body",
        ),
        (replies(6_000), "6,000 of 10,000 replies had another body than the first one"),
    ],
)
def test_some_replies_unlike_the_first_make_a_measurement_suspect(
    changes: Change, text: str
) -> None:
    verdict = judge(measurement(**changes), Context(plan()))
    assert verdict.status == "suspect"
    assert [reason.text for reason in verdict.reasons] == [text]
    assert "(`curl -v http://127.0.0.1:8080/`)" in verdict.reasons[0].hint
    assert "(`--expect any`)" in verdict.reasons[0].hint


@pytest.mark.parametrize(
    "changes", [replies(0), replies(6_001), replies(9_999), replies(8_000, same_other=4_800)]
)
def test_pages_that_are_all_alike_or_nearly_all_different_are_no_doubt(changes: Change) -> None:
    assert judge(measurement(**changes), Context(plan())).status == "valid"


def test_one_reply_alone_is_not_the_same_as_others() -> None:
    alone = measurement(calls=calls(1), **replies(1, same_other=1))
    assert "unlike_replies" not in [one.code for one in judge(alone, Context(plan())).reasons]


def test_wrong_replies_are_the_better_reason() -> None:
    wrong = measurement(calls=calls(9_000, wrong_status=1_000), **replies(10, 10))
    assert [one.code for one in judge(wrong, Context(plan())).reasons] == ["wrong_replies"]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"calls": calls(0, wrong_status=800), "statuses": {"404": 800}},
            "all 800 replies had status 404 (expected 2xx or 3xx)",
        ),
        (
            {
                "calls": calls(0, wrong_status=9),
                "statuses": {"other": 9},
                "first_failure": "GET /: status 999",
            },
            "all 9 replies had a status outside 100 to 599 (expected 2xx or 3xx);"
            " first: GET /: status 999",
        ),
        (
            {"calls": calls(0, wrong_status=9), "statuses": {"404": 8, "other": 1}},
            "all 9 replies had a wrong status (expected 2xx or 3xx):"
            " 8 × 404, 1 × outside 100 to 599",
        ),
        (
            {"calls": calls(990, wrong_status=10), "statuses": {"200": 990, "500": 10}},
            "10 of 1,000 replies had a wrong status (expected 2xx or 3xx): 990 × 200, 10 × 500",
        ),
        (
            {"calls": calls(0, wrong_body=1), "first_failure": "GET /: a body of 2 bytes"},
            "the only reply had a wrong body; first: GET /: a body of 2 bytes",
        ),
    ],
)
def test_a_wrong_reply_is_told_by_what_came_and_what_was_expected(
    changes: Change, text: str
) -> None:
    reasons = judge(measurement(**changes), Context(plan())).reasons
    assert text in [one.text for one in reasons if one.code == "wrong_replies"]
