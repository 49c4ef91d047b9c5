"""Comparison of two arms: the geometric mean of the ratios of their trials, paired by block.

The trials of a block run close together, so a pair shares the drift of the machine: its
temperature, its other programs. The geometric mean treats `a ÷ b` and `b ÷ a` alike (Fleming and
Wallace, "How Not To Lie With Statistics", Communications of the ACM 29, 1986). It is the ratio of
the geometric means of both arms, which are shown beside it. Its interval is Student's t of the
logarithms of the ratios, widened towards a longer tail (`skew.py`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from httpdyno.metrics import COMPARED, ComparedBy
from httpdyno.result import Comparison, Estimate, Outcome
from httpdyno.statistics.intervals import (
    bounded_exp,
    fewest,
    geometric_estimate,
    geometric_mean,
    sequence_critical,
    sequence_p_value,
)
from httpdyno.statistics.noise.moments import deviation, mean
from httpdyno.statistics.noise.power import standard_errors, usual_reach
from httpdyno.statistics.noise.shape import EQUAL
from httpdyno.statistics.noise.skew import reaches
from httpdyno.statistics.student import LEVEL, critical, p_value


def is_less(one: float, other: float) -> bool:
    """True if a positive number is less than another one by more than rounding, which decides
    nothing: no clock and no count takes steps as fine as `EQUAL`."""
    return one < other * (1 - EQUAL)


def ratio_of(one: float, other: float) -> float:
    """`one` ÷ `other`; 1 if neither is less."""
    return one / other if is_less(one, other) or is_less(other, one) else 1.0


def compare(
    baseline: Mapping[int, float],
    arm: Mapping[int, float],
    *,
    names: tuple[str, str],
    at: tuple[str, str],
    metric: ComparedBy,
    sequential: bool = False,
    least_error: float = 0.0,
) -> Comparison:
    """Compares `arm` with `baseline`, each a value by block; blocks that lack either are left out.

    `names`: of baseline and arm; `at`: load and point. The ratio is the geometric mean of the
    ratios `arm` ÷ `baseline` of the pairs. The outcome takes the user's side: less latency is
    `better`. With fewer than five pairs it is `no result`. `sequential`: the interval is one of a
    confidence sequence, for a study that looks after every block. `least_error`: the standard
    error of the logarithm of the ratio that chance alone gives it, where calls are counted.
    """
    blocks = sorted(
        block for block in baseline.keys() & arm.keys() if baseline[block] > 0 < arm[block]
    )
    bare = Comparison(
        load=at[0],
        point=at[1],
        metric=metric,
        baseline=names[0],
        arm=names[1],
        ratio=None,
        outcome="no result",
        smallest_detectable=None,
        dots=[(block, ratio_of(arm[block], baseline[block])) for block in blocks],
        baseline_value=geometric_mean([baseline[block] for block in blocks]),
        arm_value=geometric_mean([arm[block] for block in blocks]),
        lone_blocks=len(baseline.keys() | arm.keys()) - len(blocks),
        p_value=paired_p_value(
            baseline, arm, blocks, sequential=sequential, least_error=least_error
        ),
        least_error=least_error,
    )
    return at_level(bare, LEVEL, sequential=sequential)


def at_level(row: Comparison, level: float, *, sequential: bool = False) -> Comparison:
    """The comparison with its interval, and the outcome that follows from it, at another level."""
    ratios = [ratio for _, ratio in row.dots]
    ratio = geometric_estimate(ratios, level, sequential=sequential)
    ratio = _no_narrower(ratio, row.least_error, level, sequential=sequential)
    logs = [math.log(ratio) for ratio in ratios]
    detectable = _smallest_detectable(logs, level, sequential=sequential)
    return row.model_copy(
        update={
            "ratio": ratio,
            "outcome": outcome_of(ratio, row.metric),
            "smallest_detectable": detectable,
            "level": level,
        }
    )


def paired_p_value(
    one: Mapping[int, float],
    other: Mapping[int, float],
    blocks: Sequence[int],
    *,
    sequential: bool = False,
    least_error: float = 0.0,
) -> float | None:
    """The p-value of no difference, from the ratios in these blocks; None for too few."""
    if len(blocks) < fewest(sequential=sequential):
        return None
    logs = [math.log(ratio_of(other[block], one[block])) for block in blocks]
    middle, error = mean(logs), _standard_error(logs)
    # The end of the interval that is nearer to no difference decides: see `skew.reaches`.
    error = max(error * reaches(logs)[0 if middle > 0 else 1], least_error)
    t = middle / error if error else math.copysign(math.inf, middle) if middle else 0.0
    return sequence_p_value(t, len(logs)) if sequential else p_value(t, len(logs) - 1)


def _no_narrower(
    ratio: Estimate | None, least_error: float, level: float, *, sequential: bool
) -> Estimate | None:
    """The estimate, whose interval is at least that of this standard error."""
    if ratio is None or ratio.low is None or ratio.high is None or not least_error:
        return ratio
    n = ratio.trials
    t = sequence_critical(level, n) if sequential else critical(level, n - 1)
    reach = bounded_exp(t * least_error)
    low, high = min(ratio.low, ratio.value / reach), max(ratio.high, ratio.value * reach)
    return ratio.model_copy(update={"low": low, "high": high})


def outcome_of(ratio: Estimate | None, metric: ComparedBy) -> Outcome:
    """The outcome of a comparison with this ratio; without an interval, there is no result."""
    if ratio is None or ratio.low is None or ratio.high is None:
        return "no result"
    if ratio.low <= 1 <= ratio.high:
        return "no difference shown"
    return "better" if (ratio.low > 1) == COMPARED[metric].more_is_better else "worse"


def _smallest_detectable(logs: Sequence[float], level: float, *, sequential: bool) -> float | None:
    """The relative difference that 4 of 5 such studies would show: 0.03 is 3 %."""
    n = len(logs)
    if n < fewest(sequential=sequential):
        return None
    t = sequence_critical(level, n) if sequential else critical(level, n - 1)
    return bounded_exp(standard_errors(t, n, n, usual_reach(n)) * _standard_error(logs)) - 1


def _standard_error(logs: Sequence[float]) -> float:
    return deviation(logs) / math.sqrt(len(logs))
