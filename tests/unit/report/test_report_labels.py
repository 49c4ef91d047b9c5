"""Words in charts: inside the picture, and none over another."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import large_sample
import pytest
import sample
import vl_convert
from httpdyno.report.charts.catalogue import Drawing, drawings
from httpdyno.report.charts.drawing.labels import BESIDE, GAP, reach
from httpdyno.report.charts.drawing.style import for_file
from httpdyno.report.charts.files.picture import page_svg
from httpdyno.result import CellRow, Estimate, StudyResult
from hypothesis import given
from hypothesis import strategies as st
from test_report_png import read

LETTER = 6.9


@given(
    st.lists(
        st.tuples(st.just(0.0) | st.floats(1e-3, 1e12), st.text("a", max_size=40)),
        min_size=1,
        max_size=20,
    ),
    st.floats(200, 700),
    st.booleans(),
)
def test_words_behind_their_points_end_before_the_axis_does(
    ends: list[tuple[float, str]], width: float, log: bool
) -> None:
    low = 0.5 if log else 0.0
    ends = [(low + value, words) for value, words in ends]
    scale = math.log if log else float
    end = reach(low, ends, width, log=log)
    for value, words in ends:
        assert end >= value
        if value == low:
            continue
        place = width * (scale(value) - scale(low)) / (scale(end) - scale(low))
        room = max(width - BESIDE - LETTER * len(words), 0.15 * width)
        assert place <= room + 1e-6


def suspect(result: StudyResult) -> StudyResult:
    """The result with the longest words beside its points: no interval, and suspect."""

    def doubtful(cell: CellRow) -> CellRow:
        changes: dict[str, Any] = {"status": "suspect"} if cell.status == "valid" else {}
        for name, value in cell:
            if isinstance(value, Estimate):
                changes[name] = value.model_copy(update={"low": None, "high": None})
        return cell.model_copy(update=changes)

    rows = [row.model_copy(update={"outcome": "no difference shown"}) for row in result.comparisons]
    cells = [doubtful(cell) for cell in result.cells]
    return result.model_copy(update={"cells": cells, "comparisons": rows})


SHOWN = [*drawings(suspect(sample.replay(5))), *drawings(suspect(large_sample.snap()))]
WORDY = list({(drawing.section, drawing.shape): drawing for drawing in SHOWN}.values())
"""A chart of each kind, those of many rows where there are any."""


@pytest.mark.parametrize("drawing", WORDY, ids=lambda drawing: drawing.name)
def test_no_words_are_cut_at_the_right_edge_of_a_picture(drawing: Drawing) -> None:
    """Words that are cut reach the edge; else the padding of 16 CSS pixels is blank."""
    spec = for_file(drawing.spec, drawing.title)
    png = vl_convert.vegalite_to_png(spec, vl_version="6.4", scale=1)
    edge = {pixel for line in read(bytes(png)) for pixel in line[-8:]}
    assert edge == {(255, 255, 255)}


def test_a_line_without_a_result_is_named_above_the_names_of_the_others() -> None:
    """All arms answer what is offered, so their names crowd at the top, beside the crosses."""

    def level(cell: CellRow) -> CellRow:
        if cell.throughput_per_s is None or cell.rate_per_s is None:
            return cell
        rate = cell.rate_per_s * large_sample.CALLS
        changes = {"value": rate, "low": None, "high": None}
        even = cell.throughput_per_s.model_copy(update=changes)
        return cell.model_copy(update={"throughput_per_s": even, "status": "valid"})

    whole = large_sample.curves()
    result = whole.model_copy(update={"cells": [level(cell) for cell in whole.cells]})
    drawing = next(d for d in drawings(result) if d.section == "throughput")
    crosses = [
        layer["encoding"]["y"]["value"]
        for layer in drawing.spec["layer"]
        if str(layer["mark"].get("text", "")).endswith(": no result")
    ]
    names = sorted(
        layer["encoding"]["y"]["value"]
        for layer in drawing.spec["layer"]
        if layer["mark"].get("fontWeight") == 600
    )
    assert len(crosses) == 2
    assert len(names) == 5
    assert all(below - above >= GAP - 1e-6 for above, below in pairwise([*sorted(crosses), *names]))


def test_numbers_on_an_axis_are_not_rounded() -> None:
    """Vega writes 1,250 as 1,300 where a format has no precision."""
    whole = large_sample.curves()
    cells = [
        cell.model_copy(update={"rate_per_s": cell.rate_per_s * 1.25})
        for cell in whole.cells
        if cell.rate_per_s is not None
    ]
    shown = drawings(whole.model_copy(update={"cells": cells}))
    svg = page_svg(next(drawing for drawing in shown if drawing.section == "throughput"))
    assert ">1,250<" in svg
    assert ">1,300<" not in svg
