"""The chart of the response times of each endpoint of a load."""

from __future__ import annotations

from httpdyno.doubts import Number
from httpdyno.report.charts.drawing.sheet import make_figure
from httpdyno.report.charts.figure import Figure
from httpdyno.report.charts.figures.endpoints import EndpointTimes, by_endpoint

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
