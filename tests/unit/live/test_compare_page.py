"""Two arms beside each other on the page, from their results."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import sample
from httpdyno.report.text.words import NO_RESULT
from httpdyno.result import StudyResult
from httpdyno.web.live.charts import Line, chart
from httpdyno.web.pages.compare import Side, lines
from httpdyno.web.templates import page


def side(result: StudyResult, arm: str) -> Side:
    run: Any = SimpleNamespace(id=1, study="sample", started_at=0.0)
    return Side(run, result, arm)


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
    assert all(line.suspect == ("suspect" in line.a + line.b) for line in found)
    html = page(
        "compare",
        here="/compare",
        secret="",
        options=[],
        chosen={"a": "", "b": ""},
        sides=(side(doubted, sample.ARMS[0]), side(doubted, sample.ARMS[1])),
        lines=found,
        differences=(),
        same_run=True,
        other_machine=False,
    )
    assert html.count("of suspect numbers") == len([line for line in found if line.suspect])


def test_a_change_without_an_interval_leaves_its_field_empty() -> None:
    short = sample.replay(blocks=3)
    found = list(lines(side(short, sample.ARMS[0]), side(short, sample.ARMS[1])))
    assert found
    assert {line.interval for line in found} == {""}


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
