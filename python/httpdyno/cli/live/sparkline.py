"""Bar charts in one line of text: eight heights, one character per value."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

__all__ = ["bars", "shape"]

_HEIGHTS = "▁▂▃▄▅▆▇█"


def bars(values: Sequence[float], width: int) -> str:
    """Draw bars from zero to the greatest value; more values than `width` are averaged."""
    if not values or max(values) <= 0:
        return ""
    narrowed = _narrow(values, width)
    top = max(narrowed)
    last = len(_HEIGHTS) - 1
    return "".join(" " if v <= 0 else _HEIGHTS[round(v / top * last)] for v in narrowed)


def shape(sample: Sequence[float], low: float, high: float, width: int) -> str:
    """Draw the shape of a distribution on a log axis from `low` to `high`.

    Heights are square roots of counts, which keeps a thin tail visible.
    """
    if not sample or low <= 0 or high <= low:
        return ""
    counts = [0] * width
    scale = width / math.log(high / low)
    for value in sample:
        if low <= value <= high:
            counts[min(width - 1, int(math.log(value / low) * scale))] += 1
    return bars([math.sqrt(count) for count in counts], width)


def _narrow(values: Sequence[float], width: int) -> list[float]:
    if len(values) <= width:
        return list(values)
    edges = [len(values) * i // width for i in range(width + 1)]
    return [sum(values[a:b]) / (b - a) for a, b in itertools.pairwise(edges)]
