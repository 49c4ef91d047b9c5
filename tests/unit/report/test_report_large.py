"""Studies of many arms stay readable: small multiples, sorted, and each workload by itself."""

from __future__ import annotations

import drawn
import large_sample
from httpdyno.report.charts.catalogue import figures, figures_of_arm
from httpdyno.report.charts.drawing.multiples import MOST_LINES
from httpdyno.report.charts.panels import MOST_RATIOS, panels
from httpdyno.report.contents.banners import caveats
from httpdyno.report.text.arms import coloured_names
from httpdyno.result import RankedArm, Ranking

SNAP = large_sample.snap()
MANY = large_sample.curves(several=True)
FEW = large_sample.curves()
OF_SNAP = {figure.name: figure for figure in figures(SNAP)}
OF_MANY = {figure.name: figure for figure in figures(MANY)}
OF_FEW = {figure.name: figure for figure in figures(FEW)}


def order(svg: str) -> list[str]:
    """The rows of a chart from top to bottom."""
    return [row.name for row in drawn.rows(svg)]


def test_many_lines_are_small_multiples_that_have_each_arm_once() -> None:
    svg = OF_MANY["rates-as-published-throughput"].svg
    arms = coloured_names(MANY)
    titles = [one.text for one in drawn.words(svg) if "b" in one.classes]
    assert sorted(titles) == sorted(arms)
    assert len(arms) > MOST_LINES


def test_all_arms_stand_behind_each_of_the_small_multiples_in_grey() -> None:
    root = drawn.tree(OF_MANY["rates-as-published-throughput"].svg)
    grey = root.find(f"{drawn.SVG}defs/{drawn.SVG}g")
    assert grey is not None
    arms = len(coloured_names(MANY))
    assert len([one for one in grey if not one.get("stroke-dasharray")]) == arms
    assert not any(drawn.classes(one) for one in grey), "a browser would not match them"
    uses = [one for one in root.iter(f"{drawn.SVG}use") if drawn.classes(one) == {"back"}]
    assert len(uses) == arms
    assert {one.get("href") for one in uses} == {f"#{grey.get('id')}"}


def test_few_lines_stay_together_on_one_axis_of_rates() -> None:
    texts = drawn.texts(OF_FEW["rates-as-published"].svg)
    titles = ("right replies", "response time, p50", "response time, p99", "requests that failed")
    assert all(any(text.startswith(title) for text in texts) for title in titles)
    assert sum(text.startswith("offered: ") for text in texts) == 1
    assert not [name for name in OF_FEW if name.startswith(("latency", "errors"))]


def test_each_line_has_its_name_at_its_end_in_its_colour() -> None:
    for name in ("rates-as-published", "memory-as-published", "spectrum-as-published"):
        svg = OF_FEW[name].svg
        bold = [one for one in drawn.words(svg) if "b" in one.classes]
        assert {one.text for one in bold} == set(coloured_names(FEW))
        for one in bold:
            assert f"f{coloured_names(FEW).index(one.text)}" in one.classes


def test_a_point_without_a_result_is_a_cross_at_no_value() -> None:
    texts = drawn.texts(OF_FEW["rates-as-published"].svg)
    assert texts.count("✕") == 3
    assert "✕ tornado/1-core" in texts
    assert "✕ node/1-core" in texts
    assert "✕: no result" in texts


def test_overloaded_points_are_hollow_and_not_dropped() -> None:
    suspect = sum(cell.status == "suspect" for cell in FEW.cells)
    assert drawn.hollow(OF_FEW["memory-as-published"].svg) == suspect > 20


def test_intervals_are_bands_that_break_where_there_is_none() -> None:
    root = drawn.tree(OF_FEW["memory-as-published"].svg)
    bands = [one for one in root.iter() if "band" in drawn.classes(one)]
    assert len(bands) == len(coloured_names(FEW))
    ends = sum(one.get("d", "").count("L") + 1 for one in bands)
    assert ends == 2 * sum(cell.status != "invalid" for cell in FEW.cells)


def test_sessions_are_offered_as_connections_and_the_diagonal_counts_their_calls() -> None:
    svg = OF_FEW["rates-as-published"].svg
    assert "offered: connections opened per second, 10 requests each" in drawn.texts(svg)
    dotted = [one for one in drawn.tree(svg).iter() if {"ax", "da"} <= drawn.classes(one)]
    assert len(dotted) == 1


def test_response_times_have_a_logarithmic_axis_that_says_so_with_readable_ticks() -> None:
    texts = drawn.texts(OF_FEW["rates-as-published"].svg)
    at = texts.index("response time, p99 (ms), log scale")
    following = texts[at + 1 :]
    labels = [text for text in following[:12] if text.replace(",", "").replace(".", "").isdigit()]
    assert 3 <= len(labels) <= 9


def test_rates_that_span_a_factor_of_thirty_have_a_logarithmic_axis() -> None:
    wide = [
        cell.model_copy(update={"rate_per_s": (cell.rate_per_s or 0) ** 2}) for cell in FEW.cells
    ]
    found = {f.name: f for f in figures(FEW.model_copy(update={"cells": wide, "comparisons": []}))}
    texts = drawn.texts(found["rates-as-published"].svg)
    assert any(text.startswith("offered: ") and text.endswith("log scale") for text in texts)
    usual = drawn.texts(OF_FEW["rates-as-published"].svg)
    assert not any(text.startswith("offered: ") and text.endswith("log scale") for text in usual)
    other = drawn.texts(OF_FEW["rates-as-published"].other or "")
    assert any(text.startswith("offered: ") and text.endswith("log scale") for text in other)


def test_no_chart_mixes_workloads_and_each_has_its_own() -> None:
    cells = [(panel.workload, len(panel.cells)) for panel in panels(SNAP)]
    assert cells == [("pong", 13), ("file", 13)] * 2
    assert {"throughput-keep-alive-pong", "throughput-keep-alive-file"} <= OF_SNAP.keys()


def test_an_arm_has_one_colour_whatever_it_does() -> None:
    pong, file = (OF_SNAP[f"throughput-keep-alive-{work}"] for work in ("pong", "file"))
    assert drawn.colours(pong.svg) == drawn.colours(file.svg)
    assert set(drawn.colours(pong.svg)) == {str(at) for at in range(13)}


def test_many_rows_stand_best_first_and_without_a_result_last() -> None:
    assert order(OF_SNAP["throughput-as-published-pong"].svg)[-1] == "rails/webrick", "no result"
    most = sorted(large_sample.FRAMEWORKS, key=lambda name: -large_sample.FRAMEWORKS[name])
    assert order(OF_SNAP["throughput-keep-alive-pong"].svg) == most
    assert order(OF_SNAP["cpu-keep-alive-pong"].svg) == most, "the least processor time first"
    assert order(OF_SNAP["latency-keep-alive-pong"].svg)[0] == "axum/1-thread"


def test_a_row_of_response_times_has_p50_and_p99_in_shapes_of_their_own() -> None:
    figure = OF_SNAP["latency-keep-alive-pong"]
    assert all(row.points == 2 for row in drawn.rows(figure.svg))
    assert {"p50", "p99"} <= set(drawn.texts(figure.svg))


def test_few_rows_keep_the_order_of_the_study() -> None:
    rows = [cell for cell in SNAP.cells if cell.arm.endswith("pong")][:5]
    result = SNAP.model_copy(update={"cells": rows, "comparisons": []})
    figure = next(f for f in figures(result) if f.name == "throughput-as-published-pong")
    assert order(figure.svg) == [cell.arm.removesuffix(" pong") for cell in rows]


def test_a_chart_of_ratios_keeps_to_one_point_when_it_would_have_too_many_rows() -> None:
    several = OF_MANY["ratio-throughput-as-published-tornado-1-core"]
    assert len(order(several.svg)) == 14 <= MOST_RATIOS
    assert "the table has the others" in several.subtitle
    small = OF_SNAP["ratio-throughput-keep-alive-snap-no-access-log-pong"]
    assert "the table" not in small.subtitle


def test_arms_without_a_shown_difference_have_a_bracket() -> None:
    arms = [cell.arm for cell in SNAP.cells if cell.arm.endswith(" pong")][:13]
    point = SNAP.cells[-1].point
    ranking = Ranking(
        load="keep-alive",
        point=point,
        metric="throughput",
        arms=[RankedArm(arm=arm, best=1, worst=13) for arm in arms],
        ties=[arms[:3], arms[4:6], [arms[7]]],
    )
    found = {f.name: f for f in figures(SNAP.model_copy(update={"rankings": [ranking]}))}
    for name, brackets in (
        ("throughput-keep-alive-pong", 2),
        ("throughput-keep-alive-file", 0),
        ("ratio-throughput-keep-alive-snap-no-access-log-pong", 2),
    ):
        upright = [
            one
            for one in drawn.tree(found[name].svg).iter(f"{drawn.SVG}path")
            if drawn.classes(one) == {"ax"} and "V" in one.get("d", "")
        ]
        assert len(upright) == brackets, name
    told = found["throughput-keep-alive-pong"].subtitle
    assert "Bracket: no difference is shown between the rows with a tick." in told


def test_the_chart_of_an_arm_of_its_own_tells_how_far_that_arm_kept_up() -> None:
    (arm,) = [one.name for one in FEW.arms if one.server == "node"]
    titles = {one.name: one.title for one in figures_of_arm(FEW, arm, "x-")}
    title = titles["x-rates-as-published"]
    assert title.startswith("node/1-core ")
    assert not [one.name for one in FEW.arms if one.name != arm and one.name in title]


def test_bytes_per_second_are_drawn_where_bodies_are_large() -> None:
    names = {name for name in OF_SNAP if name.endswith("bodies")}
    assert names == {"throughput-as-published-file-bodies", "throughput-keep-alive-file-bodies"}
    texts = drawn.texts(OF_SNAP["throughput-keep-alive-file-bodies"].svg)
    assert any("(MB/s)" in text for text in texts)


def test_the_rarest_requests_of_many_arms_have_small_multiples_too() -> None:
    svg = OF_SNAP["spectrum-keep-alive-pong"].svg
    names = "".join(one.text for one in drawn.words(svg) if "b" in one.classes)
    assert all(name in names for name in coloured_names(SNAP))


def test_a_phone_gets_a_drawing_of_its_own() -> None:
    for figure in OF_SNAP.values():
        assert figure.narrow is not None
        assert 'viewBox="0 0 328 ' in figure.narrow


def test_a_change_for_one_arm_is_told_with_its_arm() -> None:
    assert caveats(SNAP)[-1] == (
        "axum/1-thread file: given 2 connections instead of 10: it serves one a worker"
    )
