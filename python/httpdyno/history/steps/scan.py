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
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from httpdyno.history.steps.order import shown_by_order
from httpdyno.history.steps.student import Values
from httpdyno.statistics import student
from httpdyno.statistics.claims.holm import ALPHA

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
_ANGLES = (np.arange(360) + 0.5) / 360 * math.pi
_TINY = 1e-12


@dataclass(frozen=True)
class Scan:
    """The clearest step of a series, and the chance of one so clear where there is none."""

    p: float
    cuts: tuple[int, ...]
    """The first run of the step; and of its undoing, if it was undone."""


@dataclass(frozen=True)
class Scaled:
    """A series on the scale on which its steps are tested."""

    values: Values
    """Logarithms; plain values if one of them is 0 or less."""
    within: Values
    """Variance of each by the interval of its own run; 0 where it has none."""
    logarithmic: bool
    known: tuple[int, ...] = ()
    """The runs from which on another version of the server was measured."""

    @property
    def spread(self) -> float:
        """Standard deviation from run to run."""
        return float(self.values.std(ddof=1))


def scan(series: Scaled, beside: int = 1) -> Scan:
    """Tries every division of one of `beside` series that are judged together.

    Chance 1 and no step for fewer than `FEWEST` runs, and where the order of the runs does not
    show it.
    """
    count = len(series.values)
    if count < FEWEST:
        return Scan(1.0, ())
    cut, t = _clearest_cut(series, _cuts(count))
    found = [Scan(_chance(t, count, undone=False), (cut,))]
    if (known := _known(series)).size:
        cut, t = _clearest_cut(series, known)
        found.append(Scan(known.size * student.p_value(t, count - 2), (cut,)))
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
        or shown_by_order(series.values, one.cuts, LEAST, most)
    ]
    return min(kept, key=lambda one: one.p, default=Scan(1.0, ()))


def critical(level: float, series: Scaled) -> float:
    """The t of a lasting step at an unknown place at which `scan` has the chance 1 - `level`."""
    count = len(series.values)
    families = 1 + bool(_known(series).size) + (count >= ORDERED_FROM)
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


def _cuts(count: int) -> NDArray[np.intp]:
    return np.arange(LEAST, count - LEAST + 1)


def _known(series: Scaled) -> NDArray[np.intp]:
    """The places of known changes; none if they are many, since then they say nothing."""
    cuts = _cuts(len(series.values))
    known = np.intersect1d(cuts, np.array(series.known, dtype=np.intp))
    return known if known.size <= len(cuts) / 3 else known[:0]


def _clearest_cut(series: Scaled, cuts: NDArray[np.intp]) -> tuple[int, float]:
    sums, squares = _sums(series.values), _sums(series.within)
    t = _t(series, cuts, sums[cuts], squares[cuts])
    best = int(np.argmax(t))
    return int(cuts[best]), float(t[best])


def _clearest_stretch(series: Scaled) -> tuple[int, int, float]:
    sums, squares = _sums(series.values), _sums(series.within)
    begins, ends = _stretches(len(series.values))
    t = _t(series, ends - begins, sums[ends] - sums[begins], squares[ends] - squares[begins])
    best = int(np.argmax(t))
    return int(begins[best]), int(ends[best]), float(t[best])


@lru_cache(maxsize=64)
def _stretches(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first runs of all stretches, and the runs that follow them."""
    longest = _longest(count)
    begins, ends = np.triu_indices(longest + 1, LEAST)
    first = count - LEAST - longest
    return begins + first, ends + first


def _longest(count: int) -> int:
    """The longest stretch that has runs on both sides."""
    return min(count - 2 * LEAST, _MOST_PLACES)


def _sums(values: Values) -> Values:
    return np.concatenate([[0.0], values.cumsum()])


def _t(series: Scaled, inside: NDArray[np.intp], sums: Values, squares: Values) -> Values:
    """|t| of parts with `inside` runs, these sums of values and these sums of own variances."""
    values = series.values - series.values.mean()
    count, total = len(values), float((values**2).sum())
    outside = count - inside
    step = (sums - inside * series.values.mean()) * (1 / inside + 1 / outside)
    left = np.maximum(total - step**2 * inside * outside / count, 0.0)
    spread = np.sqrt(left / (count - 2) * (1 / inside + 1 / outside))
    own = np.sqrt(squares / inside**2 + (series.within.sum() - squares) / outside**2)
    finest = _FINEST * (1.0 if series.logarithmic else abs(series.values).max() or 1.0)
    return np.asarray(np.abs(step) / np.maximum(np.maximum(spread, own), finest))


def _chance(t: float, count: int, *, undone: bool) -> float:
    """An upper limit of the chance that any division of a series without a step has this t."""
    freedom = count - 2
    single = student.p_value(t, freedom)
    divisions, sizes, neighbours = _divisions(count, undone=undone)
    if single > ALPHA or single < _TINY:
        return min(1.0, divisions * single)
    together = float(neighbours @ _both(t * t / (t * t + freedom), sizes, count))
    return min(1.0, max(single, divisions * single - together))


@lru_cache(maxsize=256)
def _divisions(count: int, *, undone: bool) -> tuple[int, NDArray[np.intp], NDArray[np.intp]]:
    """The number of divisions; and the sizes of parts that also exist with one run more, with the
    number of such pairs."""
    if not undone:
        sizes = np.arange(LEAST, count - LEAST)
        return count - 2 * LEAST + 1, sizes, np.ones_like(sizes)
    longest = _longest(count)
    sizes = np.arange(LEAST, longest)
    pairs = longest - sizes
    return int((longest + 1 - np.arange(LEAST, longest + 1)).sum()), sizes, pairs


def _both(r_squared: float, sizes: NDArray[np.intp], count: int) -> Values:
    """The chance that a division with a part of this size, and that with one run more, both have
    so large an r.

    A series without a step points into a random direction of count - 1 dimensions; its part in the
    plane of the two is longer than s with the chance (1 - s²)^((count - 3) ÷ 2).
    """
    alike = np.sqrt(sizes * (count - sizes - 1) / ((sizes + 1) * (count - sizes)))
    other = np.abs(np.cos(_ANGLES - np.arccos(alike)[:, None]))
    nearest = np.minimum(np.abs(np.cos(_ANGLES)), other)
    rest = np.maximum(0.0, 1 - r_squared / np.maximum(nearest**2, _TINY))
    return np.asarray((rest ** ((count - 3) / 2)).mean(axis=1))
