"""E-divisive means: where a series divides best into two different parts.

Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
Data", Journal of the American Statistical Association 109 (2014), sections 2.1 to 2.3, with the
exponent 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from httpdyno.compiled import compiled
from httpdyno.history.steps.student import p_value

_UNDONE = 1e-3
"""Both ends of such a step are chosen by the data, so chance finds more of them."""


class Split(NamedTuple):
    """A place to divide a series: its first part is `[:cut]`, its second `[cut:until]`."""

    divergence: float
    cut: int
    until: int
    """The values from here on are in neither part: the series may change back."""


def best_split(values: Sequence[float], least: int = 1) -> Split | None:
    """The split with the largest divergence; None for fewer than twice `least` values.

    The divergence is the energy distance of the two parts, times nm ÷ (n + m) for their lengths n
    and m (formula 5).
    """
    found = compiled().best_split(values, least)
    return None if found is None else Split(*found)


def divide(values: Sequence[float], most_p: float, least: int) -> list[int]:
    """Divides a series again and again at the largest divergence of any of its parts.

    Ends with the first division that the t-test does not show: at `most_p` against all that
    follows, or at a thousandth of it against what follows until the series changes again. Without
    the second, a step that is soon undone would hide behind its undoing.
    """
    cuts: list[int] = []
    while True:
        edges = [0, *cuts, len(values)]
        splits = [
            (split.divergence, start, start + split.cut, start + split.until, end)
            for start, end in pairwise(edges)
            if (split := best_split(values[start:end], least)) is not None
        ]
        if not splits:
            return cuts
        _, start, cut, until, end = max(splits, key=lambda one: one[0])
        left = values[start:cut]
        shown = p_value(left, values[cut:end]) <= most_p
        if not shown and p_value(left, values[cut:until]) > most_p * _UNDONE:
            return cuts
        cuts = sorted([*cuts, cut])
