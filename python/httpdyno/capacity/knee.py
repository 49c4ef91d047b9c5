"""The knee of a curve of latency against rate: where more load begins to cost more latency.

Kneedle (Satopää, Albrecht, Irwin and Raghavan, "Finding a 'Kneedle' in a Haystack", ICDCS
Workshops 2011): both axes are scaled to 0 to 1, and the knee of a curve that bends upwards is the
point furthest below the line from its first to its last point. Unlike a capacity it depends on no
limit, but on the range of the curve.
"""

from __future__ import annotations

from collections.abc import Sequence

FEWEST_POINTS = 5
LEAST_BEND = 0.1
"""A curve that is nowhere this far below its line has no knee (share of the height)."""


def knee(points: Sequence[tuple[float, float]]) -> float | None:
    """The x of the knee of (x, y) points; None for few points, or for a curve without one.

    The curve is smoothed to never fall (a running maximum): a latency that falls as the load
    grows is noise.
    """
    curve = _rising(sorted(points))
    if len(curve) < FEWEST_POINTS:
        return None
    (x0, y0), (x1, y1) = curve[0], curve[-1]
    if x1 <= x0 or y1 <= y0:
        return None
    bend, at = max(((x - x0) / (x1 - x0) - (y - y0) / (y1 - y0), x) for x, y in curve)
    return at if bend >= LEAST_BEND else None


def _rising(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    curve: list[tuple[float, float]] = []
    for x, y in points:
        curve.append((x, max(y, curve[-1][1]) if curve else y))
    return curve
