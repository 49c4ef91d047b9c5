"""Studies of many arms stay readable: split, sorted, and each workload by itself."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import large_sample
import pytest
from httpdyno.report.charts.catalogue import Drawing, drawings
from httpdyno.report.charts.drawing.labels import GAP, spread
from httpdyno.report.charts.drawing.panels import MOST_LINES, MOST_RATIOS, panels
from httpdyno.report.contents.banners import caveats
from httpdyno.report.text.arms import coloured
from hypothesis import given, settings
from hypothesis import strategies as st

SNAP = large_sample.snap()
MANY = large_sample.curves(several=True)
FEW = large_sample.curves()
OF_SNAP = {drawing.name: drawing for drawing in drawings(SNAP)}
OF_MANY = {drawing.name: drawing for drawing in drawings(MANY)}
OF_FEW = {drawing.name: drawing for drawing in drawings(FEW)}


def layers(drawing: Drawing) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = drawing.spec["layer"]
    return found


def lines(drawing: Drawing) -> list[dict[str, Any]]:
    """The rows of the coloured lines, not of the grey ones behind."""
    layer = next(
        each
        for each in layers(drawing)
        if each["mark"].get("type") == "line" and "color" in each["encoding"]
    )
    rows: list[dict[str, Any]] = layer["data"]["values"]
    return rows


def order(drawing: Drawing) -> list[str]:
    """The rows of a chart from top to bottom."""
    nested = [part for each in layers(drawing) for part in each.get("layer", [each])]
    with_rows = next(each for each in nested if "y" in each["encoding"])
    domain: list[str] = with_rows["encoding"]["y"]["scale"]["domain"]
    return domain


def test_many_lines_are_split_into_charts_that_have_each_arm_once() -> None:
    drawn = [d for d in OF_MANY.values() if d.name.startswith("throughput")]
    groups = [{row["arm"] for row in lines(drawing)} for drawing in drawn]
    assert [len(group) for group in groups] == [8, 7]
    assert set.union(*groups) == set(coloured(MANY))
    assert all(len(group) <= MOST_LINES for group in groups)
    assert all("the other arms in grey" in drawing.where for drawing in drawn)


def test_the_arms_of_the_other_charts_stand_behind_in_grey() -> None:
    drawing = OF_MANY["throughput-as-published-part-1"]
    encoded = [(each, each["encoding"]) for each in layers(drawing)]
    grey = [each for each, by in encoded if "detail" in by and "color" not in by]
    assert len(grey) == 1
    behind = {row["arm"] for row in grey[0]["data"]["values"]}
    assert behind == set(coloured(MANY)) - {row["arm"] for row in lines(drawing)}


def test_few_lines_stay_together() -> None:
    assert "throughput-as-published" in OF_FEW
    assert not [name for name in OF_FEW if "part" in name]


def test_each_line_has_its_name_at_its_end_in_its_colour() -> None:
    for drawing in OF_FEW.values():
        if drawing.section not in ("throughput", "latency", "errors", "memory"):
            continue
        names = [each for each in layers(drawing) if each["mark"].get("fontWeight") == 600]
        assert sorted(each["mark"]["text"] for each in names) == sorted(coloured(FEW))
        assert all(each["encoding"]["color"]["field"] == "arm" for each in names)


@settings(deadline=None)
@given(
    st.dictionaries(st.text(min_size=1, max_size=4), st.floats(-50, 400), min_size=1, max_size=18)
)
def test_names_never_cover_one_another_and_stay_in_the_chart(wanted: dict[str, float]) -> None:
    places = spread(wanted, 320.0)
    assert places.keys() == wanted.keys()
    ordered = sorted(places.values())
    assert ordered[0] >= -1e-6
    assert ordered[-1] <= 320 + 1e-6
    assert all(b - a >= GAP - 1e-6 for a, b in pairwise(ordered))
    ranks = sorted(wanted, key=lambda name: (wanted[name], places[name]))
    assert sorted(places.values()) == [places[name] for name in ranks]


def test_names_with_room_stand_where_their_lines_end() -> None:
    assert spread({"a": 20.0, "b": 100.0, "c": 250.0}, 320.0) == {"a": 20.0, "b": 100.0, "c": 250.0}


def test_a_point_without_a_result_is_a_cross_at_no_value() -> None:
    drawing = OF_FEW["throughput-as-published"]
    crosses = [each for each in layers(drawing) if each["mark"].get("text") == "✕"]
    assert Counter(row["arm"] for each in crosses for row in each["data"]["values"]) == {
        "tornado/1-core": 2,
        "node/1-core": 1,
    }
    assert all("field" not in each["encoding"]["y"] for each in crosses)
    assert "tornado/1-core: no result" in [each["mark"].get("text") for each in layers(drawing)]
    missing = [row for row in lines(drawing) if row["value"] is None]
    assert len(missing) == 3, "the line breaks there"


def test_overloaded_points_are_hollow_and_not_dropped() -> None:
    drawing = OF_FEW["throughput-as-published"]
    hollow = [each for each in layers(drawing) if each["mark"].get("fill") == "var(--card)"]
    suspect = [c for c in FEW.cells if c.status == "suspect"]
    assert len(hollow[0]["data"]["values"]) == len(suspect) > 20


def test_intervals_are_bands_that_break_where_there_is_none() -> None:
    drawing = OF_FEW["latency-as-published-p99"]
    bands = [each for each in layers(drawing) if each["mark"].get("type") == "area"]
    assert len(bands) == 1
    rows = bands[0]["data"]["values"]
    assert len(rows) == len(FEW.cells)
    assert sum(row["low"] is None for row in rows) == 3


def test_sessions_are_offered_as_connections_and_the_diagonal_counts_their_calls() -> None:
    drawing = OF_FEW["throughput-as-published"]
    x = layers(drawing)[1]["encoding"]["x"]
    assert x["title"] == "offered: connections opened per second, 10 requests each"
    start, end = layers(drawing)[0]["data"]["values"]
    assert start == {"rate": 0.0, "value": 0.0}
    assert end["value"] == pytest.approx(10 * end["rate"])


def test_response_times_have_a_logarithmic_axis_that_says_so_with_readable_ticks() -> None:
    drawing = OF_FEW["latency-as-published-p99"]
    y = layers(drawing)[0]["encoding"]["y"]
    assert y["scale"]["type"] == "log"
    assert y["title"] == "response time (ms), log scale"
    assert 3 <= len(y["axis"]["values"]) <= 8


def test_no_chart_mixes_workloads_and_each_has_its_own() -> None:
    cells = [(panel.workload, len(panel.cells)) for panel in panels(SNAP)]
    assert cells == [("pong", 13), ("file", 13)] * 2
    assert {"throughput-keep-alive-pong", "throughput-keep-alive-file"} <= OF_SNAP.keys()


def test_an_arm_has_one_colour_whatever_it_does() -> None:
    pong, file = (OF_SNAP[f"throughput-keep-alive-{work}"] for work in ("pong", "file"))
    scales = [layers(drawing)[0]["encoding"]["color"]["scale"] for drawing in (pong, file)]
    assert scales[0] == scales[1]
    assert scales[0]["domain"] == list(large_sample.FRAMEWORKS)


def test_many_rows_stand_best_first_and_without_a_result_last() -> None:
    assert order(OF_SNAP["throughput-as-published-pong"])[-1] == "rails/webrick", "no result"
    most = sorted(large_sample.FRAMEWORKS, key=lambda name: -large_sample.FRAMEWORKS[name])
    assert order(OF_SNAP["throughput-keep-alive-pong"]) == most
    assert order(OF_SNAP["cpu-keep-alive-pong"]) == most, "the least processor time first"
    pairs = order(OF_SNAP["latency-keep-alive-pong"])
    assert pairs[:2] == ["axum/1-thread · p50", "axum/1-thread · p99"]


def test_few_rows_keep_the_order_of_the_study() -> None:
    rows = [cell for cell in SNAP.cells if cell.arm.endswith("pong")][:5]
    result = SNAP.model_copy(update={"cells": rows, "comparisons": []})
    drawing = next(d for d in drawings(result) if d.name == "throughput-as-published-pong")
    assert order(drawing) == [cell.arm.removesuffix(" pong") for cell in rows]


def test_a_chart_of_ratios_keeps_to_one_point_when_it_would_have_too_many_rows() -> None:
    several = OF_MANY["ratio-throughput-as-published-tornado-1-core"]
    assert len(order(several)) == 14 <= MOST_RATIOS
    assert "the table has the others" in several.where
    small = OF_SNAP["ratio-throughput-keep-alive-snap-no-access-log-pong"]
    assert "the table" not in small.where


def test_bytes_per_second_are_drawn_where_bodies_are_large() -> None:
    names = {name for name in OF_SNAP if name.endswith("bodies")}
    assert names == {"throughput-as-published-file-bodies", "throughput-keep-alive-file-bodies"}
    assert "(MB/s)" in str(OF_SNAP["throughput-keep-alive-file-bodies"].spec)


def test_the_rarest_requests_of_many_arms_are_split_too() -> None:
    drawn = [d for d in OF_SNAP.values() if d.name.startswith("spectrum-keep-alive-pong")]
    assert [drawing.name[-1] for drawing in drawn] == ["1", "2"]
    assert sum(len({row["arm"] for row in lines(drawing)}) for drawing in drawn) == 13


def test_a_change_for_one_arm_is_told_with_its_arm() -> None:
    assert caveats(SNAP)[-1] == (
        "axum/1-thread file: given 2 connections instead of 10: it serves one a worker"
    )
