"""The whole distribution of response times: how slow the slowest 10 %, 1 %, 0.1 % are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno import units
from httpdyno.report.charts import style
from httpdyno.report.charts.altair_border import alt
from httpdyno.report.charts.dots import arm_colour
from httpdyno.report.charts.rows import Row
from httpdyno.statistics.result import CellRow

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
    furthest = max((row["rank"] for row in rows), default=10.0)
    ticks = [tick for tick in _TICKS if tick <= furthest * 1.01]
    names = (
        " : ".join(f"datum.value == {tick} ? '{text}'" for tick, text in _TICKS.items()) + " : ''"
    )
    x = alt.X(
        "rank:Q",
        title="share of the requests answered within this time",
        scale=alt.Scale(type="log", domain=[1, furthest * 1.05], nice=False),
        axis=alt.Axis(values=ticks, labelExpr=names),
    )
    y = alt.Y(
        "value:Q",
        title="response time (ms), log scale",
        scale=alt.Scale(type="log", nice=True),
        axis=alt.Axis(format=",~r", tickCount=5),
    )
    seen = [arm for arm in arms if any(row["arm"] == arm for row in rows)]
    legend = alt.Legend(values=seen, symbolType="stroke")
    tooltip = [
        alt.Tooltip("arm:N"),
        alt.Tooltip("share:N", title="share of requests"),
        alt.Tooltip("said:N", title="answered within"),
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y, color=arm_colour(arms, legend))
    layers = alt.layer(
        base.mark_line(strokeWidth=2.2), base.mark_circle(size=30).encode(tooltip=tooltip)
    )
    return layers.properties(height=style.CURVE_HEIGHT)


def _rows(cell: CellRow) -> list[Row]:
    """The points of one cell; 100 % lies at infinity on this axis and is left to the JSON twin."""
    if cell.status == "invalid":
        return []
    return [
        {
            "arm": cell.arm,
            "rank": 1 / (1 - percentile / 100),
            "value": seconds * 1e3,
            "share": f"{percentile:g} %",
            "said": units.duration(seconds),
        }
        for percentile, seconds in cell.latency_spectrum
        if percentile < 100 and seconds > 0
    ]
