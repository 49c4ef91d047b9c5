"""The ranks that the arms can have at each load point, as rows of the page's tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.text import words
from httpdyno.result import Ranking, StudyResult


@dataclass(frozen=True)
class RankLine:
    """One arm as a row."""

    arm: ArmLabel
    ranks: str
    """`1`, or `2 to 4`."""
    ties: str
    """The other arms that it was not told apart from; `none`."""


@dataclass(frozen=True)
class RankTable:
    """The arms at one load point."""

    where: str
    lines: Sequence[RankLine]


def rank_tables(result: StudyResult, labels: Labels) -> list[RankTable]:
    """A table for each load point with more than two arms to rank; two arms have their ratio."""
    titles = {load.name: load.title for load in result.loads}
    return [
        RankTable(
            f"{titles.get(one.load, one.load)}; {one.point}; by {words.RANKED_BY[one.metric]}",
            [RankLine(labels(arm.arm), words.ranks(arm), _ties(one, arm.arm)) for arm in one.arms],
        )
        for one in result.rankings
        if len(one.arms) > 2
    ]


def _ties(ranking: Ranking, arm: str) -> str:
    others = {name: None for group in ranking.ties if arm in group for name in group}
    return ", ".join(name for name in others if name != arm) or "none"
