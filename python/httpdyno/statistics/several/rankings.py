"""The ranks that each arm can have at a load point, as far as the trials tell the arms apart.

All pairs of arms at a load point are compared within blocks and judged together (see `holm.py`).
An arm ranks behind those that were shown to be better, and before those that were shown to be
worse. So all true ranks are within their limits at once, with 95 % confidence: Mogstad, Romano,
Shaikh and Wilhelm, "Inference for Ranks", Review of Economic Studies 91 (2024).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

from httpdyno.outcome import CellKey
from httpdyno.plan import Cell
from httpdyno.result import CellRow, RankedArm, Ranking
from httpdyno.statistics.compare import MORE_IS_BETTER, paired_p_value
from httpdyno.statistics.intervals import fewest
from httpdyno.statistics.rows import by_block
from httpdyno.statistics.several.comparisons import COLUMN, kept_up
from httpdyno.statistics.several.holm import ALPHA, holm

RankedMetric = Literal["throughput", "p99", "capacity"]
Trials = Mapping[str, Mapping[int, float]]
"""The values of each arm, by block."""
Pairs = set[tuple[str, str]]


def rankings(
    every: Sequence[Cell], rows: Mapping[CellKey, CellRow], *, sequential: bool
) -> list[Ranking]:
    """A ranking for each load point and workload that has at least two arms with enough trials."""
    places: dict[tuple[str, str, str], list[CellRow]] = {}
    for cell in every:
        _, load, point = cell.key
        if cell.arm.control_of is None and rows[cell.key].status != "invalid":
            places.setdefault((load, point, cell.arm.workload), []).append(rows[cell.key])
    found = [_ranking(together, sequential=sequential) for together in places.values()]
    return [one for one in found if one is not None]


def _ranking(rows: Sequence[CellRow], *, sequential: bool) -> Ranking | None:
    holding = {row.arm for row in rows if kept_up(row)}
    metric: RankedMetric = "p99" if len(holding) == len(rows) else "throughput"
    if rows[0].capacity is not None:
        metric = "capacity"
        rows = [row for row in rows if row.capacity and row.capacity.capacity_per_s]
    least = fewest(sequential=sequential)
    trials = {row.arm: _positive(by_block(row, COLUMN[metric])) for row in rows}
    trials = {arm: values for arm, values in trials.items() if len(values) >= least}
    if len(trials) < 2:
        return None
    # Arms that all keep up with a rate have its throughput: there is nothing to rank in it.
    alike = holding if metric == "throughput" else set()
    pairs = [pair for pair in combinations(trials, 2) if not alike.issuperset(pair)]
    shown = shown_pairs(trials, pairs, metric, sequential=sequential)
    estimates = {row.arm: _value(row, metric) for row in rows if row.arm in trials}
    order = sorted(estimates, key=lambda arm: estimates[arm], reverse=MORE_IS_BETTER[metric])
    return Ranking(
        load=rows[0].load,
        point=rows[0].point,
        metric=metric,
        arms=[_limits(arm, len(order), shown) for arm in order],
        ties=_ties(order, shown),
    )


def shown_pairs(
    trials: Trials,
    pairs: Sequence[tuple[str, str]],
    metric: RankedMetric,
    *,
    sequential: bool = False,
) -> Pairs:
    """The pairs (better, worse) whose difference is shown, judged together."""
    tested: dict[tuple[str, str], float] = {}
    for one, other in pairs:
        blocks = sorted(trials[one].keys() & trials[other].keys())
        p_value = paired_p_value(trials[one], trials[other], blocks, sequential=sequential)
        if p_value is not None:
            tested[one, other] = p_value
    decisions = holm(list(tested.values()))
    differ = [pair for pair, one in zip(tested, decisions, strict=True) if one.adjusted <= ALPHA]
    return {_better_first(pair, trials, metric) for pair in differ}


def _better_first(pair: tuple[str, str], trials: Trials, metric: RankedMetric) -> tuple[str, str]:
    one, other = (trials[arm] for arm in pair)
    logs = [math.log(one[block] / other[block]) for block in one.keys() & other.keys()]
    return pair if (sum(logs) > 0) == MORE_IS_BETTER[metric] else (pair[1], pair[0])


def _limits(arm: str, of: int, shown: Pairs) -> RankedArm:
    better = sum(worse == arm for _, worse in shown)
    worse = sum(better == arm for better, _ in shown)
    return RankedArm(arm=arm, best=1 + better, worst=of - worse)


def _ties(order: Sequence[str], shown: Pairs) -> list[list[str]]:
    """The longest runs of neighbours in this order without a shown difference within a run."""
    differ = {frozenset(pair) for pair in shown}
    found: list[list[str]] = []
    for first in range(len(order)):
        run = [order[first]]
        for arm in order[first + 1 :]:
            if any(frozenset((arm, other)) in differ for other in run):
                break
            run.append(arm)
        if len(run) > 1 and not any(set(run) <= set(longer) for longer in found):
            found.append(run)
    return found


def _value(row: CellRow, metric: RankedMetric) -> float:
    of = row.capacity if metric == "capacity" else row
    return float(getattr(of, COLUMN[metric]).value)


def _positive(values: Mapping[int, float]) -> dict[int, float]:
    return {block: value for block, value in values.items() if value > 0}
