"""Comparison with trials of another session, which no block pairs with the trials of this one.

It lacks what pairing gives: whatever changed on the machine between the two sessions is part of the
difference. So its interval, which comes from restarts within each session, is too narrow for the
difference of the servers alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from httpdyno.metrics import ComparedBy
from httpdyno.result import Comparison, Estimate
from httpdyno.statistics.compare import outcome_of
from httpdyno.statistics.intervals import (
    FEWEST_TRIALS,
    bounded_exp,
    geometric_mean,
)
from httpdyno.statistics.noise.moments import from_mean, mean, third, variance
from httpdyno.statistics.noise.shape import EQUAL
from httpdyno.statistics.noise.skew import reaches_of
from httpdyno.statistics.student import LEVEL, critical


def compare_unpaired(
    baseline: Sequence[float],
    arm: Sequence[float],
    *,
    names: tuple[str, str],
    at: tuple[str, str],
    metric: ComparedBy,
) -> Comparison:
    """Compares the trials of `arm` with earlier ones of `baseline`: the ratio of geometric means.

    Its interval is Welch's, on logs: B. L. Welch, "The generalization of 'Student's' problem when
    several different population variances are involved", Biometrika 34 (1947). The degrees of
    freedom are rounded down. It reaches further towards a longer tail (`skew.py`). With fewer than
    five trials on either side there is none.
    """
    before, now = ([one for one in values if one > 0] for values in (baseline, arm))
    ratio = _ratio(before, now)
    return Comparison(
        load=at[0],
        point=at[1],
        metric=metric,
        baseline=names[0],
        arm=names[1],
        ratio=ratio,
        outcome=outcome_of(ratio, metric),
        smallest_detectable=None,
        dots=[],
        baseline_value=geometric_mean(before),
        arm_value=geometric_mean(now),
    )


def _ratio(baseline: Sequence[float], arm: Sequence[float]) -> Estimate | None:
    if not baseline or not arm:
        return None
    before, now = ([math.log(value) for value in values] for values in (baseline, arm))
    difference, trials = mean(now) - mean(before), min(len(before), len(now))
    difference = difference if abs(difference) > EQUAL else 0.0
    if trials < FEWEST_TRIALS:
        return Estimate(value=math.exp(difference), low=None, high=None, trials=trials)
    parts = [variance(logs) / len(logs) for logs in (before, now)]
    both = sum(parts)
    freedom = len(before) + len(now) - 2
    if both > 0:
        spread = parts[0] ** 2 / (len(before) - 1) + parts[1] ** 2 / (len(now) - 1)
        freedom = max(1, math.floor(both**2 / spread))
    t = critical(LEVEL, freedom)
    below, above = reaches_of(_skew(now, both) - _skew(before, both), t)
    reach = t * math.sqrt(both)
    low = bounded_exp(difference - below * reach)
    high = bounded_exp(difference + above * reach)
    return Estimate(value=math.exp(difference), low=low, high=high, trials=trials)


def _skew(logs: Sequence[float], both: float) -> float:
    """The part of one side in the skewness of the difference, which has this variance."""
    return third(from_mean(logs)) / len(logs) ** 2 / both**1.5 if both > 0 else 0.0
