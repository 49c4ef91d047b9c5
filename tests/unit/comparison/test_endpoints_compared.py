"""A comparison names the endpoint that became slower, and never contradicts its answer."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace

import pytest
from compared import result, study, trials
from httpdyno.cli.compare.view import show
from httpdyno.comparison.compare import CompareOutcome, decisions, endpoints
from httpdyno.comparison.endpoints import in_words
from httpdyno.comparison.report import checks
from httpdyno.outcome import TrialOutcome
from httpdyno.run import RunOutcome
from httpdyno.study import Study
from test_report import said, specification
from test_suspects import with_its_answer
from trial_samples import with_endpoints

NAMES = ("GET /items", "GET /items/{id}", "POST /orders", "login")
PAIR = ("main", "my-branch")


def mixed(made: Study, slower: Mapping[str, float], noise: float) -> list[TrialOutcome]:
    """Trials of arms of the same speed; endpoints of my-branch take this much longer."""
    source, found = random.Random(2), []
    for one in trials(made, dict.fromkeys([*PAIR, "canary"], 1.0)):
        assert one.measurement is not None
        factors = slower if one.arm == "my-branch" else {}
        p99_s = {
            name: 0.002 * factors.get(name, 1.0) * math.exp(source.gauss(0, noise))
            for name in NAMES
        }
        each = with_endpoints(one.measurement, p99_s)
        found.append(one.model_copy(update={"measurement": each}))
    return found


def compared(
    slower: Mapping[str, float], *, noise: float = 0.02, blocks: int = 10, canary: bool = False
) -> CompareOutcome:
    made = study(*PAIR, *(["canary"] if canary else []), blocks=blocks)
    measured = result(made, mixed(made, slower, noise))
    asked = specification()
    return CompareOutcome(
        asked,
        RunOutcome(40, 40, measured),
        made,
        PAIR,
        decisions(asked, measured, PAIR),
        endpoints(asked, measured, PAIR),
    )


def test_one_endpoint_of_four_that_is_slower_is_a_regression_and_is_named() -> None:
    found = compared({"GET /items/{id}": 1.9})
    assert found.of_all_calls == "no regression shown"
    assert found.decided == "regression"
    text = said(found)
    assert text.startswith("p99 of GET /items/{id}: 9")
    first, *others = text.split(". ")
    assert " % longer at 500/s (" in first
    assert (
        ": a regression beyond your margin of 50 %; the 3 other endpoints: no difference" in first
    )
    assert "All calls together: no regression shown: my-branch serves" in text
    assert len([one for one in others if "egression" in one]) == 1
    failed = [one.name for one in checks(found) if one.outcome == "failed"]
    assert failed == ["p99 of GET /items/{id} of my-branch, margin 50 %"]


def test_a_multiple_is_said_as_one() -> None:
    assert said(compared({"login": 4.0})).startswith("p99 of login: ")
    assert "× as long at 500/s (" in said(compared({"login": 4.0}))


def test_an_endpoint_within_the_margin_is_shown_and_is_no_regression() -> None:
    found = compared({"POST /orders": 1.2})
    assert found.decided == "no regression shown"
    text = said(found)
    assert text.startswith("No regression shown: ")
    assert " p99 of POST /orders: " in text
    assert ", within your margin of 50 %; the 3 other endpoints: no difference shown." in text


def test_equal_endpoints_show_no_difference_and_a_faster_one_is_no_regression() -> None:
    found = compared({})
    assert found.decided == "no regression shown"
    assert said(found).endswith("p99 of each of the 4 endpoints: no difference shown.")
    assert in_words(found.endpoints[:1]) == f"p99 of {NAMES[0]}: no difference shown."
    faster = compared({"login": 0.5})
    assert faster.decided == "no regression shown"
    assert "p99 of login: 5" in said(faster)
    assert "shorter" in said(faster)


def test_too_few_trials_say_nothing_about_endpoints() -> None:
    found = compared({"login": 3.0}, blocks=3)
    assert found.decided == "no result"
    assert "login" not in said(found)


def test_a_canary_does_not_widen_the_intervals_of_endpoints() -> None:
    alone, beside = compared({}), compared({}, canary=True)
    assert {one.comparison.adjusted_with for one in alone.endpoints} == {4}
    assert {one.comparison.adjusted_with for one in beside.endpoints} == {4}


@pytest.mark.parametrize("seed", range(8))
def test_the_answer_of_endpoints_follows_from_their_intervals(seed: int) -> None:
    source = random.Random(seed)
    slower = {name: math.exp(source.gauss(0, 0.4)) for name in NAMES}
    found = compared(slower, noise=0.1)
    for one in found.endpoints:
        ratio = one.comparison.ratio
        assert ratio is not None
        assert ratio.low is not None
        assert ratio.high is not None
        assert one.is_regression == (ratio.low > 1.5)
        assert (one.comparison.outcome == "no difference shown") == (ratio.low <= 1 <= ratio.high)
    assert (found.decided == "regression") >= any(one.is_regression for one in found.endpoints)


def test_the_terminal_has_a_row_for_each_endpoint(capsys: pytest.CaptureFixture[str]) -> None:
    found = compared({"GET /items/{id}": 1.9})
    show(found, with_its_answer(replace(found)))
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if line.startswith("GET /items/{id}"))
    assert "regression" in row
    assert sum("no difference shown" in line for line in lines if line.startswith("login")) == 1
