"""The results of a replay as Markdown: what it may say, and what it may not."""

from __future__ import annotations

import re

import large_sample
import pytest
import sample
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.figure import Figure
from httpdyno.report.report_markdown import replay_markdown, report_markdown
from httpdyno.report.text.safe_texts import make_safe
from httpdyno.result import FailureRow, StudyResult


def charts(result: StudyResult) -> list[tuple[str, Figure]]:
    shown = ("replay", "ratio", "rates")
    return [(f"{one.name}.png", one) for one in figures(result) if one.section in shown]


def markdown(result: StudyResult) -> str:
    return replay_markdown(make_safe(result), [])


SNAP = large_sample.snap()
TEXT = replay_markdown(SNAP, charts(SNAP))
SMALL = sample.replay()
OF_SMALL = markdown(SMALL)


def tables(text: str) -> list[list[list[str]]]:
    """The rows of each table, with its head."""
    found = re.findall(r"(?:^\|.*\|\n?)+", text, re.MULTILINE)
    return [
        [re.split(r" (?<!\\)\| ", line.strip("| ")) for line in one.splitlines()] for one in found
    ]


def published(text: str) -> list[list[str]]:
    """The first table of published numbers, its two head rows left out."""
    return next(one for one in tables(text) if one[0][1:2] == ["published"])[2:]


def folded(text: str) -> str:
    """The parts that a reader sees only after a click."""
    return "\n".join(re.findall(r"<details>.*?</details>", text, re.DOTALL))


def test_it_says_when_on_what_and_by_which_command_it_was_measured() -> None:
    assert "Started 2026-09-21" in OF_SMALL
    assert "AMD EPYC 7B13" in OF_SMALL
    assert f"`{SMALL.command}`" in OF_SMALL
    assert OF_SMALL.startswith("**")


def test_it_has_no_title_of_its_own_and_its_sections_fit_below_a_heading_of_the_page() -> None:
    assert not re.search(r"^##? ", TEXT, re.MULTILINE)
    for heading in ("Published and measured", "Compared", "All numbers", "Verdicts"):
        assert f"### {heading}\n" in TEXT


def test_each_workload_has_its_table_with_a_row_for_each_arm() -> None:
    pong, file = TEXT.index("**Workload pong**"), TEXT.index("**Workload file**")
    of_pong = tables(TEXT[pong:file])
    names = [row[0] for table in of_pong for row in table[2:]]
    assert sorted(names) == sorted([*large_sample.FRAMEWORKS, "Grails 1.2.2"])
    assert published(TEXT[file:])


def test_many_rows_are_sorted_and_those_that_the_post_does_not_have_are_folded() -> None:
    measured = [row for row in SNAP.published if row.measured][:3]
    few = SNAP.model_copy(update={"published": measured})
    text = replay_markdown(few, [])
    rows = published(text)
    assert {row[0] for row in rows} == {one.arm.removesuffix(" pong") for one in measured}
    assert "more arms that the post does not have" in folded(text)


def test_numbers_carry_their_interval_and_doubts_and_published_ones_stand_apart() -> None:
    rows = {row[0]: row for row in published(OF_SMALL)}
    assert rows["tornado/1-process"][1] == "1,900/s"
    assert re.fullmatch(
        r"\*\*2,370/s\*\*<br><sub>2,3\d0 to 2,\d\d0/s</sub>", rows["tornado/1-process"][2]
    )
    assert "do not compare them with the rest" in OF_SMALL
    assert rows["starlette/1-worker"][3] == "*no result*"
    assert "41 % of the replies were wrong" in OF_SMALL


def test_a_load_without_intervals_says_so_once() -> None:
    short = sample.replay(blocks=3)
    head = next(one for one in tables(markdown(short)) if one[0][1:2] == ["published"])
    assert sum("3 trials: too few for an interval" in field for field in head[0]) >= 1
    assert not [field for row in head[2:] for field in row if "too few" in field]


def test_the_published_logs_are_judged_in_a_table() -> None:
    (verdicts,) = [one[2:] for one in tables(TEXT) if one[0] == ["published", "verdict", "reasons"]]
    assert verdicts[0][0] == "node/1-process file, 4,540/s"
    assert verdicts[0][1] == "invalid"
    assert "99.75 % of the replies were wrong" in verdicts[0][2]
    assert "| published | verdict |" not in OF_SMALL


def test_every_chart_is_shown_with_its_finding_and_ratios_are_also_a_table() -> None:
    shown = charts(SNAP)
    assert {one.section for _, one in shown} >= {"replay", "ratio"}
    for file, chart in shown:
        assert f"]({file})" in TEXT
        if chart.section == "ratio":
            assert chart.table.rows[0][1] in folded(TEXT)
    assert TEXT.index("![") < TEXT.index("### Published and measured")


def test_the_doubts_and_all_numbers_are_there_but_folded() -> None:
    opened = re.sub(r"<details>.*?</details>", "", TEXT, flags=re.DOTALL)
    assert "What to do:" in folded(TEXT)
    assert "What to do:" not in opened
    assert "load point" in folded(TEXT)
    assert "load point" not in opened


def test_what_could_not_be_measured_is_told_with_its_reason() -> None:
    assert "nginx/1-worker could not be measured: `nginx` was not found on PATH" in OF_SMALL


@pytest.mark.parametrize("hostile", ["a | b", "two\nlines"])
def test_a_strange_reason_cannot_break_a_table(hostile: str) -> None:
    reason = SMALL.cells[0].reasons or [sample.WRONG_BODY]
    bad = [one.model_copy(update={"text": hostile}) for one in reason]
    cells = [sample.invalid(SMALL.cells[0]).model_copy(update={"reasons": bad}), *SMALL.cells[1:]]
    failures = [FailureRow(arm="x", stage="start", reason=hostile, log=None)]
    text = markdown(SMALL.model_copy(update={"cells": cells, "failures": failures}))
    for block in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        lines = block.splitlines()
        assert all(line.startswith("| ") and line.endswith(" |") for line in lines)
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1


def test_no_text_of_a_study_is_a_link_or_a_picture_or_names_people() -> None:
    live = "[click](javascript:alert(1)) ![x](https://evil.example/?who) @everyone #1 **b** _i_"
    loads = [one.model_copy(update={"title": f"{live} {one.title}"}) for one in SMALL.loads]
    texts = {"title": f"A {live}", "question": live, "answer": live, "answer_lead": live}
    result = SMALL.model_copy(update={**texts, "notes": [live, f"`code` {live}"], "loads": loads})
    for page in (report_markdown(make_safe(result)), markdown(result)):
        assert "click" in page
        for sign in ("](javascript", "](https", "https://evil", "@everyone", "#1 ", "**b**", "_i_"):
            assert sign not in page, sign
