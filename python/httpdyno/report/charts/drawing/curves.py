"""Lines over one x axis, in plots one below the other.

An interval is a band around its line, and a suspect point is hollow. A point without a result
breaks its line and is a cross at the top, at no value. On a wide page the name of each line is at
its end, on a narrow one all names are above the plots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from httpdyno.report.charts.drawing import scales, style
from httpdyno.report.charts.drawing.key import Entry, drawn_key, starts
from httpdyno.report.charts.drawing.labels import GAP, spread
from httpdyno.report.charts.drawing.letters import SMALL, cut, widest, width, wrap_text
from httpdyno.report.charts.drawing.rows import HOLLOW, Drawing
from httpdyno.report.charts.drawing.scales import Scale
from httpdyno.report.charts.drawing.shapes import CIRCLE, point, shape_of
from httpdyno.report.charts.drawing.svg import group, path, px, segment, words

_TITLE, _BETWEEN, _AXIS, _LINE = 24.0, 16.0, 44.0, 16.0
_NAMES_SHARE = 0.3
_BESIDE = 12.0
"""Distance of a name from the end of its line."""
_MOVED = 5.0
"""A name so far from its line is tied to it by a thin line."""
CROSS = "✕: no result"
BOUND = "≥: lower bound"
DASHED = "dashed: suspect"


@dataclass(frozen=True)
class Spot:
    """A point of a line, in the units of the axes. Without `y` it has no result."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    hollow: bool = False
    tip: str = ""
    bound: bool = False
    """The true value is this or more."""


@dataclass(frozen=True)
class Line:
    """One arm, or one start of an arm: lines of one name are named once."""

    name: str
    arm: int
    spots: Sequence[Spot]
    thin: bool = False
    dash: str = ""
    """Class of a dashed line: it is suspect."""
    points: bool = True
    """False: many points along the line; it has no marks."""
    start: int | None = None
    """Place of the start among those of its arm: their lines have dashes of their own."""
    joined: bool = True
    """False: each point stands alone, with its interval as an upright bar."""


@dataclass(frozen=True)
class Guide:
    """A dashed line across a plot with its words."""

    value: float
    words: str


@dataclass(frozen=True)
class Note:
    """Words at the top of a plot, with a dashed line down from them."""

    x: float
    words: str
    arm: int


@dataclass(frozen=True)
class Plot:
    """Lines that share both axes."""

    axis: str
    """Name and unit of the y axis, above the plot."""
    lines: Sequence[Line]
    log: bool = False
    height: float = 190.0
    guides: Sequence[Guide] = ()
    notes: Sequence[Note] = ()
    dashed: Sequence[tuple[float, float]] = ()
    """A dashed line through these points, such as replies = offered."""
    least: float = 0.0
    """The y axis reaches to this value at least."""
    zero: bool = True
    """False: the y axis does not begin at zero."""
    crosses: bool = False
    """True: points without a result are crosses above the lines."""


@dataclass(frozen=True)
class XAxis:
    """The axis that all plots of a chart share."""

    axis: str
    values: Sequence[float]
    log: bool = False
    label: Callable[[float], str] = scales.label
    ticks: tuple[float, ...] | None = None
    zero: bool = True

    def scale(self, start: float, end: float) -> Scale:
        """The scale between two pixels."""
        if self.log:
            return scales.logarithmic(self.values, start, end, each=60.0)
        if self.zero:
            return scales.linear(self.values, start, end, above=0.02)
        low, high = min(self.values), max(self.values)
        margin = 0.03 * (high - low) or 1.0
        made = scales.between(low - margin, high + margin, start, end, each=50.0)
        if self.ticks is None:
            return made
        return Scale(made.low, made.high, start, end, self.ticks)


@dataclass(frozen=True)
class _Form:
    left: float
    right: float
    total: float
    named: bool
    """True if names are beside the lines."""


def draw_curves(plots: Sequence[Plot], x: XAxis, total: float, *, hollow: str = HOLLOW) -> Drawing:
    """The plots, one below the other, `total` pixels wide. `hollow`: what a hollow point is."""
    lines = (line for plot in plots for line in plot.lines if line.name)
    names = list(dict.fromkeys((line.name, line.arm) for line in lines))
    named = total >= style.TWO_LINES and len(names) > 1
    room = widest((name for name, _ in names), bold=True) + _BESIDE + 4 if named else 8.0
    labels = max(_labels_width(plot) for plot in plots)
    form = _Form(labels + 8, total - min(room, _NAMES_SHARE * total), total, named)
    across = x.scale(form.left, form.right)
    key, top = _key(plots, names if len(names) > 1 and not named else (), total, hollow)
    parts, log = [key], across.log
    for plot in plots:
        drawn = _plot(plot, across, form, top)
        parts.append(drawn.body)
        top, log = drawn.height + _BETWEEN, log or drawn.log
    parts += _x_axis(x, across, top - _BETWEEN, form)
    more = _LINE * (len(axis_title(x, across, total - form.left)) - 1)
    return Drawing("".join(parts), top - _BETWEEN + _AXIS + more, log)


def upright(plot: Plot, top: float, bottom: float) -> Scale:
    """The y axis of a plot; logarithmic only where all values are above zero."""
    values = [
        value
        for line in plot.lines
        for spot in line.spots
        for value in (spot.y, spot.low, spot.high)
        if value is not None
    ] + [guide.value for guide in plot.guides]
    dashed = [y for _, y in plot.dashed]
    if plot.log and values and min(values) > 0:
        return scales.logarithmic(values, bottom, top, each=34.0)
    if not plot.zero and values:
        low, high = min(values), max(values)
        missing = max(0.0, 0.02 * high - (high - low), 0.0 if high else 1.0)
        low, high = max(0.0, low - missing / 2), high + missing / 2
        room = 0.08 * (high - low)
        return scales.between(max(0.0, low - room), high + room, bottom, top, each=40.0)
    most = max(values, default=0.0)
    reach = min(max(dashed, default=0.0), 1.3 * most if most else 1e300)
    return scales.linear([*values, reach, plot.least], bottom, top, each=40.0)


def _labels_width(plot: Plot) -> float:
    scale = upright(plot, 0.0, plot.height)
    return widest((scales.label(tick) for tick in scale.ticks), SMALL)


def _plot(plot: Plot, across: Scale, form: _Form, top: float) -> Drawing:
    """One plot; `height` of what is returned is its lower edge."""
    crossed = _lines_with_crosses(plot)
    is_log = upright(plot, 0.0, plot.height).log
    title = wrap_text(f"{plot.axis}, log scale" if is_log else plot.axis, form.total)
    under = top + _TITLE + _LINE * (len(title) - 1)
    inner = under + (GAP * len(crossed) + 4 if crossed else 0.0)
    bottom = inner + plot.height
    up = upright(plot, inner + GAP * bool(plot.notes), bottom)
    parts = [
        *(words(0, top + 13 + _LINE * at, text) for at, text in enumerate(title)),
        *_grid(across, up, form, inner, bottom),
        *_guides(plot, up, form),
        *_dashed_line(plot, across, up),
        *(part for line in plot.lines for part in drawn_line(line, across, up)),
        *_guide_words(plot, up, form),
        *_crosses(crossed, across, form, under),
        *_notes(plot, across, form, inner, bottom),
    ]
    if form.named:
        parts += _names(plot, across, up, form, (inner, bottom))
    return Drawing("".join(parts), bottom, up.log)


def _grid(across: Scale, up: Scale, form: _Form, top: float, bottom: float) -> Iterator[str]:
    upright_lines = "".join(f"M{px(across.at(t))} {px(top)}V{px(bottom)}" for t in across.ticks)
    level = "".join(f"M{px(form.left)} {px(up.at(t))}H{px(form.right)}" for t in up.ticks)
    yield path(upright_lines + level, "grid")
    for tick in up.ticks:
        yield words(form.left - 7, up.at(tick) + 4, scales.label(tick), "sm mu e")


def _x_axis(x: XAxis, across: Scale, bottom: float, form: _Form) -> Iterator[str]:
    last = -1e9
    for tick in across.ticks:
        text = x.label(tick)
        half = width(text, SMALL) / 2
        at = min(max(across.at(tick), half), form.total - half)
        if at - half > last + 8:
            yield words(at, bottom + 17, text, "sm mu m")
            last = at + half
    for at, line in enumerate(axis_title(x, across, form.total - form.left)):
        yield words(form.left, bottom + 36 + _LINE * at, line)


def axis_title(x: XAxis, across: Scale, room: float) -> list[str]:
    """The name of the x axis, in as many lines as it needs."""
    return wrap_text(f"{x.axis}, log scale" if across.log and across.mark else x.axis, room)


def drawn_line(line: Line, across: Scale, up: Scale) -> Iterator[str]:
    """The bands, the parts between missing points, and the marks of one line."""
    colour = style.stroke(line.arm)
    parts = [list(run) for known, run in groupby(line.spots, _is_known) if known]
    inner: list[str] = []
    for part in parts:
        inner += _band(part, line, across, up) if line.joined else _bars(part, line, across, up)
        if len(part) > 1 and line.joined:
            joined = "L".join(f"{px(across.at(s.x))} {px(up.at(s.y or 0.0))}" for s in part)
            own = style.start(line.start) if line.start is not None else line.dash
            kind = "thin" if line.thin else "line"
            inner.append(path(f"M{joined}", f"{colour} {kind} {own}".rstrip()))
    for spot in _spots_with_marks(line, parts):
        radius = 3.2 if line.thin else 4.2
        place = (across.at(spot.x), up.at(spot.y or 0.0))
        mark = point(shape_of(line.arm), place, line.arm, hollow=spot.hollow, radius=radius)
        if spot.bound:
            above = (place[0], place[1] - radius - 4)
            mark += words(*above, "≥", f"sm m halo {style.fill(line.arm)}")
        inner.append(group(mark, tip=spot.tip) if spot.tip else mark)
    yield group("".join(inner), arm=line.arm)


def _spots_with_marks(line: Line, parts: Sequence[Sequence[Spot]]) -> Sequence[Spot]:
    """The points with a mark: all of them; of a line of many its last one, so that its shape tells
    it apart, and those that no line joins."""
    if line.points:
        return [spot for part in parts for spot in part]
    alone = [part[0] for part in parts if len(part) < 2]
    ends = [parts[-1][-1]] if parts and line.name and not line.thin else []
    return list(dict.fromkeys([*alone, *ends]))


def _is_known(spot: Spot) -> bool:
    return spot.y is not None


def _band(part: Sequence[Spot], line: Line, across: Scale, up: Scale) -> Iterator[str]:
    """The intervals of neighbours, joined; a point without one ends the band."""
    for whole, run in groupby(part, lambda spot: spot.low is not None and spot.high is not None):
        spots = list(run)
        if whole and len(spots) > 1:
            above = [f"{px(across.at(s.x))} {px(up.at(s.high or 0.0))}" for s in spots]
            below = [f"{px(across.at(s.x))} {px(up.at(s.low or 0.0))}" for s in reversed(spots)]
            yield path(f"M{'L'.join(above + below)}Z", f"{style.fill(line.arm)} band")


def _bars(part: Sequence[Spot], line: Line, across: Scale, up: Scale) -> Iterator[str]:
    for spot in part:
        if spot.low is not None and spot.high is not None:
            x = across.at(spot.x)
            ends = (x, up.at(spot.low)), (x, up.at(spot.high))
            yield segment(*ends, f"{style.stroke(line.arm)} thin")


def _guides(plot: Plot, up: Scale, form: _Form) -> Iterator[str]:
    for guide in plot.guides:
        y = up.at(guide.value)
        yield segment((form.left, y), (form.right, y), "ax db")


def _guide_words(plot: Plot, up: Scale, form: _Form) -> Iterator[str]:
    for guide in plot.guides:
        yield words(form.left + 5, up.at(guide.value) - 5, guide.words, "sm mu halo")


def _dashed_line(plot: Plot, across: Scale, up: Scale) -> Iterator[str]:
    """The dashed line, up to where it would leave the plot."""
    if len(plot.dashed) > 1:
        inside = [spot for spot in plot.dashed if spot[1] <= up.high]
        beyond = next((spot for spot in plot.dashed if spot[1] > up.high), None)
        if beyond is not None and inside:
            (x, y), (far, top) = inside[-1], beyond
            inside.append((x + (far - x) * (up.high - y) / (top - y), up.high))
        joined = "L".join(f"{px(across.at(x))} {px(up.at(y))}" for x, y in inside)
        if inside:
            yield path(f"M{joined}", "ax da")


def _lines_with_crosses(plot: Plot) -> list[Line]:
    if not plot.crosses:
        return []
    return [line for line in plot.lines if any(spot.y is None for spot in line.spots)]


def _crosses(crossed: Sequence[Line], across: Scale, form: _Form, top: float) -> Iterator[str]:
    """A line of crosses for each line with points without a result, and its name behind them."""
    for place, line in enumerate(crossed):
        y = top + GAP * (place + 0.7)
        missing = [spot for spot in line.spots if spot.y is None]
        marks = [
            group(words(across.at(spot.x), y, "✕", f"sm m {style.fill(line.arm)}"), tip=spot.tip)
            for spot in missing
        ]
        if form.named:
            room = form.total - form.right - _BESIDE
            text = cut(f"✕ {line.name}", room, SMALL)
            left = form.right + _BESIDE
            marks.append(words(left, y, text, f"sm i {style.fill(line.arm)}"))
        yield group("".join(marks), arm=line.arm)


def _notes(plot: Plot, across: Scale, form: _Form, top: float, bottom: float) -> Iterator[str]:
    middle = (form.left + form.right) / 2
    for place, note in enumerate(plot.notes):
        x = across.at(note.x)
        yield segment((x, top), (x, bottom), f"{style.stroke(note.arm)} dc")
        kind, left = ("", x + 5) if x < middle else ("e ", x - 5)
        y = top + 11 + GAP * (place % 3)
        yield words(left, y, note.words, f"{kind}sm halo {style.fill(note.arm)}")


def _names(
    plot: Plot, across: Scale, up: Scale, form: _Form, ends: tuple[float, float]
) -> Iterator[str]:
    """The name of each line beside its last point, apart from the others."""
    last: dict[str, tuple[float, float, int]] = {}
    for line in plot.lines:
        for spot in line.spots:
            x = across.at(spot.x)
            known = spot.y is not None and line.name
            if known and (line.name not in last or x >= last[line.name][0]):
                last[line.name] = (x, up.at(spot.y or 0.0), line.arm)
    places = spread({name: at[1] for name, at in last.items()}, ends[1] - 4, top=ends[0] + 4)
    left = form.right + _BESIDE
    for name, y in places.items():
        x, own, arm = last[name]
        parts = []
        if abs(y - own) > _MOVED or x < form.right - 2 * _BESIDE:
            tie = f"M{px(x + 6)} {px(own)}H{px(max(form.right, x + 6))}L{px(left - 3)} {px(y)}"
            parts.append(path(tie, f"{style.stroke(arm)} lead"))
        text = cut(name, form.total - left, bold=True)
        parts.append(words(left, y + 4.5, text, f"b {style.fill(arm)}"))
        yield group("".join(parts), arm=arm)


def _key(
    plots: Sequence[Plot], names: Sequence[tuple[str, int]], total: float, hollow: str
) -> tuple[str, float]:
    """The names above the plots, and the meaning of hollow points and crosses; their height."""
    spots = [spot for plot in plots for line in plot.lines for spot in line.spots]
    entries = [Entry(point(shape_of(arm), (5, -4), arm), name, arm) for name, arm in names]
    entries += starts(line.start for plot in plots for line in plot.lines)
    if any(spot.hollow and spot.y is not None for spot in spots):
        entries.append(Entry(point(CIRCLE, (5, -4), None, hollow=True), hollow))
    if any(spot.bound for spot in spots):
        entries.append(Entry("", BOUND))
    if any(line.dash for plot in plots for line in plot.lines):
        entries.append(Entry(path("M-4 -4h18", "ax thin dc"), DASHED))
    if any(spot.y is None for plot in plots if plot.crosses for spot in _spots(plot)):
        entries.append(Entry("", CROSS))
    return drawn_key(entries, total)


def _spots(plot: Plot) -> Iterator[Spot]:
    return (spot for line in plot.lines for spot in line.spots)
