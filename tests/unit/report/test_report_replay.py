"""The picture and the tables of a replay: history stands apart, and is judged by its own log."""

from __future__ import annotations

import drawn
import large_sample
import pytest
import sample
from httpdyno.report.charts.catalogue import replay_figures
from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.rows import Mark, Row, RowsPlot, side_by_side
from httpdyno.report.charts.figure import Figure
from httpdyno.report.contents.banners import banners
from httpdyno.report.text.log_verdicts import doubt, in_short, log_lines
from httpdyno.report.text.replay import replay_groups, replay_rows
from httpdyno.result import Reason, StudyResult

SNAP = large_sample.snap()
CURVES = large_sample.curves()
SMALL = sample.replay(2)


def pictures(result: StudyResult) -> dict[str, Figure]:
    return {each.name: each for each in replay_figures(result)}


def column(figure: Figure, heading: str) -> dict[str, str]:
    """The words of each arm in one column, from the table of the picture."""
    at = figure.table.head.index(heading)
    return {row[0]: row[at] for row in figure.table.rows}


PICTURES = pictures(SNAP)


def test_each_workload_of_a_replay_has_a_picture_of_its_own() -> None:
    assert sorted(PICTURES) == ["replay-file", "replay-pong"]
    assert list(pictures(SMALL)) == ["replay"]


def test_published_numbers_are_in_the_first_column_only_and_measured_ones_never_there() -> None:
    for work, place in (("pong", 0), ("file", 1)):
        figure = PICTURES[f"replay-{work}"]
        assert figure.table.head == ("arm", "Published", "Rerun here", "Corrected")
        for arm, rates in large_sample.PUBLISHED.items():
            row = next(row for row in figure.table.rows if row[0] == arm)
            assert row[1].startswith(f"{rates[place]:,}"[:3])
            assert row[1] not in row[2:]


def test_each_column_has_an_axis_of_its_own_and_history_is_called_so() -> None:
    for figure in PICTURES.values():
        texts = drawn.texts(figure.svg)
        axes = [text for text in texts if text.startswith("requests per second")]
        assert len(axes) == len(figure.table.head) - 1
        assert "history: not comparable" in " ".join(texts)


def test_all_columns_have_the_same_rows_in_the_same_order() -> None:
    """The names stand once, and every row of each column is as high as its name."""
    figure = PICTURES["replay-pong"]
    names = [row[0] for row in figure.table.rows]
    words = drawn.words(figure.svg)
    heights = {one.text: one.top for one in words if one.text in names}
    assert list(heights) == names
    said = column(figure, "Corrected")
    shown = [one for one in words if one.text.split(" ")[0] in said.values()]
    assert {round(one.top) for one in shown} <= {round(top) for top in heights.values()}


def test_a_published_number_whose_log_is_invalid_is_hollow_and_says_so() -> None:
    figure = PICTURES["replay-file"]
    assert drawn.hollow(figure.svg) == 1
    assert "hollow: its log would be invalid" in drawn.texts(figure.svg)
    assert column(figure, "Published")["node/1-process"] == "4,540/s (invalid)"
    tips = [row.tip for row in drawn.rows(figure.svg)]
    assert any("invalid: 99.75 % of the replies were wrong" in tip for tip in tips)


def test_verdicts_on_logs_have_the_invalid_ones_first_with_their_evidence() -> None:
    lines = log_lines(SNAP)
    assert [line.verdict.status for line in lines] == ["invalid", "suspect", "valid"]
    assert lines[0].row.arm == "node/1-process file"
    assert "1,000,000 replies to 1,000,000 requests, 997,483 of them wrong" in lines[0].facts
    assert "2 samples with a standard deviation of 6,820/s" in lines[1].facts
    assert in_short(lines) == (
        "The raw log is known for 3 published numbers: 1 would be invalid and 1 suspect by the "
        "rules of this report."
    )
    assert in_short(lines[2:]).startswith("The raw log is known for 1 published number: none")


def test_a_number_without_a_log_or_with_a_valid_one_has_no_doubt() -> None:
    said = {row.arm: doubt(row) for row in SNAP.published}
    assert said["snap/no-access-log pong"] == ""
    assert said["happstack/1-core pong"] == ""
    assert said["node/1-process file"].startswith("invalid by our rules: 99.75 %")
    assert said["apache-php/mod_php pong"].startswith("suspect by our rules: the samples")


def test_of_several_points_the_row_shows_the_one_that_answered_most() -> None:
    row = next(row for row in replay_rows(CURVES) if row.arm == "cowboy/1-core")
    cells = [cell for cell in CURVES.cells if cell.arm == "cowboy/1-core"]
    best = max(cells, key=lambda cell: cell.throughput_per_s.value if cell.throughput_per_s else 0)
    assert [entry.cell.point for entry in row.rerun] == [best.point]
    assert best.point in row.rerun[0].about


def test_what_nobody_measured_here_is_still_a_row_of_the_history() -> None:
    groups = dict(replay_groups(SNAP))
    row = groups["pong"][-1]
    assert row.arm == "Grails 1.2.2"
    assert (row.rerun, row.corrected) == ([], [])
    assert all(row.arm != "Grails 1.2.2" for row in groups["file"])


def test_a_study_that_replays_nothing_has_neither_rows_nor_a_picture() -> None:
    result = sample.tiny()
    assert replay_rows(result) == []
    assert pictures(result) == {}


def test_a_replay_of_which_nothing_has_a_result_has_no_picture() -> None:
    cells = [sample.invalid(cell) for cell in SMALL.cells]
    result = SMALL.model_copy(update={"cells": cells, "comparisons": []})
    assert pictures(result) == {}
    assert all(entry.text == "no result" for row in replay_rows(result) for entry in row.rerun)


def test_a_refused_cell_is_called_refused_and_not_a_failure() -> None:
    why = Reason(code="refused", status="invalid", text="it cannot pipeline", hint="none")
    cells = [sample.invalid(SMALL.cells[0]).model_copy(update={"reasons": [why], "trials": []})]
    result = SMALL.model_copy(update={"cells": [*cells, *SMALL.cells[1:]]})
    entry = replay_rows(result)[0].rerun[0]
    assert (entry.text, entry.interval) == ("refused", "it cannot pipeline")
    sentences = [banner.sentence for banner in banners(result)]
    assert "1 of 24 cells was refused: the server does not support the load." in sentences
    assert "2 of 24 cells have no result." in sentences


def test_several_numbers_of_one_arm_are_told_together_with_how_many_are_invalid() -> None:
    late = SNAP.published[0].model_copy(update={"arm": "node/1-process file", "source": "later"})
    result = SNAP.model_copy(update={"published": [*SNAP.published, late]})
    picture = pictures(result)["replay-file"]
    assert column(picture, "Published")["node/1-process"] == "288 to 4,540/s (1 invalid)"


def test_a_bar_of_zero_is_no_number_and_is_not_drawn() -> None:
    zero = SNAP.published[0].model_copy(update={"requests_per_s": 0.0})
    result = SNAP.model_copy(update={"published": [zero, *SNAP.published[1:]]})
    picture = pictures(result)["replay-pong"]
    assert column(picture, "Published")["rails/webrick"] == "no number"
    row = next(row for row in drawn.rows(picture.svg) if row.name == "rails/webrick")
    assert row.points == 0


def test_what_was_not_measured_is_left_blank() -> None:
    picture = PICTURES["replay-pong"]
    assert column(picture, "Corrected")["Grails 1.2.2"] == "–"
    texts = drawn.texts(picture.svg)
    assert "not measured" not in texts


def test_loads_that_rerun_the_post_share_a_column_each_arm_by_its_own() -> None:
    other = SNAP.loads[0].model_copy(update={"name": "as-published-2", "title": "another shape"})
    moved = "node/1-process pong"
    cells = [
        cell.model_copy(update={"load": other.name})
        if (cell.arm, cell.load) == (moved, "as-published")
        else cell
        for cell in SNAP.cells
    ]
    loads = [SNAP.loads[0], other, SNAP.loads[1]]
    result = SNAP.model_copy(update={"loads": loads, "cells": cells})
    picture = pictures(result)["replay-pong"]
    assert picture.table.head[1:] == ("Published", "Rerun here", "Corrected")
    assert "each arm under its own" in " ".join(drawn.texts(picture.svg))


def test_a_load_that_offers_a_rate_is_no_column_where_another_tells_what_a_server_can() -> None:
    (picture,) = pictures(SMALL).values()
    assert "steady rate" not in " ".join(drawn.texts(picture.svg))
    entries = [entry.load.name for entry in replay_rows(SMALL)[0].corrected]
    assert entries == ["keep-alive", "corrected"], "the table has all of them"


def test_the_baseline_measured_twice_is_one_row() -> None:
    control = SMALL.arms[0].model_copy(update={"name": f"{SMALL.arms[0].name} (A/A)"})
    result = SMALL.model_copy(update={"arms": [*SMALL.arms, control]})
    assert len(replay_rows(result)) == len(replay_rows(SMALL))


@pytest.mark.parametrize("columns", [2, 3, 4, 5])
def test_no_number_beside_the_columns_is_cut(columns: int) -> None:
    name, said = "inets/1-scheduler-as-shipped", "12,000 to 58,000/s"
    row = Row(name, 0, (Mark(58_000.0),), said)
    plots = [RowsPlot([row], "requests per second", heading=("Here", "at full speed"))] * columns
    assert side_by_side(plots, style.WIDE).body.count(f">{said}</text>") == columns


def test_the_grid_does_not_cross_the_numbers_of_a_narrow_chart() -> None:
    row = Row("a", 0, (Mark(58_000.0),), "58,000/s")
    body = side_by_side([RowsPlot([row], "requests per second")], style.NARROW).body
    assert 'class="e halo">58,000/s</text>' in body


def test_where_no_arm_has_an_interval_the_column_says_so_once() -> None:
    (picture,) = pictures(sample.replay(blocks=3)).values()
    texts = " ".join(drawn.texts(picture.svg))
    assert "3 trials: too few for an interval" in texts
    assert "no interval" not in texts
