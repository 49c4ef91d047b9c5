"""A row for each cell: the estimate, its interval, and every restart as a small dot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from httpdyno.report.charts import style
from httpdyno.report.charts.altair_border import alt
from httpdyno.report.charts.rows import (
    Row,
    Scale,
    estimate_row,
    has_several_points,
    label,
    trial_rows,
)
from httpdyno.statistics.result import CellRow

_LOG_FROM = 50
"""Largest ÷ smallest value from which a linear axis would hide the small ones."""
_ROOM_FOR_LABELS = 1.32


def dots(cells: Sequence[CellRow], scales: Sequence[Scale], arms: Sequence[str], axis: str) -> Any:
    """An Altair chart of the cells, with a row for each scale; `axis` names the x axis."""
    several = has_several_points(cells)
    estimates: list[Row] = []
    trials: list[Row] = []
    for cell in cells:
        for scale in scales:
            name = label(cell, several_points=several)
            name = f"{name} · {scale.title}" if len(scales) > 1 else name
            estimates.append(estimate_row(cell, scale, name))
            trials.extend(trial_rows(cell, scale, name))
    names = list(dict.fromkeys(row["row"] for row in estimates))
    x = _x(estimates, trials, axis, scales[0].format)
    return drawn(estimates, trials, names, arms, x).properties(
        height=style.ROW * max(1, len(names))
    )


def drawn(
    estimates: Sequence[Row],
    trials: Sequence[Row],
    names: Sequence[str],
    arms: Sequence[str],
    x: Any,
) -> Any:
    """The layers that every chart with rows has, from back to front."""
    y = alt.Y(
        "row:N",
        title=None,
        sort=None,
        scale=alt.Scale(domain=list(names)),
        axis=alt.Axis(grid=True),
    )
    colour = arm_colour(arms, legend=None)
    shown = [row for row in estimates if row["value"] is not None]
    missing = [row for row in estimates if row["value"] is None]
    with_interval = [row for row in shown if row.get("low") is not None]
    restarts = (
        alt.Chart(_data(trials))
        .mark_circle(size=20, opacity=0.6)
        .encode(
            y=y,
            x=x,
            color=colour,
            yOffset=alt.value(style.ROW / 2 + 8),
            tooltip=_tooltip("said", "block", "status"),
        )
    )
    intervals = (
        alt.Chart(_data(with_interval))
        .mark_rule(strokeWidth=3, strokeCap="round")
        .encode(y=y, x=x.copy(), x2="high:Q", color=colour)
    )
    intervals.encoding.x.shorthand = "low:Q"
    return alt.layer(restarts, intervals, *_points(shown, y, x, colour), _missing(missing, y))


def _points(shown: Sequence[Row], y: Any, x: Any, colour: Any) -> list[Any]:
    tooltip = _tooltip("said", "restarts", "status", "why")
    layers = []
    for status, look in (("valid", {}), ("suspect", style.HOLLOW)):
        rows = [row for row in shown if row["status"] == status]
        if not rows:
            continue
        mark = {"size": 90, "strokeWidth": 2} | look
        base = alt.Chart(_data(rows)).encode(y=y, x=x, tooltip=tooltip)
        layers.append(base.mark_point(**mark).encode(color=colour))
        words = "datum.brief" if status == "valid" else "datum.brief + ' (suspect)'"
        after = alt.Chart(_data(rows)).transform_calculate(
            text=words, end="isValid(datum.high) ? datum.high : datum.value"
        )
        layers.append(
            after.mark_text(align="left", dx=11).encode(y=y, x=alt.X("end:Q"), text="text:N")
        )
    return layers


def _missing(rows: Sequence[Row], y: Any) -> Any:
    return (
        alt.Chart(_data(rows))
        .mark_text(align="left", dx=6, fontStyle="italic", color=style.MUTED)
        .encode(y=y, x=alt.value(0), text="said:N", tooltip=_tooltip("said", "why"))
    )


def arm_colour(arms: Sequence[str], legend: Any = alt.Undefined) -> Any:
    """The colour channel: one arm has one colour in all charts of a report."""
    scale = alt.Scale(domain=list(arms), range=style.colours(arms))
    return alt.Color("arm:N", scale=scale, legend=legend)


def _x(estimates: Sequence[Row], trials: Sequence[Row], axis: str, form: str) -> Any:
    values = [
        row[key]
        for row in (*estimates, *trials)
        for key in ("value", "low", "high")
        if row.get(key) is not None
    ]
    largest = max(values, default=0.0) or 1.0
    smallest = min(values, default=1.0)
    if smallest > 0 and largest / smallest > _LOG_FROM:
        scale = alt.Scale(type="log", domain=[smallest * 0.7, largest * 6], nice=False)
        title = f"{axis}, log scale"
    else:
        scale = alt.Scale(zero=True, domain=[0, largest * _ROOM_FOR_LABELS], nice=False, clamp=True)
        title = axis
    return alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(format=form, tickCount=6))


def _data(rows: Sequence[Row]) -> Any:
    return alt.Data(values=list(rows))


_TITLES = {
    "row": "arm",
    "said": "value (95 % interval)",
    "why": "reasons",
    "rate": "offered per second",
}


def _tooltip(*fields: str) -> list[Any]:
    return [alt.Tooltip(f"{name}:N", title=_TITLES.get(name, name)) for name in ("row", *fields)]
