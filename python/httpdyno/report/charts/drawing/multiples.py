"""Small multiples: a plot for each arm on shared axes, with the other arms in grey behind.

Of more than eight lines in one plot, nobody can follow one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from httpdyno.report.charts.drawing import scales, style
from httpdyno.report.charts.drawing.curves import Line, Plot, XAxis, drawn_line, upright
from httpdyno.report.charts.drawing.letters import SMALL, cut, widest, width
from httpdyno.report.charts.drawing.rows import HOLLOW, Drawn
from httpdyno.report.charts.drawing.scales import Scale
from httpdyno.report.charts.drawing.shapes import CIRCLE, point
from httpdyno.report.charts.drawing.svg import group, path, px, words

MOST_LINES = 8
"""More arms than this have small multiples."""
_HEIGHT, _TITLE, _GAP, _AXIS = 84.0, 20.0, 14.0, 44.0
_COLUMNS, _NARROW_COLUMNS = 4, 2


def draw_multiples(
    plot: Plot, x: XAxis, total: float, prefix: str, *, hollow: str = HOLLOW
) -> Drawn:
    """The lines of a plot, those of each name in a plot of their own.

    `prefix`: beginning of the ids of this drawing.
    """
    arms = list(dict.fromkeys(line.name for line in plot.lines))
    columns = _COLUMNS if total >= style.TWO_LINES else _NARROW_COLUMNS
    columns = min(columns, max(1, len(arms)))
    labels = widest(map(scales.label, upright(plot, 0.0, _HEIGHT).ticks), SMALL) + 7
    wide = (total - labels - 4 - _GAP * (columns - 1)) / columns
    across, up = _across(x, wide), _up(plot)
    top = 24.0 + (20.0 if _has_hollow(plot) else 0.0)
    every = "".join(_whole(line, across, up) for line in plot.lines)
    every += _dashed(plot, across, up)
    parts = [f'<defs><g id="{prefix}-all">{every}</g></defs>', *_head(plot, up, total, hollow)]
    rows = -(-len(arms) // columns)
    mine: dict[str, list[Line]] = {name: [] for name in arms}
    for line in plot.lines:
        mine[line.name].append(replace(line, thin=True))
    for place, name in enumerate(arms):
        row, column = divmod(place, columns)
        left = labels + column * (wide + _GAP)
        above = top + row * (_HEIGHT + _TITLE + _GAP)
        is_lowest = row == rows - 1 or place + columns >= len(arms)
        inner = [
            words(0, 13, cut(name, wide, SMALL, bold=True), "sm b"),
            f'<g transform="translate(0 {px(_TITLE)})">',
            _grid(across, up),
            f'<use href="#{prefix}-all" class="back"/>',
            *(part for line in mine[name] for part in drawn_line(line, across, up)),
            *(_up_labels(up) if column == 0 else ()),
            *(_across_labels(x, across, wide) if is_lowest else ()),
            "</g>",
        ]
        moved = f'<g transform="translate({px(left)} {px(above)})">{"".join(inner)}</g>'
        parts.append(group(moved, arm=mine[name][0].arm))
    bottom = top + rows * (_HEIGHT + _TITLE + _GAP) - _GAP
    title = f"{x.axis}, log scale" if across.log and across.mark else x.axis
    parts.append(words(labels, bottom + 36, cut(title, total - labels)))
    return Drawn("".join(parts), bottom + _AXIS, across.log or up.log)


def _across(x: XAxis, wide: float) -> Scale:
    """The x axis of one plot, with few ticks."""
    made = x.scale(0.0, wide)
    most = max(2, int(wide / 52))
    step = -(-len(made.ticks) // most)
    return replace(made, ticks=made.ticks[::step])


def _up(plot: Plot) -> Scale:
    made = upright(plot, 0.0, _HEIGHT)
    step = -(-len(made.ticks) // 4)
    return replace(made, ticks=made.ticks[::step])


def _head(plot: Plot, up: Scale, total: float, hollow: str) -> Iterator[str]:
    title = f"{plot.axis}, log scale" if up.log else plot.axis
    yield words(0, 13, cut(f"{title}; the other arms in grey", total))
    if _has_hollow(plot):
        yield point(CIRCLE, (6, 30), None, hollow=True)
        yield words(16, 34, hollow, "sm mu")


def _has_hollow(plot: Plot) -> bool:
    return any(spot.hollow and spot.y is not None for line in plot.lines for spot in line.spots)


def _whole(line: Line, across: Scale, up: Scale) -> str:
    """A line without its points."""
    data, pen = [], "M"
    for spot in line.spots:
        if spot.y is None:
            pen = "M"
            continue
        data.append(f"{pen}{px(across.at(spot.x))} {px(up.at(spot.y))}")
        pen = "L"
    return f'<path d="{"".join(data)}"/>' if data else ""


def _dashed(plot: Plot, across: Scale, up: Scale) -> str:
    inside = [(x, y) for x, y in plot.dashed if y <= up.high]
    if len(inside) < 2:
        return ""
    return path("M" + "L".join(f"{px(across.at(x))} {px(up.at(y))}" for x, y in inside), "da")


def _grid(across: Scale, up: Scale) -> str:
    upright_lines = "".join(f"M{px(across.at(t))} 0V{px(_HEIGHT)}" for t in across.ticks)
    level = "".join(f"M{px(across.start)} {px(up.at(t))}H{px(across.end)}" for t in up.ticks)
    return path(upright_lines + level, "grid")


def _up_labels(up: Scale) -> Iterator[str]:
    for tick in up.ticks:
        yield words(-6, up.at(tick) + 4, scales.label(tick), "sm mu e")


def _across_labels(x: XAxis, across: Scale, wide: float) -> Iterator[str]:
    last = -1e9
    for tick in across.ticks:
        text = x.label(tick)
        half = width(text, SMALL) / 2
        at = min(max(across.at(tick), half), wide - half)
        if at - half > last + 6:
            yield words(at, _HEIGHT + 16, text, "sm mu m")
            last = at + half
