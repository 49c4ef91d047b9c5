"""The table of decisions says at which level each was decided, and under which load."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from compared import result, study, trials
from httpdyno.cli.compare.view import show
from httpdyno.comparison.compare import CompareOutcome, decisions
from httpdyno.comparison.loads import SAME_RATE
from httpdyno.export.markdown import markdown
from httpdyno.report import write_report
from httpdyno.run import RunOutcome
from test_report import compared, specification
from test_suspects import with_its_answer
from trial_samples import outcome


@pytest.mark.parametrize("speed", [0.99, 0.97, 0.95, 0.9])
@pytest.mark.parametrize("noise", [0.01, 0.03, 0.05])
def test_a_ratio_has_one_interval_and_one_answer_in_a_report(
    speed: float, noise: float, tmp_path: Path
) -> None:
    found = compared(speed, noise)
    assert found.ended.result is not None
    ended = replace(found.ended, report=write_report(found.ended.result, tmp_path))
    whole = with_its_answer(replace(found, ended=ended))
    rows = {(one.metric, one.point): one for one in whole.comparisons}
    ranks = {(one.metric, one.point): one for one in whole.rankings}
    for one in whole.decisions:
        row = rows[one.metric, one.point]
        assert row.ratio == one.ratio
        assert (row.level, row.adjusted_with) == (0.95, 1)
        if one.decided == "regression":
            assert row.outcome == "worse"
            if one.metric in ("throughput", "p99"):
                assert ranks[one.metric, one.point].last == one.arm
    for file in ("report.html", "report.md"):
        text = (tmp_path / file).read_text().replace("\N{NO-BREAK SPACE}", " ")
        assert not re.search("(made|judged|decided) together", text), file
        assert not re.search(r"9[6-9]\.?\d* % CI", text), file


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
    found = CompareOutcome(
        specification(),
        RunOutcome(80, 80, whole),
        made,
        pair,
        decisions(specification(), whole, pair),
    )
    told = "p99 has two modes: 13 of 20 trials near 2.00 ms, 7 near 20.0 ms."
    shown = with_its_answer(found)
    show(found, shown)
    assert f"same-rate · 500/s: {told}" in " ".join(capsys.readouterr().out.split())
    assert f"`: {told}" in markdown(shown)
