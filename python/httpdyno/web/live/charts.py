"""Small line charts over time, as SVG without any style of its own: the page's style sheet has it.

The drawing is stretched to the width of the page; so the labels are text beside it, which keeps its
size on a phone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

WIDTH, HEIGHT = 600, 120
MOST_POINTS = 240
_ROUND = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12)

Point = tuple[float, float | None]
"""Place on the x axis, and value; None: there is no value here."""


@dataclass(frozen=True)
class Line:
    """One line of a chart."""

    name: str
    points: Sequence[Point]


@dataclass(frozen=True)
class Chart:
    """A drawing with its labels."""

    slug: str
    title: str
    names: Sequence[str]
    """Of the lines, in the order of their colours."""
    svg: Markup
    top: str
    bottom: str
    left: str
    right: str
    latest: Sequence[str]
    """The last value of each line."""


def chart(
    slug: str,
    title: str,
    lines: Sequence[Line],
    words: Callable[[float], str],
    *,
    log: bool = False,
    most: float | None = None,
    span: tuple[float, float] | None = None,
    x_words: Callable[[float], str] = lambda at: f"{at:.0f} s",
) -> Chart:
    """A chart of lines. `words` writes a value with its unit; `log`: a logarithmic axis;
    `span`: the ends of the x axis, if not those of the points."""
    thinned = [Line(line.name, _thinned(line.points)) for line in lines]
    values = [value for line in thinned for _, value in line.points if value is not None]
    values = [value for value in values if _drawable(value, log)]
    places = list(span or [at for line in thinned for at, _ in line.points] or [0.0])
    high = _round_up(max([*values, most or 0.0], default=0.0) or 1.0)
    low = min(values, default=high / 10) if log else 0.0
    if low >= high:
        low = high / 10
    first, last = min(places), max(*places, min(places) + 1)
    paths = [
        Markup('<path class="line line-{}{}" d="{}"/>').format(
            number,
            " alone" if len(line.points) == 1 else "",
            _path(line.points, (first, last), (low, high), log=log),
        )
        for number, line in enumerate(thinned)
    ]
    svg = Markup(
        '<svg viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>'
    ).format(WIDTH, HEIGHT, title, Markup().join(paths))
    return Chart(
        slug=slug,
        title=title,
        names=[line.name for line in lines],
        svg=svg,
        top=words(high),
        bottom=words(low),
        left=x_words(first),
        right=x_words(last),
        latest=[_latest(line.points, words) for line in lines],
    )


def _round_up(value: float) -> float:
    """The next round number, so that no line is under the label at the top."""
    if not 1e-200 < value < 1e200:
        return value
    power = 10.0 ** math.floor(math.log10(value))
    return next((step * power for step in _ROUND if step * power >= value), value)


def _path(
    points: Sequence[Point], x: tuple[float, float], y: tuple[float, float], *, log: bool
) -> str:
    """The `d` of a path; where there is no value, the line is interrupted."""
    scale = math.log if log else float
    bottom, top = scale(y[0]), scale(y[1])
    steps, begun = [], False
    for at, value in points:
        if value is None or not _drawable(value, log):
            begun = False
            continue
        across = (at - x[0]) / (x[1] - x[0]) * WIDTH
        up = (scale(max(value, y[0])) - bottom) / (top - bottom) if top > bottom else 0.0
        steps.append(f"{'L' if begun else 'M'}{across:.1f} {HEIGHT * (1 - min(1.0, up)):.1f}")
        if not begun:
            steps.append("h0.01")  # a point alone is a dot
        begun = True
    return "".join(steps)


def _thinned(points: Sequence[Point]) -> list[Point]:
    """At most `MOST_POINTS`; the highest value of each group stays."""
    size = math.ceil(len(points) / MOST_POINTS)
    if size <= 1:
        return list(points)
    groups = (points[start : start + size] for start in range(0, len(points), size))
    return [
        max(group, key=lambda point: -1.0 if point[1] is None else point[1]) for group in groups
    ]


def _drawable(value: float, log: bool) -> bool:
    return math.isfinite(value) and (value > 0 or not log)


def _latest(points: Sequence[Point], words: Callable[[float], str]) -> str:
    value = points[-1][1] if points else None
    return "–" if value is None else words(value)
