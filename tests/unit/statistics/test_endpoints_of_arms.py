"""The endpoints of an arm: their numbers over restarts, and which of them differ from the
baseline's."""

from __future__ import annotations

from pathlib import Path

import pytest
from endpoint_samples import FACTS, NAMES, STUDY, equal, items_slower, result, trial
from httpdyno.plan import Plan
from httpdyno.statistics.summarise import summarise
from httpdyno.study.read import parse_study
from trial_samples import reason


def test_a_cell_has_the_numbers_of_each_endpoint_with_intervals_over_restarts() -> None:
    cell = next(one for one in result(items_slower).cells if one.arm.startswith("starlette"))
    assert [one.name for one in cell.endpoints] == list(NAMES)
    items, item, *_ = cell.endpoints
    assert items.p99_s is not None
    assert item.p99_s is not None
    assert item.p99_s.value == pytest.approx(1.4 * items.p99_s.value, rel=0.01)
    assert item.p99_s.low is not None
    assert item.p99_s.low < item.p99_s.value
    assert item.error_share is not None
    assert item.error_share.value == 0
    assert [one.name for one in cell.trials[0].endpoints] == list(NAMES)


@pytest.mark.parametrize("apart", [False, True])
def test_the_endpoint_that_is_slower_is_found_and_the_others_show_no_difference(
    apart: bool,
) -> None:
    found = {one.endpoint: one for one in result(items_slower, apart=apart).endpoint_comparisons}
    assert set(found) == set(NAMES)
    assert {name: one.outcome for name, one in found.items() if one.shown} == {
        "GET /items/{id}": "worse"
    }
    item = found["GET /items/{id}"]
    assert item.ratio is not None
    assert item.ratio.value == pytest.approx(1.4, rel=0.01)
    # 4 endpoints; in a study, beside p99 and CPU of all calls, which are one decision each.
    assert item.adjusted_with == (4 if apart else 6)


def test_equal_arms_show_no_difference_of_any_endpoint() -> None:
    assert not any(one.shown for one in result(equal).endpoint_comparisons)


def test_comparisons_of_all_calls_are_those_of_a_study_without_endpoints() -> None:
    found = result(equal)
    assert {one.endpoint for one in found.comparisons} == {""}
    assert [one.metric for one in found.comparisons] == ["p99", "server CPU per request"]


def test_an_invalid_trial_has_no_endpoints_and_no_cell_of_them_is_made_of_it() -> None:
    plan = Plan(parse_study(STUDY, Path("two.toml")))
    one = trial(plan, 0, equal)
    lost = reason("wrong_replies", "invalid")
    broken = one.model_copy(update={"status": "invalid", "reasons": (lost,)})
    made = summarise(plan, [broken], FACTS, lambda hdr, at: [int(hdr)] * len(at))
    assert all(not cell.endpoints for cell in made.cells)
    assert made.endpoint_comparisons == []
