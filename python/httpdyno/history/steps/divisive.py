"""E-divisive means: where a series divides best into two different parts.

Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
Data", Journal of the American Statistical Association 109 (2014), sections 2.1 to 2.3, with the
exponent 1.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from httpdyno.history.steps.student import Values, p_value

_UNDONE = 1e-3
"""Both ends of such a step are chosen by the data, so chance finds more of them."""


class Split(NamedTuple):
    """A place to divide a series: its first part is `[:cut]`, its second `[cut:until]`."""

    divergence: float
    cut: int
    until: int
    """The values from here on are in neither part: the series may change back."""


def divergences(values: Values, least: int) -> Values:
    """The divergence of `values[:t]` from `values[t:k]`, as a matrix over t and k.

    It is the energy distance of the two parts, times nm ÷ (n + m) for their lengths n and m
    (formula 5). Parts shorter than `least` give minus infinity.
    """
    count = len(values)
    # sums[t, k]: of the distances between each of the first t values and each of the first k.
    sums = np.zeros((count + 1, count + 1))
    sums[1:, 1:] = np.abs(values[:, None] - values[None, :]).cumsum(axis=0).cumsum(axis=1)
    places = np.arange(count + 1)
    n, m = places[:, None], places[None, :] - places[:, None]
    inner = np.diag(sums)
    across = sums - inner[:, None]
    left = np.broadcast_to(inner[:, None] / 2, sums.shape)
    right = (inner[None, :] - 2 * sums + inner[:, None]) / 2
    allowed = (n >= least) & (m >= least)
    size = np.where(allowed, n + m, 1)
    found = 2 / size * across
    found -= np.where(n > 1, 2 * m / (size * np.maximum(n - 1, 1)), 0.0) * left
    found -= np.where(m > 1, 2 * n / (size * np.maximum(m - 1, 1)), 0.0) * right
    return np.where(allowed, found, -np.inf)


def best_split(values: Values, least: int = 1) -> Split | None:
    """The split with the largest divergence; None for fewer than twice `least` values."""
    if len(values) < 2 * least:
        return None
    found = divergences(values, least)
    cut, until = np.unravel_index(np.argmax(found), found.shape)
    return Split(float(found.max()), int(cut), int(until))


def divide(values: Values, most_p: float, least: int) -> list[int]:
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
