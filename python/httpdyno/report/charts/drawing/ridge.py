"""Distributions as hills, one above the other on one logarithmic axis.

All hills are equally high, so their places and widths compare. A line marks the median, and a
second one p99.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from httpdyno.report.charts.drawing import scales, style
from httpdyno.report.charts.drawing.letters import SMALL, cut, widest, width
from httpdyno.report.charts.drawing.rows import Drawing
from httpdyno.report.charts.drawing.scales import Scale
from httpdyno.report.charts.drawing.svg import group, path, px, segment, stack_rows, words

_ROW, _HILL, _GAP, _AXIS = 46.0, 34.0, 10.0, 44.0
_NAMES_SHARE = 0.36
OUTLINE = "dashed outline: suspect"


@dataclass(frozen=True)
class Hill:
    """One distribution."""

    name: str
    arm: int
    bins: Sequence[tuple[float, float]]
    """(upper end of the bin, share of the values in it), ascending; the first is a lower end."""
    median: float
    p99: float
    hollow: bool = False
    """Suspect: drawn as a dashed outline."""
    tip: str = ""


def draw_ridge(hills: Sequence[Hill], axis: str, total: float) -> Drawing:
    """The hills, `total` pixels wide; `axis` names the values."""
    double = total < style.TWO_LINES
    row = _ROW + (14.0 if double else 0.0)
    names = 0.0 if double else min(_NAMES_SHARE * total, widest(hill.name for hill in hills))
    left = names + (0.0 if double else _GAP)
    ends = [value for hill in hills for value, _ in hill.bins]
    scale = scales.logarithmic(ends, left, total - 6, each=60.0)
    top = 22.0
    bottom = top + row * len(hills)
    rows = [
        _hill(hill, top + row * (place + 1) - 4, names, total, scale)
        for place, hill in enumerate(hills)
    ]
    upright = "".join(f"M{px(scale.at(t))} {px(top)}V{px(bottom)}" for t in scale.ticks)
    body = stack_rows(
        row,
        "".join(_key(hills)),
        path(upright, "grid"),
        "".join(rows),
        "".join(_labels(scale, bottom, total)) + words(left, bottom + 36, f"{axis}, log scale"),
    )
    return Drawing(body, bottom + _AXIS, log=True)


def _key(hills: Sequence[Hill]) -> Iterator[str]:
    yield path("M6 3v14M15 3v14", "ax")
    yield words(24, 14, "p50 and p99", "sm mu")
    if any(hill.hollow for hill in hills):
        at = 48 + width("p50 and p99", SMALL)
        yield path(f"M{px(at)} 15v-10h16v10z", "ax thin dc")
        yield words(at + 22, 14, OUTLINE, "sm mu")


def _labels(scale: Scale, bottom: float, total: float) -> Iterator[str]:
    last = -1e9
    for tick in scale.ticks:
        text = scales.label(tick)
        half = width(text, SMALL) / 2
        at = min(max(scale.at(tick), half), total - half)
        if at - half > last + 6:
            yield words(at, bottom + 17, text, "sm mu m")
            last = at + half


def _hill(hill: Hill, base: float, names: float, total: float, scale: Scale) -> str:
    heights = _heights(hill, scale)
    most = max((high for _, high in heights), default=0.0) or 1.0
    # The top of a bin is level, so that no value is suggested which was not counted.
    steps, x, y = [], round(scale.at(hill.bins[0][0]), 1), round(base, 1)
    outline = f"M{px(x)} {px(y)}"
    for end, high in heights:
        level, edge = round(base - _HILL * high / most, 1), round(end, 1)
        steps.append(f"v{px(level - y)}h{px(edge - x)}")
        x, y = edge, level
    outline += f"{''.join(steps)}V{px(base)}z"
    look = "dc" if hill.hollow else f"{style.fill(hill.arm)} hill"
    parts = [path(outline, f"{style.stroke(hill.arm)} thin {look}")]
    for value in (hill.median, hill.p99):
        x = scale.at(value)
        parts.append(segment((x, base - _HILL - 2), (x, base), "ref"))
    if names:
        parts.append(words(names, base - 4, cut(hill.name, names + 1), "e"))
    else:
        parts.append(words(0, base - _HILL - 7, cut(hill.name, total), "sm"))
    return group("".join(parts), tip=hill.tip, arm=hill.arm, part="row")


def _heights(hill: Hill, scale: Scale) -> list[tuple[float, float]]:
    """The right end of each bin in pixels, and its share per pixel."""
    found, before = [], scale.at(hill.bins[0][0])
    for end, share in hill.bins[1:]:
        at = scale.at(end)
        if at > before:
            found.append((at, share / (at - before)))
            before = at
    return found
