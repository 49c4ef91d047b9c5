"""The size of a difference that a study would probably show, and the blocks that it would take.

Both allow for the spread being estimated from the trials, twice: once where it is read from them,
and once more in the study that is to show the difference. Approximated by a normal distribution
with the exact mean and variance; `make coverage` simulates the power that comes of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

from httpdyno.statistics.noise.skew import cautious_slope

POWER = 0.8
"""The share of studies that show a difference of the size called detectable (Cohen, "Statistical
Power Analysis", 1988, section 2)."""
_Z = NormalDist().inv_cdf(POWER)


@dataclass(frozen=True)
class Reach:
    """The factors of a t interval that is widened for skew, over samples that are normal."""

    mean: float
    spread: float


def usual_reach(n: int) -> Reach:
    """That of `skew.reaches`, on the side of the difference (fitted to simulated samples)."""
    return Reach(1 + 1 / n, 1.6 / n)


def cautious(n: int) -> Reach:
    """That of `skew.cautious_reach` (fitted to simulated samples)."""
    slope = cautious_slope(n)
    return Reach(1 + 0.6 * slope, 0.47 * slope)


@lru_cache(maxsize=4096)
def standard_errors(t: float, n: int, known_from: int, reach: Reach) -> float:
    """Estimated standard errors between a true difference and its limit at which `POWER` of the
    studies of `n` blocks show it, with an interval of so many times `t`.

    The standard error is estimated from `known_from` blocks.
    """
    estimated, found = _mean_spread(known_from - 1), _mean_spread(n - 1)
    limit = t * reach.mean * found
    noise = 1 + t**2 * (reach.mean**2 + reach.spread**2) - limit**2
    # (d · estimated - limit)² = z² (noise + d² (1 - estimated²)), solved for d.
    square = estimated**2 - _Z**2 * (1 - estimated**2)
    half = limit * estimated
    return (half + math.sqrt(half**2 - square * (limit**2 - _Z**2 * noise))) / square


def _mean_spread(freedom: int) -> float:
    """The mean of the standard deviation of a normal sample, whose true one is 1."""
    logs = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    return math.sqrt(2 / freedom) * math.exp(logs)
