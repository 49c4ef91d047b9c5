"""Wherever a suspect number is shown, its mark is shown, and nowhere else."""

from __future__ import annotations

import re
from typing import Any

import drawn
import pytest
import sample
from httpdyno.cli.run.table import show_result
from httpdyno.doubts import NUMBERS, Number
from httpdyno.export.markdown import markdown
from httpdyno.metrics import COLUMNS
from httpdyno.output.table import Cell
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.contents.page import page as contents
from httpdyno.report.page import render
from httpdyno.report.report_markdown import replay_markdown
from httpdyno.report.result_json import parse, summary, to_short_json
from httpdyno.result import CellRow, Reason, StudyResult

ARM, LOAD = sample.ARMS[0], "as-published"
TEXT = "1 % of <calls> were late"


def doubted(*numbers: Number, load: str = LOAD) -> StudyResult:
    """A result in which these numbers of one cell are suspect, and no other number is."""
    whole = sample.replay()
    reason = Reason(code="late", status="suspect", text=TEXT, hint="stop", doubts=numbers)
    cells = []
    for cell in whole.cells:
        trials = [t.model_copy(update={"status": "valid", "reasons": []}) for t in cell.trials]
        changes: dict[str, Any] = {"status": "valid", "reasons": [], "doubts": {}, "trials": trials}
        if cell.status == "invalid":
            changes = {}
        if (cell.arm, cell.load) == (ARM, load) and cell.status != "invalid":
            trials = [t.model_copy(update={"reasons": [reason]}) for t in trials]
            changes |= {"reasons": [reason], "trials": trials}
            changes["doubts"] = {number: ["late"] for number in numbers}
        cells.append(cell.model_copy(update=changes))
    return whole.model_copy(update={"cells": cells})


def only(result: StudyResult, load: str) -> StudyResult:
    """The cells of one load and of two arms, so that there is less to draw."""
    kept = {
        "cells": [c for c in result.cells if c.load == load and c.arm in sample.ARMS[:2]],
        "comparisons": [
            c for c in result.comparisons if c.load == load and c.arm in sample.ARMS[:2]
        ],
    }
    return result.model_copy(update=kept)


SECTIONS: dict[Number, set[str]] = {
    "throughput": {"throughput", "ratio", "replay"},
    "p50": {"latency", "spectrum"},
    "p99": {"latency", "ratio", "spectrum"},
    "errors": {"rates"},
    "cpu": {"cpu", "ratio"},
    "memory": {"memory"},
}


@pytest.mark.parametrize("number", NUMBERS)
def test_the_charts_of_a_suspect_number_have_hollow_points_and_the_others_have_none(
    number: Number,
) -> None:
    # Nothing fails but under the corrected load.
    load = "corrected" if number == "errors" else LOAD
    shown = figures(only(doubted(number, load=load), load))
    found = {figure.section for figure in shown if drawn.hollow(figure.svg)}
    assert found == SECTIONS[number]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_tables_of_the_page_mark_the_suspect_numbers(number: Number) -> None:
    result = doubted(number)
    shown = contents(result, [])
    marked = {
        (line.arm.name, table.title, metric.number)
        for table in shown.numbers
        for line in table.lines
        for metric, cell in zip(COLUMNS, line.fields, strict=False)  # also the share of the ceiling
        if isinstance(cell, Cell)
        if cell.doubt
    }
    title = next(load.title for load in result.loads if load.name == LOAD)
    assert marked == {(ARM, title, number)}
    html = render(result, [])
    marks = re.findall(r'<a class="mark" href="#([^"]*)" data-tip="([^"]*)"', html)
    assert marks
    assert {tip for _, tip in marks} == {"suspect: 1 % of &lt;calls&gt; were late"}
    assert {card for card, _ in marks} <= {"doubt-late", "verdicts"}
    assert 'id="doubt-late"' in html


def test_a_cell_that_is_valid_but_for_a_number_is_in_the_verdicts_and_the_banners() -> None:
    result = doubted("p99", "memory")
    shown = contents(result, [])
    (card,) = [one for one in shown.verdicts.doubtful if one.code == "late"]
    assert (card.numbers, card.text) == ("p99, memory", f"{TEXT[:1].upper()}{TEXT[1:]}")
    assert [place.arm.name for place in card.places] == [ARM]
    said = [banner.sentence for banner in shown.banners]
    assert "1 of 24 cells is valid except for single numbers, marked ?." in said


@pytest.mark.parametrize("number", NUMBERS)
def test_a_summary_keeps_the_doubts(number: Number) -> None:
    result = doubted(number)
    again = parse(to_short_json(summary(result)), "summary.json")
    assert [cell.doubted for cell in again.cells] == [cell.doubted for cell in result.cells]
    assert [cell.reasons for cell in again.cells] == [cell.reasons for cell in result.cells]


@pytest.mark.parametrize("number", NUMBERS)
def test_the_table_on_the_terminal_marks_the_suspect_numbers_and_says_why(
    number: Number, capsys: pytest.CaptureFixture[str]
) -> None:
    show_result(doubted(number))
    said = capsys.readouterr().out
    ratios, _, rest = " ".join(said.split()).partition(" requests/s 95 % CI ")
    table, below = rest.split("Of 24 results", 1)
    shown_there = number in ("throughput", "p50", "p99", "errors", "cpu")
    assert table.count("?") == (1 if shown_there else 0)
    # The baseline's, with which three arms are compared.
    assert ratios.count("?") == (3 if number in ("throughput", "p99", "cpu") else 0)
    assert "1 is valid except for single numbers. ? marks a suspect number." in below
    assert f"{'CPU per request' if number == 'cpu' else number}: {TEXT}" in below


def test_a_note_on_a_load_is_told_once_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    whole = doubted()
    note = "about 1,000 calls in 512 ms per trial, the published size; httpdyno would choose more"
    loads = [
        load.model_copy(update={"note": note if load.name == LOAD else ""}) for load in whole.loads
    ]
    result = whole.model_copy(update={"loads": loads})
    show_result(result)
    assert capsys.readouterr().out.replace("\n", " ").count("httpdyno would choose more") == 1
    assert [table.note for table in contents(result, []).numbers] == [note, "", ""]


def test_a_suspect_ratio_is_called_so_in_markdown() -> None:
    """The baseline's throughput under the corrected load at full speed."""

    def ratio_of(number: Number) -> str:
        text = replay_markdown(doubted(number, load="keep-alive"), [])
        lines = text[text.index("Ranks, response times") :].splitlines()
        return next(line for line in lines if line.startswith("| tornado/4-processes"))

    pattern = r"2.13× \([^)]*\) \(suspect\)"
    assert re.search(pattern, ratio_of("throughput"))
    assert not re.search(pattern, ratio_of("memory"))


def test_a_trial_says_which_of_its_numbers_are_suspect() -> None:
    row: CellRow = next(c for c in doubted("p50").cells if (c.arm, c.load) == (ARM, LOAD))
    assert {row.trials[0].status_of(number) for number in NUMBERS} == {"valid", "suspect"}


def test_a_ratio_of_a_suspect_number_is_marked_in_the_answer() -> None:
    (cell,) = re.findall(
        r'<td class="ratio"[^>]*><span>[^<]*×.*?</td>', _answer(doubted("throughput"))
    )
    assert 'class="mark"' in cell
    assert not re.search(r'<td class="ratio"[^>]*><span>[^<]*×<a', _answer(doubted("memory")))


def _answer(result: StudyResult) -> str:
    html = render(only(result, LOAD), [])
    return html.partition('<section class="answer"')[2].partition("</section>")[0]


@pytest.mark.parametrize("failed", ["before any trial", "in its trials"])
def test_arms_that_failed_for_different_reasons_are_told_one_by_one(
    failed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = sample.unmeasured()
    measured = sample.tiny().cells[0].trials
    trials = measured if failed == "in its trials" else []
    reasons = {name: f"`{name}` exited with code {at}" for at, name in enumerate(sample.ARMS)}
    cells = [
        cell.model_copy(
            update={
                "reasons": [
                    Reason(
                        code="start",
                        status="invalid",
                        text=reasons[cell.arm],
                        hint=f"read the log: {cell.arm}.log",
                    )
                ],
                "trials": trials,
            }
        )
        for cell in whole.cells
        if cell.arm in reasons
    ]
    result = whole.model_copy(update={"cells": cells})
    show_result(result)
    for shown in (capsys.readouterr().out, markdown(result)):
        for name, reason in reasons.items():
            assert shown.count(f"{reason}\n") + shown.count(f"{reason}. Hint") == 1, shown
            assert shown.count(f"{name}.log") == 1
