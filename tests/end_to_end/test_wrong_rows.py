"""Servers that do not do the work of their replies: each is caught, by a reason with its name."""

from __future__ import annotations

import pytest
from database_study import run_words, write
from httpdyno.metrics import OF_DATABASE
from httpdyno.outcome import TrialOutcome
from study_place import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
CAUGHT = {"too_few_queries", "rows_not_read", "updates_not_written"}


def measured(place: Place, mode: str, workload: str) -> TrialOutcome:
    write(place, mode, workload=workload)
    done = place.call(*run_words(place))
    assert place.trials(), done.stderr
    return place.trials()[0]


def numbers(place: Place) -> dict[str, float]:
    """The numbers of the database in the result."""
    (cell,) = place.result().cells
    return {one.name: getattr(cell, one.column).value for one in OF_DATABASE}


@pytest.mark.parametrize("workload", ["db", "queries", "fortunes", "updates"])
def test_a_right_server_has_the_numbers_of_its_database(place: Place, workload: str) -> None:
    trial = measured(place, "right", workload)
    assert CAUGHT.isdisjoint(reason.code for reason in trial.reasons), trial.reasons
    assert trial.status != "invalid", trial.reasons
    use = trial.database
    assert use is not None
    assert use.replies > 0
    found = numbers(place)
    expected = {"db": 1, "queries": 20, "fortunes": 1, "updates": 40}[workload]
    assert found["queries"] == pytest.approx(expected, rel=0.1)
    assert found["database-cpu"] > 0
    assert found["connections"] >= 4


@pytest.mark.parametrize(
    ("mode", "workload", "code"),
    [
        ("caching", "db", "too_few_queries"),
        ("skipping", "queries", "too_few_queries"),
        ("unwritten", "updates", "updates_not_written"),
        ("keeping", "fortunes", "wrong_replies"),
        ("crossed", "db", "wrong_replies"),
    ],
)
def test_a_server_that_leaves_work_out_is_caught_with_its_numbers(
    place: Place, mode: str, workload: str, code: str
) -> None:
    trial = measured(place, mode, workload)
    assert trial.status == "invalid"
    (reason,) = [one for one in trial.reasons if one.code == code]
    assert any(one.isdigit() for one in reason.text)
    assert len(CAUGHT & {one.code for one in trial.reasons}) == (code in CAUGHT)
