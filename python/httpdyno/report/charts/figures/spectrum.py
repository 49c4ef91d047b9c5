"""The distribution of response times: of the slowest 10 %, 1 %, 0.1 % of the requests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from httpdyno import units
from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.altair_border import alt
from httpdyno.report.charts.drawing.dots import arm_colour
from httpdyno.report.charts.drawing.labels import line_names, room
from httpdyno.report.charts.drawing.rows import Row, drawable
from httpdyno.result import CellRow

MEDIAN = 50
"""Up to here a doubt about p50 counts, beyond it one about p99."""
_TICKS = {
    2: "50 %",
    10: "90 %",
    100: "99 %",
    1000: "99.9 %",
    10_000: "99.99 %",
    100_000: "99.999 %",
}


def spectrum(cells: Sequence[CellRow], arms: Sequence[str]) -> Any:
    """An Altair chart of the cells of one load point; x grows a decade for each further nine."""
    rows = [row for cell in cells for row in _rows(cell)]
    x, last = _x(rows)
    low = min((row["value"] for row in rows), default=1.0) * 0.8
    high = max(max((row["value"] for row in rows), default=1.0) * 1.2, low * 4)
    y = alt.Y(
        "value:Q",
        title="response time (ms), log scale",
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(format=style.TICKS, values=style.log_ticks(low, high)),
    )
    ends = {row["arm"]: row["value"] for row in sorted(rows, key=lambda row: row["rank"])}
    pixels = {
        arm: style.CURVE_HEIGHT * (1 - math.log(value / low) / math.log(high / low))
        for arm, value in ends.items()
    }
    colour = arm_colour(arms, legend=None)
    tooltip = [
        alt.Tooltip("arm:N"),
        alt.Tooltip("share:N", title="share of requests"),
        alt.Tooltip("said:N", title="answered within"),
        alt.Tooltip("status:N", title="verdict"),
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y, color=colour)
    shape = alt.Shape(
        "arm:N", scale=alt.Scale(domain=list(arms), range=style.shapes(arms)), legend=None
    )
    layers = alt.layer(
        base.mark_line(strokeWidth=2.2),
        *_points(rows, {"x": x, "y": y, "color": colour, "shape": shape, "tooltip": tooltip}),
        *line_names(pixels, {"rank": last}, x, colour),
    )
    return layers.properties(height=style.CURVE_HEIGHT)


def _points(rows: Sequence[Row], channels: dict[str, Any]) -> list[Any]:
    """The points of the curves, hollow where the percentile is suspect."""
    layers = []
    for status, look in (("valid", {}), ("suspect", style.HOLLOW)):
        shown = [row for row in rows if row["status"] == status]
        if shown:
            points = alt.Chart(alt.Data(values=shown)).mark_point(size=30, **look)
            layers.append(points.encode(**channels))
    return layers


def _x(rows: Sequence[Row]) -> tuple[Any, float]:
    """The axis of shares, and the largest of them; beyond it is room for the names."""
    last = max((row["rank"] for row in rows), default=10.0)
    ticks = [tick for tick in _TICKS if tick <= last * 1.01]
    names = (
        " : ".join(f"datum.value == {tick} ? '{text}'" for tick, text in _TICKS.items()) + " : ''"
    )
    end = last ** (1 / (1 - room([row["arm"] for row in rows])))
    scale = alt.Scale(type="log", domain=[1, end], nice=False)
    title = "share of requests answered within this time"
    axis = alt.Axis(values=ticks, labelExpr=names)
    return alt.X("rank:Q", title=title, scale=scale, axis=axis), last


def _rows(cell: CellRow) -> list[Row]:
    """The points of one cell; 100 % is at infinity on this axis, and only in `result.json`."""
    if cell.status == "invalid":
        return []
    return [
        {
            "arm": cell.arm,
            "rank": 1 / (1 - percentile / 100),
            "value": drawable(seconds, 1e3),
            "share": f"{percentile:g} %",
            "said": units.duration(seconds),
            "status": cell.status_of("p50" if percentile <= MEDIAN else "p99"),
        }
        for percentile, seconds in cell.latency_spectrum
        if 0 <= percentile < 100 and drawable(seconds, 1e3)
    ]
