"""A heat map: counts over two axes, the darker the more. The upright axis is logarithmic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from httpdyno.report.charts.drawing import scales
from httpdyno.report.charts.drawing.curves import XAxis, axis_title
from httpdyno.report.charts.drawing.key import Entry, drawn_key
from httpdyno.report.charts.drawing.letters import SMALL, widest, width
from httpdyno.report.charts.drawing.rows import Drawing
from httpdyno.report.charts.drawing.scales import Scale
from httpdyno.report.charts.drawing.svg import path, px, words

LEVELS = 6
"""Shades, `q1` to `q6` of `style.py`."""
_TITLE, _HEIGHT, _AXIS, _LINE = 24.0, 260.0, 44.0, 16.0
_SEAM = 0.3
"""Cells overlap by so much, in pixels: no light shows between them."""


@dataclass(frozen=True)
class Strip:
    """The counts between two places of the x axis."""

    start: float
    end: float
    cells: Sequence[tuple[float, float, int]]
    """From, to, and how many; ascending, and above zero."""


def draw_heat(strips: Sequence[Strip], axis: str, x: XAxis, total: float) -> Drawing:
    """The map, `total` pixels wide; `axis` names the upright values. One strip has a cell."""
    most = max(count for strip in strips for *_, count in strip.cells)
    ends = [end for strip in strips for low, high, _ in strip.cells for end in (low, high)]
    key, top = drawn_key(_key(most), total)
    under = top + _TITLE
    up = scales.logarithmic(ends, under + _HEIGHT, under, each=34.0)
    left = widest((scales.label(tick) for tick in up.ticks), SMALL) + 8
    across = x.scale(left, total - 8.0)
    bottom = under + _HEIGHT
    level = "".join(f"M{px(left)} {px(up.at(tick))}H{px(total - 8.0)}" for tick in up.ticks)
    parts = [
        key,
        words(0, top + 13, f"{axis}, log scale"),
        path(level, "grid"),
        *(words(left - 7, up.at(tick) + 4, scales.label(tick), "sm mu e") for tick in up.ticks),
        *_cells(strips, across, up, most),
        *_labels(x, across, bottom, total),
    ]
    titles = axis_title(x, across, total - left)
    parts += [words(left, bottom + 36 + _LINE * at, line) for at, line in enumerate(titles)]
    return Drawing("".join(parts), bottom + _AXIS + _LINE * (len(titles) - 1), log=True)


def level_of(count: int, most: int) -> int:
    """The shade of a count, 1 to `LEVELS`: each stands for so many times more."""
    return max(1, math.ceil(LEVELS * math.log1p(count) / math.log1p(most)))


def _cells(strips: Sequence[Strip], across: Scale, up: Scale, most: int) -> Iterator[str]:
    """A path for each shade; neighbours of one shade above one another are one rectangle."""
    shades: dict[int, list[str]] = {}
    for strip in strips:
        left, right = across.at(strip.start), across.at(strip.end) + _SEAM
        for low, high, level in _join(strip, most):
            top, bottom = up.at(high), up.at(low) + _SEAM
            box = f"M{px(left)} {px(top)}H{px(right)}V{px(bottom)}H{px(left)}z"
            shades.setdefault(level, []).append(box)
    for level, boxes in sorted(shades.items()):
        yield path("".join(boxes), f"f0 q{level}")


def _join(strip: Strip, most: int) -> list[tuple[float, float, int]]:
    found: list[tuple[float, float, int]] = []
    for low, high, count in strip.cells:
        level = level_of(count, most)
        if found and found[-1][1:] == (low, level):
            found[-1] = (found[-1][0], high, level)
        else:
            found.append((low, high, level))
    return found


def _key(most: int) -> Iterator[Entry]:
    """Each shade and the counts that it stands for."""
    ends = [math.expm1(level * math.log1p(most) / LEVELS) for level in range(LEVELS + 1)]
    named = False
    for level in range(1, LEVELS + 1):
        low, high = math.floor(ends[level - 1] + 1e-9) + 1, math.floor(ends[level] + 1e-9)
        if level == LEVELS:
            high = most
        if low > high:
            continue
        counts = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        mark = path("M0 -10h12v12h-12z", f"f0 q{level}")
        yield Entry(mark, counts if named else f"calls: {counts}", indent=18.0)
        named = True


def _labels(x: XAxis, across: Scale, bottom: float, total: float) -> Iterator[str]:
    last = -1e9
    for tick in across.ticks:
        text = x.label(tick)
        half = width(text, SMALL) / 2
        at = min(max(across.at(tick), half), total - half)
        if at - half > last + 8:
            yield words(at, bottom + 17, text, "sm mu m")
            last = at + half
