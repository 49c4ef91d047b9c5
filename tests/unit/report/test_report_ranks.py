"""Ranks: in the page and in the terminal's table, as ranges and never as a bare list."""

from __future__ import annotations

import pytest
import sample
from httpdyno.cli.run.table import show_result
from httpdyno.report.contents.rows.arms import labels
from httpdyno.report.contents.rows.ranks import rank_tables
from httpdyno.report.page import render
from httpdyno.report.result_json import parse, to_json
from httpdyno.result import RankedArm, Ranking, Stopping, StudyResult

ORDER = [sample.ARMS[3], sample.ARMS[1], sample.ARMS[2], sample.ARMS[0]]


def ranked(arms: list[str]) -> StudyResult:
    """The sample, its first load ranked: one arm before the others, which are tied."""
    limits = [(1, 1), *[(2, len(arms))] * (len(arms) - 1)]
    ranking = Ranking(
        load="as-published",
        point="10 connections",
        metric="throughput",
        arms=[
            RankedArm(arm=arm, best=best, worst=worst)
            for arm, (best, worst) in zip(arms, limits, strict=True)
        ],
        ties=[arms[1:]] if len(arms) > 2 else [],
    )
    return sample.replay().model_copy(update={"rankings": [ranking]})


def test_the_page_shows_the_ranks_an_arm_can_have_and_its_ties() -> None:
    html = render(ranked(ORDER), [])
    section = html[html.index('id="ranks"') : html.index('id="numbers"')]
    assert section.count(">2 to 4</td>") == 3
    assert section.count(">1</td>") == 1
    assert f">{ORDER[2]}, {ORDER[3]}</td>" in section
    assert ">none</td>" in section


def test_a_table_of_ranks_names_its_workload_where_there_are_several() -> None:
    whole = ranked(ORDER)
    (one,) = rank_tables(whole, labels(whole))
    assert "; hello;" not in one.title
    *arms, last = whole.arms
    two = whole.model_copy(update={"arms": [*arms, last.model_copy(update={"workload": "file"})]})
    (one,) = rank_tables(two, labels(two))
    assert one.title.endswith("; hello; 10 connections; by requests per second")


def test_two_arms_have_their_ratio_and_need_no_ranks() -> None:
    assert 'id="ranks"' not in render(ranked(ORDER[:2]), [])
    assert 'id="ranks"' not in render(sample.replay(), [])


def test_the_table_of_the_terminal_has_the_same_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    show_result(ranked(ORDER))
    shown = capsys.readouterr().out
    rows = [line for line in shown.splitlines() if line.startswith("  ")]
    assert any(ORDER[0] in row and row.split()[-2] == "1" for row in rows)
    assert sum("2 to 4" in row for row in rows) == 3
    assert "rank: by requests/s, by p99" in shown
    show_result(sample.replay())
    assert "rank" not in capsys.readouterr().out


def test_the_terminal_says_how_a_study_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    stopping = Stopping(
        until=0.02,
        reached=0.019,
        blocks=12,
        most_blocks=20,
        stopped=True,
        text="Stopped after block 12 of at most 20: the widest interval is ±1.9 %.",
    )
    show_result(sample.replay().model_copy(update={"stopping": stopping}))
    assert stopping.text in " ".join(capsys.readouterr().out.split())


def test_ranks_come_back_from_the_json() -> None:
    whole = ranked(ORDER)
    assert parse(to_json(whole), "x").rankings == whole.rankings
