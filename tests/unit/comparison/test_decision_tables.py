"""The table of decisions says at which level each was decided, and under which load."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from httpdyno.export.markdown import markdown
from httpdyno.report import write_report
from test_report import compared
from test_suspects import with_its_answer

APART = "Each decision against a margin stands for itself, and its interval is a 95 % CI of its own."


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
