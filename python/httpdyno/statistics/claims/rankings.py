"""The ranks that each arm can have at a load point, as far as the trials tell the arms apart.

All pairs of arms at a load point are compared within blocks, and judged together with every other
decision of the study (see `family.py`). An arm ranks behind those that were shown to be better, and
before those that were shown to be worse. So all true ranks are within their limits at once, with
95 % confidence: Mogstad, Romano, Shaikh and Wilhelm, "Inference for Ranks", Review of Economic
Studies 91 (2024).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from httpdyno.metrics import COMPARED, RankedBy
from httpdyno.outcome import CellKey
from httpdyno.plan import Plan
from httpdyno.result import CellRow, Estimate, Lack, RankedArm, Ranking
from httpdyno.statistics.claims.holm import ALPHA, Decision
from httpdyno.statistics.compare import paired_p_value, ratio_of
from httpdyno.statistics.intervals import fewest, geometric_estimate
from httpdyno.statistics.rows import by_block

Trials = Mapping[str, Mapping[int, float]]
"""The values of each arm, by block."""
Pair = tuple[str, str]


@dataclass(frozen=True)
class Contest:
    """The arms at a load point that are ranked, and the pairs that are compared for it."""

    load: str
    point: str
    metric: RankedBy
    trials: Trials
    estimates: Mapping[str, float]
    p_values: Mapping[Pair, float]
    """Of no difference, for each pair with enough blocks in common."""
    unranked: Mapping[str, Lack]


def contests(plan: Plan, rows: Mapping[CellKey, CellRow]) -> Iterator[Contest]:
    """A contest for each load point and workload that has at least two arms with enough trials."""
    places: dict[tuple[str, str, str], list[CellRow]] = {}
    for cell in plan.cells:
        _, load, point = cell.key
        if cell.arm.control_of is None:
            places.setdefault((load, point, cell.arm.workload), []).append(rows[cell.key])
    for together in places.values():
        found = _contest(together, sequential=plan.sequential)
        if found is not None:
            yield found


def contest_of(one: Ranking, cells: Sequence[CellRow], *, sequential: bool) -> Contest | None:
    """The contest that a ranking came from, out of the cells of its result."""
    names, at = {*one.unranked, *(arm.arm for arm in one.arms)}, (one.load, one.point)
    there = [row for row in cells if (row.load, row.point) == at and row.arm in names]
    return _contest(there, sequential=sequential)


def _contest(every: Sequence[CellRow], *, sequential: bool) -> Contest | None:
    rows = [row for row in every if row.status != "invalid"]
    if not rows:
        return None
    metric = ranked_by(rows)
    if metric == "capacity":
        rows = [row for row in rows if row.capacity_per_s]
    least = fewest(sequential=sequential)
    known = {row.arm: _positive(by_block(row, COMPARED[metric].column)) for row in rows}
    trials = {arm: values for arm, values in known.items() if len(values) >= least}
    if len(trials) < 2:
        return None
    # Arms that all keep up with a rate have its throughput: there is nothing to rank in it.
    alike = {row.arm for row in rows if metric == "throughput" and row.pace == "kept up"}
    p_values = {}
    for pair in combinations(trials, 2):
        if not alike.issuperset(pair):
            one, other = (trials[arm] for arm in pair)
            blocks = sorted(one.keys() & other.keys())
            p_value = paired_p_value(one, other, blocks, sequential=sequential)
            if p_value is not None:
                p_values[pair] = p_value
    return Contest(
        load=every[0].load,
        point=every[0].point,
        metric=metric,
        trials=trials,
        estimates={row.arm: _value(row, metric) for row in rows if row.arm in trials},
        p_values=p_values,
        unranked={row.arm: _lack(row, least) for row in every if row.arm not in trials},
    )


def ranked_by(rows: Sequence[CellRow]) -> RankedBy:
    """The metric at a load point: p99 at a rate that all with a result kept up with."""
    known = [row for row in rows if row.status != "invalid"]
    if any(row.capacity is not None for row in known):
        return "capacity"
    return "p99" if known and all(row.pace == "kept up" for row in known) else "throughput"


def _lack(row: CellRow, least: int) -> Lack:
    """Why an arm is not ranked."""
    if row.status == "invalid":
        return "no result"
    usable = [trial for trial in row.trials if trial.status != "invalid"]
    if row.capacity is None or len(usable) < least:
        return "too few trials"
    return "sustained" if row.capacity.sustained else "bounds"


def ranking(
    one: Contest, decisions: Mapping[Pair, Decision], *, sequential: bool = False
) -> Ranking:
    """The ranking of a contest by the decisions on its pairs."""
    shown = shown_pairs(one, decisions)
    limits = [_limits(arm, len(one.trials), shown) for arm in one.trials]
    sign = -1.0 if COMPARED[one.metric].more_is_better else 1.0
    # An estimate is from all blocks of an arm, a decision from those that two have in common.
    limits.sort(key=lambda arm: (arm.best, arm.worst, sign * one.estimates[arm.arm]))
    order = [arm.arm for arm in limits]
    first, *others = limits
    behind = [_behind(arm, first.arm, one, decisions, sequential=sequential) for arm in others]
    return Ranking(
        load=one.load,
        point=one.point,
        metric=one.metric,
        arms=[first, *behind],
        ties=_ties(order, shown),
        unranked=dict(one.unranked),
    )


def shown_pairs(one: Contest, decisions: Mapping[Pair, Decision]) -> set[Pair]:
    """The pairs (better, worse) whose difference is shown."""
    differ = [pair for pair, decision in decisions.items() if decision.adjusted <= ALPHA]
    return {_better_first(pair, one) for pair in differ}


def _better_first(pair: Pair, one: Contest) -> Pair:
    logs = _logs(*(one.trials[arm] for arm in pair))
    return pair if (sum(logs) > 0) == COMPARED[one.metric].more_is_better else (pair[1], pair[0])


def _logs(one: Mapping[int, float], other: Mapping[int, float]) -> list[float]:
    blocks = sorted(one.keys() & other.keys())
    return [math.log(ratio_of(one[block], other[block])) for block in blocks]


def _limits(arm: str, of: int, shown: set[Pair]) -> RankedArm:
    better = sum(worse == arm for _, worse in shown)
    worse = sum(better == arm for better, _ in shown)
    return RankedArm(arm=arm, best=1 + better, worst=of - worse)


def _behind(
    arm: RankedArm,
    first: str,
    one: Contest,
    decisions: Mapping[Pair, Decision],
    *,
    sequential: bool,
) -> RankedArm:
    """The arm with its ratio to the first one, if the two were compared."""
    pair = next((p for p in ((first, arm.arm), (arm.arm, first)) if p in decisions), None)
    if pair is None:
        return arm
    level = decisions[pair].level
    ratios = [math.exp(log) for log in _logs(one.trials[arm.arm], one.trials[first])]
    ratio: Estimate | None = geometric_estimate(ratios, level, sequential=sequential)
    return arm.model_copy(update={"ratio": ratio, "level": level})


def _ties(order: Sequence[str], shown: set[Pair]) -> list[list[str]]:
    """Groups without a shown difference within a group, so that any two such arms share one."""
    differ = {frozenset(pair) for pair in shown}
    settled, found = set(differ), []
    for pair in combinations(order, 2):
        if frozenset(pair) in settled:
            continue
        group = list(pair)
        for arm in order:
            if arm not in group and not any(frozenset((arm, one)) in differ for one in group):
                group.append(arm)
        settled |= set(map(frozenset, combinations(group, 2)))
        found.append(sorted(group, key=order.index))
    return found


def _value(row: CellRow, metric: RankedBy) -> float:
    return float(getattr(row, COMPARED[metric].column).value)


def _positive(values: Mapping[int, float]) -> dict[int, float]:
    return {block: value for block, value in values.items() if value > 0}
