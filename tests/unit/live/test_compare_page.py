"""Two arms beside each other on the page, from their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sample
from httpdyno.plan import Plan
from httpdyno.report.text.words import NO_RESULT
from httpdyno.result import StudyResult
from httpdyno.statistics.summarise import RunFacts, summarise
from httpdyno.study.read import parse_study
from httpdyno.web.live.charts import Line, chart
from httpdyno.web.pages.compare import Line as Compared
from httpdyno.web.pages.compare import Side, lines
from httpdyno.web.templates import page
from stored_runs import TEXT
from trial_samples import outcome, reason

RATED = ("alpha", "beta")
FACTS = RunFacts(
    command="httpdyno run nightly.toml",
    httpdyno_version="0.1.0",
    seed=1,
    started_at=0.0,
    ended_at=60.0,
    machine=[],
    failures=[],
    titles={},
    versions={},
)


def side(result: StudyResult, arm: str, run_id: int = 1) -> Side:
    run: Any = SimpleNamespace(id=run_id, study="sample", started_at=0.0)
    return Side(run, result, arm)


def compared_page(result: StudyResult, found: Sequence[Compared]) -> str:
    """The page of two arms of one run."""
    return page(
        "compare",
        here="/compare",
        secret="",
        options=[],
        chosen={"a": "", "b": ""},
        missing=[],
        sides=(side(result, sample.ARMS[0]), side(result, sample.ARMS[1])),
        lines=found,
        differences=(),
        same_run=True,
        other_machine=False,
    )


def test_a_number_that_its_verdict_doubts_is_called_suspect() -> None:
    whole = sample.replay()
    cells = [
        cell.model_copy(update={"status": "suspect", "doubts": {"throughput": ["late"]}})
        if cell.arm == sample.ARMS[1] and cell.status == "valid"
        else cell
        for cell in whole.cells
    ]
    doubted = whole.model_copy(update={"cells": cells})
    found = list(lines(side(doubted, sample.ARMS[0]), side(doubted, sample.ARMS[1])))
    told = {line.b for line in found if line.metric == "throughput" and line.b != NO_RESULT}
    assert told
    assert all(number.endswith(" (suspect)") for number in told)
    assert not any("suspect" in line.b for line in found if line.metric != "throughput")
    ratios = [line for line in found if line.outcome != "not compared"]
    assert all(line.suspect == ("suspect" in line.a + line.b) for line in ratios)
    html = compared_page(doubted, found)
    assert html.count("of suspect numbers") == len([line for line in found if line.suspect])


def test_a_change_of_few_restarts_is_shown_and_its_field_says_what_an_interval_takes() -> None:
    short = sample.replay(blocks=3)
    found = list(lines(side(short, sample.ARMS[0]), side(short, sample.ARMS[1])))
    few = [line for line in found if line.outcome != "not compared"]
    assert {line.interval for line in few} == {"none: 3 trials, 5 needed"}
    assert all(line.change and line.outcome == "no result" for line in few)
    html = compared_page(short, found)
    assert html.count("without an interval") == len(few)
    assert "95 % one of its own" not in html


def measured(rates: Mapping[str, Sequence[float]]) -> StudyResult:
    """A result of two servers under a closed load, at these rates in its blocks."""
    of = parse_study(TEXT, Path("nightly.toml"))
    of = of.model_copy(update={"blocks": max(map(len, rates.values()))})
    trials = [
        outcome(index, block, cell.key, rate=rates[cell.arm.server][block], p99_s=1.0)
        for index, (block, cell) in enumerate(product(range(of.blocks), Plan(of).cells))
        if block < len(rates[cell.arm.server]) and cell.load.kind == "closed"
    ]
    return summarise(Plan(of), trials, FACTS, lambda hdr, shares: [int(hdr)] * len(shares))


def ratio(change: str) -> float:
    """`8.2 % fewer` as 0.918."""
    if change.endswith("×"):
        return float(change.removesuffix("×"))
    share, _, direction = change.split(" ")
    return 1 + (-1 if direction in ("fewer", "less", "shorter") else 1) * float(share) / 100


@pytest.mark.parametrize(
    ("overloaded", "told"),
    [
        ((0, 6), "A did not keep up with the rate"),
        ((1, 4), "it is unknown if B kept up with the rate"),
        ((2, 6), "A did not keep up with the rate, B did not keep up with the rate"),
        ((1, 1), None),
    ],
)
def test_the_p99_of_an_arm_that_did_not_keep_up_is_not_compared(
    overloaded: tuple[int, int], told: str | None
) -> None:
    which, times = overloaded
    found = [line for line in lines(*rated(which, times)) if line.where.startswith("steady")]
    (p99,) = [line for line in found if line.metric == "p99"]
    if told is None:  # one of ten trials: no number is suspect for so few
        assert p99.change
        assert p99.outcome == "worse"
        return
    assert (p99.change, p99.outcome) == ("", "not compared")
    assert p99.interval == f"none: {told}"
    (throughput,) = [line for line in found if line.metric == "throughput"]
    assert throughput.change


def rated(which: int, times: int) -> tuple[Side, Side]:
    """Two servers at a rate, in ten blocks: the first, the second or both could not keep up in some
    trials."""
    of = parse_study(TEXT, Path("nightly.toml")).model_copy(update={"blocks": 10})
    late = {0: ("alpha",), 1: ("beta",), 2: RATED}[which]
    trials = [
        outcome(
            index,
            block,
            cell.key,
            rate=500.0,
            p99_s=(0.001 if cell.arm.server == "alpha" else 0.5) * (1 + block / 100),
            open_load=True,
            reasons=[OVERLOAD] if cell.arm.server in late and block < times else [],
        )
        for index, (block, cell) in enumerate(product(range(of.blocks), Plan(of).cells))
        if cell.load.kind == "requests"
    ]
    result = summarise(Plan(of), trials, FACTS, lambda hdr, shares: [int(hdr)] * len(shares))
    one, other = (side(result, f"{name}/1-process") for name in RATED)
    return one, other


OVERLOAD = reason("overload", "suspect")
SLOW_ONCE = [3300.0, 3310, 800, 3290, 3320]
"""The median of these is above that of `STEADY`, the geometric mean below."""
STEADY = [2880.0, 2900, 2870, 2890, 2860]


@pytest.mark.parametrize("runs", [(1, 1), (1, 2)], ids=["one run", "two runs"])
@pytest.mark.parametrize("last", [5, 6], ids=["even", "a block that only one has"])
def test_the_change_is_the_ratio_of_the_two_numbers_beside_it(
    runs: tuple[int, int], last: int
) -> None:
    whole = measured({"alpha": [*SLOW_ONCE, 9000.0][:last], "beta": STEADY})
    a, b = (side(whole, f"{name}/1-process", run) for name, run in zip(RATED, runs, strict=True))
    for one, other in ((a, b), (b, a)):
        (line, *_) = [line for line in lines(one, other) if line.metric == "throughput"]
        before, after = (
            float(text.removesuffix("/s").replace(",", "")) for text in (line.a, line.b)
        )
        assert after / before == pytest.approx(ratio(line.change), rel=0.01), line


@pytest.mark.parametrize(
    ("value", "top"),
    [(101, 120), (0.0203, 0.025), (1.0, 1.0), (9.9, 10), (1e-300, 1e-300), (1e300, 1e300)],
)
def test_an_axis_ends_at_a_round_number_that_its_line_does_not_pass(
    value: float, top: float
) -> None:
    drawn = chart("a", "A", [Line("a", [(0.0, value), (1.0, value / 2)])], repr)
    assert float(drawn.top) == pytest.approx(top)


def test_a_single_run_is_a_point_that_can_be_seen() -> None:
    one, two = (
        chart("a", "A", [Line("a", [(float(at), 5.0) for at in range(count)])], str).svg
        for count in (1, 2)
    )
    assert "alone" in one
    assert "alone" not in two
