"""Recognises trials that one level does not describe: two modes, an outlier, or drift.

Both tests are for normal values of unknown level and spread, and fire by chance in 1 of 100 cells.
Their limits are simulated (`make coverage` shows what they find). They cannot see a mode that no
trial was in.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Literal

from httpdyno.result.shape import Group, Shape
from httpdyno.statistics.noise.moments import from_mean, mean, squares

LEAST = 0.02
"""Modes or parts that differ by less than this share are not worth a sentence."""
_PARTS = 3
_STEPS = 1.5
"""Values in steps differ by more, or by rounding alone."""
EQUAL = 1e-9
"""The logarithms of equal values differ by less, from rounding."""
_COUNTS = (5, 6, 7, 8, 10, 12, 15, 20, 30, 60)
_APART = (13.6, 9.0, 7.0, 5.8, 4.5, 3.73, 3.13, 2.68, 2.28, 1.95)
"""The gap between two groups of so many normal values, in standard deviations within them, that is
exceeded in 1 of 100 samples."""
_SMOOTH = (0.539, 0.56, 0.615, 0.663, 0.754, 0.824, 0.925, 1.042, 1.193, 1.417)
"""The mean square of successive differences of so many normal values, divided by their variance,
that is undercut in 1 of 100 samples."""


def shape_of(
    values: Mapping[int, float], number: Literal["throughput", "p99"], *, step: float = 0.0
) -> Shape | None:
    """The shape of positive values by block; None: one level describes them, or they are few.

    Drift comes first: values in two groups, one after the other in time, are no two modes. `step`:
    the values are counts, and one more is this share of them; a count or two make no mode.
    """
    blocks = sorted(values)
    if len(blocks) < _COUNTS[0] or min(values.values()) <= 0:
        return None
    logs = [math.log(values[block]) for block in blocks]
    for kind, groups in (("drift", _drift(logs, step)), ("two modes", _modes(logs, step))):
        if groups is not None:
            found = [_group(logs, blocks, at) for at in groups]
            alone = kind == "two modes" and len(groups[1]) == 1
            shape = {"kind": "outlier" if alone else kind, "number": number, "groups": found}
            return Shape.model_validate(shape)
    return None


def _modes(logs: Sequence[float], step: float) -> list[list[int]] | None:
    """The places of the values of two modes, the more frequent first; None: there is one."""
    order = sorted(range(len(logs)), key=logs.__getitem__)
    gap, at = widest_gap(logs, step)
    parts = sorted((order[:at], order[at:]), key=len, reverse=True)
    apart = gap > _limit(_APART, len(logs)) and _differ(logs, parts, step)
    return [sorted(part) for part in parts] if apart else None


def widest_gap(logs: Sequence[float], step: float = 0.0) -> tuple[float, int]:
    """The widest gap in the sorted values, in standard deviations within the two groups that it
    makes, and the size of the lower group. Values in steps vary by their rounding at least."""
    ordered = sorted(from_mean(logs))
    n, all_squares, least = len(ordered), squares(ordered), max(EQUAL, step / math.sqrt(12))
    widths = []
    for lower, (total, (one, other)) in enumerate(
        zip(accumulate(ordered), pairwise(ordered), strict=False), start=1
    ):
        # The squares about the means of both groups; the mean of all values is 0.
        between = total**2 / lower + total**2 / (n - lower)
        within = math.sqrt(max(all_squares - between, 0.0) / (n - 2))
        widths.append((other - one) / max(within, least))
    widest = max(widths)
    return widest, widths.index(widest) + 1


def _drift(logs: Sequence[float], step: float) -> list[list[int]] | None:
    """The places of the highest and the lowest third of the values; None: they do not drift."""
    if smoothness(logs) >= _limit(_SMOOTH, len(logs)):
        return None
    thirds = sorted(_parts(len(logs)), key=lambda part: _level(logs, part))
    ends = sorted((thirds[0], thirds[-1]))
    return ends if _differ(logs, ends, step) else None


def _parts(count: int) -> list[list[int]]:
    """So many places in three parts, the longer ones first."""
    length, longer = divmod(count, _PARTS)
    starts = [part * length + min(part, longer) for part in range(_PARTS + 1)]
    return [list(range(start, end)) for start, end in pairwise(starts)]


def smoothness(logs: Sequence[float]) -> float:
    """The mean square of successive differences, divided by the variance: 2 for values that do not
    depend on each other (von Neumann, Annals of Mathematical Statistics 12, 1941)."""
    all_squares = squares(from_mean(logs))
    steps = squares([other - one for one, other in pairwise(logs)])
    return steps / all_squares if all_squares > 0 else 2.0


def _differ(logs: Sequence[float], parts: list[list[int]], step: float) -> bool:
    one, other = (_level(logs, part) for part in parts)
    return math.expm1(abs(one - other)) >= max(LEAST, _STEPS * step)


def _level(logs: Sequence[float], at: Sequence[int]) -> float:
    return mean([logs[one] for one in at])


def _group(logs: Sequence[float], blocks: list[int], at: list[int]) -> Group:
    return Group(level=math.exp(_level(logs, at)), blocks=[blocks[one] for one in at])


def _limit(limits: Sequence[float], n: int) -> float:
    """The limit for n values, interpolated over the logarithm of their number."""
    above = bisect_right(_COUNTS, n)
    if above == len(_COUNTS):
        return limits[-1]
    fewer, more = _COUNTS[above - 1 : above + 1]
    share = math.log(n / fewer) / math.log(more / fewer)
    return limits[above - 1] + share * (limits[above] - limits[above - 1])
