"""The charts of the response times of each endpoint, of a load and of the arms of a study."""

from __future__ import annotations

from endpoint_samples import NAMES, items_slower, result
from httpdyno.doubts import Number
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.charts.drawing.sheet import make_figure
from httpdyno.report.charts.figure import Figure
from httpdyno.report.charts.figures.endpoints import EndpointTimes, by_endpoint
from httpdyno.report.page import whole_page
from httpdyno.report.result_json import summary
from httpdyno.result import CellRow, StudyResult
from httpdyno.result.ranges import impossible

FAST = EndpointTimes("GET /items", [(0.0, 0.0005), (50.0, 0.001), (99.0, 0.002), (99.9, 0.004)])
SLOW = EndpointTimes("POST /orders", [(0.0, 0.01), (50.0, 0.02), (99.0, 0.04)])
RARE = EndpointTimes("login", [(0.0, 0.003), (50.0, 0.005)])


def drawn(
    *each: EndpointTimes, suspect: frozenset[Number] = frozenset(), left_out: int = 0
) -> Figure:
    return make_figure(by_endpoint(each, suspect, left_out), "endpoints")


def test_it_has_a_plot_for_each_endpoint_and_says_which_is_slow() -> None:
    found = drawn(FAST, SLOW, RARE)
    assert found.title == "p99 by endpoint: 2.00 ms (GET /items) to 40.0 ms (POST /orders)"
    for svg in (found.svg, found.narrow or ""):
        for one in (FAST, SLOW, RARE):
            assert f">{one.name}</text>" in svg
    assert found.table.head == ("endpoint", "0 %", "50 %", "99 %", "99.9 %")
    assert found.table.rows[2] == ("login", "3.00 ms", "5.00 ms", "–", "–")


def test_it_says_what_it_cannot_show() -> None:
    assert drawn(RARE).title == "No endpoint has enough calls for a p99"
    assert drawn(FAST, RARE).title == "p99 of GET /items: 2.00 ms"
    assert drawn(FAST, SLOW, left_out=7).subtitle.endswith(
        " 7 endpoints with fewer calls left out."
    )


def test_a_suspect_percentile_is_hollow() -> None:
    assert "hollow: suspect" not in drawn(FAST, SLOW).svg
    assert "hollow: suspect" in drawn(FAST, SLOW, suspect=frozenset({"p99"})).svg


def test_a_name_is_no_markup_and_what_has_no_place_on_the_axes_is_not_drawn() -> None:
    svg = drawn(EndpointTimes('<script>"&', [(0.0, 0.0), (50.0, 0.001), (100.0, 9.0)]), FAST).svg
    assert "<script" not in svg
    assert "9.00 s" not in svg


def of_study(study: StudyResult) -> Figure:
    (found,) = (one for one in figures(study) if one.name.startswith("endpoints"))
    return found


def changed(study: StudyResult, **fields: object) -> StudyResult:
    """The study with other fields of its first cell."""
    cells: list[CellRow] = [study.cells[0].model_copy(update=fields), *study.cells[1:]]
    return study.model_copy(update={"cells": cells})


def test_a_study_has_a_plot_for_each_endpoint_with_a_line_for_each_arm() -> None:
    found = of_study(result(items_slower))
    assert found.title == (
        "p99 by endpoint in the trials drawn: 1.94 ms (POST /orders, tornado/1-process) to 2.74 ms"
        " (GET /items/{id}, starlette/1-worker)"
    )
    for svg in (found.svg, found.narrow or ""):
        for name in NAMES:
            assert svg.count(f">{name}</text>") == 1
        # A line in each plot, and an entry of the key.
        for arm in (0, 1):
            assert svg.count(f'<g data-arm="{arm}">') == len(NAMES) + 1
        assert '-all"></g>' in svg, "no other lines in grey"
    assert found.table.head[:2] == ("endpoint", "arm")
    assert len(found.table.rows) == 2 * len(NAMES)
    assert found.table.rows[0][:2] == (NAMES[0], "tornado/1-process")


def test_the_page_of_a_study_has_them_and_one_without_endpoints_has_none() -> None:
    study = result(items_slower)
    assert "p99 by endpoint in the trials drawn" in whole_page(study)
    bare = study.model_copy(
        update={"cells": [one.model_copy(update={"endpoints": []}) for one in study.cells]}
    )
    assert not [one for one in figures(bare) if one.name.startswith("endpoints")]


def test_of_a_suspect_arm_the_points_are_hollow_and_an_invalid_one_is_not_drawn() -> None:
    study = result(items_slower)
    doubts = study.cells[0].doubts
    suspect = changed(study, status="suspect", doubts={**doubts, "p99": ["few_calls"]})
    assert "hollow: suspect" in of_study(suspect).svg
    assert "hollow: suspect" not in of_study(study).svg
    alone = of_study(changed(study, status="invalid"))
    assert {row[1] for row in alone.table.rows} == {"starlette/1-worker"}


def test_an_endpoint_with_too_few_calls_is_left_out_and_counted() -> None:
    study = result(items_slower)
    each = [
        one.model_copy(update={"spectrum": [] if one.name == "login" else one.spectrum})
        for one in study.cells[0].endpoints
    ]
    only = study.model_copy(update={"cells": study.cells[:1]})
    found = of_study(changed(only, endpoints=each))
    assert "login" not in found.svg
    assert found.subtitle.endswith(" 1 endpoint with fewer calls left out.")


def test_a_summary_has_no_distribution_of_endpoints() -> None:
    short = summary(result(items_slower))
    assert all(not one.spectrum for cell in short.cells for one in cell.endpoints)
    assert [one.name for one in short.cells[0].endpoints] == list(NAMES)


def test_a_time_of_an_endpoint_that_nothing_can_have_measured_is_a_fault() -> None:
    study = result(items_slower)
    first = study.cells[0].endpoints[0].model_copy(update={"spectrum": [(50.0, -1.0)]})
    found = list(impossible(changed(study, endpoints=[first])))
    assert found == ["cells.0.endpoints.0.spectrum.0: -1.0 is not between 0 and 1,000,000,000"]
