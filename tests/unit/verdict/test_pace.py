"""Keeping up with a rate has one definition, by counts."""

from __future__ import annotations

import pytest
from httpdyno.doubts.pace import pace_by_counts, pace_of
from httpdyno.verdict import Context, judge
from httpdyno.verdict.checks.rates import pace
from httpdyno.verdict.contention import Contention
from measured import Change, calls, measurement, open_load, plan, second

RANDOM = {"kind": "requests", "connections": 64}


@pytest.mark.parametrize(
    ("ended", "spare", "not_offered", "found"),
    [
        (1000, 0, 0, "kept up"),
        (990, 0, 0, "kept up"),
        (989, 0, 0, "fell behind"),
        (950, 50, 0, "kept up"),
        (949, 50, 0, "fell behind"),
        (900, 0, 90, "unknown"),
        (900, 0, 89, "fell behind"),
    ],
)
def test_a_server_keeps_up_if_all_but_a_hundredth_or_those_under_way_have_ended(
    ended: int, spare: int, not_offered: int, found: str
) -> None:
    assert pace_by_counts(1000, ended, spare=spare, not_offered=not_offered).pace == found


def test_nothing_due_says_nothing_about_a_server() -> None:
    assert pace_by_counts(0, 0).pace == "unknown"


def _pace(contention: Contention | None = None, **changes: object) -> str:
    m = measurement(**changes)
    verdict = judge(m, Context(plan(), contention=contention))
    return pace_of(m, verdict.status, verdict.reasons)


HALF: Change = {
    "offered_per_s": 2000.0,
    "intervals": [second(n, ok=500) for n in range(10)],
}


CASES: dict[str, tuple[Change, str]] = {
    "all answered": ({}, "kept up"),
    "random arrivals, fewer than their rate": (
        {"calls": calls(9_840), "completed_in_window": 9_840, "offered_per_s": 984.0},
        "kept up",
    ),
    "half answered": (HALF, "fell behind"),
    "half answered, by a generator that waited for a CPU": (
        {**HALF, "cpu__waiting_share": 0.3},
        "unknown",
    ),
    "one wrong reply: no result": ({"calls": calls(9_999, wrong_status=1)}, "unknown"),
    "a few unsent": ({"calls": calls(9_973, unsent=27)}, "kept up"),
    "many unsent by a late generator": (
        {
            "calls": calls(9_700, unsent=300),
            "completed_in_window": 9_700,
            "intervals": [second(n, ok=970) for n in range(10)],
            "cpu__standstill_share": 0.05,
        },
        "unknown",
    ),
    "a closed load": ({"load": "closed", "offered_per_s": None}, "unknown"),
}


@pytest.mark.parametrize(("changes", "found"), CASES.values(), ids=CASES)
def test_the_pace_of_a_measurement_is_known_where_its_counts_show_it(
    changes: Change, found: str
) -> None:
    assert _pace(**changes) == found


def test_a_server_that_other_programs_starved_is_not_known_to_have_fallen_behind() -> None:
    starved, free = Contention(0.3, 2), Contention(0.02, 2)
    assert [_pace(one, **HALF) for one in (starved, free)] == ["unknown", "fell behind"]
    assert _pace(starved) == "kept up"


def test_a_trial_without_a_measurement_has_an_unknown_pace() -> None:
    assert pace_of(None, "invalid", ()) == "unknown"


@pytest.mark.parametrize(
    ("spacing", "found"), [("constant", "fell behind"), ("exponential", "kept up")]
)
def test_the_queue_of_random_arrivals_is_longer_at_one_end_by_chance(
    spacing: str, found: str
) -> None:
    # M/M/1 at 95 %: 19 calls under way on average, give or take 19.5; 30 more at the end.
    m = measurement(
        mean_in_flight=19.0,
        calls=calls(2000),
        window_s=2.0,
        completed_in_window=1_970,
        intervals=[second(0, 985), second(1, 985)],
    )
    load = open_load()
    load["arrivals"]["spacing"] = spacing
    assert pace(m, plan(load)).pace == found
