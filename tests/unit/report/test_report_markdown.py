"""The results of a replay as Markdown: what it may say, and what it may not."""

from __future__ import annotations

import re

import large_sample
import pytest
import sample
from httpdyno.report.markdown import results_markdown
from httpdyno.result import FailureRow

SNAP = large_sample.snap()
TEXT = results_markdown(SNAP, ["picture-pong.png", "picture-file.png"])
SMALL = sample.replay()
OF_SMALL = results_markdown(SMALL, [])


def table(text: str, heading: str) -> list[list[str]]:
    """The rows of the first table behind a line that begins so, its two head rows left out."""
    after = text[text.index(heading) :]
    rows = re.findall(r"^\| (.*) \|$", after.split("\n\n")[1], re.MULTILINE)
    return [row.split(" | ") for row in rows[2:]]


def test_it_says_when_on_what_and_by_which_command_it_was_measured() -> None:
    assert "Measured on 21 September 2026 with httpdyno 0.1.0" in OF_SMALL
    assert "AMD EPYC 7B13, 2 of 4 cores" in OF_SMALL
    assert f"`{SMALL.command}`" in OF_SMALL
    assert SMALL.answer in OF_SMALL


def test_each_workload_has_its_table_with_a_row_for_each_arm() -> None:
    pong = table(TEXT, "Requests per second, workload pong")
    assert [row[0] for row in pong[:2]] == ["rails/webrick", "apache-php/mod_php"]
    assert {row[0] for row in pong} == {*large_sample.FRAMEWORKS, "Grails 1.2.2"}
    assert all(len(row) == 4 for row in pong)
    assert len(table(TEXT, "Requests per second, workload file")) == 13


def test_numbers_carry_their_interval_and_doubts_and_published_ones_stand_apart() -> None:
    rows = {row[0]: row for row in table(OF_SMALL, "Requests per second")}
    assert rows["tornado/1-process"][1] == "1,900/s"
    assert re.fullmatch(r"\*\*2,370/s\*\* \(2,3\d0 to 2,\d\d0/s\)", rows["tornado/1-process"][2])
    assert "published (not comparable)" in OF_SMALL
    assert rows["starlette/1-worker"][3].startswith("*no result*: 41 % of the replies were wrong")


def test_the_published_logs_are_judged_in_a_table() -> None:
    verdicts = table(TEXT, "Verdicts on the published logs")
    assert verdicts[0][0] == "node/1-process file, 4,540/s"
    assert verdicts[0][1] == "invalid"
    assert "99.75 % of the replies were wrong" in verdicts[0][2]
    assert "Verdicts on the published logs" not in OF_SMALL


def test_what_it_shows_is_said_by_the_outcomes_of_the_comparisons_and_nothing_else() -> None:
    shown = TEXT[TEXT.index("Differences shown by the intervals") :]
    for row in SNAP.comparisons:
        if (row.load, row.metric) != ("keep-alive", "throughput"):
            continue
        more = re.search(rf"More requests/s than .*: .*{re.escape(row.arm)} ", shown)
        fewer = re.search(rf"Fewer requests/s than .*: .*{re.escape(row.arm)} ", shown)
        assert (more is not None) == (row.outcome == "better")
        assert (fewer is not None) == (row.outcome == "worse")


def test_without_intervals_nothing_is_said_of_more_or_fewer() -> None:
    short = sample.replay(blocks=3)
    none = [row.model_copy(update={"outcome": "no result"}) for row in short.comparisons]
    text = results_markdown(short.model_copy(update={"comparisons": none}), [])
    assert "too few trials for an interval (3)" in text
    assert "More requests" not in text
    assert "Fewer requests" not in text
    assert "No comparison with tornado/1-process" in text


def test_no_difference_is_told_with_the_least_that_would_have_been_seen() -> None:
    rows = [row.model_copy(update={"outcome": "no difference shown"}) for row in SMALL.comparisons]
    text = results_markdown(SMALL.model_copy(update={"comparisons": rows}), [])
    assert "No difference shown from tornado/1-process" in text
    assert "detectable from 2.10 %" in text


def test_what_could_not_be_measured_is_told_with_its_reason() -> None:
    assert "- nginx/1-worker: `nginx` was not found on PATH, and apt could not install it" in (
        OF_SMALL
    )


@pytest.mark.parametrize("hostile", ["a | b", "two\nlines"])
def test_a_strange_reason_cannot_break_a_table(hostile: str) -> None:
    reason = SMALL.cells[0].reasons or [sample.WRONG_BODY]
    bad = [one.model_copy(update={"text": hostile}) for one in reason]
    cells = [sample.invalid(SMALL.cells[0]).model_copy(update={"reasons": bad}), *SMALL.cells[1:]]
    failures = [FailureRow(arm="x", stage="start", reason=hostile, log=None)]
    text = results_markdown(SMALL.model_copy(update={"cells": cells, "failures": failures}), [])
    after = text[text.index("Requests per second") :].split("\n\n")[1]
    lines = after.splitlines()
    assert all(line.startswith("| ") and line.endswith(" |") for line in lines)
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1
