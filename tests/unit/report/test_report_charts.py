"""Statements that the charts may and may not make, read back from their drawings."""

from __future__ import annotations

import json
import re
from typing import Any

import drawn
import large_sample
import pytest
import sample
from httpdyno.output.slugs import slug
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.ridge import Hill, draw_ridge
from httpdyno.report.charts.drawing.shapes import shape_of
from httpdyno.report.charts.figure import Figure
from httpdyno.report.charts.panels import telling_point
from httpdyno.report.charts.picture import file_png, file_svg, png_of_svg
from httpdyno.report.text.explanations import EXPLANATIONS
from httpdyno.result import CellRow, StudyResult

RESULT = sample.replay()
FIGURES = figures(RESULT)
NAMES = [figure.name for figure in FIGURES]
EVERY = [
    *FIGURES,
    *figures(sample.tiny()),
    *figures(large_sample.snap()),
    *figures(large_sample.curves(several=True)),
]


def named(name: str) -> Figure:
    return next(figure for figure in FIGURES if figure.name == name)


def test_each_load_gets_each_chart_that_it_has_values_for() -> None:
    rows = {"as-published", "keep-alive"}
    expected = {
        slug(section, load)
        for section in ("throughput", "latency", "cpu", "memory")
        for load in rows
    }
    expected |= {slug("spectrum", load.name) for load in RESULT.loads}
    assert expected | {"rates-corrected", "cpu-corrected", "memory-corrected"} <= set(NAMES)
    assert not {"throughput-corrected", "latency-corrected", "errors-corrected"} & set(NAMES), (
        "they are one chart, on one axis of rates"
    )
    assert len(NAMES) == len(set(NAMES))
    assert "errors-as-published" not in NAMES, "no request failed there: a sentence says so"


@pytest.mark.parametrize("names", [("10 ms", "10-ms"), ("負荷", "速度"), ("x", "x 1")])
def test_loads_whose_names_look_alike_have_charts_of_their_own(names: tuple[str, str]) -> None:
    called = dict(zip(("as-published", "keep-alive"), names, strict=True))
    text = RESULT.model_dump_json()
    for name, other in called.items():
        text = text.replace(f'"{name}"', json.dumps(other))
    found = figures(StudyResult.model_validate_json(text))
    assert len({figure.name for figure in found}) == len(found) == len(FIGURES)


def test_a_result_without_cells_has_no_charts() -> None:
    assert figures(sample.empty()) == []


@pytest.mark.parametrize("figure", EVERY, ids=lambda figure: figure.name)
def test_a_drawing_is_sound_markup_that_a_strict_page_and_a_screen_reader_can_use(
    figure: Figure,
) -> None:
    seen: set[str] = set()
    for svg in (figure.svg, figure.narrow, figure.other):
        if svg is None:
            continue
        root = drawn.tree(svg)
        assert root.get("role") == "img"
        told = {one.get("id"): one.text for one in root if one.get("id")}
        assert [told[name] for name in (root.get("aria-labelledby") or "").split()] == [
            figure.title,
            figure.subtitle,
        ]
        ids = [one.get("id") for one in root.iter() if one.get("id")]
        assert len(ids) == len(set(ids))
        assert not seen & set(map(str, ids)), "two drawings of a page share no id"
        seen |= set(map(str, ids))
        assert not [one for one in root.iter() if one.get("style")]
        assert {one.tag.removeprefix(drawn.SVG) for one in root.iter()} <= ELEMENTS
        assert not re.search(
            r"[( \"]nan|inf[ \"]", svg.split("</desc>")[1].lower().split("<text")[0]
        )
    assert figure.title
    assert not figure.title.endswith(".")
    assert figure.subtitle.endswith(".")
    if (
        figure.section == "ratio" and "Bar: " in figure.subtitle
    ):  # the trials show or do not show something, the bar does not
        assert "if it crosses 1×, no difference is shown" in figure.subtitle
    assert all(len(row) == len(figure.table.head) for row in figure.table.rows)
    assert figure.table.rows


ELEMENTS = {"svg", "title", "desc", "g", "path", "circle", "text", "tspan", "defs", "use"}


@pytest.mark.parametrize("figure", EVERY, ids=lambda figure: figure.name)
def test_all_classes_of_a_drawing_are_defined_and_no_text_is_smaller_than_12_px(
    figure: Figure,
) -> None:
    defined = set(re.findall(r"\.([a-z0-9]+)", style.css())) | {"pt"}
    used = {name for one in drawn.tree(figure.svg).iter() for name in drawn.classes(one)}
    assert used <= defined
    sizes = [float(size) for size in re.findall(r"font-size: ([0-9.]+)px", style.css())]
    assert min(sizes) >= 12


def test_a_cell_without_a_result_keeps_its_place_in_words_and_is_at_no_value() -> None:
    invalid = {
        cell.arm for cell in RESULT.cells if cell.status == "invalid" and cell.load == "keep-alive"
    }
    for name in ("throughput-keep-alive", "latency-keep-alive", "cpu-keep-alive"):
        rows = {row.name: row for row in drawn.rows(named(name).svg)}
        assert len(rows) == 4
        for arm in invalid:
            assert (rows[arm].said, rows[arm].points, rows[arm].dots) == ("no result", 0, 0)


def test_a_point_without_a_result_breaks_its_line_and_is_a_cross() -> None:
    svg = named("rates-corrected").svg
    assert drawn.texts(svg).count("✕") == 1
    assert "✕ starlette/4-workers" in drawn.texts(svg)


@pytest.mark.parametrize("figure", EVERY, ids=lambda figure: figure.name)
def test_a_logarithmic_axis_says_so_and_a_linear_one_starts_at_zero(figure: Figure) -> None:
    texts = drawn.texts(figure.svg)
    said = "log scale" in " ".join(texts)
    shares = "share of requests answered within this time" in texts
    assert figure.is_log == (said or shares)
    if not figure.is_log and figure.section != "replay":
        assert "0" in texts


UNITS = {
    "replay": "requests per second",
    "throughput": "per second",
    "latency": "(ms)",
    "spectrum": "(ms)",
    "errors": "(%)",
    "cpu": "(µs)",
    "memory": "(MiB)",
    "ratio": "relative to tornado/1-process",
    "rates": "per second",
}


@pytest.mark.parametrize("name", NAMES)
def test_the_axis_of_values_names_its_unit(name: str) -> None:
    figure = named(name)
    assert any(UNITS[figure.section] in text for text in drawn.texts(figure.svg))


def test_an_axis_keeps_the_capitals_of_an_abbreviation() -> None:
    svg = "".join(figure.svg for figure in FIGURES if figure.section == "ratio")
    assert "CPU time per request relative to" in svg
    assert "requests per second relative to" in svg
    assert "cpu time" not in svg


def test_every_restart_that_counts_is_a_dot() -> None:
    rows = {row.name: row.dots for row in drawn.rows(named("throughput-as-published").svg)}
    cells = [cell for cell in RESULT.cells if cell.load == "as-published"]
    assert rows == {cell.arm: len(cell.trials) for cell in cells}
    assert sum(rows.values()) == 40


def test_dots_stand_at_their_values_on_the_axis() -> None:
    """Read back by the ticks: a dot of 4,200 is where 4,200 would be between two ticks."""
    svg = named("throughput-as-published").svg
    ticks = {}
    for one in drawn.words(svg):
        if "m" in one.classes:
            ticks[float(one.text.replace(",", ""))] = (one.left + one.right) / 2
    (low, at_low), (high, at_high) = min(ticks.items()), max(ticks.items())
    assert low == 0.0
    cell = next(c for c in RESULT.cells if c.load == "as-published")
    assert cell.throughput_per_s is not None
    group = next(
        g for g in drawn.tree(svg).iter(f"{drawn.SVG}g") if cell.arm in (g.get("data-tip") or "")
    )
    circle = group.find(f"{drawn.SVG}circle")
    assert circle is not None
    share = (float(circle.get("cx", "0")) - at_low) / (at_high - at_low)
    assert share * high == pytest.approx(cell.throughput_per_s.value, rel=0.01)


def test_every_pair_of_restarts_is_a_dot_of_the_ratio_chart_and_a_line_is_at_one() -> None:
    figure = named("ratio-throughput-as-published-tornado-1-process")
    expected = sum(
        len(row.dots)
        for row in RESULT.comparisons
        if (row.load, row.metric) == ("as-published", "throughput")
    )
    assert sum(row.dots for row in drawn.rows(figure.svg)) == expected > 20
    assert len([one for one in drawn.tree(figure.svg).iter() if "ref" in drawn.classes(one)]) == 1
    assert "1×" in drawn.texts(figure.svg)


def test_a_bar_that_crosses_one_is_no_proof_that_there_is_no_difference() -> None:
    ratio = named("ratio-throughput-as-published-tornado-1-process")
    assert "confidence interval; if it crosses 1×, no difference is shown." in ratio.subtitle
    (told,) = [one.text({"always"}) for one in EXPLANATIONS if one.section == "ratio"]
    assert "If a bar crosses the line, no difference is shown." in told
    assert "shows no difference" not in f"{ratio.subtitle} {told}"


def test_a_suspect_cell_is_hollow_and_the_chart_says_what_that_means() -> None:
    svg = named("rates-corrected").svg
    assert drawn.hollow(svg) > 0
    assert "hollow: suspect" in drawn.texts(svg)
    assert "hollow: suspect" not in drawn.texts(named("throughput-as-published").svg)
    ratio = named("ratio-throughput-corrected-tornado-1-process").svg
    assert any("suspect: " in row.tip for row in drawn.rows(ratio))
    for name in ("ratio-throughput-corrected-tornado-1-process", "latency-keep-alive"):
        assert ("suspect" in named(name).title) == (drawn.hollow(named(name).svg) > 0)
    assert any(re.fullmatch(r"[0-9.]+×\?.*", text) for text in drawn.texts(ratio))


@pytest.mark.parametrize("hollow", [True, False])
def test_a_hill_with_a_dashed_outline_is_called_suspect(hollow: bool) -> None:
    hill = Hill("go", 0, [(1.0, 0.0), (2.0, 0.5), (4.0, 0.5)], 2.0, 4.0, hollow=hollow)
    body = draw_ridge([hill], "response time (ms)", 800.0).body
    assert ("dashed outline: suspect" in body) == hollow == (' dc"' in body)


def test_an_arm_has_one_colour_in_all_charts() -> None:
    arms = [arm.name for arm in RESULT.arms]
    for figure in FIGURES:
        for place, classes in drawn.colours(figure.svg).items():
            own = int(place) % style.COLOURS
            assert classes <= {f"f{own}", f"s{own}"}, figure.name
            assert int(place) < len(arms)


def test_too_few_trials_draw_no_interval_and_say_so() -> None:
    tiny = figures(sample.tiny())
    rows = [row for figure in tiny if figure.section != "latency" for row in drawn.rows(figure.svg)]
    assert rows
    assert all(row.bars == 0 for row in rows)
    assert all("no interval" in row.said for row in rows)
    assert all("3 trials: too few for an interval" in row.tip for row in rows)


def test_a_tooltip_has_the_interval_the_trials_and_the_verdict() -> None:
    row = drawn.rows(named("throughput-as-published").svg)[0]
    name, value, trials, verdict = row.tip.split("\n")
    assert name == "tornado/1-process, 10 connections"
    assert re.fullmatch(r"[0-9,]+/s \([0-9,]+ to [0-9,]+/s\)", value)
    assert re.fullmatch(r"10 trials, [0-9,]+/s to [0-9,]+/s", trials)
    assert verdict == "valid"


def test_the_spectrum_leaves_out_the_hundredth_percentile_which_is_at_infinity() -> None:
    texts = drawn.texts(named("spectrum-as-published").svg)
    assert {"50 %", "99.99 %"} <= set(texts)
    assert "100 %" not in texts


def test_the_telling_point_is_the_hardest_that_most_arms_served() -> None:
    cells = [cell for cell in RESULT.cells if cell.load == "corrected"]
    assert telling_point(cells) == "1,000/s"


def test_a_value_of_zero_does_not_break_a_logarithmic_chart() -> None:
    def halted(cell: CellRow) -> CellRow:
        assert cell.p50_s is not None
        zero = cell.p50_s.model_copy(update={"value": 0.0, "low": 0.0, "high": 0.0})
        return cell.model_copy(update={"p50_s": zero})

    cells = [halted(c) for c in RESULT.cells if c.load == "corrected" and c.p50_s]
    for figure in figures(RESULT.model_copy(update={"cells": cells})):
        assert "nan" not in figure.svg.lower()


@pytest.mark.parametrize("section", sorted({figure.section for figure in FIGURES}))
def test_a_picture_is_drawn_in_the_colours_of_the_arms(section: str) -> None:
    figure = next(one for one in reversed(FIGURES) if one.section == section)
    svg = file_svg(figure)
    assert "var(--" not in svg
    assert figure.title.split()[0] in svg
    png = file_png(figure)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    assert width == 2 * (style.WIDE + 40)
    assert height > 200
    assert len(png) > 8000, "a blank sheet of this size compresses to less"


def test_a_picture_can_be_made_as_wide_as_wanted() -> None:
    png = png_of_svg(file_svg(FIGURES[0]), width=300)
    assert int.from_bytes(png[16:20], "big") == 300


def test_more_arms_than_colours_are_told_apart_by_shape() -> None:
    assert len({(style.fill(arm), shape_of(arm)) for arm in range(24)}) == 24


def test_the_dark_palette_has_as_many_colours() -> None:
    names = [set(re.findall(r"--arm-\d", style.palette_css(dark=dark))) for dark in (False, True)]
    assert names[0] == names[1] == {f"--arm-{place}" for place in range(style.COLOURS)}


def _with_name(name: str) -> StudyResult:
    arm = RESULT.arms[0].name
    return StudyResult.model_validate_json(RESULT.model_dump_json().replace(arm, name))


@pytest.mark.parametrize("name", ["<b>x</b>", 'a&amp;b\\" onload=\\"x'])
def test_a_hostile_name_is_text_in_a_drawing(name: str) -> None:
    for figure in figures(_with_name(name)):
        for svg in (figure.svg, figure.narrow or "<svg/>", file_svg(figure)):
            root: Any = drawn.tree(svg)
            tags = {one.tag.removeprefix(drawn.SVG) for one in root.iter()}
            assert tags <= ELEMENTS | {"style", "rect"}
            assert not [one for one in root.iter() if "onload" in one.attrib]
