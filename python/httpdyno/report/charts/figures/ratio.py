"""Each arm compared with the baseline: the ratio, its interval and each pair of trials."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.altair_border import alt
from httpdyno.report.charts.drawing.dots import BestFirst, drawn, row_order
from httpdyno.report.charts.drawing.labels import plot_width, reach
from httpdyno.report.charts.drawing.rows import Row, beside, bounds, drawable, ends, numbers
from httpdyno.report.text import words
from httpdyno.result import Comparison

AXES = {
    "capacity": "capacity",
    "throughput": "requests per second",
    "p99": "p99 response time",
    "server CPU per request": "CPU time per request",
}
_ROOM_LEFT = 0.18
"""Room in front of what is drawn, as a share of its breadth."""
_TICKS: tuple[tuple[float, Sequence[float]], ...] = (
    (1.6, (0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4)),
    (6, (0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5)),
    (300, (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)),
    (float("inf"), tuple(10.0**power for power in range(-9, 10))),
)
"""(breadth of the axis, its ticks): the first whose breadth is larger than the axis is used."""


def ratios(
    comparisons: Sequence[Comparison], arms: Sequence[str], suspect: Set[int] = frozenset()
) -> Any:
    """An Altair chart of comparisons of one metric; `suspect`: indices of doubtful ones."""
    several = len({row.point for row in comparisons}) > 1
    estimates = [
        _estimate(row, several=several, status="suspect" if place in suspect else "valid")
        for place, row in enumerate(comparisons)
    ]
    pairs = [dot for row in comparisons for dot in _pairs(row, several=several)]
    more = comparisons[0].metric in ("throughput", "capacity")
    best: BestFirst = "largest" if more else "smallest"
    names = row_order(estimates, per_cell=1, best_first=best)
    low, high = _range([*estimates, *pairs], plot_width(names))
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    first = comparisons[0]
    title = [f"{AXES[first.metric]} relative to {first.baseline}, log scale"]
    ticks = _ticks(low, max([1.0, *numbers([*estimates, *pairs])]) * 1.5)
    axis = alt.Axis(values=ticks, labelExpr=f"format(datum.value, '{style.TICKS}') + '×'")
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    same = (
        alt.Chart(alt.Data(values=[{"value": 1}]))
        .mark_rule(color=style.INK, strokeWidth=1.4)
        .encode(x=x)
    )
    layers = alt.layer(same, drawn(estimates, pairs, names, arms, x))
    return layers.properties(height=style.row_height(len(names)) * max(1, len(names)))


def _name(row: Comparison, *, several: bool) -> str:
    return f"{row.arm} · {row.point}" if several else row.arm


def _estimate(row: Comparison, *, several: bool, status: str) -> Row:
    data: Row = {
        "row": _name(row, several=several),
        "arm": row.arm,
        "point": row.point,
        "status": status,
        "value": None,
        "said": words.NO_RESULT,
        "trials": row.ratio.trials if row.ratio is not None else len(row.dots),
        "why": words.outcome(row),
    }
    if row.ratio is not None and row.outcome != "no result":
        # No logarithmic axis has a place for zero.
        data["value"] = drawable(row.ratio.value) or None
        data["low"], data["high"] = bounds(row.ratio)
        if not data["low"]:
            data["low"] = data["high"] = None
        data["said"] = words.estimate(row.ratio, words.ratio)
        outcome = words.without_interval(row.ratio) or row.outcome
        doubt = "suspect" if status == "suspect" else ""
        data["text"] = beside(f"{words.ratio(row.ratio.value)}, {outcome}", doubt)
    return data


def _pairs(row: Comparison, *, several: bool) -> list[Row]:
    if row.outcome == "no result":
        return []
    name = _name(row, several=several)
    return [
        {
            "row": name,
            "arm": row.arm,
            "value": value,
            "said": words.ratio(value),
            "block": block,
            "status": "pair",
        }
        for block, value in row.dots
        if drawable(value)
    ]


def _range(rows: Sequence[Row], width: float) -> tuple[float, float]:
    """The x axis: all that is drawn and 1, with room for the words."""
    values = [1.0, *numbers(rows)]
    breadth = max(max(values) / min(values), 1.2)
    low = min(values) / breadth**_ROOM_LEFT
    words = ends(row for row in rows if "text" in row)
    return low, reach(low, [*words, (max(values) * breadth**_ROOM_LEFT, "")], width, log=True)


def _ticks(low: float, high: float) -> list[float]:
    breadth = high / low
    ticks = next(ticks for below, ticks in _TICKS if breadth < below)
    return [tick for tick in ticks if low <= tick <= high]
