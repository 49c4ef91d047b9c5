"""A throughput above the offered rate has its mark and its reason wherever it is shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from httpdyno.cli.run.table import show_result
from httpdyno.export.junit import junit
from httpdyno.export.markdown import markdown
from httpdyno.plan import Plan
from httpdyno.report.page import render
from httpdyno.report.report_markdown import report_markdown
from httpdyno.result import Reason, StudyResult
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.study.read import parse_study
from httpdyno.verdict import RULES
from trial_samples import outcome

STUDY = parse_study(
    """\
title = "Backlog"
blocks = 10
[[arms]]
server = "tornado"
deployments = ["1-process"]
[loads.rate]
kind = "requests"
rate = 1400
duration = "3s"
""",
    Path("backlog.toml"),
)
WHY = "it was still working off a queue (in 2 of 10 trials)"
BACKLOG = Reason(
    code="backlog",
    status="suspect",
    text="it was still working off a queue",
    hint="warm up for longer",
    doubts=RULES["backlog"].doubts,
)


def result(*behind: int) -> StudyResult:
    """Ten trials at 1,400/s; those of the blocks `behind` answered 8 % more than that."""
    (cell,) = Plan(STUDY).cells
    trials = []
    for block in range(10):
        one = outcome(block, block, cell.key, rate=1400.0, open_load=True)
        assert one.measurement is not None
        if block in behind:
            more = one.measurement.model_copy(update={"throughput_per_s": 1512.0})
            one = one.model_copy(
                update={"measurement": more, "reasons": (BACKLOG,), "status": "suspect"}
            )
        trials.append(one)
    facts = RunFacts("httpdyno run backlog", "0.1.0", 1, 0.0, 60.0, [], [], {}, {})
    return summarise(Plan(STUDY), trials, facts, lambda _, shares: [1_000_000 for _ in shares])


def surfaces(of: StudyResult, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Everything that shows a result, as text in one line."""
    show_result(of)
    shown = {
        "terminal": capsys.readouterr().out,
        "page": re.sub(r"<[^>]+>", "", render(of, [])),
        "report.md": report_markdown(of),
        "comment": markdown(of),
        "JUnit": junit(of),
    }
    return {name: " ".join(text.split()) for name, text in shown.items()}


def test_two_trials_of_ten_with_a_backlog_make_the_throughput_suspect_everywhere(
    capsys: pytest.CaptureFixture[str],
) -> None:
    of = result(2, 5)
    (cell,) = of.cells
    assert cell.throughput_per_s is not None
    assert cell.throughput_per_s.value == pytest.approx(1400 * 1.08**0.2)
    assert (cell.status, cell.pace, cell.doubted) == ("valid", "kept up", ("throughput",))
    shown = surfaces(of, capsys)
    for name, text in shown.items():
        assert WHY.lower() in text.lower(), name
    assert "1,420?" in shown["terminal"]
    assert "1,420/s?" in shown["page"]
    assert re.search(r"\| 1,420/s [^|]*\(suspect\)", shown["report.md"])
    assert re.search(r"\| 1,420 \([^|]*, suspect\) \|", shown["comment"])


def test_trials_without_a_backlog_leave_no_mark(capsys: pytest.CaptureFixture[str]) -> None:
    shown = surfaces(result(), capsys)
    assert "1,400" in shown["terminal"]
    assert not any("suspect" in shown[name] for name in ("terminal", "report.md", "comment"))
