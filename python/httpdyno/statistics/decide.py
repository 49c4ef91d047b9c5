"""The decision about a change: a regression, none shown, or not known, each against a margin.

An interval decides, not a p-value: a change is a regression when its whole 95 % interval is worse
than the margin, and none is shown when nothing worse than the margin is left. That is a test of
non-inferiority: Piaggio et al., "Reporting of Noninferiority and Equivalence Randomized Trials",
JAMA 308 (2012). A pass asks for more than an interval within the margin: few trials may have missed
the rare slow starts of a build, so the bound reaches further there (`skew.cautious_reach`).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from httpdyno.metrics import COMPARED, ComparedBy
from httpdyno.result import Comparison, DecisionOutcome, Estimate
from httpdyno.statistics.compare import is_less
from httpdyno.statistics.intervals import bounded_exp, mean_bound
from httpdyno.statistics.noise.moments import deviation, mean
from httpdyno.statistics.noise.power import cautious, standard_errors, usual_reach
from httpdyno.statistics.student import LEVEL, critical

MOST_BLOCKS = 1000
Stability = Literal["as before", "changed", "cannot tell"]


@dataclass(frozen=True)
class Decision:
    """The decision of one metric about a change."""

    metric: ComparedBy
    margin: float
    """The share by which the metric may become worse: 0.03 is 3 %."""
    decided: DecisionOutcome
    comparison: Comparison | None
    """None, or without an interval: there is no result."""
    blocks_needed: int | None = None
    """The blocks with which 4 of 5 comparisons would tell, if the true change is the estimate;
    None: it is known already, or the estimate is too close to the margin."""
    reserve: str = ""
    """Why the change does not pass although its interval is within the margin."""


def decide(metric: ComparedBy, margin: float, comparison: Comparison | None) -> Decision:
    """The decision of one metric; `comparison` is of the changed arm with its baseline.

    Its interval is a 95 % one of its own.
    """
    ratio = None if comparison is None else comparison.ratio
    if comparison is None or ratio is None or ratio.low is None or ratio.high is None:
        return Decision(metric, margin, "no result", comparison)
    limit = worst_ratio(metric, margin)
    worst = worst_left(metric, comparison)
    if COMPARED[metric].more_is_better:
        crossed, inside = is_less(ratio.high, limit), not is_less(ratio.low, limit)
        passed = not is_less(worst, limit)
    else:
        crossed, inside = is_less(limit, ratio.low), not is_less(limit, ratio.high)
        passed = not is_less(limit, worst)
    if crossed or (inside and passed):
        decided: DecisionOutcome = "regression" if crossed else "no regression shown"
        return Decision(metric, margin, decided, comparison)
    needed = _blocks_needed(metric, comparison, limit)
    reserve = _reserve(ratio) if inside else ""
    return Decision(metric, margin, "cannot tell", comparison, needed, reserve)


def decide_unchanged(margin: float, comparison: Comparison) -> Stability:
    """The decision about a build that is the same as before: slower or faster is a change.

    It is `as before` if nothing further than the margin is left on either side.
    """
    ratio = comparison.ratio
    if ratio is None or ratio.low is None or ratio.high is None:
        return "cannot tell"
    least, most = 1 - margin, 1 + margin
    if is_less(ratio.high, least) or is_less(most, ratio.low):
        return "changed"
    low, high = (_left(comparison, below=below) for below in (True, False))
    return "cannot tell" if is_less(low, least) or is_less(most, high) else "as before"


def worst_ratio(metric: ComparedBy, margin: float) -> float:
    """The ratio at the margin: 0.97 for a throughput that may fall by 3 %."""
    return 1 - margin if COMPARED[metric].more_is_better else 1 + margin


def worst_left(metric: ComparedBy, comparison: Comparison) -> float:
    """The worst true ratio that the pairs leave open; without pairs, that of the interval."""
    return _left(comparison, below=COMPARED[metric].more_is_better)


def _left(comparison: Comparison, *, below: bool) -> float:
    """The lowest true ratio that the pairs leave open, or the highest."""
    if not comparison.dots:
        ratio = comparison.ratio
        end = None if ratio is None else ratio.low if below else ratio.high
        return math.nan if end is None else end
    return bounded_exp(mean_bound(_logs(comparison), below=below))


def overall(decisions: Iterable[Decision]) -> DecisionOutcome:
    """One regression is a regression. A metric without a result is never a pass: with the others
    one cannot tell, and without any there is no result."""
    found = {decision.decided for decision in decisions}
    if "regression" in found:
        return "regression"
    if found <= {"no result"}:
        return "no result"
    return "cannot tell" if found != {"no regression shown"} else "no regression shown"


def _reserve(ratio: Estimate) -> str:
    return (
        f"the interval is within the margin, but {ratio.trials} restarts each may have missed rare"
        " bad ones that would bring the mean beyond it"
    )


def _blocks_needed(metric: ComparedBy, comparison: Comparison, limit: float) -> int | None:
    """From the standard deviation of the logs of the ratios of the pairs, and the distance of their
    mean from the margin: enough blocks that this distance would be shown."""
    logs = _logs(comparison)
    pairs = len(logs)
    if pairs < 2:
        return None
    away, spread = mean(logs) - math.log(limit), deviation(logs)
    within = (away > 0) == COMPARED[metric].more_is_better
    reach = cautious if within else usual_reach

    def tells(blocks: int) -> bool:
        needed = standard_errors(critical(LEVEL, blocks - 1), blocks, pairs, reach(blocks))
        return abs(away) * math.sqrt(blocks) >= needed * spread

    tried = range(pairs + 1, MOST_BLOCKS + 1)
    at = bisect_left(tried, True, key=tells)
    return tried[at] if at < len(tried) else None


def _logs(comparison: Comparison) -> list[float]:
    return [math.log(ratio) for _, ratio in comparison.dots]
