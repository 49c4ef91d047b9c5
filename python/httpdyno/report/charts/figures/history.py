"""Numbers over time: a panel per series, with the mean of each part and what changed between them.

The value axis does not begin at zero: the question is what changed, and steps of a few percent
would be flat lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from httpdyno.history import Change, Series
from httpdyno.output.printable import printable
from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.altair_border import alt
from httpdyno.report.charts.drawing.rows import Row, bounds, drawable
from httpdyno.units import significant

MOST_PANELS = 12
_WIDTH, _HEIGHT = 640, 150
_LONGEST_LABEL = 34
_LABELS = 60
"""Room for the labels of each value axis, CSS pixels, so that the time axes stand in line."""
_LINE = 14
"""Height of a line of words, CSS pixels."""
_LEAST_SPAN = 0.02
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_S = 86_400.0


def chosen(series: Sequence[Series]) -> list[Series]:
    """The series to draw, in their order: those with changes first where there are too many."""
    ranked = sorted(range(len(series)), key=lambda at: (not series[at].changes, at))
    return [series[at] for at in sorted(ranked[:MOST_PANELS])]


def panels(series: Sequence[Series]) -> Any:
    """An Altair chart of the series, one below the other on one time axis."""
    moments = [one.at for each in series for one in each.observations]
    margin = max(_DAY_S / 24, (max(moments) - min(moments)) * 0.04)
    first, end = min(moments) - margin, max(moments) + margin
    last = len(series) - 1
    charts = [_panel(one, (first, end), dated=at == last) for at, one in enumerate(series)]
    return alt.vconcat(*charts, spacing=26)


def _panel(series: Series, ends: tuple[float, float], *, dated: bool) -> Any:
    place, metric = series.place, series.place.metric
    middle = sum(ends) / 2
    x = alt.X(
        "at:T",
        title=None,
        scale=alt.Scale(domain=[_moment(end) for end in ends], type="utc"),
        axis=alt.Axis(format="%Y-%m-%d", labels=dated, ticks=dated, tickCount=8, grid=True),
    )
    y = alt.Y(
        "value:Q",
        title=metric.unit,
        scale=alt.Scale(domain=_domain(series), zero=False, nice=False),
        axis=alt.Axis(format=style.TICKS, tickCount=4, minExtent=_LABELS),
    )
    title = f"{place.arm} · {place.load} · {place.point}: {metric.title}"
    several = f"{place.study}; {series.latest.machine_words}"
    layers = [*_changes(series, x, middle), *_means(series, x, y), *_points(series, x, y)]
    return alt.layer(*layers).properties(
        width=_WIDTH,
        height=_HEIGHT,
        title=alt.TitleParams(
            printable(title)[:110],
            subtitle=printable(several)[:120],
            anchor="start",
            color=style.INK,
            subtitleColor=style.MUTED,
            fontSize=13,
            subtitleFontSize=11,
        ),
    )


def _domain(series: Series) -> list[float]:
    """The ends of the value axis: around all intervals, at least 2 % of the largest value apart,
    with room above for a line of words for each change."""
    factor = series.place.metric.factor
    known = [
        drawn
        for one in series.observations
        for value in (one.estimate.value, one.estimate.low, one.estimate.high)
        if (drawn := drawable(value, factor)) is not None
    ]
    low, high = min(known, default=0.0), max(known, default=1.0)
    missing = max(0.0, _LEAST_SPAN * high - (high - low), 0.0 if high else 1.0)
    low, high = max(0.0, low - missing / 2), high + missing / 2
    above = min(0.5, (_LINE * len(series.changes) + 6) / _HEIGHT)
    return [max(0.0, low - 0.08 * (high - low)), high + (high - low) * above / (1 - above)]


def _points(series: Series, x: Any, y: Any) -> Iterator[Any]:
    """Each run as a point with its interval; hollow if it is suspect."""
    factor = series.place.metric.factor
    rows: list[Row] = []
    for one in series.observations:
        low, high = bounds(one.estimate, factor)
        value = drawable(one.estimate.value, factor)
        row = {"at": _moment(one.at), "value": value, "low": low, "high": high}
        rows.append({**row, "status": one.status})
    lower = y.copy()
    lower.shorthand = "low:Q"
    with_interval = [row for row in rows if row["low"] is not None]
    rules = alt.Chart(_data(with_interval)).mark_rule(strokeWidth=1.5, color="var(--arm-0)")
    yield rules.encode(x=x, y=lower, y2="high:Q")
    for status, look in (("valid", {}), ("suspect", style.HOLLOW)):
        shown = [row for row in rows if row["status"] == status and row["value"] is not None]
        if shown:
            mark = {"size": 40, "strokeWidth": 1.5, "color": "var(--arm-0)"} | look
            yield alt.Chart(_data(shown)).mark_point(**mark).encode(x=x, y=y)


def _means(series: Series, x: Any, y: Any) -> Iterator[Any]:
    """The mean of each part between two changes, as a line over its runs."""
    starts = [0, *(change.point.index for change in series.changes)]
    for start, end in pairwise([*starts, len(series.observations)]):
        part = series.observations[start:end]
        mean = sum(one.estimate.value for one in part) / len(part)
        value = drawable(mean, series.place.metric.factor)
        rows = [{"at": _moment(one.at), "value": value} for one in (part[0], part[-1])]
        line = alt.Chart(_data(rows)).mark_line(strokeWidth=2.5, opacity=0.55, color=style.INK)
        yield line.encode(x=x, y=y)


def _changes(series: Series, x: Any, middle: float) -> Iterator[Any]:
    """A line at each change, with its size and the first thing that changed with it."""
    for number, change in enumerate(series.changes):
        at = (change.before.at + change.after.at) / 2
        chart = alt.Chart(_data([{"at": _moment(at), "said": _said(change)}]))
        colour = "var(--arm-1)" if change.outcome == "worse" else "var(--arm-2)"
        yield chart.mark_rule(strokeDash=[4, 3], strokeWidth=1.5, color=colour).encode(x=x)
        align, dx = ("left", 5) if at < middle else ("right", -5)
        text = {"align": align, "baseline": "top", "dx": dx, "fontSize": 11}
        place = {"x": x, "y": alt.value(_LINE * number), "text": "said:N"}
        rim = chart.mark_text(stroke=style.PAPER, strokeWidth=5, strokeJoin="round", **text)
        yield rim.encode(**place)
        yield chart.mark_text(color=colour, **text).encode(**place)


def _said(change: Change) -> str:
    """`-8.3 %, server 1.24.0 → 1.26.1`, short enough for a panel."""
    size = f"{'+' if change.point.change > 0 else '-'}{_size(change)}"
    if not change.differences:
        return size
    first = change.differences[0]
    cause = printable(f"{first.what} {first.before} → {first.after}")
    more = len(change.differences) - 1
    cut = cause if len(cause) <= _LONGEST_LABEL else f"{cause[: _LONGEST_LABEL - 1]}…"
    return f"{size}, {cut}{f' and {more} more' if more else ''}"


def _size(change: Change) -> str:
    return f"{significant(abs(change.point.change) * 100, 2)} %"


def _data(rows: Sequence[Row]) -> Any:
    return alt.Data(values=list(rows))


def _moment(unix_s: float) -> str:
    return (_EPOCH + timedelta(seconds=unix_s)).strftime("%Y-%m-%dT%H:%M:%SZ")
