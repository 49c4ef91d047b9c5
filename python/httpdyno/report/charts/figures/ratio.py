"""Each arm against the baseline: the ratio, its interval and each pair of restarts."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.altair_border import alt
from httpdyno.report.charts.drawing.dots import BestFirst, drawn, row_order
from httpdyno.report.charts.drawing.rows import Row
from httpdyno.report.text import words
from httpdyno.result import Comparison

AXES = {
    "throughput": "requests answered per second",
    "p99": "response time that 99 % stay under",
    "server CPU per request": "processor time per request",
}
_ROOM_LEFT, _ROOM_RIGHT = 0.18, 0.55
"""Room for words beside what is drawn, as shares of its breadth."""
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
    """An Altair chart of comparisons of one metric; `suspect`: the places of doubtful ones."""
    several = len({row.point for row in comparisons}) > 1
    estimates = [
        _estimate(row, several=several, status="suspect" if place in suspect else "valid")
        for place, row in enumerate(comparisons)
    ]
    pairs = [dot for row in comparisons for dot in _pairs(row, several=several)]
    best: BestFirst = "largest" if comparisons[0].metric == "throughput" else "smallest"
    names = row_order(estimates, per_cell=1, best_first=best)
    low, high = _range([*estimates, *pairs])
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    first = comparisons[0]
    title = [AXES[first.metric], f"as a multiple of {first.baseline}'s, log scale"]
    axis = alt.Axis(values=_ticks(low, high), labelExpr="format(datum.value, '~g') + '×'")
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
        "restarts": len(row.dots),
        "why": words.outcome(row),
    }
    if row.ratio is not None and row.outcome != "no result":
        data["value"], data["low"], data["high"] = row.ratio.value, row.ratio.low, row.ratio.high
        data["said"] = words.estimate(row.ratio, words.ratio)
        outcome = words.without_interval(row.ratio) or f" {row.outcome}"
        data["brief"] = words.ratio(row.ratio.value) + outcome
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
        if value > 0
    ]


def _range(rows: Sequence[Row]) -> tuple[float, float]:
    """The x axis: all that is drawn and 1, with room on the right for the words."""
    values = [row[key] for row in rows for key in ("value", "low", "high") if row.get(key)]
    low, high = min([1.0, *values]), max([1.0, *values])
    breadth = max(high / low, 1.2)
    return low / breadth**_ROOM_LEFT, high * breadth**_ROOM_RIGHT


def _ticks(low: float, high: float) -> list[float]:
    breadth = high / low
    ticks = next(ticks for below, ticks in _TICKS if breadth < below)
    return [tick for tick in ticks if low <= tick <= high]
