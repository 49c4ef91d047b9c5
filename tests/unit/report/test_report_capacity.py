"""Capacities in the report: a section of its own, with the curves that were walked."""

from __future__ import annotations

import re

import drawn
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.figure import Figure
from httpdyno.report.page import render
from httpdyno.result import StudyResult
from walk_samples import climbs, confirmed, profiled, result, study


def sample() -> StudyResult:
    slow = climbs([1000.0, 1010.0, 1020.0, 1030.0, 1040.0])
    fast = climbs([1900.0, 1905.0, 1950.0, 2001.0, 2100.0], "a/2-workers", 2)
    after = [confirmed(200, 5, held=True), profiled(201, 6, 1000.0)]
    return result(study(confirm=1), [*slow, *fast, *after])


def section(html: str, name: str) -> str:
    found = re.search(rf'<section id="{name}".*?</section>', html, re.DOTALL)
    assert found is not None, name
    return found[0]


def test_the_capacities_have_a_section_with_their_curves() -> None:
    made = sample()
    charts = figures(made)
    html = section(render(made, charts), "capacity")
    for told in ("1,020/s", "1,950/s", "1 of 1", "cores for 3,000/s", "not confirmed"):
        assert told in html
    names = [chart.name for chart in charts if chart.section == "capacity"]
    assert [name.rpartition("-")[2] for name in names] == ["most", "curves", "overload"][
        : len(names)
    ]
    assert len(names) >= 2


def test_numbers_that_were_not_measured_are_blank_and_said_to_screen_readers() -> None:
    made = sample()
    html = section(render(made, figures(made)), "capacity")
    blank = '<span class="spoken">not measured</span></td>'
    for column in ("goodput at 2×", "recovery"):
        cells = re.findall(rf'<td data-label="{column}"[^>]*>(<span.*?</td>)', html)
        assert cells.count(blank) == 1, "only one of the two arms was overloaded"
        assert len(cells) == 2
    assert html.count("not measured") == 2


def test_a_study_of_capacities_alone_has_no_empty_sections() -> None:
    made = sample()
    html = render(made, figures(made))
    assert '<section id="numbers"' not in html
    assert '<section id="throughput"' not in html
    assert '<section id="ratio"' in html


def test_rates_that_did_not_hold_are_hollow() -> None:
    made = sample()
    chart = curves(made)
    assert drawn.hollow(chart.svg) > 0
    assert "hollow: the limits did not hold" in drawn.texts(chart.svg)


def test_the_curve_of_p99_has_a_line_at_its_limit() -> None:
    made = sample()
    assert "limit: p99 ≤ 20 ms" in drawn.texts(curves(made).svg)


def test_no_line_joins_the_points_of_two_starts() -> None:
    made = result(study(), climbs([500.0, 1000.0, 3000.0]))
    root = drawn.tree(curves(made).svg)
    lines = [one.get("d", "") for one in root.iter() if "thin" in drawn.classes(one)]
    plots = sum(text.startswith("response time, p99") for text in drawn.texts(curves(made).svg))
    assert plots == 1
    assert len(lines) % 3 == 0
    assert all(line.count("L") == 1 for line in lines), "two rates of one start"


def test_a_single_cell_is_not_called_all_cells() -> None:
    one = sample()
    (first, *_) = one.cells
    alone = one.model_copy(update={"cells": [first]})
    html = render(alone, figures(alone))
    assert "The only cell is valid." in html
    assert "All 1 cells" not in html


def curves(made: StudyResult) -> Figure:
    (chart,) = [one for one in figures(made) if one.name.endswith("curves")]
    return chart
