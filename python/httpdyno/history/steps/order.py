"""The test of a step by the order of the runs alone: would shuffled runs show one as clear?

The test of `scan.py` takes runs as roughly normal. Odd runs, or a machine with two modes, are not:
two odd runs that happen to follow each other look like a step. Shuffled, the same runs would show
such a step in many other orders too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from httpdyno.history.steps.student import Values

_SHUFFLES = 999
_SEED = 20_260_101
_MOST = 0.05
_SLACK = 1.3
"""A share is an estimate from `_SHUFFLES`."""


def shown_by_order(values: Values, cuts: Sequence[int], least: int, most: float) -> bool:
    """True if up to `most` of the shuffles show as clear a step, or as few as are possible for
    parts of these lengths.

    `cuts`: the first run of the step, and of its undoing. A part has `least` runs or more.
    """
    count = len(values)
    clearest = _once if len(cuts) == 1 else _undone
    size, places = cuts[0], 2
    if len(cuts) == 2:
        size = cuts[1] - cuts[0]
        places = count - size - 2 * least + 1
    fewest = _SLACK * places / math.comb(count, size)
    clear = clearest(values[None, :], least)[0] * (1 - 1e-9)
    share = float((clearest(values[_orders(count)], least) >= clear).mean())
    return share <= min(_MOST, max(most, fewest)) if len(cuts) == 2 else share <= max(most, fewest)


@lru_cache(maxsize=8)
def _orders(count: int) -> NDArray[np.intp]:
    source = np.random.default_rng(_SEED)
    return source.permuted(np.tile(np.arange(count), (_SHUFFLES, 1)), axis=1)


def _once(rows: Values, least: int) -> Values:
    """Of each row, the largest variance between the runs before a place and those from it on."""
    count = rows.shape[1]
    inside = np.arange(least, count - least + 1)
    sums = _sums(rows)[:, inside]
    return np.asarray((sums**2 * count / (inside * (count - inside))).max(axis=1))


def _undone(rows: Values, least: int) -> Values:
    """Of each row, the largest variance between the runs of a stretch and those around it."""
    count = rows.shape[1]
    sums = _sums(rows)
    best = np.zeros(len(rows))
    for begin in range(least, count - 2 * least + 1):
        ends = np.arange(begin + least, count - least + 1)
        inside = ends - begin
        within = sums[:, ends] - sums[:, begin, None]
        best = np.maximum(best, (within**2 * count / (inside * (count - inside))).max(axis=1))
    return best


def _sums(rows: Values) -> Values:
    centred = rows - rows.mean(axis=1, keepdims=True)
    return np.concatenate([np.zeros((len(rows), 1)), centred.cumsum(axis=1)], axis=1)
