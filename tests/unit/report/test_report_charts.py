"""Statements that the charts may and may not make, read from their specifications."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import altair
import large_sample
import pytest
import sample
from httpdyno.output.slugs import slug
from httpdyno.report.charts.catalogue import Drawing, drawings, telling_point
from httpdyno.report.charts.drawing.style import colours
from httpdyno.report.charts.files.picture import file_png, file_svg, page_svg
from httpdyno.report.page import render
from httpdyno.result import CellRow, StudyResult

RESULT = sample.replay()
DRAWINGS = drawings(RESULT)
NAMES = [drawing.name for drawing in DRAWINGS]


def views(node: Any) -> Iterator[dict[str, Any]]:
    """Every layer of a specification that draws something."""
    if isinstance(node, dict):
        if "mark" in node:
            yield node
        for value in node.values():
            yield from views(value)
    elif isinstance(node, list):
        for value in node:
            yield from views(value)


def rows(drawing: Drawing) -> list[dict[str, Any]]:
    """Every row of data of a chart."""
    found = []
    for values in list(drawing.spec.get("datasets", {}).values()):
        found.extend(values)
    for view in [*views(drawing.spec), drawing.spec]:
        found.extend(view.get("data", {}).get("values", []))
    return found


def named(name: str) -> Drawing:
    return next(drawing for drawing in DRAWINGS if drawing.name == name)


def test_each_load_gets_each_chart_that_it_has_values_for() -> None:
    expected = {
        slug(section, load.name)
        for section in ("throughput", "spectrum", "cpu", "memory")
        for load in RESULT.loads
    }
    latency = {"latency-as-published", "latency-keep-alive"}
    assert expected | latency | {"latency-corrected-p50", "latency-corrected-p99"} <= set(NAMES)
    assert "latency-corrected" not in NAMES, "against a rate, each percentile has its own chart"
    assert len(NAMES) == len(set(NAMES))
    assert "errors-corrected" in NAMES
    assert "errors-as-published" not in NAMES, "no request failed there: a sentence says so"


@pytest.mark.parametrize("names", [("10 ms", "10-ms"), ("負荷", "速度"), ("x", "x 1")])
def test_loads_whose_names_look_alike_have_charts_of_their_own(names: tuple[str, str]) -> None:
    called = dict(zip(("as-published", "keep-alive"), names, strict=True))
    text = RESULT.model_dump_json()
    for name, other in called.items():
        text = text.replace(f'"{name}"', json.dumps(other))
    renamed = StudyResult.model_validate_json(text)
    found = drawings(renamed)
    assert len({drawing.name for drawing in found}) == len(found) == len(DRAWINGS)
    page = render(renamed, found)
    for drawing in found:
        assert page.count(f'id="chart-{drawing.name}"') == 1


def test_a_result_without_cells_has_no_charts() -> None:
    assert drawings(sample.empty()) == []


INVALID = {(c.arm, c.load, c.point) for c in RESULT.cells if c.status == "invalid"}


@pytest.mark.parametrize("name", NAMES)
def test_a_cell_without_a_result_is_in_the_data_as_null_and_never_as_a_number(name: str) -> None:
    drawing = named(name)
    if drawing.load is None:
        return  # the picture of a replay has several loads: test_report_replay looks at it
    load = drawing.load.name
    here = [(arm, point) for arm, of, point in INVALID if of == load]
    several = len({c.point for c in RESULT.cells if c.load == load}) > 1
    told = 0
    for arm, point in here:
        labels = {arm, f"{arm} · {point}"} if not several else {f"{arm} · {point}"}
        mine = [
            row
            for row in rows(drawing)
            if str(row.get("row", "")).removesuffix(" · p50").removesuffix(" · p99") in labels
        ]
        assert all(row["value"] is None and row["said"] == "no result" for row in mine)
        told += len(mine)
    if drawing.section == "spectrum":
        drawn = {row["arm"] for row in rows(drawing) if "share" in row}
        assert not {arm for arm, _ in here} & drawn or several
    elif here:
        assert told > 0, "a cell without a result keeps its place"


def test_no_result_is_written_at_no_data_position() -> None:
    words = [
        view
        for view in views(named("throughput-keep-alive").spec)
        if any(row.get("said") == "no result" for row in view.get("data", {}).get("values", []))
        or view["encoding"].get("text", {}).get("field") == "said"
    ]
    assert words
    assert all("field" not in view["encoding"]["x"] for view in words)


@pytest.mark.parametrize("name", NAMES)
def test_a_linear_axis_starts_at_zero_and_a_logarithmic_one_says_so(name: str) -> None:
    drawing = named(name)
    seen = 0
    for view in views(drawing.spec):
        for channel in ("x", "y"):
            encoding = view["encoding"].get(channel, {})
            if encoding.get("type") != "quantitative" or "scale" not in encoding:
                continue
            seen += 1
            title = encoding["title"]
            text = " ".join(title) if isinstance(title, list) else title
            if encoding["scale"].get("type") == "log":
                assert "log scale" in text or "share of requests" in text
            else:
                assert encoding["scale"]["zero"] is True
                assert encoding["scale"]["domain"][0] == 0
    assert seen > 0


UNITS = {
    "replay": "requests per second",
    "throughput": "per second",
    "latency": "(ms)",
    "spectrum": "(ms)",
    "errors": "(%)",
    "cpu": "(µs)",
    "memory": "(MiB)",
    "ratio": "relative to tornado/1-process",
}


@pytest.mark.parametrize("name", NAMES)
def test_the_axis_of_values_names_its_unit(name: str) -> None:
    drawing = named(name)
    titles = {
        str(view["encoding"][channel].get("title"))
        for view in views(drawing.spec)
        for channel in ("x", "y")
        if channel in view["encoding"] and view["encoding"][channel].get("field") == "value"
    }
    assert titles
    assert all(UNITS[drawing.section] in title.replace('"', "'") for title in titles)


def test_every_restart_that_counts_is_a_dot() -> None:
    drawing = named("throughput-as-published")
    drawn = sorted(row["value"] for row in rows(drawing) if "block" in row)
    measured = sorted(
        trial.throughput_per_s
        for cell in RESULT.cells
        if cell.load == "as-published"
        for trial in cell.trials
        if trial.throughput_per_s is not None
    )
    assert drawn == measured


def test_every_pair_of_restarts_is_a_dot_of_the_ratio_chart_and_the_line_is_at_one() -> None:
    drawing = named("ratio-throughput-as-published-tornado-1-process")
    pairs = sorted(row["value"] for row in rows(drawing) if "block" in row)
    expected = sorted(
        value
        for row in RESULT.comparisons
        if (row.load, row.metric) == ("as-published", "throughput")
        for _, value in row.dots
    )
    assert pairs == expected
    assert {"value": 1} in rows(drawing)


def test_a_suspect_cell_is_hollow_and_says_so() -> None:
    hollow = [
        view
        for view in views(named("throughput-corrected").spec)
        if isinstance(view["mark"], dict) and view["mark"].get("fill") == "var(--card)"
    ]
    assert len(hollow) == 1
    assert "suspect" in {row.get("status") for row in rows(named("throughput-corrected"))}
    assert "(suspect)" in str(named("ratio-throughput-corrected-tornado-1-process").spec)


def test_an_arm_has_one_colour_in_all_charts() -> None:
    arms = [arm.name for arm in RESULT.arms]
    for drawing in DRAWINGS:
        scales = [
            view["encoding"]["color"]["scale"]
            for view in views(drawing.spec)
            if view["encoding"].get("color", {}).get("field") == "arm"
        ]
        assert scales
        assert all(s["domain"] == arms and s["range"] == colours(arms) for s in scales)


def test_too_few_trials_draw_no_interval_and_say_so() -> None:
    tiny = drawings(sample.tiny())
    for drawing in tiny:
        assert all(row.get("low") is None for row in rows(drawing))
    estimates = [row for row in rows(tiny[0]) if "text" in row]
    assert all("no interval" in row["text"] for row in estimates)
    assert all("too few trials for an interval (3)" in row["said"] for row in estimates)


def test_the_spectrum_leaves_out_the_hundredth_percentile_which_is_at_infinity() -> None:
    data = rows(named("spectrum-as-published"))
    assert max(row["rank"] for row in data) == pytest.approx(10_000)
    assert {row.get("share") for row in data} >= {"50 %", "99.99 %"}


def test_the_telling_point_is_the_hardest_that_most_arms_served() -> None:
    cells = [cell for cell in RESULT.cells if cell.load == "corrected"]
    assert telling_point(cells) == "1,000/s"


def test_a_value_of_zero_does_not_break_a_logarithmic_chart() -> None:
    def halted(cell: CellRow) -> CellRow:
        assert cell.p50_s is not None
        zero = cell.p50_s.model_copy(update={"value": 0.0, "low": 0.0, "high": 0.0})
        return cell.model_copy(update={"p50_s": zero})

    result = RESULT.model_copy(
        update={"cells": [halted(c) for c in RESULT.cells if c.load == "corrected" and c.p50_s]}
    )
    drawing = next(d for d in drawings(result) if d.section == "latency")
    assert "NaN" not in page_svg(drawing)


OF_EACH_KIND = {
    (drawing.section, drawing.shape): drawing
    for result in (RESULT, sample.tiny(), large_sample.snap(), large_sample.curves(several=True))
    for drawing in drawings(result)
}


@pytest.mark.parametrize("drawing", OF_EACH_KIND.values(), ids=lambda drawing: drawing.name)
def test_a_specification_keeps_to_the_schema_of_vega_lite(drawing: Drawing) -> None:
    """A report skips this check, which takes about as long as the rest of making its charts."""
    altair.Chart.from_dict(drawing.spec, validate=True)


@pytest.mark.parametrize("section", sorted({drawing.section for drawing in DRAWINGS}))
def test_a_picture_is_drawn_in_the_colours_of_the_arms(section: str) -> None:
    drawing = next(d for d in reversed(DRAWINGS) if d.section == section)
    svg = file_svg(drawing)
    assert "var(--" not in svg
    assert {"#0072b2", "#d55e00", "#009e73"} & set(re.findall("#[0-9a-f]{6}", svg))
    png = file_png(drawing)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    assert width > 1200
    assert height > 200
    assert len(png) > 8000, "a blank sheet of this size compresses to less"


def test_the_page_drawing_takes_its_colours_from_the_page() -> None:
    svg = page_svg(named("throughput-as-published"))
    assert "var(--arm-0)" in svg
    assert "var(--ink)" in svg


def test_more_arms_than_colours_are_told_apart_by_shape() -> None:
    from httpdyno.report.charts.drawing.style import shapes

    arms = [f"arm-{n}" for n in range(12)]
    looks = set(zip(colours(arms), shapes(arms), strict=True))
    assert len(looks) == len(arms)


def _with_name(name: str) -> StudyResult:
    arm = RESULT.arms[0].name
    return StudyResult.model_validate_json(RESULT.model_dump_json().replace(arm, name))


def test_a_hostile_name_is_text_in_a_drawing() -> None:
    svg = page_svg(next(d for d in drawings(_with_name("<b>x</b>")) if d.section == "throughput"))
    assert "<b>" not in svg
    assert "&lt;b&gt;" in svg
