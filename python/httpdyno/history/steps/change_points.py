"""Change points of a series, as Apache Otava finds them: E-divisive means, then a t-test.

Fleming et al., "Hunter: Using Change Point Detection to Hunt for Performance Regressions", ICPE
2023: divide in windows at a weak level, then remove what a strict level does not show. Three things
differ from Otava 0.8: a part has two runs at least, so that one odd run is no change and hides
none; a step that is soon undone is found; and the variances are unbiased (Otava divides by n),
which matters for short series.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from httpdyno.history.steps.divisive import divide
from httpdyno.history.steps.scan import LEAST
from httpdyno.history.steps.student import p_value, ratio_interval
from httpdyno.statistics.intervals import geometric_mean
from httpdyno.statistics.noise.moments import mean

SEARCHED = 6
"""Runs from which on a series is searched: with fewer, no change is clear enough at `MOST_P`."""
MOST_P = 0.001
_WEAK_P = 10 * MOST_P
_WINDOW = 50


@dataclass(frozen=True)
class ChangePoint:
    """A lasting change of the mean, from the run at `index` on."""

    index: int
    before: float
    """Geometric mean of the part that ends before it, so that the interval is of `change`; the mean
    where a value is 0."""
    after: float
    """That of the part that begins with it."""
    p: float
    interval: tuple[float, float] | None = None
    """95 % interval of the change; None where a value is 0. The split was chosen by the data, which
    it does not know."""

    @property
    def change(self) -> float:
        """Relative to the mean before: -0.08 is 8 % less."""
        if self.before == 0:
            return 0.0 if self.after == 0 else float("inf")
        return self.after / self.before - 1


def change_points(
    values: Sequence[float], *, within: Sequence[float] | None = None
) -> list[ChangePoint]:
    """The change points of a series in the order of time; none with fewer than `SEARCHED` runs.

    `within` has the variances of `ScaledSeries`, for the intervals of the changes.
    """
    if len(values) < SEARCHED:
        return []
    cuts = sorted(_weak(values))
    while cuts:
        found = points_at(values, cuts, within)
        weakest = max(found, key=lambda one: one.p)
        if weakest.p < MOST_P:
            return found
        cuts.remove(weakest.index)
    return []


def points_at(
    values: Sequence[float], cuts: Sequence[int], within: Sequence[float] | None = None
) -> list[ChangePoint]:
    """The change points of a series that is divided at these places."""
    edges = list(pairwise([0, *cuts, len(values)]))
    parts = [values[start:end] for start, end in edges]
    own = [[] if within is None else within[start:end] for start, end in edges]
    found = []
    for at, cut in enumerate(cuts):
        left, right = parts[at], parts[at + 1]
        ratio = ratio_interval(parts, own, at)
        found.append(
            ChangePoint(
                index=cut,
                before=level(left),
                after=level(right),
                p=p_value(left, right) if min(len(left), len(right)) >= LEAST else 1.0,
                interval=None if ratio is None else (ratio[0] - 1, ratio[1] - 1),
            )
        )
    return found


def _weak(values: Sequence[float]) -> set[int]:
    """The cuts of windows that overlap by half; a long series would hide its short parts."""
    found: set[int] = set()
    start = 0
    while start < len(values):
        inside = divide(values[start : start + _WINDOW], _WEAK_P, LEAST)
        found |= {start + cut for cut in inside}
        start += max([_WINDOW // 2, *inside])
    return found


def level(values: Sequence[float]) -> float:
    """The level of a part: its geometric mean; the mean where a value is 0."""
    found = geometric_mean(values) if min(values) > 0 else None
    return mean(values) if found is None else found
