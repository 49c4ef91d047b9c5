"""A sweep along offered rates: reply rate, response time and failures, one below the other.

A suspect point is hollow. An invalid one is a cross at the top edge, at no value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from httpdyno.doubts import Number
from httpdyno.output.printable import printable
from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.altair_border import alt
from httpdyno.report.charts.drawing.rows import Row, drawable, numbers
from httpdyno.sweep import Point, SweepRecord, shown

_WIDTH, _HEIGHT, _LOW_HEIGHT = 580, 200, 90
_LABELS = 60
"""Room for the labels of each value axis, CSS pixels, so that the rate axes stand in line."""
_ABOVE = 1.08
"""The value axis ends at so many times the largest value."""
_TIMES = {"response": "response time", "first_byte": "mean response time"}
_MARKS = " (hollow: suspect; ✕: invalid)"
_LEAST_FAILED = 1.0
"""The least end of the axis of failures, %: a few lost calls do not fill it."""

_Value = Callable[[Point], float | None]


def title(record: SweepRecord) -> str:
    """The title of the picture."""
    rates = [point.rate_per_s for point in record.points]
    span = f"{shown(min(rates))} to {shown(max(rates))} {record.unit}/s"
    return f"{printable(record.url)[:100]}: {span}"


def panels(record: SweepRecord, *, log: bool) -> Any:
    """An Altair chart of the sweep. `log`: the response time has a logarithmic axis."""
    points = sorted(record.points, key=lambda point: point.rate_per_s)
    bare, x = (
        _x(points, record, None),
        _x(points, record, f"offered {record.unit} per second{_MARKS}"),
    )
    due = [{"rate": p.rate_per_s, "value": drawable(p.offered_per_s)} for p in points]
    replies = _line(points, "replies", lambda point: point.replies_per_s, "throughput")
    failed = _line(points, "failed", lambda point: point.error_share * 100, "errors")
    times = _times(points, record)
    drawn = [row for rows in times for row in rows]
    return alt.vconcat(
        _panel([replies], bare, _y([*due, *replies], "replies/s (dashed: due)"), dashed=due),
        _panel(times, bare, _y(drawn, f"{_TIMES[record.times]}, ms", log=log)),
        _panel([failed], x, _y(failed, "failed, %", least=_LEAST_FAILED), height=_LOW_HEIGHT),
        spacing=26,
    )


def _times(points: Sequence[Point], record: SweepRecord) -> list[list[Row]]:
    if record.times == "first_byte":
        return [_line(points, "mean", lambda point: point.mean_s, "p50", factor=1000.0)]
    return [
        _line(points, "p50", lambda point: point.p50_s, "p50", factor=1000.0),
        _line(points, "p99", lambda point: point.p99_s, "p99", factor=1000.0),
    ]


def _line(
    points: Sequence[Point], name: str, value: _Value, number: Number, factor: float = 1.0
) -> list[Row]:
    """One number of each point; null where the point is invalid."""
    return [
        {
            "line": name,
            "rate": drawable(point.rate_per_s),
            "value": None if point.verdict == "invalid" else drawable(value(point), factor),
            "status": point.status_of(number),
        }
        for point in points
    ]


def _x(points: Sequence[Point], record: SweepRecord, title: str | None) -> Any:
    low, high = points[0].rate_per_s, points[-1].rate_per_s
    log = record.log_rates and high > low
    domain = [low, high] if log else [0.0, high]
    scale = alt.Scale(type="log" if log else "linear", domain=domain, nice=False)
    rates = sorted({point.rate_per_s for point in points})
    ticks = {"values": rates, "labelOverlap": "greedy"} if log else {"tickCount": 8}
    axis = alt.Axis(format=style.TICKS, grid=True, **ticks)
    return alt.X("rate:Q", title=title, scale=scale, axis=axis)


def _y(rows: Sequence[Row], axis: str, *, least: float = 0.0, log: bool = False) -> Any:
    values = numbers(rows)
    top = max([least, *values]) * _ABOVE or 1.0
    above_zero = [value for value in values if value > 0]
    if not log or not above_zero:
        scale = alt.Scale(zero=True, domain=[0, top], nice=False)
        ticks = alt.Axis(format=style.TICKS, tickCount=2 if least else 4, minExtent=_LABELS)
        return alt.Y("value:Q", title=axis, scale=scale, axis=ticks)
    low, high = min(above_zero) * 0.7, max(top, min(above_zero) * 10)
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    decades = style.log_ticks(low, high)
    ticks = alt.Axis(format=style.TICKS, values=decades, minExtent=_LABELS)
    return alt.Y("value:Q", title=f"{axis}, log scale", scale=scale, axis=ticks)


def _panel(
    lines: Sequence[Sequence[Row]],
    x: Any,
    y: Any,
    *,
    dashed: Sequence[Row] = (),
    height: int = _HEIGHT,
) -> Any:
    layers = [_dashes(dashed, x, y)] if dashed else []
    for place, rows in enumerate(lines):
        layers += _drawn(rows, x, y, f"var(--arm-{place})", named=len(lines) > 1)
    return alt.layer(*layers).properties(width=_WIDTH, height=height)


def _dashes(rows: Sequence[Row], x: Any, y: Any) -> Any:
    mark = _chart(rows).mark_line(strokeDash=[2, 4], strokeWidth=1.2, color=style.MUTED)
    return mark.encode(x=x, y=y)


def _drawn(rows: Sequence[Row], x: Any, y: Any, colour: str, *, named: bool) -> Iterator[Any]:
    """A line with its points, the crosses of its invalid points, and its name at its end."""
    line = {"strokeWidth": 2.2, "invalid": "break-paths-show-domains", "color": colour}
    yield _chart(rows).mark_line(**line).encode(x=x, y=y)
    for status, look in (("valid", {}), ("suspect", style.HOLLOW)):
        known = [row for row in rows if row["status"] == status and row["value"] is not None]
        if known:
            mark = {"size": 45, "strokeWidth": 1.8, "color": colour} | look
            yield _chart(known).mark_point(**mark).encode(x=x, y=y)
    missing = [row for row in rows if row["value"] is None]
    if missing:
        crosses = _chart(missing).mark_text(text="✕", fontSize=12, color=colour)
        yield crosses.encode(x=x, y=alt.value(6))
    ends = [row for row in rows if row["value"] is not None][-1:]
    if named and ends:
        name = {"align": "left", "dx": 9, "color": colour, "fontWeight": "bold"}
        yield _chart(ends).mark_text(text=ends[0]["line"], **name).encode(x=x, y=y)


def _chart(rows: Sequence[Row]) -> Any:
    return alt.Chart(alt.Data(values=list(rows)))
