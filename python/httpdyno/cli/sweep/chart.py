"""Charts of a sweep in text: a column for each point, in eighths of a line."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.doubts import MARKS
from httpdyno.sweep import Point, TimeKind, shown

__all__ = ["charts"]

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_LABEL = 10
_WIDE = 6
"""Characters of one column, where there is room: more only for a long label."""
_LOG_ROOM = 0.7
"""A logarithmic axis begins at this share of its smallest value, so that it is seen."""
_MARKS = {**MARKS, "valid": " "}

_Value = Callable[[Point], float | None]
_Columns = Sequence[Sequence[Point]]
"""The points of each column: one, unless there are more points than columns."""


def charts(
    points: Sequence[Point], times: TimeKind, *, width: int, height: int, log: bool
) -> list[str]:
    """Reply rate, response time and failures against the offered rate, one below the other.

    `log`: the response time has a logarithmic axis. Where points share a column, it shows the
    largest value of them.
    """
    if not points:
        return []
    room = max(_LABEL, width - _LABEL - 2)
    each = -(-len(points) // room)
    columns = [points[at : at + each] for at in range(0, len(points), each)]
    longest = max(len(shown(point.rate_per_s)) for point in points)
    size = max(1, min(max(_WIDE, longest + 1), room // len(columns)))
    name, time_of = _time(times)
    title = f"response time, {name}{', log scale' if log else ''}"
    drawing = _Drawing(columns, size, height)
    return [
        *drawing.chart("replies/s (· due)", _replies, units.significant, dots=_due),
        *drawing.chart(title, time_of, units.duration, log=log),
        *drawing.chart("failed", _failed_share, units.percent),
        *_rates(columns, size),
    ]


@dataclass(frozen=True)
class _Axis:
    """The value axis of a chart of `height` lines."""

    low: float
    high: float
    height: int

    def level(self, value: float) -> int:
        """The height of a value in eighths of a line; a value above zero has one at least."""
        if value <= 0:
            return 0
        share = value / self.high
        if self.low:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        return max(1, round(share * self.height * 8))


@dataclass(frozen=True)
class _Drawing:
    """Charts with the same columns, `size` characters wide."""

    columns: _Columns
    size: int
    height: int

    def chart(
        self,
        title: str,
        value: _Value,
        words: Callable[[float], str],
        *,
        dots: _Value | None = None,
        log: bool = False,
    ) -> list[str]:
        """The lines of a chart of one number, with a second one as dots above the columns."""
        bars = self._largest(value)
        above = self._largest(dots) if dots else [0.0] * len(bars)
        known = [one for one in [*bars, *above] if one > 0]
        if not known:
            return [f"{title}: none"]
        axis = _Axis(min(known) * _LOG_ROOM if log else 0.0, max(known), self.height)
        labels = {0: words(axis.low)} | {self.height - 1: words(axis.high)}
        lines = [title]
        for line in reversed(range(self.height)):
            cells = [self._cell(axis, *both, line) for both in zip(bars, above, strict=True)]
            lines.append(f"{labels.get(line, ''):>{_LABEL}} │{''.join(cells)}".rstrip())
        return lines

    def _largest(self, value: _Value) -> list[float]:
        return [max(value(point) or 0.0 for point in points) for points in self.columns]

    def _cell(self, axis: _Axis, bar: float, dot: float, line: int) -> str:
        filled = min(8, max(0, axis.level(bar) - 8 * line))
        dotted = dot > 0 and (axis.level(dot) - 1) // 8 == line
        return ("·" if dotted and not filled else _EIGHTHS[filled]) * self.size


def _rates(columns: _Columns, size: int) -> list[str]:
    """The axis of rates, with a mark under each column with a suspect or invalid point."""
    lines = [
        f"{'':{_LABEL}} └{'─' * (len(columns) * size)}",
        f"{'offered/s':>{_LABEL}}  {_labels(columns, size)}",
    ]
    marks = "".join(_mark(each).ljust(size) for each in columns).rstrip()
    if marks:
        lines.append(f"{'verdict':>{_LABEL}}  {marks}")
        lines.append(f"{'':{_LABEL}}  {MARKS['suspect']} suspect, {MARKS['invalid']} invalid")
    return lines


def _labels(columns: _Columns, size: int) -> str:
    """The rates below their columns, as many as there is room for; always the last."""
    last = shown(columns[-1][-1].rate_per_s)
    end = max(0, min((len(columns) - 1) * size, len(columns) * size - len(last)))
    line = ""
    for at, points in enumerate(columns[:-1]):
        label = shown(points[0].rate_per_s)
        free = at * size >= len(line) + bool(line) and at * size + len(label) < end
        line = f"{line:<{at * size}}{label}" if free or not line else line
    return f"{line:<{end}}{last}" if len(line) < end or not line else f"{line} {last}"


def _mark(points: Sequence[Point]) -> str:
    """The mark of the worst verdict of these points."""
    worst = max((point.verdict for point in points), key=list(_MARKS).index)
    return _MARKS[worst]


def _time(times: TimeKind) -> tuple[str, _Value]:
    if times == "response":
        return "p99", lambda point: point.p99_s
    return "mean", lambda point: point.mean_s


def _replies(point: Point) -> float:
    return point.replies_per_s


def _due(point: Point) -> float:
    return point.offered_per_s


def _failed_share(point: Point) -> float:
    return point.error_share
