"""The decision about a change: a regression, none shown, or not known, each against a margin.

An interval decides, not a p-value: a change is a regression when its whole 95 % interval is worse
than the margin, and none is shown when its whole interval is no worse than the margin. That is a
test of non-inferiority: Piaggio et al., "Reporting of Noninferiority and Equivalence Randomized
Trials", JAMA 308 (2012).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from httpdyno.result import Comparison
from httpdyno.statistics.compare import MORE_IS_BETTER, Metric, at_level
from httpdyno.statistics.intervals import LEVEL

Decided = Literal["regression", "no result", "cannot tell", "no regression shown"]

POWER = 2.8
"""Standard errors between an estimate and its margin with which 4 of 5 repetitions would tell them
apart at the 95 % level: 1.96 + 0.84 (Cohen, "Statistical Power Analysis", 1988, section 2)."""
MOST_BLOCKS = 1000


@dataclass(frozen=True)
class Decision:
    """The decision of one metric about a change."""

    metric: Metric
    margin: float
    """The share by which the metric may become worse: 0.03 is 3 %."""
    decided: Decided
    comparison: Comparison | None
    """None, or without an interval: there is no result."""
    blocks_needed: int | None = None
    """The blocks that would probably tell, if the true change is about the estimate; None: it is
    told already, or the estimate is too close to the margin."""


def decide(metric: Metric, margin: float, comparison: Comparison | None) -> Decision:
    """The decision of one metric; `comparison` is of the changed arm with its baseline.

    Its interval is a 95 % one of its own, whatever else was compared in the same study.
    """
    if comparison is not None and comparison.dots:
        comparison = at_level(comparison, LEVEL)
    ratio = None if comparison is None else comparison.ratio
    if comparison is None or ratio is None or ratio.low is None or ratio.high is None:
        return Decision(metric, margin, "no result", comparison)
    worst = worst_ratio(metric, margin)
    if MORE_IS_BETTER[metric]:
        crossed, inside = ratio.high < worst, ratio.low >= worst
    else:
        crossed, inside = ratio.low > worst, ratio.high <= worst
    if crossed or inside:
        decided: Decided = "regression" if crossed else "no regression shown"
        return Decision(metric, margin, decided, comparison)
    needed = _blocks_needed(comparison, worst)
    return Decision(metric, margin, "cannot tell", comparison, needed)


def worst_ratio(metric: Metric, margin: float) -> float:
    """The ratio at the margin: 0.97 for a throughput that may fall by 3 %."""
    return 1 - margin if MORE_IS_BETTER[metric] else 1 + margin


def overall(decisions: Iterable[Decision]) -> Decided:
    """One regression is a regression. A metric without a result is never a pass: with the others
    one cannot tell, and without any there is no result."""
    found = {decision.decided for decision in decisions}
    if "regression" in found:
        return "regression"
    if found <= {"no result"}:
        return "no result"
    return "cannot tell" if found != {"no regression shown"} else "no regression shown"


def _blocks_needed(comparison: Comparison, worst: float) -> int | None:
    """From the standard deviation of the logs of the ratios of the pairs, and the distance of their
    mean from the margin."""
    logs = [math.log(ratio) for _, ratio in comparison.dots]
    if len(logs) < 2:
        return None
    mean = math.fsum(logs) / len(logs)
    variance = math.fsum((one - mean) ** 2 for one in logs) / (len(logs) - 1)
    distance = abs(mean - math.log(worst))
    if distance**2 * MOST_BLOCKS < POWER**2 * variance:
        return None
    return max(math.ceil(POWER**2 * variance / distance**2), len(logs) + 1)
