"""The table of decisions says at which level each was decided, and under which load."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from compared import result, study, trials
from httpdyno.cli.compare.view import show
from httpdyno.comparison.compare import Compared, decisions
from httpdyno.comparison.loads import SAME_RATE
from httpdyno.export.markdown import markdown
from httpdyno.report import write_report
from httpdyno.report.text import words
from httpdyno.run import Ended
from httpdyno.statistics.claims.changes import WIDER
from test_report import compared, specification
from test_suspects import with_its_answer
from trial_samples import outcome

APART = "Each decision against a margin stands for itself, and its interval is a 95 % CI of"


def test_a_report_says_that_its_decisions_are_not_those_that_are_made_together(
    tmp_path: Path,
) -> None:
    found = compared(0.9)
    assert found.ended.result is not None
    assert "decisions about differences between arms were made together" in " ".join(
        found.ended.result.notes
    )
    ended = replace(found.ended, report=write_report(found.ended.result, tmp_path))
    whole = with_its_answer(replace(found, ended=ended))
    for file in ("report.html", "report.md"):
        text = (tmp_path / file).read_text().replace("\N{NO-BREAK SPACE}", " ")
        assert text.count(APART) == 1, file
    assert markdown(whole).count(APART) == 1
    assert APART not in markdown(found.ended.result)


def test_a_ratio_has_another_interval_only_where_the_report_says_why(tmp_path: Path) -> None:
    """A joint interval that reaches over the margin would contradict the decision beside it."""
    found = compared(0.9, noise=0.05)
    assert found.ended.result is not None
    ended = replace(found.ended, report=write_report(found.ended.result, tmp_path))
    before = (tmp_path / "report.md").read_text()
    assert "relative to main" in before
    assert WIDER not in before
    whole = with_its_answer(replace(found, ended=ended))
    (first,) = [one for one in whole.decisions if one.metric == "throughput"]
    joint = next(one.ratio for one in whole.comparisons if one.metric == "throughput")
    assert first.ratio is not None
    assert joint is not None
    other = words.interval(joint, words.ratio)
    assert words.interval(first.ratio, words.ratio) != other
    for file in ("report.html", "report.md"):
        text = (tmp_path / file).read_text().replace("\N{NO-BREAK SPACE}", " ")
        beside, said, below = text.partition(WIDER)
        assert said, file
        assert other not in beside, file
        assert other in below, file


def test_a_metric_that_is_compared_at_a_rate_says_at_which(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = compared(0.5)
    assert found.ended.result is not None
    ended = replace(found.ended, report=write_report(found.ended.result, tmp_path))
    whole = with_its_answer(replace(found, ended=ended))
    assert [one.point for one in whole.decisions] == ["10 connections", "500/s", "500/s"]
    rows = (tmp_path / "report.md").read_text().splitlines()
    for metric in ("requests/s |", "p99 at 500/s |", "CPU time per request at 500/s |"):
        assert any(row.startswith(f"| {metric}") for row in rows), metric
    assert "than main (95 % CI" in whole.answer
    assert " longer p99 than main at 500/s (95 % CI" in whole.answer
    show(found, whole)
    assert "p99 and CPU per request are at 500/s." in " ".join(capsys.readouterr().out.split())


def test_two_modes_are_told_on_the_terminal_and_in_markdown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pair = ("main", "my-branch")
    made = study(*pair, blocks=20)
    measured = [
        outcome(one.index, one.block, one.cell, rate=500.0, p99_s=0.02, open_load=True)
        if (one.arm, one.load) == (pair[1], SAME_RATE) and one.block % 3 == 0
        else one
        for one in trials(made, dict.fromkeys(pair, 1.0), noise=0.002)
    ]
    whole = result(made, measured)
    found = Compared(
        specification(), Ended(80, 80, whole), made, pair, decisions(specification(), whole, pair)
    )
    told = "p99 has two modes: 13 of 20 trials near 2.00 ms, 7 near 20.0 ms."
    shown = with_its_answer(found)
    show(found, shown)
    assert f"same-rate · 500/s: {told}" in " ".join(capsys.readouterr().out.split())
    assert f"`: {told}" in markdown(shown)
