"""A row for each cell: the estimate, its interval, and every trial as a small dot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.altair_border import alt
from httpdyno.report.charts.drawing.labels import BESIDE, plot_width, reach
from httpdyno.report.charts.drawing.rows import (
    Row,
    Scale,
    ends,
    estimate_row,
    has_several_points,
    label,
    numbers,
    trial_rows,
)
from httpdyno.result import CellRow

_LOG_FROM = 50
"""Largest ÷ smallest value from which a linear axis would hide the small ones."""
MOST_UNSORTED = 8
"""More cells than this are sorted by value; fewer keep the order of the study."""
BestFirst = Literal["largest", "smallest"]


def dots(
    cells: Sequence[CellRow],
    scales: Sequence[Scale],
    arms: Sequence[str],
    axis: str,
    *,
    best_first: BestFirst = "smallest",
) -> Any:
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
    names = row_order(estimates, per_cell=len(scales), best_first=best_first)
    x = axis_of([*estimates, *trials], axis, width=plot_width(names))
    return drawn(estimates, trials, names, arms, x).properties(
        height=style.row_height(len(names)) * max(1, len(names))
    )


def row_order(estimates: Sequence[Row], *, per_cell: int, best_first: BestFirst) -> list[str]:
    """The names of the rows from top to bottom: in the study's order; many rows, best first.

    The rows of one cell stay together, and so do those of one load point; those without a value
    come last.
    """
    cells = [estimates[at : at + per_cell] for at in range(0, len(estimates), per_cell)]
    if len(cells) > MOST_UNSORTED:
        sign = -1.0 if best_first == "largest" else 1.0
        points = list(dict.fromkeys(rows[0].get("point") for rows in cells))
        cells.sort(
            key=lambda rows: (
                points.index(rows[0].get("point")),
                rows[-1]["value"] is None,
                sign * (rows[-1]["value"] or 0.0),
            )
        )
    return list(dict.fromkeys(row["row"] for rows in cells for row in rows))


def drawn(
    estimates: Sequence[Row],
    trials: Sequence[Row],
    names: Sequence[str],
    arms: Sequence[str],
    x: Any,
) -> Any:
    """The layers of a chart with rows, from back to front."""
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
    below = style.row_height(len(names)) * 0.77
    rims, texts = _values(shown, y)
    return alt.layer(
        _intervals(shown, y, x, colour),
        *rims,
        _dots_of_trials(trials, y, x, colour, below),
        *_points(shown, y, x, colour),
        *texts,
        *_missing(missing, y),
    )


def _intervals(shown: Sequence[Row], y: Any, x: Any, colour: Any) -> Any:
    rows = [row for row in shown if row.get("low") is not None]
    low = x.copy()
    low.shorthand = "low:Q"
    mark = alt.Chart(_data(rows)).mark_rule(strokeWidth=3, strokeCap="round")
    return mark.encode(y=y, x=low, x2="high:Q", color=colour)


def _dots_of_trials(trials: Sequence[Row], y: Any, x: Any, colour: Any, below: float) -> Any:
    tooltip = _tooltip("said", "block", "status")
    mark = alt.Chart(_data(trials)).mark_circle(size=20, opacity=0.6)
    return mark.encode(y=y, x=x, color=colour, yOffset=alt.value(below), tooltip=tooltip)


def _points(shown: Sequence[Row], y: Any, x: Any, colour: Any) -> list[Any]:
    tooltip = _tooltip("said", "trials", "status", "why")
    layers = []
    for status, look in (("valid", {}), ("suspect", style.HOLLOW)):
        rows = [row for row in shown if row["status"] == status]
        mark = {"size": 90, "strokeWidth": 2} | look
        if rows:
            base = alt.Chart(_data(rows)).encode(y=y, x=x, tooltip=tooltip)
            layers.append(base.mark_point(**mark).encode(color=colour))
    return layers


def _values(shown: Sequence[Row], y: Any) -> tuple[list[Any], list[Any]]:
    """Each value in words, behind its interval."""
    base = alt.Chart(_data(shown)).transform_calculate(
        end="isValid(datum.high) ? max(datum.high, datum.value) : datum.value"
    )
    return _words(base, {"y": y, "x": alt.X("end:Q"), "text": "text:N"}, dx=BESIDE)


def _words(base: Any, place: dict[str, Any], **mark: Any) -> tuple[list[Any], list[Any]]:
    """Words, and a rim of paper behind them that hides the lines."""
    rim = base.mark_text(
        align="left", stroke=style.PAPER, strokeWidth=7, strokeJoin="round", **mark
    )
    return [rim.encode(**place)], [base.mark_text(align="left", **mark).encode(**place)]


def _missing(rows: Sequence[Row], y: Any) -> list[Any]:
    place = {"y": y, "x": alt.value(0), "text": "said:N", "tooltip": _tooltip("said", "why")}
    rims, texts = _words(alt.Chart(_data(rows)), place, dx=6, fontStyle="italic", color=style.MUTED)
    return [*rims, *texts]


def arm_colour(arms: Sequence[str], legend: Any = alt.Undefined) -> Any:
    """The colour channel: an arm has the same colour in all charts of a report."""
    scale = alt.Scale(domain=list(arms), range=style.colours(arms))
    return alt.Color("arm:N", scale=scale, legend=legend)


def axis_of(rows: Sequence[Row], title: str, *, width: float, field: str = "value:Q") -> Any:
    """The x axis of rows: from zero, or logarithmic where that would hide the small values.

    `width`: of the plot, CSS pixels; behind the values is room for the rows' words.
    """
    values = numbers(rows)
    largest = max(values, default=0.0) or 1.0
    smallest = min(values, default=1.0)
    words = ends(row for row in rows if "text" in row)
    axis = alt.Axis(format=style.TICKS, tickCount=5) if values else alt.Axis(values=[])
    if smallest > 0 and largest / smallest > _LOG_FROM:
        low = smallest * 0.7
        high = reach(low, [*words, (largest, "")], width, log=True)
        scale = alt.Scale(type="log", domain=[low, high], nice=False)
        axis = alt.Axis(format=style.TICKS, values=style.log_ticks(low, largest * 1.5))
        title = f"{title}, log scale"
    else:
        high = reach(0.0, [*words, (largest, "")], width, log=False)
        scale = alt.Scale(zero=True, domain=[0, high], nice=False, clamp=True)
    return alt.X(field, title=title, scale=scale, axis=axis)


def _data(rows: Sequence[Row]) -> Any:
    return alt.Data(values=list(rows))


_TITLES = {
    "row": "arm",
    "said": "value (95 % CI)",
    "why": "reasons",
}


def _tooltip(*fields: str) -> list[Any]:
    return [alt.Tooltip(f"{name}:N", title=_TITLES.get(name, name)) for name in ("row", *fields)]
