"""Small multiples on shared axes: a plot for each arm, with the other arms in grey behind; or for
each endpoint, with all arms.

Of more than eight lines in one plot, nobody can follow one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from httpdyno.report.charts.drawing import scales, style
from httpdyno.report.charts.drawing.curves import (
    DASHED,
    Line,
    Plot,
    XAxis,
    axis_title,
    drawn_line,
    upright,
)
from httpdyno.report.charts.drawing.key import Entry, drawn_key, starts
from httpdyno.report.charts.drawing.letters import SMALL, fold, widest, width, wrap_text
from httpdyno.report.charts.drawing.rows import HOLLOW, Drawing
from httpdyno.report.charts.drawing.scales import Scale
from httpdyno.report.charts.drawing.shapes import CIRCLE, point, shape_of
from httpdyno.report.charts.drawing.svg import group, path, px, translate, words

MOST_LINES = 8
"""More arms than this have small multiples."""
_HEIGHT, _TITLE, _TITLE_LINE, _GAP, _AXIS, _LINE = 84.0, 20.0, 14.0, 14.0, 44.0, 16.0
_COLUMNS, _NARROW_COLUMNS = 4, 2


def draw_multiples(
    plot: Plot,
    x: XAxis,
    total: float,
    prefix: str,
    *,
    hollow: str = HOLLOW,
    arms: Sequence[tuple[str, int]] = (),
) -> Drawing:
    """The lines of a plot, those of each name in a plot of their own.

    `prefix`: beginning of the ids of this drawing. `arms`: the names and places of arms whose lines
    are in each plot, which has no other lines in grey then; empty: a plot has one arm.
    """
    mine: dict[str, list[Line]] = {}
    for line in plot.lines:
        mine.setdefault(line.name, []).append(replace(line, thin=True))
    columns = _COLUMNS if total >= style.TWO_LINES else _NARROW_COLUMNS
    columns = min(columns, len(mine))
    labels = widest(map(scales.label, upright(plot, 0.0, _HEIGHT).ticks), SMALL) + 7
    wide = (total - labels - 4 - _GAP * (columns - 1)) / columns
    across, up = _across(x, wide), _up(plot)
    head, top = _head(plot, up, total, hollow, arms)
    every = "" if arms else "".join(_whole(line, across, up) for line in plot.lines)
    every += _dashed_line(plot, across, up)
    names = {name: fold(name, wide, SMALL, bold=True) for name in mine}
    head_room = _TITLE + _TITLE_LINE * (max(map(len, names.values())) - 1)
    # Browsers match no selector across `use`: its content has no classes and inherits.
    shared = f'<g id="{prefix}-all">{every}</g><g id="{prefix}-grid">{_grid(across, up)}</g>'
    parts = [f"<defs>{shared}</defs>", head]
    each = _HEIGHT + head_room + _GAP
    for place, lines in enumerate(mine.values()):
        row, column = divmod(place, columns)
        body = _one(lines, across, up, prefix)
        body += "".join(_up_labels(up)) if column == 0 else ""
        body += "".join(_across_labels(x, across, wide)) if place + columns >= len(mine) else ""
        name = names[lines[0].name]
        up_from = 13 - _TITLE - _TITLE_LINE * (len(name) - 1)
        titles = (
            words(0, up_from + _TITLE_LINE * at, text, "sm b") for at, text in enumerate(name)
        )
        at = (labels + column * (wide + _GAP), top + row * each + head_room)
        arm = None if arms else lines[0].arm
        parts.append(group(translate("".join(titles) + body, *at), arm=arm))
    bottom = top + -(-len(mine) // columns) * each - _GAP
    title = axis_title(x, across, total - labels)
    parts += [words(labels, bottom + 36 + _LINE * at, line) for at, line in enumerate(title)]
    high = bottom + _AXIS + _LINE * (len(title) - 1)
    return Drawing("".join(parts), high, across.log or up.log)


def _one(lines: Sequence[Line], across: Scale, up: Scale, prefix: str) -> str:
    """The plot of one arm, in front of all arms in grey."""
    grey = f'<use href="#{prefix}-grid" class="grid"/><use href="#{prefix}-all" class="back"/>'
    return grey + "".join(part for line in lines for part in drawn_line(line, across, up))


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


def _head(
    plot: Plot, up: Scale, total: float, hollow: str, arms: Sequence[tuple[str, int]]
) -> tuple[str, float]:
    """The name of the y axis, what a hollow point is, and the arms; their height."""
    lines = wrap_text(f"{plot.axis}, log scale" if up.log else plot.axis, total)
    parts = [words(0, 13 + _LINE * at, text) for at, text in enumerate(lines)]
    top = 24.0 + _LINE * (len(lines) - 1)
    if _has_hollow(plot):
        parts += [
            point(CIRCLE, (6, top + 6), None, hollow=True),
            words(16, top + 10, hollow, "sm mu"),
        ]
        top += 20.0
    if any(line.dash for line in plot.lines):
        parts += [path(f"M0 {px(top + 6)}h22", "ax thin dc"), words(28, top + 10, DASHED, "sm mu")]
        top += 20.0
    named = [Entry(point(shape_of(arm), (5, -4), arm), name, arm) for name, arm in arms]
    key, high = drawn_key([*named, *starts(line.start for line in plot.lines)], total)
    if key:
        parts.append(translate(key, 0.0, top - 5.0))
        top += high - 4.0
    return "".join(parts), top


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


def _dashed_line(plot: Plot, across: Scale, up: Scale) -> str:
    inside = [(x, y) for x, y in plot.dashed if y <= up.high]
    if len(inside) < 2:
        return ""
    data = "M" + "L".join(f"{px(across.at(x))} {px(up.at(y))}" for x, y in inside)
    return f'<path stroke-dasharray="{style.DOTTED}" d="{data}"/>'


def _grid(across: Scale, up: Scale) -> str:
    upright_lines = "".join(f"M{px(across.at(t))} 0V{px(_HEIGHT)}" for t in across.ticks)
    level = "".join(f"M{px(across.start)} {px(up.at(t))}H{px(across.end)}" for t in up.ticks)
    return f'<path d="{upright_lines}{level}"/>'


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
