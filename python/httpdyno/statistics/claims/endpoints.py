"""The p99 and the errors of each endpoint of an arm, compared with those of the baseline of its
workload.

Only where the p99 of all calls is compared: under a rate that both kept up with. `family.py`
decides on all of them together with all other comparisons. Errors of an endpoint are one of them
only if any call of it failed: without, no count could show a difference (R. E. Tarone, "A Modified
Bonferroni Method for Discrete Data", Biometrics 46, 1990).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from httpdyno.outcome import CellKey
from httpdyno.plan import Plan
from httpdyno.result import CellRow, Comparison, EndpointTrial
from httpdyno.statistics.claims.comparisons import metrics_of, pairs
from httpdyno.statistics.compare import compare

_Trials = Mapping[int, EndpointTrial]


def endpoint_comparisons(plan: Plan, rows: Mapping[CellKey, CellRow]) -> Iterator[Comparison]:
    """The comparisons of the endpoints of a study, each as if it were alone."""
    for base, row in pairs(plan, rows):
        if "p99" not in metrics_of(row, base):
            continue
        known = {one.name for one in row.endpoints}
        for name in (one.name for one in base.endpoints if one.name in known):
            found = [_by_time(base, row, name, sequential=plan.sequential)]
            before, after = _by_block(base, name), _by_block(row, name)
            if any(one.error_share for one in (*before.values(), *after.values())):
                found.append(_by_errors(base, row, before, after, sequential=plan.sequential))
            yield from (one.model_copy(update={"endpoint": name}) for one in found)


def _by_time(base: CellRow, row: CellRow, name: str, *, sequential: bool) -> Comparison:
    def times(cell: CellRow) -> dict[int, float]:
        found = _by_block(cell, name)
        return {block: one.p99_s for block, one in found.items() if one.p99_s is not None}

    return compare(
        times(base),
        times(row),
        names=(base.arm, row.arm),
        at=(row.load, row.point),
        metric="p99",
        sequential=sequential,
    )


def _by_errors(
    base: CellRow, row: CellRow, before: _Trials, after: _Trials, *, sequential: bool
) -> Comparison:
    """The calls that a right reply takes: 1.02 if 2 % of them fail. Unlike the share of errors, it
    is never zero, and its ratio changes by a hundredth if one more call in a hundred fails.

    Restarts differ, so the ratios of the blocks give the interval. But it is no narrower than that
    of so many failures counted: a few equal counts would have no spread.
    """
    blocks = before.keys() & after.keys()
    chance = [_variance(each, block) for each in (before, after) for block in blocks]
    return compare(
        _calls_per_right_reply(before),
        _calls_per_right_reply(after),
        names=(base.arm, row.arm),
        at=(row.load, row.point),
        metric="errors",
        sequential=sequential,
        least_error=math.sqrt(sum(chance)) / len(blocks) if blocks else 0.0,
    )


def _calls_per_right_reply(trials: _Trials) -> dict[int, float]:
    """Without the trials in which every call failed."""
    right = {block: 1 - one.error_share for block, one in trials.items()}
    return {block: 1 / share for block, share in right.items() if share > 0}


def _variance(trials: _Trials, block: int) -> float:
    """The variance of the logarithm of the share of right replies in a block, if each call fails
    with the same probability: that of all trials, by Jeffreys' rule, which is never zero."""
    calls = sum(one.calls for one in trials.values())
    failed = sum(one.calls * one.error_share for one in trials.values())
    odds = (failed + 0.5) / (calls - failed + 0.5)
    return odds / trials[block].calls


def _by_block(row: CellRow, name: str) -> _Trials:
    """An endpoint by block, without the trials that have no call of it."""
    return {
        trial.block: one
        for trial in row.trials
        for one in trial.endpoints
        if one.name == name and one.calls
    }
