"""A row for each cell: the estimate, its interval, every trial as a small dot, and its words.

On a wide page the words are beside the marks, on a narrow one above them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from httpdyno.report.charts.drawing import scales, style
from httpdyno.report.charts.drawing.letters import SMALL, cut, widest, width, wrap_text
from httpdyno.report.charts.drawing.scales import Scale
from httpdyno.report.charts.drawing.shapes import CIRCLE, point
from httpdyno.report.charts.drawing.svg import (
    dots,
    escape_text,
    group,
    path,
    px,
    segment,
    stack_rows,
    translate,
    words,
)

MOST_UNSORTED = 8
"""More rows than this are sorted by value; fewer keep the order of the study."""
HOLLOW = "hollow: suspect"
_GAP, _TIE, _MOST_TIES = 10.0, 8.0, 8
_TALL, _LOW, _DOUBLE, _TRIPLE = 32.0, 27.0, 46.0, 62.0
"""Heights of a row; low where there are more than ten, double where its words are above it, triple
where its name has a line of its own."""
_KEY, _AXIS, _LINE = 24.0, 44.0, 16.0
_WORDS_OVER = 20.0
"""Height of the words above the marks of a row."""
_NAMES_SHARE, _WORDS_SHARE = 0.36, 0.36
_LEAST_COLUMN = 70.0
"""Room for marks in a column of several; with less, the columns stand below one another."""
_SMALL_LINE, _MOST_LINES = 15.0, 5
"""Height of a line below a heading, and the most of them."""


@dataclass(frozen=True)
class Mark:
    """One number of a row, in the unit of the axis."""

    value: float
    low: float | None = None
    high: float | None = None
    dots: tuple[float, ...] = ()
    hollow: bool = False
    shape: int = CIRCLE


@dataclass(frozen=True)
class Row:
    """One cell. Without marks, its words say why: `no result`."""

    name: str
    arm: int | None
    """Place among the arms of the study, which is its colour; None: no arm of it, grey."""
    marks: tuple[Mark, ...]
    words: str
    aside: str = ""
    """Small words behind the others: an interval."""
    tip: str = ""
    grey: bool = False
    """True: not in the colour of its arm."""

    @property
    def colour(self) -> int | None:
        """The arm whose colour it has; None: grey."""
        return None if self.grey else self.arm


@dataclass(frozen=True)
class RowsPlot:
    """Rows that share an axis."""

    rows: Sequence[Row]
    axis: str
    """Name and unit of the axis."""
    ratios: bool = False
    """The axis is that of ratios, with a line at 1."""
    ties: Sequence[Sequence[int]] = ()
    """Groups of rows, by their places, without a difference within a group."""
    key: Sequence[tuple[int, str]] = ()
    """Shapes and their words, if there are several."""
    named: bool = True
    """False: the names are beside another plot."""
    heading: tuple[str, str] | None = None
    """A title and small words above the plot, if there are several plots in the chart."""
    hollow: str = HOLLOW
    """The meaning of a hollow point."""
    keyed: bool = False
    """True: room for a key, although this plot has none."""


@dataclass(frozen=True)
class Drawing:
    """A drawing without its frame."""

    body: str
    height: float
    log: bool


@dataclass(frozen=True)
class _Form:
    """Places within a drawing, CSS pixels."""

    width: float
    names: float
    """Room for the names, at the left."""
    words: float
    """Room for the words, at the right."""
    ties: int
    top: float
    row: float
    double: bool
    triple: bool = False

    @property
    def left(self) -> float:
        return self.names + _GAP

    @property
    def right(self) -> float:
        return self.width - self.words - _GAP - self.ties * _TIE

    def middle(self, place: int) -> float:
        """The line of a row's marks."""
        share = 0.69 if self.triple else 0.58 if self.double else 0.4
        return self.top + self.row * place + share * self.row


def draw_rows(
    plot: RowsPlot, total: float, *, above: float = 0.0, double: bool | None = None
) -> Drawing:
    """The plot, `total` pixels wide. `above`: room at the top, for a heading of several lines.

    `double`: the words are above the marks (default: where the drawing is narrow).
    """
    double = total < style.TWO_LINES if double is None else double
    form = _form(plot, total, above, double=double)
    scale = _scale(plot, form)
    bottom = form.top + form.row * max(1, len(plot.rows))
    rows = [_row(row, place, form, scale, plot) for place, row in enumerate(plot.rows)]
    body = stack_rows(
        form.row,
        "".join([*_heading(plot, form), *_key(plot, above)]),
        "".join(_grid(plot, form, scale, bottom)),
        "".join([*rows, *_ties(plot, form)]),
        "".join(_axis(plot, form, scale, bottom)),
    )
    more = _LINE * (len(_title(plot, form, scale)) - 1)
    return Drawing(body, bottom + _AXIS + more, scale.log)


def side_by_side(plots: Sequence[RowsPlot], total: float) -> Drawing:
    """Plots of the same rows: beside one another, or below where there is no room."""
    names = min(_NAMES_SHARE * total, widest(row.name for row in plots[0].rows)) + _GAP
    widths = [widest(row.words for row in plot.rows) for plot in plots]
    room = (total - names - sum(widths)) / len(plots)
    if total < style.TWO_LINES or room < _LEAST_COLUMN:
        drawn, at, log = [], 0.0, False
        for plot in plots:
            one = draw_rows(_alone(plot), total, above=_above(plot, total))
            drawn.append(translate(one.body, 0, at))
            at, log = at + one.height + _GAP, log or one.log
        return Drawing("".join(drawn), at, log)
    wide = [room + one for one in widths]
    above = max(_above(plot, one - _GAP) for plot, one in zip(plots, wide, strict=True))
    first = draw_rows(plots[0], names + wide[0], above=above, double=False)
    others = [
        draw_rows(plot, one - _GAP, above=above, double=False)
        for plot, one in zip(plots[1:], wide[1:], strict=True)
    ]
    bodies = [first.body] + [
        translate(one.body, names + sum(wide[:place]) + _GAP, 0)
        for place, one in enumerate(others, 1)
    ]
    every = [first, *others]
    return Drawing("".join(bodies), max(o.height for o in every), any(o.log for o in every))


def _alone(plot: RowsPlot) -> RowsPlot:
    """The plot with names, without the rows that have nothing to show."""
    rows = [row for row in plot.rows if row.marks or row.words]
    return replace(plot, rows=rows, named=True, keyed=False)


def _form(plot: RowsPlot, total: float, above: float, *, double: bool) -> _Form:
    keyed = bool(plot.key) or plot.keyed or _has_hollow(plot)
    top = above + (_KEY if keyed else 4.0)
    ties = min(_MOST_TIES, len(_tie_columns(plot.ties)))
    if double:
        room = total - ties * _TIE - 2 * _GAP
        over = any(width(one.name) + width(one.words) > room for one in plot.rows)
        row = _TRIPLE if over else _DOUBLE
        return _Form(total, 0.0, 0.0, ties, top, row, double=True, triple=over)
    row = _TALL if len(plot.rows) <= 10 else _LOW
    names = widest(one.name for one in plot.rows) if plot.named else 0.0
    if plot.heading is not None:
        # A column of several has no room for the intervals; the tooltips have them.
        names = min(names, 0.6 * total)
        longest = widest(one.words for one in plot.rows)
        return _Form(total, names, longest, ties, top, row, double=False)
    beside = max((_words_width(one) for one in plot.rows), default=0.0)
    room = max(min(beside, _WORDS_SHARE * total), widest(one.words for one in plot.rows))
    return _Form(total, min(names, _NAMES_SHARE * total), room, ties, top, row, double=False)


def _words_width(row: Row) -> float:
    return width(row.words) + (width(row.aside, SMALL) + 6 if row.aside else 0.0)


def _scale(plot: RowsPlot, form: _Form) -> Scale:
    values = [
        value
        for row in plot.rows
        for mark in row.marks
        for value in (mark.value, mark.low, mark.high, *mark.dots)
        if value is not None
    ]
    if plot.ratios:
        return scales.ratios([one for one in values if one > 0], form.left, form.right)
    return scales.fitting(values, form.left, form.right)


def _heading(plot: RowsPlot, form: _Form) -> Iterator[str]:
    if plot.heading is not None:
        left = 0.0 if form.double else form.left
        room = form.width - left
        yield words(left, 14, cut(plot.heading[0], room, bold=True), "b")
        for line, text in enumerate(wrap_text(plot.heading[1], room, SMALL)[:_MOST_LINES]):
            yield words(left, 31 + _SMALL_LINE * line, text, "sm mu")


def _above(plot: RowsPlot, room: float) -> float:
    """The height of a heading."""
    lines = wrap_text(plot.heading[1], room, SMALL) if plot.heading else []
    return 28.0 + _SMALL_LINE * min(_MOST_LINES, len(lines))


def _key(plot: RowsPlot, above: float) -> Iterator[str]:
    """The shapes in words, and that a hollow point is suspect."""
    entries = [(shape, text, False) for shape, text in plot.key]
    if _has_hollow(plot):
        entries.append((CIRCLE, plot.hollow, True))
    at = 6.0
    for shape, text, hollow in entries:
        yield point(shape, (at, above + 9), None, hollow=hollow)
        yield words(at + 10, above + 13, text, "sm mu")
        at += 30 + width(text, SMALL)


def _has_hollow(plot: RowsPlot) -> bool:
    return any(mark.hollow for row in plot.rows for mark in row.marks)


def _grid(plot: RowsPlot, form: _Form, scale: Scale, bottom: float) -> Iterator[str]:
    bands = list(_bands(plot, form, bottom))
    upright = "".join(
        f"M{px(scale.at(tick))} {px(top)}V{px(end)}" for tick in scale.ticks for top, end in bands
    )
    across = "".join(
        f"M0 {px(form.top + form.row * place)}H{px(form.width)}"
        for place in range(1, len(plot.rows))
    )
    yield path(upright + across, "grid")
    if plot.ratios:
        one = px(scale.at(1.0))
        yield path("".join(f"M{one} {px(top)}V{px(end)}" for top, end in bands), "ref")


def _bands(plot: RowsPlot, form: _Form, bottom: float) -> Iterator[tuple[float, float]]:
    """The heights of upright lines: no line crosses words that stand above the marks."""
    if not form.double:
        yield form.top, bottom
        return
    over = _WORDS_OVER + (_LINE if form.triple else 0.0)
    for place in range(len(plot.rows)):
        yield form.top + form.row * place + over, form.top + form.row * (place + 1)


def _axis(plot: RowsPlot, form: _Form, scale: Scale, bottom: float) -> Iterator[str]:
    sign = "×" if plot.ratios else ""
    last = -1e9
    for tick in scale.ticks:
        text, at = scales.label(tick) + sign, scale.at(tick)
        half = width(text, SMALL) / 2
        at = min(max(at, half), form.width - half)
        if at - half > last + 6:
            yield words(at, bottom + 17, text, "sm mu m")
            last = at + half
    left = 0.0 if form.double else form.left
    for line, text in enumerate(_title(plot, form, scale)):
        yield words(left, bottom + 36 + _LINE * line, text)


def _title(plot: RowsPlot, form: _Form, scale: Scale) -> list[str]:
    """The name of the axis, in as many lines as it needs."""
    title = f"{plot.axis}, log scale" if scale.log else plot.axis
    return wrap_text(title, form.width - (0.0 if form.double else form.left))


def _row(row: Row, place: int, form: _Form, scale: Scale, plot: RowsPlot) -> str:
    y = form.middle(place)
    parts = [*_names(row, place, form, plot)]
    marks = [part for mark in row.marks for part in _mark(mark, row, y, scale)]
    if len(row.marks) > 1:
        ends = [scale.at(mark.value) for mark in row.marks]
        marks.insert(0, segment((min(ends), y), (max(ends), y), f"{style.stroke(row.colour)} lead"))
    return group("".join([*parts, *marks]), tip=row.tip, arm=row.arm, part="row")


def _names(row: Row, place: int, form: _Form, plot: RowsPlot) -> Iterator[str]:
    """The name of a row, and its words."""
    missing = " i mu" if not row.marks else ""
    if form.double:
        y = form.top + form.row * place + 15
        end = form.right if form.ties else form.width  # no bracket crosses the words
        name = end if form.triple else end - width(row.words) - _GAP
        taken = 0.0 if form.triple else min(width(row.name), name) + _GAP
        aside = row.aside if taken + _words_width(row) <= end else ""
        yield words(0, y, cut(row.name, name), "halo")
        yield _row_words(row.words, aside, end, y + 16 * form.triple, f"e halo{missing}")
        return
    y = form.middle(place) + 4.5
    if plot.named:
        yield words(form.names, y, cut(row.name, form.names + 1), "e")
    left = form.width - form.words
    text = cut(row.words, form.words + 1)
    aside = row.aside if _words_width(row) <= form.words + 1 else ""
    yield _row_words(text, aside, left, y, missing.strip())


def _row_words(text: str, aside: str, x: float, y: float, classes: str) -> str:
    """The words of a row, the interval in small."""
    line = words(x, y, text, classes)
    if not aside:
        return line
    small = f'<tspan class="sm mu" dx="5">{escape_text(aside)}</tspan>'
    return line.removesuffix("</text>") + small + "</text>"


def _mark(mark: Mark, row: Row, y: float, scale: Scale) -> Iterator[str]:
    """The interval, the trials below it, and the estimate."""
    if mark.low is not None and mark.high is not None:
        ends = (scale.at(mark.low), y), (scale.at(mark.high), y)
        yield segment(*ends, f"{style.stroke(row.colour)} bar")
    if mark.dots:
        yield dots(list(map(scale.at, mark.dots)), y + 9, f"{style.stroke(row.colour)} dot")
    yield point(mark.shape, (scale.at(mark.value), y), row.colour, hollow=mark.hollow)


def _ties(plot: RowsPlot, form: _Form) -> Iterator[str]:
    """A bracket beside the rows of each group without a shown difference."""
    for place, column in enumerate(_tie_columns(plot.ties)[: form.ties]):
        x = form.right + _GAP / 2 + _TIE * (place + 0.5)
        for tie in column:
            rows = [form.middle(one) for one in tie]
            ends = "".join(f"M{px(x)} {px(y)}h-4" for y in rows)
            line = f"M{px(x)} {px(rows[0])}V{px(rows[-1])}{ends}"
            yield f'<path class="ax" data-tie="{" ".join(map(str, tie))}" d="{line}"/>'


def _tie_columns(ties: Sequence[Sequence[int]]) -> list[list[list[int]]]:
    """The groups in columns, so that no two brackets of a column share a row."""
    columns: list[list[list[int]]] = []
    for tie in sorted(map(sorted, ties)):
        free = next((column for column in columns if column[-1][-1] < tie[0]), None)
        if free is None:
            columns.append([tie])
        else:
            free.append(tie)
    return columns
