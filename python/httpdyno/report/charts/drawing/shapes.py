"""Points: a shape for each arm, so that colour is never the only difference."""

from __future__ import annotations

from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.svg import path, px

_RADIUS = 4.6
CIRCLE, SQUARE, UP, DIAMOND, DOWN, PLUS = range(6)
SHAPES = 6


def shape_of(arm: int) -> int:
    """The shape of an arm. With eight colours, 24 arms have looks of their own."""
    return arm % SHAPES


def point(
    shape: int,
    place: tuple[float, float],
    arm: int | None,
    *,
    hollow: bool = False,
    radius: float = _RADIUS,
) -> str:
    """A point in the colour of an arm; hollow: it is suspect."""
    classes = f"{style.stroke(arm)} hol" if hollow else style.fill(arm)
    x, y = place
    if shape == CIRCLE:
        about = f'cx="{px(x)}" cy="{px(y)}" r="{px(radius)}"'
        return f'<circle class="{classes}" {about}/>'
    return path(_outline(shape, x, y, radius), f"{classes} pt")


def _outline(shape: int, x: float, y: float, r: float) -> str:
    if shape == SQUARE:
        side = 1.8 * r
        return f"M{px(x - side / 2)} {px(y - side / 2)}h{px(side)}v{px(side)}h{px(-side)}z"
    if shape in (UP, DOWN):
        turn = 1.0 if shape == UP else -1.0
        high, half = 2.1 * r * turn, 1.25 * r
        return f"M{px(x)} {px(y - 1.25 * r * turn)}l{px(half)} {px(high)}h{px(-2 * half)}z"
    if shape == DIAMOND:
        d = px(1.35 * r)
        return f"M{px(x)} {px(y - 1.35 * r)}l{d} {d}l-{d} {d}l-{d} -{d}z"
    thin, long = 0.45 * r, 1.25 * r
    arm, across = px(long - thin), px(2 * thin)
    corner = f"M{px(x - thin)} {px(y - long)}"
    return (
        f"{corner}h{across}v{arm}h{arm}v{across}h-{arm}v{arm}h-{across}v-{arm}h-{arm}v-{across}"
        f"h{arm}z"
    )
