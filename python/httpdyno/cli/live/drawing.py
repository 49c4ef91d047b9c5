"""Bars, charts over time and distributions, in eighths of a line."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

__all__ = ["bar", "chart", "distribution"]

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_HALF_BUCKET = 1 / 128
"""The engine's times are the middles of buckets that are 1/64 of them wide."""
_LEAST_SPAN = 2.0
"""The axis of a distribution ends at this multiple of its beginning, or later."""

Times = Sequence[tuple[int, int]]
"""Times in nanoseconds, rising, each with its count."""


def bar(share: float, width: int) -> str:
    """A bar that is filled to a share from 0 to 1."""
    done = round(min(1.0, max(0.0, share)) * width)
    return "━" * done + "─" * (width - done)


def chart(values: Sequence[float], width: int, height: int, narrow: Merge) -> list[str]:
    """The values from zero to the greatest, as lines from the top; `narrow` joins what is too much.

    A value above zero can always be seen.
    """
    if len(values) > width:
        edges = [len(values) * at // width for at in range(width + 1)]
        values = [narrow(values[start:end]) for start, end in itertools.pairwise(edges)]
    top = max(values, default=0.0)
    levels = [max(1, round(one / top * height * 8)) if one > 0 else 0 for one in values]
    return [
        "".join(_column(level - 8 * row) for level in levels) for row in reversed(range(height))
    ]


def _column(level: int) -> str:
    """A cell that is filled from below by so many eighths."""
    return " " if level <= 0 else "█" if level >= 8 else _EIGHTHS[level]


Merge = Callable[[Sequence[float]], float]


def distribution(times: Times, width: int, height: int) -> list[str]:
    """The distribution on a logarithmic axis, as lines from the top; the last is the axis.

    Heights are square roots of counts, which keeps a thin tail visible.
    """
    if not times or width < 1:
        return [""] * (height + 1)
    low, high = _span(times)
    scale = width / math.log(high / low)
    broad = math.log((1 + _HALF_BUCKET) / (1 - _HALF_BUCKET)) * scale
    left = math.log((1 - _HALF_BUCKET) / low) * scale
    counts = [0.0] * width
    for ns, count in times:
        start = math.log(max(ns, 1)) * scale + left
        end = start + broad
        first, last = max(0, int(start)), min(width - 1, int(end))
        if first == last:
            counts[first] += count
            continue
        for column in range(first, last + 1):
            inside = min(end, column + 1) - max(start, column)
            counts[column] += count * max(0.0, inside) / broad
    heights = [math.sqrt(count) for count in counts]
    return [*chart(heights, width, height, max), _axis(low, high, width)]


def _span(times: Times) -> tuple[float, float]:
    low = max(times[0][0], 1) * (1 - _HALF_BUCKET)
    high = max(times[-1][0], 1) * (1 + _HALF_BUCKET)
    if high < low * _LEAST_SPAN:
        wider = math.sqrt(_LEAST_SPAN * low / high)
        low, high = low / wider, high * wider
    return low, high


def _axis(low: float, high: float, width: int) -> str:
    """Round times below their columns, as many as there is room for."""
    line = ""
    for ns, label in _round_times():
        at = int(math.log(ns / low) / math.log(high / low) * width) if ns >= low else -1
        if at >= len(line) + bool(line) and at + len(label) < width:
            line = f"{line:<{at}}╵{label}"
    return line


def _round_times() -> Iterator[tuple[float, str]]:
    for unit, scale in (("ns", 1.0), ("µs", 1e3), ("ms", 1e6)):
        for number in (1, 2, 5, 10, 20, 50, 100, 200, 500):
            yield number * scale, f"{number} {unit}"
    for number in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000):
        yield number * 1e9, f"{number} s"
