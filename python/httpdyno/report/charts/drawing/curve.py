"""A metric against the offered rate: a line for each arm, broken where there is no result.

Several loads of one panel are several, thinner lines of an arm.

An interval is a band around its line; a suspect point is hollow; a point without a result is a
cross above the curves, at no value. The name of each line is at its end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.altair_border import alt
from httpdyno.report.charts.drawing.dots import arm_colour
from httpdyno.report.charts.drawing.labels import BESIDE, GAP, LIMIT, line_names, room
from httpdyno.report.charts.drawing.panels import Panel
from httpdyno.report.charts.drawing.rows import Row, Scale, drawable, estimate_row, label, numbers
from httpdyno.result import CellRow

NO_RESULT = ": no result"
_HEADROOM = 14.0
"""Above the highest point, CSS pixels; the crosses of each arm need a line more."""


@dataclass(frozen=True)
class _Frame:
    """The axes, and the ends of the value axis, for placing words."""

    x: Any
    y: Any
    top_rate: float
    low: float
    high: float
    log: bool
    crosses: int
    """Lines of crosses above the curves."""

    def pixel(self, value: float) -> float:
        """Distance of a value from the top edge, CSS pixels."""
        scale: Callable[[float], float] = math.log if self.log else float
        share = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))
        return style.CURVE_HEIGHT * (1 - share)


def curve(
    panel: Panel,
    scale: Scale,
    arms: Sequence[str],
    axis: str,
    *,
    log: bool = False,
    diagonal: bool = False,
    limits: Sequence[tuple[float, str]] = (),
) -> Any:
    """An Altair chart of a panel whose cells lie along offered rates.

    `log` makes the y axis logarithmic where all values are above zero; `diagonal` draws
    achieved = offered; each of `limits`, in the unit of the axis, is a dashed line with its words.
    """
    rows, behind = _rows(panel.cells, scale), _rows(panel.behind, scale)
    values = [*numbers([*rows, *behind]), *(value for value, _ in limits)]
    frame = _frame(panel, [*rows, *behind], values, axis, log=log)
    calls = drawable(panel.load.calls_per_arrival)
    layers = [_diagonal(frame, calls)] if diagonal and calls else []
    layers += [layer for limit in limits for layer in _limit(limit, frame)]
    layers += [_behind(behind, frame)] if behind else []
    layers += [
        _bands(rows, frame, arms),
        _lines(rows, frame, arms),
        *_points(rows, frame, arms),
        *_crosses(rows, frame, arms),
        *_names(rows, frame, arms),
    ]
    return alt.layer(*layers).properties(height=style.CURVE_HEIGHT)


def _rows(cells: Sequence[CellRow], scale: Scale) -> list[Row]:
    rows = [
        estimate_row(cell, scale, label(cell, several_points=True)) | {"line": cell.load}
        for cell in cells
    ]
    return [row for row in rows if row["rate"] is not None]


def _frame(
    panel: Panel, rows: Sequence[Row], values: Sequence[float], axis: str, *, log: bool
) -> _Frame:
    log = log and bool(values) and min(values) > 0
    arms = {cell.arm for cell in panel.cells}
    crossed = {row["arm"] for row in rows if row["value"] is None} & arms
    above = min(0.6, (_HEADROOM + GAP * len(crossed)) / style.CURVE_HEIGHT)
    low, high = _domain(values, above, log=log)
    scale = alt.Scale(type="log", domain=[low, high], nice=False) if log else None
    scale = scale or alt.Scale(zero=True, domain=[low, high], nice=False)
    y = alt.Y(
        "value:Q",
        title=f"{axis}, log scale" if log else axis,
        scale=scale,
        axis=alt.Axis(format=style.TICKS, values=style.log_ticks(low, high))
        if log
        else alt.Axis(format=style.TICKS, tickCount=6),
    )
    top = max((row["rate"] for row in rows), default=1.0) or 1.0
    return _Frame(_x(panel, rows, top), y, top, low, high, log, len(crossed))


def _domain(values: Sequence[float], above: float, *, log: bool) -> tuple[float, float]:
    """The value axis, with a share of its height left free above the largest value."""
    top = max(values, default=1.0) or 1.0
    if not log:
        return 0.0, top / (1 - above)
    low = min(values) * 0.7
    return low, low * max(top / low, 10.0) ** (1 / (1 - above))


def _x(panel: Panel, rows: Sequence[Row], top: float) -> Any:
    sessions, calls = panel.load.kind == "sessions", panel.load.calls_per_arrival
    each = f", {calls:,} requests each" if calls > 1 else ""
    what = f"connections opened per second{each}" if sessions else "requests due per second"
    names = [row["arm"] + ("" if row["value"] is not None else NO_RESULT) for row in rows]
    share = room(names)
    ticks = _even_ticks(top)
    return alt.X(
        "rate:Q",
        title=f"offered: {what}",
        scale=alt.Scale(zero=True, domain=[0, top / (1 - share)], nice=False),
        axis=alt.Axis(format=style.TICKS, values=ticks),
    )


def _even_ticks(top: float) -> list[float]:
    """Round rates up to the highest offered; the room beyond it is for the names."""
    rough = top / 6
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= rough * 0.999)
    return [step * n for n in range(int(top / step) + 1)]


def _bands(rows: Sequence[Row], frame: _Frame, arms: Sequence[str]) -> Any:
    """The interval of each point, joined along its line; rows without one break the band."""
    low = frame.y.copy()
    low.shorthand = "low:Q"
    bounds = [{"low": None, "high": None} | row for row in rows]
    chart = alt.Chart(alt.Data(values=bounds))
    mark = chart.mark_area(opacity=0.16, invalid="break-paths-show-domains", line=False)
    return mark.encode(x=frame.x, y=low, y2="high:Q", color=arm_colour(arms, legend=None))


def _lines(rows: Sequence[Row], frame: _Frame, arms: Sequence[str]) -> Any:
    chart = alt.Chart(alt.Data(values=list(rows)))
    width = 1.4 if _several(rows) else 2.2
    mark = chart.mark_line(strokeWidth=width, invalid="break-paths-show-domains")
    colour = arm_colour(arms, legend=None)
    return mark.encode(x=frame.x, y=frame.y, color=colour, detail="line:N")


def _several(rows: Sequence[Row]) -> bool:
    return len({row["line"] for row in rows}) > 1


def _behind(rows: Sequence[Row], frame: _Frame) -> Any:
    chart = alt.Chart(alt.Data(values=list(rows)))
    mark = chart.mark_line(
        strokeWidth=1, color=style.MUTED, opacity=0.4, invalid="break-paths-show-domains"
    )
    return mark.encode(x=frame.x, y=frame.y, detail="arm:N")


def _points(rows: Sequence[Row], frame: _Frame, arms: Sequence[str]) -> list[Any]:
    scale = alt.Scale(domain=list(arms), range=style.shapes(arms))
    shape = alt.Shape("arm:N", scale=scale, legend=None)
    layers = []
    for status, look in (("valid", {}), ("suspect", style.HOLLOW)):
        shown = [row for row in rows if row["status"] == status and row["value"] is not None]
        mark = {"size": 30 if _several(rows) else 55, "strokeWidth": 2} | look
        if shown:
            chart = alt.Chart(alt.Data(values=shown)).mark_point(**mark)
            colour = arm_colour(arms, legend=None)
            layers.append(
                chart.encode(x=frame.x, y=frame.y, color=colour, shape=shape, tooltip=_tooltip())
            )
    return layers


def _crosses(rows: Sequence[Row], frame: _Frame, arms: Sequence[str]) -> list[Any]:
    """A line of crosses for each arm with points without a result, and its name behind them."""
    missing: dict[str, list[Row]] = {}
    for row in (row for row in rows if row["value"] is None):
        missing.setdefault(row["arm"], []).append(row)
    layers = []
    for line, (arm, crossed) in enumerate(missing.items()):
        y = alt.value(GAP * (line + 0.6))
        colour = arm_colour(arms, legend=None)
        last = max(crossed, key=lambda row: row["rate"])
        crosses = alt.Chart(alt.Data(values=crossed)).mark_text(text="✕", fontSize=12)
        layers.append(crosses.encode(x=frame.x, y=y, color=colour, tooltip=_tooltip()))
        words = alt.Chart(alt.Data(values=[last]))
        words = words.mark_text(
            align="left",
            dx=BESIDE,
            text=arm + NO_RESULT,
            fontStyle="italic",
            fontSize=11,
            limit=LIMIT,
        )
        layers.append(words.encode(x=frame.x, y=y, color=colour))
    return layers


def _names(rows: Sequence[Row], frame: _Frame, arms: Sequence[str]) -> list[Any]:
    """The name of each line, at its last point; beneath the crosses."""
    ends: dict[str, Row] = {}
    for row in (row for row in rows if row["value"] is not None):
        if row["arm"] not in ends or row["rate"] > ends[row["arm"]]["rate"]:
            ends[row["arm"]] = row
    # A line that ends early has its name at the right edge too, where there is room for it.
    pixels = {arm: frame.pixel(row["value"]) for arm, row in ends.items()}
    colour, at = arm_colour(arms, legend=None), {"rate": frame.top_rate}
    top = GAP * (frame.crosses + 0.6) if frame.crosses else 0.0
    return line_names(pixels, at, frame.x, colour, top=top)


def _diagonal(frame: _Frame, calls: float) -> Any:
    """The line on which everything offered was answered, as far as the chart reaches."""
    end = min(frame.top_rate, frame.high / calls)
    ends = [{"rate": 0.0, "value": 0.0}, {"rate": end, "value": end * calls}]
    chart = alt.Chart(alt.Data(values=ends)).mark_line(
        strokeDash=[2, 4], strokeWidth=1.2, color=style.MUTED
    )
    return chart.encode(x=frame.x, y=frame.y)


def _limit(limit: tuple[float, str], frame: _Frame) -> list[Any]:
    """A dashed line across the chart, with its words above its left end."""
    value, words = limit
    ends = [{"rate": 0.0, "value": value}, {"rate": frame.top_rate, "value": value}]
    line = alt.Chart(alt.Data(values=ends)).mark_line(
        strokeDash=[6, 4], strokeWidth=1.4, color=style.MUTED
    )
    name = alt.Chart(alt.Data(values=ends[:1])).mark_text(
        text=words, align="left", baseline="bottom", dx=4, dy=-3, fontSize=11, color=style.MUTED
    )
    return [layer.encode(x=frame.x, y=frame.y) for layer in (line, name)]


def _tooltip() -> list[Any]:
    titles = {
        "arm": "arm",
        "point": "offered",
        "metric": "metric",
        "said": "value (95 % CI)",
        "status": "verdict",
        "why": "reasons",
    }
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in titles.items()]
