"""Comparison of two arms: the geometric mean of the ratios of their trials, paired by block.

The trials of a block run close together, so a pair shares the drift of the machine: its
temperature, its other programs. The geometric mean treats `a ÷ b` and `b ÷ a` alike (Fleming and
Wallace, "How Not To Lie With Statistics", Communications of the ACM 29, 1986).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from httpdyno.result import Comparison, Estimate, Outcome
from httpdyno.statistics.intervals import FEWEST_TRIALS, Values, bootstrap

Metric = Literal["throughput", "p99", "server CPU per request", "capacity"]

_MORE_IS_BETTER: dict[Metric, bool] = {
    "throughput": True,
    "p99": False,
    "server CPU per request": False,
    "capacity": True,
}
_DETECTABLE = 2.8
"""Standard errors of a true difference that 4 of 5 studies would show at the 95 % level:
1.96 + 0.84 (Cohen, "Statistical Power Analysis", 1988, section 2)."""


def compare(
    baseline: Mapping[int, float],
    arm: Mapping[int, float],
    *,
    names: tuple[str, str],
    at: tuple[str, str],
    metric: Metric,
    seed: str,
) -> Comparison:
    """Compares `arm` with `baseline`, each a value by block; blocks that lack either are left out.

    `names`: of baseline and arm; `at`: load and point. The ratio is the geometric mean of the
    ratios `arm` ÷ `baseline` of the pairs. The outcome takes the user's side: less latency is
    `better`. With fewer than five pairs it is `no result`.
    """
    blocks = sorted(
        block for block in baseline.keys() & arm.keys() if baseline[block] > 0 < arm[block]
    )
    dots = [(block, arm[block] / baseline[block]) for block in blocks]
    logs = np.log(np.asarray([ratio for _, ratio in dots], dtype=np.float64))
    ratio = _ratio(logs, seed)
    return Comparison(
        load=at[0],
        point=at[1],
        metric=metric,
        baseline=names[0],
        arm=names[1],
        ratio=ratio,
        outcome=_outcome(ratio, metric),
        smallest_detectable=_smallest_detectable(logs),
        dots=dots,
    )


def _ratio(logs: Values, seed: str) -> Estimate | None:
    if len(logs) == 0:
        return None
    low, high = bootstrap(logs, _mean, seed)
    return Estimate(
        value=math.exp(float(logs.mean())),
        low=None if low is None else math.exp(low),
        high=None if high is None else math.exp(high),
        trials=len(logs),
    )


def _outcome(ratio: Estimate | None, metric: Metric) -> Outcome:
    if ratio is None or ratio.low is None or ratio.high is None:
        return "no result"
    if ratio.low <= 1 <= ratio.high:
        return "no difference shown"
    return "better" if (ratio.low > 1) == _MORE_IS_BETTER[metric] else "worse"


def _smallest_detectable(logs: Values) -> float | None:
    """The relative difference that these pairs would probably have detected: 0.03 is 3 %."""
    if len(logs) < FEWEST_TRIALS:
        return None
    return math.expm1(_DETECTABLE * float(logs.std(ddof=1)) / math.sqrt(len(logs)))


def _mean(values: Values, axis: int) -> Any:
    return values.mean(axis=axis)
