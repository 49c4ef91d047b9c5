"""The tables of `sweep` and `runs list` fit the terminal, with every digit of what they show."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from httpdyno.cli.live.text import plain
from httpdyno.cli.runs.view import show_list
from httpdyno.cli.sweep.program import Program
from httpdyno.cli.sweep.table import table
from httpdyno.cli.sweep.view import View
from httpdyno.engine_plan.reading import read
from httpdyno.result import Fact, Reason
from httpdyno.running.live.events import PlanBegins, PointEnds, TrialBegins
from httpdyno.store import RunSummary
from httpdyno.sweep import Point, Rates, TimeKind, point_of
from httpdyno.verdict import Verdict
from rich.console import Console

from .measurements import MS, measurement, time

WIDTHS = [60, 80, 100]
LATE = [
    Reason(code=code, status="suspect", text=code, hint="wait")
    for code in ("generator_behind", "spacing", "dependent", "unlike_replies")
]


def point(rate: float, *found: Reason) -> Point:
    times = {**measurement().times.model_dump(), "response": time(p50_ns=123 * MS)}
    seen = measurement(throughput_per_s=rate, offered_per_s=rate, times=times)
    return point_of(rate, seen, Verdict("suspect" if found else "valid", found), "response")


POINTS = [point(12_300.0), point(45_600.0, *LATE[:1]), point(98_700.0, *LATE)]


def swept(width: int, unit: str, times: TimeKind = "response") -> list[str]:
    paper = io.StringIO()
    shown = Console(file=paper, width=width, force_terminal=True, color_system=None)
    table(POINTS, times, unit).show(shown, "a wider terminal has them")
    return paper.getvalue().splitlines()


@pytest.mark.parametrize("unit", ["requests", "connections"])
@pytest.mark.parametrize("times", ["response", "first_byte"])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_sweep_fits_with_every_digit(width: int, times: TimeKind, unit: str) -> None:
    lines = swept(width, unit, times)
    assert max(map(len, lines)) <= width
    shown = " ".join(" ".join(lines).split())
    assert "…" not in shown
    for rate, mark in (("12,300", ""), ("45,600", "?"), ("98,700", "?")):
        assert f"{rate} {rate}{mark} " in shown
    assert shown.count("123 ms") == (3 if "p50" in lines[0] else 0)
    assert shown.count("1.23 s") == (3 if "p99" in lines[0] else 0)


def test_a_sweep_goes_without_its_reasons_then_p50_then_failures() -> None:
    heads = [swept(width, "requests")[0].split() for width in (130, 100, 56, 47)]
    assert heads == [
        ["requests/s", "replies/s", "p50", "p99", "failed", "verdict", "reasons"],
        ["requests/s", "replies/s", "p50", "p99", "failed", "verdict"],
        ["requests/s", "replies/s", "p99", "failed", "verdict"],
        ["requests/s", "replies/s", "p99", "verdict"],
    ]
    assert " ".join(swept(56, "requests")[-2:]).startswith("Not shown in 56 columns: p50 and reas")


@pytest.mark.parametrize("width", WIDTHS)
def test_the_view_of_a_running_sweep_has_every_digit(width: int) -> None:
    arrivals = {"segments": [{"from_per_s": 1, "to_per_s": 1}]}
    load = {"kind": "requests", "connections": 1, "arrivals": arrivals}
    plan = read({"target": {}, "load": load, "stop": {"count": 1}})
    rates = Rates(tuple(one.rate_per_s for one in POINTS))
    view = View(Program(plan, rates, "connections", "response", "flags"), "title", log=False)
    for number, one in enumerate(POINTS, 1):
        view(TrialBegins(number, 3, 0.0, "", "", ""))
        view(PlanBegins(plan))
        view(PointEnds(one))
    lines = [plain(line).rstrip() for line in view.lines(width - 1, 23)]
    at = next(n for n, line in enumerate(lines) if line.startswith("connections/s"))
    rows = lines[at + 2 : at + 5]
    assert [row.split()[:2] for row in rows] == [
        ["12,300", "12,300"],
        ["45,600", "45,600?"],
        ["98,700", "98,700?"],
    ]
    assert max(map(len, lines[at : at + 5])) < width
    assert "…" not in " ".join(rows)
    assert len(lines) <= 23


def run(number: int, **changed: Any) -> RunSummary:
    machine = {"processor": "AMD EPYC 7B13", "cores": "2 of 2 available", "memory": "7.8 GiB"}
    facts = [Fact(label=label, value=value) for label, value in machine.items()]
    whole: dict[str, Any] = {
        "study": "a-study-with-a-name-that-is-longer-than-any-column",
        "started_at": 1_790_000_000.0,
        "ended_at": None,
        "httpdyno_version": "0.1.0",
        "command": "httpdyno run it",
        "facts": facts,
        "arms": ("a", "b"),
        "trials": {"valid": 12_345, "suspect": 67_890},
    }
    return RunSummary(number, **(whole | changed))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_list_of_runs_fits_with_every_digit(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    show_list([run(7), run(12_345, study="short")], as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    assert re.match("    7  a-study-[^ ]+ +2026-09-21 14:13", lines[2])
    assert re.match("12345  short +2026-09-21 14:13", lines[3])
    for line in lines[2:4]:
        assert ("12,345 valid, 67,890 suspect" in line) == ("trials" in lines[0])
        assert ("AMD EPYC 7B13" in line) == ("machine" in lines[0])
    missing = " ".join(lines[4:])
    assert ("machine" in missing) == ("machine" not in lines[0])


def test_a_list_of_runs_goes_without_the_machine_then_arms_and_completeness_and_trials(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def head(width: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        show_list([run(12_345, study="nightly")], as_json=False)
        return re.split("  +", capsys.readouterr().out.splitlines()[0].strip())

    every = ["run", "study", "began (UTC)", "arms", "trials", "complete", "machine"]
    assert head(140) == every
    assert head(100) == every[:6]
    assert head(78) == [*every[:3], *every[4:6]]
    assert head(70) == [*every[:3], "trials"]
    assert head(50) == every[:3]


def test_a_list_of_runs_in_a_pipe_is_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    show_list([run(7, study="[bold]mine[/bold] \x1b[31m")], as_json=False)
    said = capsys.readouterr().out
    assert "[bold]mine[/bold]" in said
    assert "\x1b" not in said
    assert "AMD EPYC 7B13, 2 of 2 available, 7.8 GiB" in said
