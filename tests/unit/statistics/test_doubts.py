"""The doubts of a cell, number by number: which are suspect, and whether the cell is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from httpdyno.doubts import NUMBERS, READ_FOR, Number, in_words
from httpdyno.outcome import TrialOutcome
from httpdyno.plan import Plan
from httpdyno.result import CellRow, Reason, Status
from httpdyno.statistics.doubts import cell_status, number_doubts
from httpdyno.statistics.loads import note_on_published
from httpdyno.statistics.rows import cell_row
from httpdyno.study.read import parse_study
from httpdyno.verdict import RULES
from hypothesis import given
from hypothesis import strategies as st
from trial_samples import outcome

STUDY = """\
title = "Doubts"
[[arms]]
server = "tornado"
deployments = ["1-process"]
[loads.closed]
kind = "closed"
duration = "3s"
[loads.open]
kind = "requests"
rate = 500
duration = "3s"
"""
CELLS = {cell.load_name: cell for cell in Plan(parse_study(STUDY, Path("doubts.toml"))).cells}


def doubt(code: str, *numbers: Number) -> Reason:
    """A reason that makes these numbers suspect."""
    return Reason(
        code=code, status="suspect", text=f"it was {code}", hint="do this", doubts=numbers
    )


def trials(load: str, reasons: Sequence[Sequence[Reason]]) -> list[TrialOutcome]:
    """A trial for each list of reasons, with the status that the verdict would give it."""
    cell = CELLS[load]
    found = []
    for block, told in enumerate(reasons):
        one = outcome(block, block, cell.key, reasons=told, open_load=load == "open")
        doubted = {number for reason in told for number in reason.doubts}
        if one.status == "suspect" and not doubted & READ_FOR[cell.load.purpose]:
            one = one.model_copy(update={"status": "valid"})
        found.append(one)
    return found


def row(load: str, reasons: Sequence[Sequence[Reason]]) -> CellRow:
    return cell_row(CELLS[load], trials(load, reasons), [], lambda _, at: [0 for _ in at])


LATE = doubt("generator_late", "p99")
BUSY = doubt("ceiling", "throughput", "p50", "p99")


@pytest.mark.parametrize(("load", "status"), [("closed", "valid"), ("open", "suspect")])
def test_a_doubt_about_the_tail_makes_an_open_load_suspect_and_marks_p99_in_a_closed_one(
    load: str, status: str
) -> None:
    found = row(load, [[LATE]] * 10)
    assert found.status == status
    assert found.doubts == {"p99": ["generator_late"]}
    assert found.doubted == ("p99",)
    assert found.status_of("p99") == "suspect"
    assert found.status_of("throughput") == found.status_of("cpu") == "valid"
    assert [reason.code for reason in found.reasons_of("p99")] == ["generator_late"]
    assert found.reasons_of("throughput") == []


def test_a_doubt_about_the_throughput_makes_a_closed_load_suspect() -> None:
    found = row("closed", [[BUSY]] * 10)
    assert found.status == "suspect"
    assert found.doubted == ("throughput", "p50", "p99")


def test_doubts_of_few_trials_about_different_numbers_do_not_add_up() -> None:
    few = [[doubt("a", "p50")]] * 2 + [[doubt("b", "p99")]] * 2 + [[]] * 6
    assert row("open", few).status == "valid"
    assert row("open", few).doubts == {}
    more = [[doubt("a", "p50")]] * 2 + [[doubt("b", "p99")]] * 3 + [[]] * 5
    assert row("open", more).doubts == {"p99": ["b"]}


def test_a_single_backlog_makes_the_throughput_suspect_and_no_other_number() -> None:
    backlog = doubt("backlog", "throughput", "p50", "p99", "memory")
    few = row("open", [[backlog, doubt("not_steady", "throughput")]] + [[]] * 9)
    assert few.status == "valid"
    assert few.doubts == {"throughput": ["backlog"]}
    assert [reason.text for reason in few.reasons_of("throughput")] == [
        "it was backlog (in 1 of 10 trials)"
    ]
    many = row("open", [[backlog]] * 3 + [[]] * 7)
    assert many.doubted == ("throughput", "p50", "p99", "memory")


def test_a_trial_without_a_result_casts_doubt_on_every_number() -> None:
    wrong = Reason(code="wrong_replies", status="invalid", text="wrong", hint="fix it")
    found = row("closed", [[wrong]] + [[]] * 9)
    assert found.status == "suspect"
    assert found.doubts == {number: ["wrong_replies"] for number in NUMBERS}
    none = row("closed", [[wrong]] * 3)
    assert (none.status, none.doubts) == ("invalid", {})
    assert {none.status_of(number) for number in NUMBERS} == {"invalid"}


def test_reasons_of_one_kind_that_doubt_different_numbers_keep_every_doubt() -> None:
    more = LATE.model_copy(update={"doubts": NUMBERS})
    found = row("open", [[LATE]] * 5 + [[more]] * 5)
    assert found.reasons[0].doubts == NUMBERS
    assert found.doubted == NUMBERS


numbers = st.lists(st.sampled_from(NUMBERS), min_size=1, unique=True)
reasons = st.builds(lambda code, of: doubt(code, *of), st.sampled_from(sorted(RULES)), numbers)


@given(
    st.lists(st.lists(reasons, max_size=3), min_size=1, max_size=12),
    st.sampled_from(["closed", "open"]),
)
def test_no_number_loses_its_doubt(told: list[list[Reason]], load: str) -> None:
    ones = trials(load, told)
    all_reasons = [reason for one in ones for reason in one.reasons]
    doubts = number_doubts(ones, all_reasons)
    for number in NUMBERS:
        doubting = [{r.code for r in one.reasons if number in r.doubts} for one in ones]
        backlog = number == "throughput" and any("backlog" in codes for codes in doubting)
        assert (number in doubts) == (sum(map(bool, doubting)) > 0.2 * len(ones) or backlog)
    status: Status = cell_status(ones, doubts, CELLS[load].load.purpose)
    assert (status == "suspect") == bool(doubts.keys() & READ_FOR[CELLS[load].load.purpose])


def test_numbers_are_named_as_a_reader_knows_them() -> None:
    assert in_words(NUMBERS) == "all numbers"
    assert in_words(["memory", "cpu", "p50"]) == "p50, CPU per request, memory"


def test_a_published_load_that_is_short_says_so_once_and_a_long_one_does_not() -> None:
    ones = [
        outcome(block, block, ("a", "as-published", "10"), rate=rate)
        for block, rate in enumerate((400.0, 500.0, 600.0))
    ]
    more = "the published size; httpdyno would choose more"
    assert note_on_published(ones) == f"about 400 to 600 calls in 1.00 s per trial, {more}"
    assert note_on_published(ones[1:2]) == f"about 500 calls in 1.00 s per trial, {more}"
    told = doubt("too_few", "p99")
    assert note_on_published([one.model_copy(update={"reasons": (told,)}) for one in ones]) == ""
    assert note_on_published([outcome(0, 0, ("a", "as-published", "10"))]) == ""
