"""The test of a step by the order of the runs alone: would shuffled runs show one as clear?

The test of `scan.py` takes runs as roughly normal. Odd runs, or a machine with two modes, are not:
two odd runs that happen to follow each other look like a step. Shuffled, the same runs would show
such a step in many other orders too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from httpdyno.compiled import compiled

_MOST = 0.05
_SLACK = 1.3
"""A share is an estimate from 999 shuffles."""


def is_shown_by_order(
    values: Sequence[float], cuts: Sequence[int], least: int, most: float
) -> bool:
    """True if up to `most` of the shuffles show as clear a step, or as few as are possible for
    parts of these lengths.

    `cuts`: the first run of the step, and of its undoing. A part has `least` runs or more.
    """
    count, undone = len(values), len(cuts) == 2
    size, places = cuts[0], 2
    if undone:
        size = cuts[1] - cuts[0]
        places = count - size - 2 * least + 1
    fewest = _SLACK * places / math.comb(count, size)
    share = float(compiled().share_as_clear(values, undone, least))
    return share <= (min(_MOST, max(most, fewest)) if undone else max(most, fewest))
