"""95 % confidence intervals from trials: of a geometric mean, by Student's t of the logarithms,
widened towards a longer tail (`skew.py`); of a median, by the sign test.

The replicate is a trial, which starts its server anew: a cell with ten trials has ten values,
however many million requests it answered.

An *interval* holds for a number of trials that was fixed in advance. A *sequence* holds after
every block at once, so it may decide when to stop. `docs/decisions/intervals.md` has the coverage
of all of them, and of the alternatives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import median

from httpdyno.result import Estimate
from httpdyno.statistics.noise.dependence import allowance
from httpdyno.statistics.noise.moments import deviation, mean
from httpdyno.statistics.noise.skew import cautious_reach, reaches
from httpdyno.statistics.student import LEVEL, critical
from httpdyno.study.precision import FEWEST_LOOKED_AT

FEWEST_TRIALS = 5
"""The range of fewer trials is no 95 % interval of their median, so there is no interval."""
_LARGEST_POWER = 700.0
_SPREAD = 3.0
"""Variance of the effect (mean ÷ standard deviation) over which the sequence of a mean averages.
Any value is valid; this one is near the narrowest for 8 to 30 blocks."""

_UNBOUNDED = 1e9
"""In place of an infinite t: so few trials exclude no mean at so high a level."""


def level_estimate(values: Sequence[float], *, sequential: bool = False) -> Estimate | None:
    """The level of one cell, from values in the order of time: the geometric mean, so that the
    ratio of two levels is the ratio that `compare` finds in the same trials; the median if a value
    has no logarithm. The interval of the mean allows for drift, which pairs share."""
    if min(values, default=1.0) > 0:
        return geometric_estimate(values, sequential=sequential, drifting=True)
    return median_estimate(values, sequential=sequential)


def geometric_estimate(
    values: Sequence[float],
    level: float = LEVEL,
    *,
    sequential: bool = False,
    drifting: bool = False,
) -> Estimate | None:
    """The geometric mean of positive values, and the t interval of their logarithms.

    None without values. Too few values have no interval. `sequential`: the interval is one of a
    sequence, and holds whenever the study stops. `drifting`: it is widened for drift.
    """
    if not values:
        return None
    logs = [math.log(value) for value in values]
    value = math.exp(mean(logs))
    if len(logs) < fewest(sequential=sequential):
        return Estimate(value=value, low=None, high=None, trials=len(logs))
    ends = mean_sequence(logs, level) if sequential else mean_interval(logs, level)
    if drifting:
        ends = for_drift(logs, ends)
    low, high = map(bounded_exp, ends)
    return Estimate(value=value, low=low, high=high, trials=len(logs))


def geometric_mean(values: Sequence[float]) -> float | None:
    """The geometric mean of positive values, without an interval; None without values."""
    return math.exp(mean([math.log(value) for value in values])) if values else None


def bounded_exp(power: float) -> float:
    """e to this power, within what a float can hold."""
    return math.exp(min(power, _LARGEST_POWER))


def median_estimate(values: Sequence[float], *, sequential: bool = False) -> Estimate | None:
    """The median with its sign interval; None without values. Too few values have no interval.

    `sequential`: the interval is one of a sequence, and holds whenever the study stops.
    """
    if not values:
        return None
    middle = float(median(values))
    if len(values) < fewest(sequential=sequential):
        return Estimate(value=middle, low=None, high=None, trials=len(values))
    low, high = median_sequence(values) if sequential else median_interval(values)
    # The interval of five values reaches beyond them; none of these quantities is below zero.
    least = 0.0 if min(values) >= 0 else -math.inf
    return Estimate(value=middle, low=max(low, least), high=high, trials=len(values))


def fewest(*, sequential: bool) -> int:
    """The fewest trials, or pairs of trials, that have an interval."""
    return FEWEST_LOOKED_AT if sequential else FEWEST_TRIALS


def mean_interval(values: Sequence[float], level: float = LEVEL) -> tuple[float, float]:
    """The interval of the mean: Student's t, which is exact for normal values, or wider on the side
    of a longer tail."""
    return _around(values, critical(level, len(values) - 1))


def for_drift(values: Sequence[float], ends: tuple[float, float]) -> tuple[float, float]:
    """The interval of the mean of values in the order of time, which may drift."""
    middle, factor = mean(values), allowance(values)
    low, high = ends
    return middle - (middle - low) * factor, middle + (high - middle) * factor


def mean_bound(values: Sequence[float], *, below: bool) -> float:
    """The cautious bound of the mean on one side: see `cautious_reach`. It is never nearer than the
    end of the 95 % interval."""
    n = len(values)
    further = max(reaches(values)[0 if below else 1], cautious_reach(values, below=below))
    reach = critical(LEVEL, n - 1) * deviation(values) / math.sqrt(n)
    return mean(values) + (-1 if below else 1) * further * reach


def mean_sequence(values: Sequence[float], level: float = LEVEL) -> tuple[float, float]:
    """The interval of the mean, one of a confidence sequence."""
    return _around(values, sequence_critical(level, len(values)))


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """The interval of the median: the sign test's, between two ranks.

    The number of values below the true median is binomial, whatever their distribution. The
    interval is interpolated between the two nearest ranks to cover 95 %: Hettmansperger and
    Sheather, "Confidence intervals based on interpolated order statistics", Statistics and
    Probability Letters 4 (1986). Five values cover 93.75 % from the lowest to the highest, so the
    same rule reaches a little beyond them.
    """
    rank, share = _interpolated_rank(len(values))
    ordered = sorted(values)
    low = (1 - share) * ordered[rank - 1] + share * ordered[rank]
    high = (1 - share) * ordered[-rank] + share * ordered[-rank - 1]
    return low, high


def median_sequence(values: Sequence[float]) -> tuple[float, float]:
    """The interval of the median, one of a confidence sequence.

    A bet on the share of values below the median, uniform over all shares, wins 20 times its
    stake with a probability of 5 % at most, however often one looks: Robbins, "Statistical Methods
    Related to the Law of the Iterated Logarithm", Annals of Mathematical Statistics 41 (1970).
    """
    rank = _sequence_rank(len(values))
    ordered = sorted(values)
    return ordered[rank - 1], ordered[-rank]


@lru_cache(maxsize=4096)
def sequence_critical(level: float, n: int) -> float:
    """The t that is exceeded at some n with a probability of 1 - `level` at most: no fixed n.

    The t test's bet on a normal effect wins 1 / (1 - level) times its stake there: Lai, "On
    Confidence Sequences", Annals of Statistics 4 (1976); its closed form is equation 1 of Rouder
    and others, "Bayesian t tests", Psychonomic Bulletin and Review 16 (2009), with a normal effect.
    """
    grown = 1 + n * _SPREAD
    bound = (math.sqrt(grown) / (1 - level)) ** (2 / n)
    if bound >= grown:
        return _UNBOUNDED
    return math.sqrt((n - 1) * (bound - 1) / (1 - bound / grown))


def sequence_p_value(t: float, n: int) -> float:
    """The p-value of `t` that is valid after every block at once: 1 ÷ the winnings of the bet."""
    grown, square = 1 + n * _SPREAD, t * t / (n - 1)
    # No t, however large, wins more than this.
    grows = math.log1p(square) - math.log1p(square / grown) if square < 1e300 else math.log(grown)
    won = grows * n / 2 - math.log(grown) / 2
    return math.exp(-max(0.0, won))


def _around(values: Sequence[float], t: float) -> tuple[float, float]:
    middle = mean(values)
    reach = t * deviation(values) / math.sqrt(len(values))
    below, above = reaches(values)
    return middle - below * reach, middle + above * reach


@lru_cache(maxsize=4096)
def _interpolated_rank(n: int) -> tuple[int, float]:
    """The rank of the lower end, from 1, and the share of the way to the next rank."""
    rank = 1
    while _covers(n, rank + 1) >= LEVEL:
        rank += 1
    here, narrower = _covers(n, rank), _covers(n, rank + 1)
    part = (here - LEVEL) / (here - narrower)
    return rank, (n - rank) * part / (rank + (n - 2 * rank) * part)


def _covers(n: int, rank: int) -> float:
    """The coverage of the values from this rank to the same rank from above."""
    return 1 - float(2 * sum(math.comb(n, below) for below in range(rank)) / 2**n)


@lru_cache(maxsize=4096)
def _sequence_rank(n: int) -> int:
    """The lowest rank that the sequence of the median does not exclude, from 1."""
    rank = 1
    while math.comb(n, rank) * (n + 1) <= (1 - LEVEL) * 2**n:
        rank += 1
    return rank
