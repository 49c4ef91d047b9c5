"""`report.md`: the report as GitHub shows it."""

from __future__ import annotations

import re

import large_sample
import pytest
import sample
import walk_samples
from httpdyno.report.report_markdown import MOST_ROWS, report_markdown
from httpdyno.result import StudyResult

REPLAY = sample.replay()
TEXT = report_markdown(REPLAY, [("charts/a.svg", "A finds <b>")])


def tables(text: str) -> list[list[str]]:
    """The lines of each table."""
    return [found.splitlines() for found in re.findall(r"(?:^\|.*\|\n?)+", text, re.MULTILINE)]


@pytest.mark.parametrize(
    "some", [REPLAY, sample.tiny(), sample.empty(), large_sample.snap()], ids=lambda one: one.name
)
def test_every_table_is_whole_and_every_fold_is_closed(some: StudyResult) -> None:
    text = report_markdown(some)
    for table in tables(text):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1
        assert re.fullmatch(r"[|: -]+", table[1])
    assert text.count("<details>") == text.count("</details>")
    assert "\n\n\n" not in text


def test_it_begins_with_the_title_the_question_and_the_answer() -> None:
    blocks = TEXT.split("\n\n")
    assert blocks[0] == f"# {REPLAY.title}"
    assert blocks[1] == REPLAY.question
    assert blocks[2] == f"**{REPLAY.answer}**"


def test_limits_are_a_warning_that_github_draws_as_one() -> None:
    assert "\n> [!WARNING]\n> 2 of 24 cells have no result." in TEXT


def test_pictures_are_shown_by_their_finding() -> None:
    assert "![A finds &lt;b&gt;](charts/a.svg)" in TEXT


def test_it_has_every_comparison_with_its_outcome() -> None:
    part = TEXT[TEXT.index("## Compared") : TEXT.index("## All numbers")]
    rows = [row for table in tables(part) for row in table[2:]]
    assert len(rows) == len(REPLAY.comparisons)
    one = next(row for row in REPLAY.comparisons if row.outcome == "better" and row.ratio)
    assert one.ratio is not None
    assert any(
        f"| {one.arm} | {one.baseline} | {one.point} | {one.metric} | better | "
        f"{one.ratio.value:.2f}×" in row
        for row in rows
    )


def test_comparisons_beyond_the_room_of_the_page_are_counted() -> None:
    many = REPLAY.model_copy(update={"comparisons": REPLAY.comparisons * 20})
    text = report_markdown(many)
    part = text[text.index("## Compared") : text.index("## All numbers")]
    assert sum(len(table) - 2 for table in tables(part)) == MOST_ROWS
    assert "more rows are in `result.json`" in part


def test_a_capacity_has_its_costs_in_a_table() -> None:
    some = walk_samples.result(walk_samples.study(), walk_samples.climbs([1000.0] * 5))
    text = report_markdown(some)
    part = text[text.index("## Capacity") : text.index("## Verdicts")]
    (lines,) = tables(part)
    assert lines[0].startswith("| arm | load point | cores for 3,000/s | capacity | held | knee |")
    assert lines[2].startswith("| a/1-worker | p99 ≤ 20 ms | ")
    assert "1,000/s" in lines[2]


def test_the_intervals_of_a_table_are_explained_below_it() -> None:
    assert "Sorted by requests/s. In parentheses is the 95 % confidence interval (CI)." in TEXT


def test_it_has_the_command_the_machine_and_each_doubt_with_what_to_do() -> None:
    assert f"`{REPLAY.command}`" in TEXT
    assert "AMD EPYC 7B13" in TEXT
    for reason in (sample.WRONG_BODY, sample.OVERLOAD):
        assert reason.hint in TEXT


def test_a_run_without_a_trial_has_a_report_that_says_only_that() -> None:
    text = report_markdown(sample.unmeasured())
    assert "**No result: nothing was measured.**" in text
    assert "##" not in text
    assert tables(text) == []


def test_a_large_study_is_cut_and_says_where_the_rest_is() -> None:
    cells = [
        cell.model_copy(update={"arm": f"{cell.arm}-{number}"})
        for number in range(30)
        for cell in REPLAY.cells
    ]
    text = report_markdown(REPLAY.model_copy(update={"cells": cells, "comparisons": []}))
    assert "; the first 12:" in text, "the trials may not tell which are the best"
    numbers = text[text.index("## All numbers") : text.index("## Verdicts")]
    assert sum(len(table) - 2 for table in tables(numbers)) == MOST_ROWS
    assert f"{len(cells) - MOST_ROWS} more rows are in `result.json`" in text or (
        "more rows are in `result.json`" in text
    )
