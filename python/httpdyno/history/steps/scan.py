"""The test of a series for any lasting step: the largest t of all divisions, and its chance.

Three families of divisions are tried: the runs before a place against those from it on; the same at
the few places where the server's version changed; and the runs of a stretch against those on both
sides of it (a step that was undone). Each that a series has counts alike. The t of
a division is √f · r ÷ √(1 - r²), where r is the correlation of the series with the division, and
the divisions that differ by one run are alike. So the chance that any of them has so large an r is
at most the sum of their single chances, minus those of neighbours that have it together: Worsley,
"An improved Bonferroni inequality and applications", Biometrika 69 (1982).

The runs are taken as independent and roughly normal on a logarithmic scale, with a spread that only
the runs themselves show. A run's own interval does not know how far runs lie apart, so it proves no
step; but no step is more certain than the intervals of its runs allow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from httpdyno.compiled import compiled
from httpdyno.history.steps.order import is_shown_by_order
from httpdyno.statistics import student
from httpdyno.statistics.claims.holm import ALPHA
from httpdyno.statistics.noise.moments import deviation

FEWEST = 4
"""Runs that a step needs: two on each side."""
LEAST = 2
"""Runs on each side of a step."""
ORDERED_FROM = 8
"""Runs from which on the order of the runs must show a step too, and from which on a step that was
undone is looked for."""
_MOST_PLACES = 200
"""Stretches are tried among the newest runs, so many at most."""
_FINEST = 1e-6
"""Relative standard error that no step beats: equal numbers are no proof of a spread of zero."""
_TINY = 1e-12


@dataclass(frozen=True)
class Scan:
    """The clearest step of a series, and the chance of one so clear where there is none."""

    p: float
    cuts: tuple[int, ...]
    """The first run of the step; and of its undoing, if it was undone."""


@dataclass(frozen=True)
class ScaledSeries:
    """A series on the scale on which its steps are tested."""

    values: Sequence[float]
    """Logarithms; plain values if one of them is 0 or less."""
    within: Sequence[float]
    """Variance of each by the interval of its own run; 0 where it has none."""
    logarithmic: bool
    known: tuple[int, ...] = ()
    """The runs from which on another version of the server was measured."""

    @property
    def spread(self) -> float:
        """Standard deviation from run to run."""
        return deviation(self.values)

    @property
    def finest(self) -> float:
        """The least standard error of a step."""
        return _FINEST * (1.0 if self.logarithmic else max(map(abs, self.values)) or 1.0)


def scan(series: ScaledSeries, beside: int = 1) -> Scan:
    """Tries every division of one of `beside` series that are judged together.

    Chance 1 and no step for fewer than `FEWEST` runs, and where the order of the runs does not
    show it.
    """
    count = len(series.values)
    if count < FEWEST:
        return Scan(1.0, ())
    cut, t = _clearest_cut(series, list(_cuts(count)))
    found = [Scan(_chance(t, count, undone=False), (cut,))]
    if known := _known_places(series):
        cut, t = _clearest_cut(series, known)
        found.append(Scan(len(known) * student.p_value(t, count - 2), (cut,)))
    if count >= ORDERED_FROM:
        begin, end, t = _clearest_stretch(series)
        found.append(Scan(_chance(t, count, undone=True), (begin, end)))
    found = [Scan(min(1.0, len(found) * one.p), one.cuts) for one in found]
    most = ALPHA / beside
    kept = [
        one
        for one in found
        if one.p > ALPHA
        or count < ORDERED_FROM
        or is_shown_by_order(series.values, one.cuts, LEAST, most)
    ]
    return min(kept, key=lambda one: one.p, default=Scan(1.0, ()))


def critical(level: float, series: ScaledSeries) -> float:
    """The t of a lasting step at an unknown place at which `scan` has the chance 1 - `level`."""
    count = len(series.values)
    families = 1 + bool(_known_places(series)) + (count >= ORDERED_FROM)
    return _critical(round((1 - level) / families, 9), count)


@lru_cache(maxsize=1024)
def _critical(chance: float, count: int) -> float:
    low, high = 1e-3, 1e6
    for _ in range(50):
        middle = math.sqrt(low * high)
        if _chance(middle, count, undone=False) > chance:
            low = middle
        else:
            high = middle
    return high


def _cuts(count: int) -> range:
    return range(LEAST, count - LEAST + 1)


def _known_places(series: ScaledSeries) -> list[int]:
    """The places of known changes; none if they are many, since then they say nothing."""
    cuts = _cuts(len(series.values))
    known = [cut for cut in series.known if cut in cuts]
    return known if len(known) <= len(cuts) / 3 else []


def _clearest_cut(series: ScaledSeries, cuts: list[int]) -> tuple[int, float]:
    cut, t = compiled().clearest_cut(series.values, series.within, series.finest, cuts)
    return cut, t


def _clearest_stretch(series: ScaledSeries) -> tuple[int, int, float]:
    longest = _longest(len(series.values))
    begin, end, t = compiled().clearest_stretch(
        series.values, series.within, series.finest, LEAST, longest
    )
    return begin, end, t


def _longest(count: int) -> int:
    """The longest stretch that has runs on both sides."""
    return min(count - 2 * LEAST, _MOST_PLACES)


def _chance(t: float, count: int, *, undone: bool) -> float:
    """An upper limit of the chance that any division of a series without a step has this t."""
    freedom = count - 2
    single = student.p_value(t, freedom)
    divisions, neighbours = _divisions(count, undone=undone)
    if single > ALPHA or single < _TINY:
        return min(1.0, divisions * single)
    r_squared = t * t / (t * t + freedom)
    together = float(compiled().chance_of_neighbours(r_squared, count, neighbours))
    return min(1.0, max(single, divisions * single - together))


@lru_cache(maxsize=256)
def _divisions(count: int, *, undone: bool) -> tuple[int, list[tuple[int, int]]]:
    """The number of divisions; and the sizes of parts that also exist with one run more, with the
    number of such pairs."""
    if not undone:
        return count - 2 * LEAST + 1, [(size, 1) for size in range(LEAST, count - LEAST)]
    longest = _longest(count)
    pairs = [(size, longest - size) for size in range(LEAST, longest)]
    return sum(many + 1 for _, many in pairs) + 1, pairs
