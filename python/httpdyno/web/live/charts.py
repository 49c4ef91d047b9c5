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
_ABOVE = 1.1
"""The lowest value of a logarithmic axis is by this factor above its end, or by more."""

Point = tuple[float, float | None]
"""Place on the x axis, and value; None: there is no value here."""


@dataclass(frozen=True)
class Line:
    """One line of a chart."""

    name: str
    points: Sequence[Point]
    column: int = 0
    """Its column in the points that the page gets later."""


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


@dataclass(frozen=True)
class Axes:
    """The ends of both axes."""

    first: float
    last: float
    low: float
    high: float
    log: bool = False

    @classmethod
    def around(
        cls,
        values: Sequence[float],
        span: tuple[float, float],
        log: bool = False,
        most: float | None = None,
    ) -> Axes:
        """Axes with room for these values; that of times is at least one second long."""
        high = _round_up(max([*values, most or 0.0], default=0.0) or 1.0)
        low = 0.0
        if log:
            low = _round_down(min(values, default=high / 10))
            low = low if low < high else high / 10
        return cls(span[0], max(span[1], span[0] + 1), low, high, log)

    @property
    def ends(self) -> tuple[float, float, float, float]:
        """From left to right, from the bottom to the top."""
        return self.first, self.last, self.low, self.high

    def labels(
        self,
        words: Callable[[float], str],
        x_words: Callable[[float], str] = lambda at: f"{at:.0f} s",
    ) -> tuple[str, str, str, str]:
        """Of the top, the bottom, the left and the right end."""
        return words(self.high), words(self.low), x_words(self.first), x_words(self.last)


def chart(
    slug: str,
    title: str,
    lines: Sequence[Line],
    words: Callable[[float], str],
    axes: Axes | None = None,
    *,
    joined: bool = False,
    **labels: Callable[[float], str],
) -> Chart:
    """A chart of lines. `words` writes a value with its unit; `axes`: if they are not those of the
    points; `joined`: a value that is missing is no gap; `x_words` writes a place on the x axis."""
    thinned = [Line(line.name, _thin(line.points), line.column) for line in lines]
    if axes is None:
        points = [point for line in thinned for point in line.points]
        values = [value for _, value in points if value is not None and math.isfinite(value)]
        places = [at for at, _ in points] or [0.0]
        axes = Axes.around(values, (min(places), max(places)))
    top, bottom, left, right = axes.labels(words, **labels)
    return Chart(
        slug=slug,
        title=title,
        names=[line.name for line in lines],
        svg=_svg(title, thinned, axes, joined=joined),
        top=top,
        bottom=bottom,
        left=left,
        right=right,
        latest=[_latest(line.points, words) for line in lines],
    )


def _svg(title: str, lines: Sequence[Line], axes: Axes, *, joined: bool) -> Markup:
    """The drawing; a script draws its lines anew from the columns that they name."""
    paths = [
        Markup('<path class="line line-{}{}" data-column="{}" d="{}"/>').format(
            number,
            " alone" if len(line.points) == 1 else "",
            line.column,
            _path(line.points, axes),
        )
        for number, line in enumerate(lines)
    ]
    return Markup(
        '<svg viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}"'
        " {} {}>{}</svg>"
    ).format(
        WIDTH,
        HEIGHT,
        title,
        "data-log" if axes.log else "",
        "data-joined" if joined else "",
        Markup().join(paths),
    )


def _round_up(value: float) -> float:
    """The next round number, so that no line is under the label at the top."""
    if not 1e-200 < value < 1e200:
        return value
    power = 10.0 ** math.floor(math.log10(value))
    return next((step * power for step in _ROUND if step * power >= value), value)


def _round_down(value: float) -> float:
    """The next round number below, so that no line is on the axis."""
    if not 1e-200 < value < 1e200:
        return value
    power = 10.0 ** math.floor(math.log10(value))
    below = [step * power for step in (0.8, *_ROUND) if step * power < value / _ABOVE]
    return below[-1]


def _path(points: Sequence[Point], axes: Axes) -> str:
    """The `d` of a path; where there is no value, the line is interrupted."""
    scale = math.log if axes.log else float
    bottom, top = scale(axes.low), scale(axes.high)
    steps, begun = [], False
    for at, value in points:
        if value is None or not _drawable(value, axes.log):
            begun = False
            continue
        across = (at - axes.first) / (axes.last - axes.first) * WIDTH
        up = (scale(max(value, axes.low)) - bottom) / (top - bottom) if top > bottom else 0.0
        steps.append(f"{'L' if begun else 'M'}{across:.1f} {HEIGHT * (1 - min(1.0, up)):.1f}")
        if not begun:
            steps.append("h0.01")  # a point alone is a dot
        begun = True
    return "".join(steps)


def _thin(points: Sequence[Point]) -> list[Point]:
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
