"""An error budget forgives the errors that it covers, and nothing if it is broken."""

from __future__ import annotations

from typing import Any

import pytest
from httpdyno.limits.budget import Budget
from httpdyno.limits.thresholds import parse_limit, parse_threshold
from httpdyno.verdict import Context, Verdict, judge
from measured import Change, calls, measurement, plan

ONE_503: Change = {
    "calls": calls(9_999, wrong_status=1),
    "statuses": {"200": 9_999, "503": 1},
}
LOST: Change = {"calls": calls(9_700, errors={"reply_timeout": 200, "refused": 100})}


def limited(*limits: str, **changes: Any) -> Verdict:
    budget = Budget.of_limits(parse_limit(limit) for limit in limits)
    return judge(measurement(**changes), Context(plan(), budget=budget))


def test_without_a_budget_the_first_wrong_reply_is_one_too_many() -> None:
    assert [one.code for one in limited(**ONE_503).reasons] == ["wrong_replies"]


@pytest.mark.parametrize(
    "limit", ["errors<1%", "errors<=0.01%", "wrong_status<1%", "status_5xx<0.1%", "status_503<0.1%"]
)
def test_a_wrong_reply_within_the_budget_leaves_a_measurement_valid(limit: str) -> None:
    assert limited(limit, **ONE_503).status == "valid"


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        ("errors<0.001%", "errors 0.0100 % (budget 0.001 %)"),
        ("status_5xx<0.001%", "status_5xx 0.0100 % (budget 0.001 %)"),
    ],
)
def test_a_broken_budget_is_named(limit: str, words: str) -> None:
    (reason,) = limited(limit, **ONE_503).reasons
    assert reason.status == "invalid"
    assert reason.text.endswith(f"; over the error budget: {words}")


@pytest.mark.parametrize("limit", ["status_4xx<1%", "wrong_body<1%", "timeouts<1%"])
def test_the_budget_of_one_class_forgives_no_other(limit: str) -> None:
    assert [one.code for one in limited(limit, **ONE_503).reasons] == ["wrong_replies"]


@pytest.mark.parametrize(
    ("limits", "codes"),
    [
        (("errors<5%",), []),
        (("errors<2%",), ["errors"]),
        (("timeouts<3%",), ["some_errors"]),
        (("timeouts<3%", "refused<1%"), []),
        (("timeouts<3%", "refused<0.5%"), ["some_errors"]),
    ],
)
def test_calls_without_a_reply_have_a_budget_too(limits: tuple[str, ...], codes: list[str]) -> None:
    assert [one.code for one in limited(*limits, **LOST).reasons] == codes


@pytest.mark.parametrize(
    ("threshold", "status"),
    [
        ("errors>1%", "valid"),
        ("errors>=0.02%", "valid"),
        ("errors>=0.01%", "invalid"),
        ("p99>1s", "invalid"),
    ],
)
def test_a_threshold_that_fails_above_a_share_of_errors_allows_this_share(
    threshold: str, status: str
) -> None:
    budget = Budget.of_thresholds([parse_threshold(threshold)])
    assert judge(measurement(**ONE_503), Context(plan(), budget=budget)).status == status


@pytest.mark.parametrize("text", ["status_99x>1%", "status_0xx>1%", "mistakes>1%", "in_flight>1%"])
def test_an_unknown_class_of_errors_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a metric: .*`timeouts`|a count such as"):
        parse_threshold(text)
