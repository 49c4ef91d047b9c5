"""Tables of results fit the terminal: whole columns are dropped, and no digit is."""

from __future__ import annotations

import io
import re
from functools import partial
from pathlib import Path

import many_arms
import pytest
from httpdyno.cli.hosts.check import table as table_of_machines
from httpdyno.cli.load.output.summary import summary
from httpdyno.cli.load.output.times import table as times_of_a_load
from httpdyno.cli.run import replays
from httpdyno.cli.run.table import show_result
from httpdyno.cli.sweep.measure import MeasuredPoints
from httpdyno.cli.sweep.outcome import Outcome
from httpdyno.cli.sweep.program import Program
from httpdyno.cli.table import FittedTable
from httpdyno.engine_plan.reading import read
from httpdyno.errors import UsageError
from httpdyno.output.table import Column, TextColumn
from httpdyno.result import StudyResult
from httpdyno.run import RunOutcome
from httpdyno.sweep import Rates
from httpdyno.verdict import Verdict
from rich.console import Console
from walk_samples import climbs, confirmed, profiled, result, study

from .measurements import MS, measurement
from .test_sweep_output import BUSY, KEPT, OVERLOAD, PLAN, point


def printed(table: FittedTable, width: int) -> list[str]:
    paper = io.StringIO()
    table.show(Console(file=paper, width=width, force_terminal=True, color_system=None))
    return paper.getvalue().splitlines()


def five(name: str = "arm") -> FittedTable:
    numbers = (
        ("requests/s", "105,000", 0),
        ("95 % CI", "55,900 to 105,200", 1),
        ("p50", "1.44 ms", 2),
        ("verdict", "suspect", 0),
    )
    columns: list[Column[str]] = [TextColumn("", str)]
    for at, (heading, _, drop) in enumerate(numbers):
        columns.append(Column(heading, partial(lambda at, _: numbers[at][1], at), drop=drop))
    return FittedTable(columns, [name] * 5, under=lambda _: "closed · 10 connections")


@pytest.mark.parametrize("width", range(30, 120))
def test_no_width_cuts_a_number(width: int) -> None:
    lines = printed(five(), width)
    shown = " ".join(lines)
    assert "…" not in shown
    for heading, number in (
        ("requests/s", "105,000"),
        ("95 % CI", "55,900 to 105,200"),
        ("p50", "1.44 ms"),
        ("verdict", "suspect"),
    ):
        assert shown.count(number) == (5 if heading in lines[0] else 0)
    if width >= 60:
        assert max(map(len, lines)) <= width


def test_columns_go_in_their_order_and_are_named_below_the_table() -> None:
    fits = [printed(five(), width) for width in (100, 74, 64)]
    assert [line[0].split() for line in fits] == [
        ["requests/s", "95", "%", "CI", "p50", "verdict"],
        ["requests/s", "95", "%", "CI", "verdict"],
        ["requests/s", "verdict"],
    ]
    assert not any("Not shown" in line for line in fits[0])
    assert fits[1][-1].startswith("Not shown in 74 columns: p50; the report")
    assert fits[2][-2].startswith("Not shown in 64 columns: 95 % CI and p50; the report")


def test_a_long_name_is_cut_before_all_columns_are_gone() -> None:
    lines = printed(five("a" * 60), 80)
    assert "95 % CI" in lines[0]
    assert sum("aaa…" in line for line in lines) == 5
    assert sum("55,900 to 105,200" in line for line in lines) == 5


def test_the_tables_of_a_capacity_leave_out_the_same_columns_in_every_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trials = [*climbs([1000, 1010, 990, 1005, 995]), profiled(20, 0, 1000.0)]
    monkeypatch.setenv("COLUMNS", "66")
    show_result(result(study(), trials))
    shown = capsys.readouterr().out
    assert "Not shown in 66 columns: 95 % CI, held and knee/s; the report" in shown
    assert "Not shown in 66 columns: CPU at 25 %, memory and kept at 1.5×; the" in shown
    (row,) = re.findall(r"  a/1-worker( .*(?:µs|ms) .*)", shown)
    assert len(re.split(r"  +", row.strip())) == 4
    assert "…" not in shown


def test_the_fresh_starts_that_held_name_their_rate_where_it_is_not_the_capacity(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for capacity, said in ((1000, "1 of 1 at 980/s"), (980, "1 of 1")):
        monkeypatch.setenv("COLUMNS", "120")
        show_result(
            result(study(confirm=1), [*climbs([capacity] * 5), confirmed(20, 5, held=True)])
        )
        assert re.search(rf"  {said}  ", capsys.readouterr().out)


@pytest.mark.parametrize("columns", [60, 80, 100, 110])
def test_the_numbers_of_many_arms_are_whole_at_every_width(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    many = many_arms.arms(6)
    monkeypatch.delenv("COLUMNS", raising=False)
    show_result(many)
    whole = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", str(columns))
    show_result(many)
    narrow = capsys.readouterr().out
    assert "…" not in narrow
    assert max(map(len, narrow.splitlines())) <= columns
    numbers = set(re.findall(r"\d[\d,.]*", whole))
    table = narrow.partition("Each kind")[0]
    assert set(re.findall(r"\d[\d,.]*", table)) <= numbers | {str(columns)}


def with_failures(*shares: float) -> StudyResult:
    """Arms whose first one has trials with these shares of failed calls."""
    whole = many_arms.arms(3)
    first, *others = whole.cells
    trials = [
        one.model_copy(update={"error_share": shares[at % len(shares)]})
        for at, one in enumerate(first.trials)
    ]
    return whole.model_copy(
        update={"cells": [first.model_copy(update={"trials": trials}), *others]}
    )


@pytest.mark.parametrize("columns", [60, 110])
@pytest.mark.parametrize(
    ("shares", "said"), [((0.0036, 0.0091), "0.360 to 0.910 %"), ((0.01, 0.01), " 1.00 %")]
)
def test_calls_that_failed_are_in_the_table_though_a_budget_forgives_them(
    shares: tuple[float, ...],
    said: str,
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    show_result(with_failures(*shares))
    table = capsys.readouterr().out
    assert re.search(r"requests/s .*\bfailed\b", table)
    assert table.count(said) == 1
    assert " 0 %" in table
    show_result(with_failures(0.0))
    assert "failed" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("columns", "heads"),
    [
        (60, ["p50", "p90", "p99", "p99.9", "max"]),
        (40, ["p50", "p99", "max"]),
        (80, ["min", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"]),
    ],
)
def test_the_summary_of_a_load_leaves_out_whole_columns_and_no_line_is_too_long(
    columns: int, heads: list[str]
) -> None:
    plan = read(
        {
            "target": {"host": "h", "port": 80},
            "load": {"kind": "closed", "connections": 10},
            "stop": {"duration_s": 10},
        }
    )
    text = summary(
        "http://h/",
        plan,
        measurement(),
        Verdict("valid", ()),
        (),
        lambda _hdr, at: [round(MS / (1 - q)) for q in at],
        columns,
    )
    (row,) = re.findall("milliseconds +(.*)", text)
    assert row.split() == heads
    assert ("Not shown: min, mean" in text) == (columns < 80)
    if columns >= 60:
        assert max(map(len, text.splitlines())) <= columns


@pytest.mark.parametrize("width", range(40, 140, 7))
def test_the_numbers_of_a_slow_load_do_not_touch(width: int) -> None:
    slow = dict.fromkeys(("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"), 10**11)
    seen = measurement()
    times = seen.times.model_copy(
        update={"response": seen.times.response.model_copy(update=slow | {"censored": 900})}
    )
    found = times_of_a_load(
        seen.model_copy(update={"times": times}), lambda _hdr, at: [10**11 for _ in at], width
    )
    row = found.lines()[1].split()
    assert "≥100,000" in row
    assert not [one for one in row if one.count("≥") > 1]
    assert max(map(len, found.lines())) <= width


@pytest.mark.parametrize("columns", [40, 70, 200])
def test_a_narrow_terminal_shows_fewer_columns_of_the_machines(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = (
        "a",
        "server",
        "1-3, shared with the agent",
        "+1.00 ms ±12.0 µs",
        "80.0 µs",
        "1,024",
        "x",
    )
    monkeypatch.setenv("COLUMNS", str(columns))
    shown, *dropped = table_of_machines([row])
    heads, line = shown.splitlines()
    assert heads.split()[:3] == ["machine", "roles", "cores"]
    assert "1-3, shared with the agent" in line
    assert {
        40: ["Not shown: clock, round trip, open files, driver; a wider terminal has them."],
        70: ["Not shown: round trip, open files; a wider terminal has them."],
        200: [],
    }[columns] == dropped


def test_each_replay_has_a_row_with_its_verdicts_or_without_a_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    whole, replay = many_arms.arms(3), study().model_copy(update={"name": "first"})
    other = replay.model_copy(update={"name": "second"})
    rows = [
        replays.Row(replay, tmp_path, 90.0, RunOutcome(3, 3, whole)),
        replays.Row(other, tmp_path, 6.0, error=UsageError("no such server")),
    ]
    monkeypatch.setenv("COLUMNS", "80")
    replays.show(rows)
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines[0] == ["replay", "valid", "suspect", "invalid", "left", "out", "minutes"]
    assert lines[2] == ["first", "12", "0", "0", "0", "1.5"]
    assert lines[3] == ["second", "no", "result", "0.1"]
    assert lines[4:] == [["first:", f"{tmp_path}/report.html"], ["second:", "no", "such", "server"]]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_outcome_of_a_sweep_fits_a_file_of_so_many_columns(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    program = Program(PLAN, Rates((100, 200, 300)), "requests", "response", "flags")
    text = f"the load generator was late by {'a time, and ' * 9}that is all"
    late = point(300, BUSY.model_copy(update={"text": text}), OVERLOAD, replies=200)
    Outcome(program, MeasuredPoints([*KEPT, late]), log=False).show(to_stderr=False)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    assert f"suspect at 300/s: {text}" in " ".join(" ".join(lines).split())
