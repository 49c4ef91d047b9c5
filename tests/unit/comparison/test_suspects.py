"""A number that is suspect, or was so in few trials, is the same in every place that shows it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest
from compared import result, study, trials
from httpdyno.cli.compare.view import show
from httpdyno.cli.run.table import show_result
from httpdyno.comparison.compare import CompareOutcome, decisions
from httpdyno.comparison.loads import FULL_SPEED, SAME_RATE
from httpdyno.comparison.next_step import next_step
from httpdyno.comparison.report import checks, with_answer
from httpdyno.export.junit import junit
from httpdyno.export.markdown import markdown
from httpdyno.metrics import COMPARED
from httpdyno.report import write_report
from httpdyno.result import Reason, StudyResult
from httpdyno.run import RunOutcome
from httpdyno.running.options import RunOptions
from httpdyno.statistics.claims.changes import change, interval
from test_report import OPTIONS, by_metric, said, specification

PAIR = ("main", "my-branch")
BUSY = Reason(
    code="ceiling",
    status="suspect",
    text="81 % of the generator's ceiling",
    hint="use more cores",
    doubts=("throughput", "p50", "p99"),
)
OVERLOAD = Reason(
    code="overload",
    status="suspect",
    text="490/s achieved",
    hint="lower it",
    doubts=("p50", "p99", "errors", "memory"),
)


def doubted(
    reason: Reason, load: str, arms: Collection[str], blocks: Collection[int]
) -> CompareOutcome:
    """A comparison in which these trials have this reason."""
    made = study(*PAIR)
    measured = [
        one.model_copy(update={"status": "suspect", "reasons": (reason,)})
        if one.load == load and one.arm in arms and one.block in blocks
        else one
        for one in trials(made, dict.fromkeys(PAIR, 1.0))
    ]
    whole = result(made, measured)
    return CompareOutcome(
        specification(),
        RunOutcome(40, 40, whole),
        made,
        PAIR,
        decisions(specification(), whole, PAIR),
    )


def with_its_answer(found: CompareOutcome) -> StudyResult:
    whole = with_answer(found, OPTIONS)
    assert whole is not None
    return whole


def table_row(text: str, name: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(name))


def test_a_suspect_number_is_marked_in_the_table_and_suspect_in_the_answer_and_the_checks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = doubted(BUSY, FULL_SPEED, PAIR, range(10))
    suspect = "The comparison of requests/s is suspect: main: 81 % of the generator's ceiling"
    assert suspect in said(found)
    whole = with_its_answer(found)
    assert suspect in whole.answer
    assert suspect in whole.answer_lead, "it is all that the index of a published site has"
    show(found, whole)
    out = capsys.readouterr().out
    assert re.search(r"/s\? +[\d,]+/s\? .*no regression$", table_row(out, "requests/s"))
    assert "?" not in table_row(out, "p99")
    texts = {check.name.split(" of ")[0]: check.text for check in checks(found)}
    assert texts["requests/s"].endswith(", suspect")
    assert "suspect" not in texts["p99"]


@pytest.mark.parametrize("columns", [60, 70, 90])
def test_a_narrow_table_has_no_line_that_is_too_long_and_keeps_the_mark(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    found = doubted(BUSY, FULL_SPEED, PAIR, range(10))
    show(found, with_its_answer(found))
    out = capsys.readouterr().out
    assert max(map(len, (line.rstrip() for line in out.splitlines()))) <= columns
    assert "?" in table_row(out, "requests/s  ")
    assert "?" not in table_row(out, "p99  ")


def test_the_report_has_each_decision_with_its_margin_as_the_terminal_has(
    tmp_path: Path,
) -> None:
    found = doubted(BUSY, FULL_SPEED, (), ())
    assert found.ended.result is not None
    ended = replace(found.ended, report=write_report(found.ended.result, tmp_path))
    whole = with_its_answer(replace(found, ended=ended))
    page = (tmp_path / "report.html").read_text()
    for one in found.decisions:
        row = re.search(
            rf"<tr><th scope=\"row\">{COMPARED[one.metric].noun}[^<]*</th>.*</tr>", page
        )
        assert row is not None
        fields = re.sub(r"<[^>]+>", " ", row.group()).replace("\N{NO-BREAK SPACE}", " ")
        shown = next(row for row in whole.decisions if row.metric == one.metric)
        assert shown.change is not None
        for field in (change(one.metric, shown.change.value), interval(one.metric, shown.change)):
            assert f" {field} " in fields
        assert f" {one.margin * 100:g} % " in fields
        assert one.decided in fields


def test_the_table_says_what_its_change_is(capsys: pytest.CaptureFixture[str]) -> None:
    found = doubted(BUSY, FULL_SPEED, (), ())
    show(found, with_its_answer(found))
    assert "The change is the ratio of the geometric means, B to A" in " ".join(
        capsys.readouterr().out.split()
    )
    assert "suspect" not in said(found)


def test_an_overload_in_one_trial_of_five_leaves_p99_its_result_and_is_no_doubt() -> None:
    found = doubted(OVERLOAD, SAME_RATE, ("my-branch",), (3, 7))
    assert by_metric(found)["p99"] == "no regression shown", said(found)
    whole = with_its_answer(found)
    assert any(one.metric == "p99" and one.load == SAME_RATE for one in whole.comparisons)
    page = markdown(whole)
    assert "490/s achieved" not in page
    assert "suspect" not in page


def test_an_overload_in_more_trials_takes_p99_its_result_and_marks_it_everywhere() -> None:
    found = doubted(OVERLOAD, SAME_RATE, ("my-branch",), (3, 5, 7))
    assert by_metric(found)["p99"] == "no result"
    page = markdown(with_its_answer(found))
    row = next(line for line in page.splitlines() if "`same-rate" in line and "`my-branch`" in line)
    assert row.count("suspect") == 3  # p50, p99 and the verdict
    assert "<summary>1 of 4 results is suspect</summary>" in page


def test_markdown_counts_the_results_with_single_suspect_numbers() -> None:
    tail = BUSY.model_copy(update={"doubts": ("p99",)})
    found = doubted(tail, FULL_SPEED, ("main",), range(10))
    page = markdown(found.ended.result or pytest.fail("no result"))
    assert "<summary>1 of 4 results is valid except for single numbers</summary>" in page


def too_few(length: str, code: str = "too_few") -> Reason:
    return Reason(
        code=code,
        status="suspect",
        text="too few calls for a tail",
        hint=f"measure for longer (`--duration {length}`)",
        doubts=("p99", "errors"),
    )


def undecided_for_few_calls(
    full_speed: float = 1.0, noise: float = 0.01, code: str = "too_few"
) -> CompareOutcome:
    """The p99 of one arm is about at the margin, and every trial has too few calls for it."""
    made = study(*PAIR)
    sources = {
        FULL_SPEED: (trials(made, {"main": 1.0, "my-branch": full_speed}, noise), "6s"),
        SAME_RATE: (trials(made, {"main": 1.0, "my-branch": 0.7}, noise=0.2), "20s"),
    }
    measured = [
        one.model_copy(update={"status": "suspect", "reasons": (too_few(length, code),)})
        for load, (source, length) in sources.items()
        for one in source
        if one.load == load
    ]
    whole = result(made, measured)
    found = CompareOutcome(
        specification(),
        RunOutcome(40, 40, whole),
        made,
        PAIR,
        decisions(specification(), whole, PAIR),
    )
    assert found.decided == by_metric(found)["p99"] == "cannot tell"
    return found


def test_a_metric_with_too_few_calls_needs_longer_measurements_and_not_more_blocks() -> None:
    found = undecided_for_few_calls()
    text = said(found)
    assert "of p99 have too few calls, and more blocks would not change that" in text
    assert "would probably tell" not in text
    assert text.endswith("--blocks 10 --duration 5s`."), text  # over twice the 2.2 s it had
    assert "1 min" not in text.rpartition("Measure for longer")[2], "the time is of the new command"


def test_measurements_that_are_only_too_short_are_not_said_to_have_too_few_calls() -> None:
    found = undecided_for_few_calls(code="too_short")
    assert "of p99 are too short, and more blocks would not change that" in said(found)


def test_in_the_action_more_blocks_are_an_input() -> None:
    found = undecided_for_few_calls(full_speed=0.93, noise=0.04)
    others = [one for one in found.decisions if one.metric != "p99"]
    options = RunOptions(["ci"], is_of_action=True)
    (text,) = next_step(replace(found, decisions=others), options)
    assert re.search(r"`blocks: \d+` in the inputs of the action\.$", text), text
    (text,) = next_step(found, options)  # it has no input for the duration
    assert "`httpdyno ci --duration 5s --blocks " in text


def test_another_metric_that_needs_more_blocks_gets_them_in_the_same_command() -> None:
    found = undecided_for_few_calls(full_speed=0.93, noise=0.04)
    assert by_metric(found)["throughput"] == "cannot tell"
    command = said(found).rpartition(": `")[2]
    blocks = re.search(r"--duration 5s --blocks (\d+)`", command)
    assert blocks is not None, command
    assert int(blocks[1]) > 10
    assert command.count("--blocks") == 1


def test_terminal_and_markdown_show_the_hint_of_the_cell_that_is_read_for_the_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = undecided_for_few_calls()
    whole = with_its_answer(found)
    show(found, whole)
    for shown in (capsys.readouterr().out, markdown(whole)):
        assert "--duration 20s" in shown
        assert "--duration 6s" not in shown
        assert re.search(r"main · same-rate · 500/s`?,? and 3 more", shown), shown


def test_a_comparison_that_cannot_tell_has_a_result_in_every_export() -> None:
    found = undecided_for_few_calls()
    whole = with_its_answer(found)
    page = markdown(whole, checks(found))
    row = next(line for line in page.splitlines() if line.startswith("| p99 of my-branch"))
    assert "⚠️ cannot tell" in row
    assert "no result" not in row
    skipped = re.findall(r'<skipped message="(.*?)"', junit(whole, checks(found)))
    assert [one.partition(": ")[0] for one in skipped] == ["cannot tell"]
    assert "no result" not in skipped[0]


@pytest.mark.parametrize(
    ("names", "headings"),
    [
        (("127.0.0.1:18080 (A)", "127.0.0.1:18080 (B)"), ("…0.0.1:18080 (A)", "…0.0.1:18080 (B)")),
        (("the-branch-of-a-week", "b"), ("the-branch-of-a…", "b")),
    ],
)
def test_the_columns_of_two_arms_never_have_the_same_heading(
    names: tuple[str, str], headings: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    found = doubted(BUSY, FULL_SPEED, (), ())
    show(replace(found, names=names), with_its_answer(found))
    lines = capsys.readouterr().out.splitlines()
    heads = next(line for line in lines if line.rstrip().endswith("decision"))
    assert all(heading in heads for heading in headings), heads


def test_a_reason_of_several_cells_says_that_its_numbers_are_those_of_the_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = doubted(BUSY, FULL_SPEED, PAIR, range(10)).ended.result
    assert whole is not None
    other = BUSY.model_copy(update={"text": "93 % of the generator's ceiling"})
    cells = [
        cell.model_copy(update={"reasons": [other]})
        if (cell.arm, cell.load) == (PAIR[1], FULL_SPEED)
        else cell
        for cell in whole.cells
    ]
    for result_, times in ((whole, 0), (whole.model_copy(update={"cells": cells}), 1)):
        show_result(result_)
        terminal = " ".join(capsys.readouterr().out.split())
        assert terminal.count("; the others have other numbers") == times
        assert markdown(result_).count("; the others have other numbers") == times
