"""The ratios at the end of a run: every one that was decided, or how many more the report has."""

from __future__ import annotations

import io

import pytest
import sample
from httpdyno.cli.run.ratio_table import MOST_RATIOS, show_ratios
from httpdyno.cli.run.table import show_result
from httpdyno.report.text import words
from httpdyno.result import Comparison, StudyResult
from rich.console import Console

WHOLE = sample.replay()
DECIDED = [row for row in WHOLE.comparisons if row.outcome != "no result"]
METRICS = {"throughput": "requests/s", "p99": "p99", "server CPU per request": "CPU/request"}


def shown(result: StudyResult, report: str = "", width: int = 100) -> list[str]:
    """The lines of the table, and those around it."""
    paper = io.StringIO()
    console = Console(file=paper, width=width, force_terminal=True, color_system=None)
    show_ratios(console, result, report)
    return paper.getvalue().splitlines()


def few(*rows: Comparison, **changed: object) -> StudyResult:
    return WHOLE.model_copy(update={"comparisons": list(rows), **changed})


def test_every_ratio_that_was_decided_is_a_row_with_its_interval_and_its_outcome() -> None:
    some = [row for row in DECIDED if row.load == "as-published"]
    lines = [" ".join(line.split()) for line in shown(few(*some))]
    assert lines[0] == f"Compared with {sample.ARMS[0]} (95 % CI):"
    assert "as-published · 10 connections" in lines
    for row in some:
        assert row.ratio is not None
        interval = words.interval(row.ratio, words.ratio)
        ratio = f"{row.arm} {METRICS[row.metric]} {words.ratio(row.ratio.value)} {interval}"
        outcome = row.outcome.replace("no difference shown", "none")
        assert f"{ratio} {outcome}" in lines
    assert not [line for line in lines if "more ratio" in line]


def test_of_many_ratios_the_terminal_says_how_many_more_the_report_has(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert len(DECIDED) > MOST_RATIOS + 1
    show_result(WHOLE, "results/demo/report.html")
    more = f"{len(DECIDED) - MOST_RATIOS} more ratios are in the report: results/demo/report.html"
    assert more in " ".join(capsys.readouterr().out.split())
    assert "1 more ratio is in the report." in shown(few(*DECIDED[: MOST_RATIOS + 1]))


def test_the_ratios_of_the_answer_come_first() -> None:
    answered = {"answer_load": "keep-alive", "answer_point": "64 connections"}
    first, second = (
        [line for line in shown(few(*DECIDED, **more)) if " · " in line] for more in ({}, answered)
    )
    assert [line.strip() for line in (first[0], second[0])] == [
        "as-published · 10 connections",
        "keep-alive · 64 connections",
    ]
    assert len(first) == len(set(first)), "each load point has its rows together"


def test_differences_that_were_decided_together_say_so() -> None:
    rows = [row.model_copy(update={"adjusted_with": 28, "level": 0.99}) for row in DECIDED[:3]]
    assert shown(few(*rows))[0].endswith("(99 % CI, because 28 differences were decided together):")


def test_what_was_not_decided_is_no_row() -> None:
    lost = [row.model_copy(update={"outcome": "no result"}) for row in DECIDED]
    assert not shown(few(*lost))


def test_an_interval_fits_a_terminal_of_80_columns() -> None:
    long = [row.model_copy(update={"arm": f"{row.arm:x<30}"}) for row in DECIDED[:6]]
    lines = shown(few(*long), width=80)
    assert not [line for line in lines if "Not shown" in line]
    assert max(map(len, lines)) <= 80
