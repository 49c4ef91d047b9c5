"""Errors of single endpoints: more of them are a regression, and chance is none."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from compared import result, study, trials
from httpdyno.cli.compare.view import show
from httpdyno.comparison.compare import CompareOutcome, decisions, endpoints
from httpdyno.comparison.report import checks
from httpdyno.report import write_report
from httpdyno.run import RunOutcome
from httpdyno.statistics.compare import compare
from test_report import said, specification
from test_suspects import with_its_answer
from trial_samples import with_endpoints

NAMES = ("GET /items", "POST /orders")
PAIR = ("main", "my-branch")
Failed = Callable[[str, str, int], int]
"""Failed calls by arm, endpoint and block."""


def compared(failed: Failed, blocks: int = 10) -> CompareOutcome:
    """Arms of the same speed, whose calls fail so often. Each endpoint has 500 calls in a trial."""
    made, source, found = study(*PAIR, blocks=blocks), random.Random(3), []
    for one in trials(made, dict.fromkeys(PAIR, 1.0)):
        assert one.measurement is not None
        p99_s = {name: 0.002 * (1 + 0.01 * source.random()) for name in NAMES}
        lost = {name: failed(one.arm, name, one.block) for name in NAMES}
        whole = with_endpoints(one.measurement, p99_s, lost)
        found.append(one.model_copy(update={"measurement": whole}))
    measured, asked = result(made, found), specification()
    ended = RunOutcome(40, 40, measured)
    judged = decisions(asked, measured, PAIR), endpoints(asked, measured, PAIR)
    return CompareOutcome(asked, ended, made, PAIR, *judged)


def of_orders(often: int) -> Failed:
    """Orders of my-branch fail so often, and one in 500 of all other calls."""
    return lambda arm, name, block: often + block % 3 if (arm, name) == (PAIR[1], NAMES[1]) else 1


def test_an_endpoint_of_which_more_calls_fail_is_a_regression_and_is_named() -> None:
    found = compared(of_orders(15))
    assert found.of_all_calls == "no regression shown"
    assert found.decided == "regression"
    text = said(found)
    first = text.partition("; ")[0]
    assert first.startswith(
        "Errors of POST /orders: 3.18 % of the calls instead of 0.200 % at 500/s ("
    )
    assert first.endswith(" % fewer right replies): a regression beyond your margin of 1 %")
    assert "; p99 of 2 endpoints: no difference shown." in text
    failed = [one.name for one in checks(found) if one.outcome == "failed"]
    assert failed == ["errors of POST /orders of my-branch, margin 1 %"]


def test_a_few_more_errors_are_shown_and_are_no_regression() -> None:
    found = compared(of_orders(3))
    assert found.decided == "no regression shown"
    known = "Errors of POST /orders: 0.780 % of the calls instead of 0.200 % at 500/s"
    assert f"{known} (0.142 to 1.02 % fewer right replies), not shown to be beyond" in said(found)


@pytest.mark.parametrize(
    ("failed", "judged"),
    [
        (lambda *_: 0, set()),
        (lambda *_: 5, {"GET /items", "POST /orders"}),
        # 5 to 0 is 1 in 16 by chance alone, however evenly the 5 are spread over the blocks.
        (lambda arm, name, _: int((arm, name) == (PAIR[1], NAMES[1])), {"POST /orders"}),
    ],
)
def test_equal_errors_and_a_few_by_chance_are_no_difference(
    failed: Failed, judged: set[str]
) -> None:
    found = compared(failed, blocks=5)
    errors = [one for one in found.endpoints if one.is_of_errors]
    assert {one.name for one in errors} == judged
    assert {one.decision for one in errors} <= {"no difference shown"}
    assert {one.comparison.adjusted_with for one in found.endpoints} == {2 + len(judged)}
    assert "errors" not in said(found)


def test_an_interval_is_no_narrower_than_chance_allows() -> None:
    alike = dict.fromkeys(range(6), 1.01)
    place = {"names": PAIR, "at": ("rate", "5/s"), "metric": "errors"}
    sure = compare(dict.fromkeys(range(6), 1.0), alike, **place)  # type: ignore[arg-type]
    unsure = compare(
        dict.fromkeys(range(6), 1.0),
        alike,
        **place,  # type: ignore[arg-type]
        least_error=0.01,
    )
    assert (sure.outcome, unsure.outcome) == ("worse", "no difference shown")
    assert unsure.ratio is not None
    assert unsure.ratio.low is not None
    assert unsure.ratio.high is not None
    assert unsure.ratio.low < 1 < unsure.ratio.value < unsure.ratio.high
    assert unsure.p_value == pytest.approx(0.365, abs=0.01)


def test_terminal_and_report_have_the_errors_of_endpoints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = compared(of_orders(15))
    whole = with_its_answer(replace(found))
    show(found, whole)
    out = capsys.readouterr().out
    assert "p99 of" in out
    table = out[out.rindex("\nerrors of") :].splitlines()
    row = next(line for line in table if line.startswith("POST /orders"))
    assert "0.200 %" in row
    assert row.rstrip().endswith("regression")
    write_report(whole, tmp_path)
    lines = (tmp_path / "report.md").read_text().splitlines()
    orders = [
        line for line in lines if line.startswith("| my-branch | ") and "POST /orders" in line
    ]
    at_full_speed, at_one_rate = orders
    assert "| errors: worse; p99: no difference shown; " in at_one_rate
    # Latency and errors are not compared at full speed.
    assert "baseline" not in at_full_speed
    assert "no difference" not in at_full_speed
