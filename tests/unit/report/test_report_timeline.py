"""Trials second by second: what was due, what was answered, and which arms are suspect."""

from __future__ import annotations

import drawn
import many_arms
import sample
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.figure import Figure
from httpdyno.report.contents.page import page
from httpdyno.result import CellRow, SecondRow, StudyResult

SECONDS = range(-1, 6)


def second_by_second(cell: CellRow, ok: int = 990) -> CellRow:
    """The cell with a trial of six seconds."""
    rows = [
        SecondRow(
            second=at,
            due=1000,
            ok=max(0, ok - at),
            failed=0,
            p50_s=0.001,
            p99_s=0.002 + at * 1e-5,
        )
        for at in SECONDS
    ]
    return cell.model_copy(update={"timeline": rows})


def timed(whole: StudyResult) -> StudyResult:
    cells = [second_by_second(cell) for cell in whole.cells]
    return whole.model_copy(update={"cells": cells})


def timelines(result: StudyResult) -> dict[str, Figure]:
    return {one.load.name: one for one in figures(result) if one.section == "timeline" and one.load}


FOUND = timelines(timed(sample.replay()))


def test_the_title_is_about_the_trials_drawn() -> None:
    """The other trials of an arm may be uneven, and no line shows them."""
    assert FOUND["as-published"].title == (
        "In the trials drawn, every arm answers evenly: no second is more than 5 % from its mean"
    )
    whole = timed(sample.replay())
    alone = whole.model_copy(update={"cells": whole.cells[:1]})
    (chart,) = timelines(alone).values()
    assert chart.title == (
        f"In the trial drawn, {sample.ARMS[0]} answers evenly: no second is more than 5 % from its "
        "mean"
    )


def test_a_suspect_arm_is_dashed_and_counted_in_the_title() -> None:
    whole = timed(sample.replay())
    cells = [
        cell.model_copy(update={"status": "suspect", "doubts": {"throughput": ["late"]}})
        if (cell.arm, cell.load) == (sample.ARMS[1], "as-published")
        else cell
        for cell in whole.cells
    ]
    doubted = timelines(whole.model_copy(update={"cells": cells}))["as-published"]
    assert doubted.title.endswith("; 1 of 4 results is suspect")
    assert "dashed: suspect" in drawn.texts(doubted.svg)
    dashed = [one for one in drawn.tree(doubted.svg).iter() if {"line", "dc"} <= drawn.classes(one)]
    assert {name for one in dashed for name in drawn.classes(one)} == {"line", "dc", "s1"}
    assert [row[-1] for row in doubted.table.rows] == ["valid", "suspect", "valid", "valid"]
    sound = FOUND["as-published"]
    assert "suspect" not in sound.title
    assert "dashed: suspect" not in drawn.texts(sound.svg)


def test_a_silent_arm_is_none_of_those_that_answer_evenly() -> None:
    whole = timed(sample.replay())
    assert FOUND["as-published"].title.startswith("In the trials drawn, every arm answers evenly: ")
    cells = [
        second_by_second(cell, ok=-1)
        if (cell.arm, cell.load) == (sample.ARMS[1], "as-published")
        else cell
        for cell in whole.cells
    ]
    title = timelines(whole.model_copy(update={"cells": cells}))["as-published"].title
    assert title == (
        "In the trials drawn, all other arms answer evenly: no second is more than 5 % from its "
        f"mean; no right reply in any second of {sample.ARMS[1]}"
    )


def test_small_multiples_of_seconds_say_that_a_dashed_line_is_suspect_too() -> None:
    whole = timed(many_arms.arms(12))
    first = whole.cells[0]
    doubted = first.model_copy(update={"status": "suspect", "doubts": {"throughput": ["late"]}})
    result = whole.model_copy(update={"cells": [doubted, *whole.cells[1:]]})
    chart = next(iter(timelines(result).values()))
    assert "dashed: suspect" in drawn.texts(chart.svg)


def test_an_open_loop_has_a_dotted_line_of_what_was_due() -> None:
    for load, dotted in (("corrected", True), ("keep-alive", False)):
        svg = FOUND[load].svg
        lines = [one for one in drawn.tree(svg).iter() if {"ax", "da"} <= drawn.classes(one)]
        assert bool(lines) is dotted
        assert ("right replies per second (dotted: due)" in drawn.texts(svg)) is dotted


def test_each_line_ends_in_the_shape_of_its_arm() -> None:
    """Colour alone tells nothing to some readers, and a phone has no names beside the lines."""
    svg = FOUND["as-published"].narrow or ""
    groups = [
        one
        for one in drawn.tree(svg).iter(f"{drawn.SVG}g")
        if one.get("data-arm") and any("line" in drawn.classes(part) for part in one)
    ]
    assert groups
    for group in groups:
        marks = [part for part in group if not {"line", "band"} & drawn.classes(part)]
        assert len(marks) == 1


def test_the_section_says_that_lag_is_known_for_the_whole_trial_only() -> None:
    result = timed(sample.replay())
    told = {one.section: one.explanation for one in page(result, figures(result)).questions}
    assert (
        "lag of the load generator is recorded for each trial, but not for each second"
        in (told["timeline"])
    )
