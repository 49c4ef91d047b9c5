"""A metric against the offered rate: a line for each arm, broken where there is no result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno.report.charts import style
from httpdyno.report.charts.altair_border import alt
from httpdyno.report.charts.dots import arm_colour
from httpdyno.report.charts.rows import Row, Scale, estimate_row, label
from httpdyno.statistics.result import CellRow

_DASHES: tuple[list[int], ...] = ([1, 0], [5, 4])
_LINE_OF_WORDS = 15


def curve(
    cells: Sequence[CellRow],
    scales: Sequence[Scale],
    arms: Sequence[str],
    axis: str,
    *,
    log: bool = False,
    diagonal: bool = False,
) -> Any:
    """An Altair chart of open-load cells by offered rate; later scales are dashed.

    `log` makes the y axis logarithmic where all is above zero; `diagonal` draws where
    achieved = offered.
    """
    rows = [
        estimate_row(cell, scale, label(cell, several_points=True))
        for cell in cells
        for scale in scales
    ]
    x = _x(cells)
    y = _y(rows, axis, scales[0].format, log=log and _all_above_zero(rows))
    seen = [arm for arm in arms if any(row["arm"] == arm for row in rows)]
    layers = [_diagonal(rows, x, y)] if diagonal else []
    layers += [
        _lines(rows, x, y, arms, seen, [s.title for s in scales]),
        _intervals(rows, x, y, arms),
        *_points(rows, x, y, arms),
        *_missing(rows, x, arms),
    ]
    return alt.layer(*layers).properties(height=style.CURVE_HEIGHT)


def _all_above_zero(rows: Sequence[Row]) -> bool:
    values = [row.get(key) for row in rows for key in ("value", "low")]
    return all(value is None or value > 0 for value in values)


def _x(cells: Sequence[CellRow]) -> Any:
    rates = sorted({cell.rate_per_s for cell in cells if cell.rate_per_s is not None})
    top = max(rates, default=1.0)
    scale = alt.Scale(zero=True, domain=[0, top * 1.04], nice=False)
    return alt.X(
        "rate:Q",
        title="offered: requests due per second",
        scale=scale,
        axis=alt.Axis(format=",~r", tickCount=6),
    )


def _y(rows: Sequence[Row], axis: str, form: str, *, log: bool) -> Any:
    if not log:
        top = max(
            (row.get("high") or row["value"] for row in rows if row["value"] is not None),
            default=1.0,
        )
        scale = alt.Scale(zero=True, domain=[0, (top or 1.0) * 1.2], nice=False)
        return alt.Y("value:Q", title=axis, scale=scale, axis=alt.Axis(format=form, tickCount=6))
    scale = alt.Scale(type="log", nice=True)
    return alt.Y(
        "value:Q", title=f"{axis}, log scale", scale=scale, axis=alt.Axis(format=",~r", tickCount=5)
    )


def _lines(
    rows: Sequence[Row],
    x: Any,
    y: Any,
    arms: Sequence[str],
    seen: Sequence[str],
    metrics: Sequence[str],
) -> Any:
    legend = alt.Legend(values=list(seen), symbolType="circle")
    dash = alt.StrokeDash(
        "metric:N",
        scale=alt.Scale(domain=list(metrics), range=list(_DASHES[: len(metrics)])),
        legend=alt.Legend(symbolType="stroke", symbolSize=700, symbolStrokeColor=style.INK)
        if len(metrics) > 1
        else None,
    )
    return (
        alt.Chart(alt.Data(values=list(rows)))
        .mark_line(strokeWidth=2.2, invalid="break-paths-show-domains")
        .encode(x=x, y=y, color=arm_colour(arms, legend), strokeDash=dash)
    )


def _intervals(rows: Sequence[Row], x: Any, y: Any, arms: Sequence[str]) -> Any:
    known = [row for row in rows if row.get("low") is not None]
    chart = alt.Chart(alt.Data(values=known)).mark_rule(strokeWidth=1.5)
    chart = chart.encode(x=x, y=y.copy(), y2="high:Q", color=arm_colour(arms))
    chart.encoding.y.shorthand = "low:Q"
    return chart


def _points(rows: Sequence[Row], x: Any, y: Any, arms: Sequence[str]) -> list[Any]:
    shape = alt.Shape("arm:N", scale=alt.Scale(domain=list(arms), range=style.shapes(arms)))
    layers = []
    for status, look in (("valid", {}), ("suspect", style.HOLLOW)):
        shown = [row for row in rows if row["status"] == status and row["value"] is not None]
        mark = {"size": 65, "strokeWidth": 2} | look
        if shown:
            chart = alt.Chart(alt.Data(values=shown)).mark_point(**mark)
            layers.append(
                chart.encode(x=x, y=y, color=arm_colour(arms), shape=shape, tooltip=_tooltip())
            )
    return layers


def _missing(rows: Sequence[Row], x: Any, arms: Sequence[str]) -> list[Any]:
    """Words at the top of the chart, at no value, one line for each arm without a result there."""
    first_metric = rows[0]["metric"] if rows else None
    missing = [row for row in rows if row["value"] is None and row["metric"] == first_metric]
    layers = []
    lines: dict[float, int] = {}
    top = max((row["rate"] for row in rows), default=1.0)
    for row in missing:
        line = lines[row["rate"]] = lines.get(row["rate"], 0) + 1
        chart = alt.Chart(alt.Data(values=[row])).mark_text(
            align=_side(row["rate"] / top), baseline="top", fontStyle="italic", fontSize=11
        )
        text = alt.value(f"✕ {row['arm']}: no result")
        layers.append(
            chart.encode(
                x=x,
                y=alt.value(2 + _LINE_OF_WORDS * (line - 1)),
                color=arm_colour(arms),
                text=text,
                tooltip=_tooltip(),
            )
        )
    return layers


def _side(place: float) -> str:
    """How words at this place of the x axis, 0 to 1, are aligned to stay inside the chart."""
    return "left" if place < 0.25 else "right" if place > 0.75 else "center"


def _diagonal(rows: Sequence[Row], x: Any, y: Any) -> Any:
    """Where all that was offered was answered, as far as the chart reaches."""
    offered = max((row["rate"] or 0.0 for row in rows), default=0.0)
    top = min(offered, max((row["value"] or 0.0 for row in rows), default=0.0))
    ends = [{"rate": 0.0, "value": 0.0}, {"rate": top, "value": top}]
    chart = alt.Chart(alt.Data(values=ends)).mark_line(
        strokeDash=[2, 4], strokeWidth=1.2, color=style.MUTED
    )
    return chart.encode(x=x, y=y)


def _tooltip() -> list[Any]:
    titles = {
        "arm": "arm",
        "point": "offered",
        "metric": "metric",
        "said": "value (95 % interval)",
        "status": "verdict",
        "why": "reasons",
    }
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in titles.items()]
