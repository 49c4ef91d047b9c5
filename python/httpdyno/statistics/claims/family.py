"""All decisions about differences in a study, made together.

A report says that one arm is better than another in many places: titles, ranks, ratios, the answer.
Each of these is a decision about two arms, a metric and a load point. All of them are one family
(see `holm.py`): if no two arms differ, at most 1 report in 20 claims a difference anywhere. An
interval of a ratio is at the level of its decision, so it never contradicts the outcome.

In a run of `httpdyno compare` each decision stands for itself instead: it asks about each metric
against a margin, at 95 %, and one ratio has one interval and one answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from httpdyno.metrics import ComparedBy
from httpdyno.outcome import CellKey
from httpdyno.plan import Plan
from httpdyno.result import (
    CellRow,
    Comparison,
    KeptUp,
    ProtocolComparison,
    Ranking,
    StudyResult,
)
from httpdyno.statistics.claims.comparisons import comparisons, of_cells, with_decision
from httpdyno.statistics.claims.endpoints import endpoint_comparisons
from httpdyno.statistics.claims.holm import Decision, holm
from httpdyno.statistics.claims.kept_up import kept_up
from httpdyno.statistics.claims.protocols import protocol_comparisons
from httpdyno.statistics.claims.rankings import Contest, contest_of, contests, ranking

Key = tuple[ComparedBy, str, str, frozenset[str], str]
"""The metric, load, point, pair of arms and endpoint that a decision is about."""


@dataclass(frozen=True)
class Claims:
    """All claims about the arms of a study."""

    comparisons: list[Comparison]
    rankings: list[Ranking]
    kept_up: list[KeptUp]
    endpoints: Sequence[Comparison] = ()
    """The comparisons of the endpoints."""
    protocols: Sequence[ProtocolComparison] = ()


def claims(plan: Plan, rows: Mapping[CellKey, CellRow], *, apart: bool = False) -> Claims:
    """The claims of a study. `apart`: each decision stands for itself, but those on the endpoints
    of an arm are made together."""
    sequential = plan.sequential
    compared, contested = list(comparisons(plan, rows)), list(contests(plan, rows))
    endpoints = list(endpoint_comparisons(plan, rows))
    protocols = list(protocol_comparisons(plan, rows))
    beside = [*(one.compared for one in protocols), *([] if apart else endpoints)]
    decisions = judge([*compared, *beside], contested, apart=apart)

    def settle(
        those: Sequence[Comparison], by: Mapping[Key, Decision], together: int
    ) -> list[Comparison]:
        return [
            with_decision(row, by.get(key_of(row)), together, sequential=sequential)
            for row in those
        ]

    of_arms: dict[str, list[Comparison]] = {}
    for row in endpoints:
        of_arms.setdefault(row.arm if apart else "", []).append(row)
    families = {arm: judge(those, []) if apart else decisions for arm, those in of_arms.items()}
    together = 1 if apart else len(decisions)
    over = settle([one.compared for one in protocols], decisions, together)
    return Claims(
        comparisons=settle(compared, decisions, together),
        protocols=[
            one.model_copy(update={"compared": row})
            for one, row in zip(protocols, over, strict=True)
        ],
        endpoints=[
            row
            for arm, those in of_arms.items()
            for row in settle(those, families[arm], len(families[arm]))
        ],
        rankings=[_ranking(one, decisions, sequential=sequential) for one in contested],
        kept_up=list(kept_up(rows[c.key] for c in plan.cells if c.arm.control_of is None)),
    )


def between(result: StudyResult, places: Sequence[tuple[CellRow, CellRow]]) -> list[Comparison]:
    """The comparisons of any two arms of a study: `places` are their cells, the baseline's first.

    Each is decided as in the report of the study. One that the report does not make is decided
    together with all that it makes.
    """
    looked, apart = result.stopping is not None, result.is_comparison
    rows = [one for pair in places for one in of_cells(*pair, sequential=looked)]
    held = [contest_of(one, result.cells, sequential=looked) for one in result.rankings]
    contested = [one for one in held if one is not None]
    beside = [one.compared for one in result.protocols]
    known = [*result.comparisons, *beside, *([] if apart else result.endpoint_comparisons)]
    decisions = judge([*known, *rows], contested, apart=apart)
    decisions |= judge(known, contested, apart=apart)
    together = 1 if apart else len(decisions)
    return [
        with_decision(row, decisions.get(key_of(row)), together, sequential=looked) for row in rows
    ]


def judge(
    compared: Sequence[Comparison], contested: Sequence[Contest], *, apart: bool = False
) -> dict[Key, Decision]:
    """The decision on each pair of arms, metric and place; none with too few trials.

    All are made together, or each by itself (`apart`).
    """
    p_values: dict[Key, float] = {}
    for row in compared:
        if row.p_value is not None:
            p_values[key_of(row)] = row.p_value
    for one in contested:
        for pair, p_value in one.p_values.items():
            p_values[_key(one, pair)] = p_value
    if apart:
        return {key: holm([p_value])[0] for key, p_value in p_values.items()}
    return dict(zip(p_values, holm(list(p_values.values())), strict=True))


def key_of(row: Comparison) -> Key:
    """The decision that a comparison rests on."""
    return row.metric, row.load, row.point, frozenset((row.arm, row.baseline)), row.endpoint


def _key(one: Contest, pair: tuple[str, str]) -> Key:
    return one.metric, one.load, one.point, frozenset(pair), ""


def _ranking(one: Contest, decisions: Mapping[Key, Decision], *, sequential: bool) -> Ranking:
    own = dict(_own(one, decisions))
    return ranking(one, own, sequential=sequential)


def _own(
    one: Contest, decisions: Mapping[Key, Decision]
) -> Iterator[tuple[tuple[str, str], Decision]]:
    for pair in one.p_values:
        yield pair, decisions[_key(one, pair)]
