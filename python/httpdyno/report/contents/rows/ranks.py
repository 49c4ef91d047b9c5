"""The ranks that the arms can have at each load point, as rows of the page's tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno.metrics import COMPARED
from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.text import words
from httpdyno.report.text.arms import by_workload
from httpdyno.result import Ranking, StudyResult

MOST_ROWS = 1000
"""All these tables together have at most so many rows."""
MOST_NAMED = 30
"""An arm with more ties has their number."""


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
    """A table for each load point with more than two arms to rank; two arms have their ratio.

    A large study has those of its first load points; the data files have the others.
    """
    titles = {load.name: load.title for load in result.loads}
    workloads = by_workload(result)
    left, found = MOST_ROWS, []
    for one in result.rankings:
        if 2 < len(one.arms) <= left:
            of = next((name for name, arms in workloads if one.arms[0].arm in arms), None)
            where = "; ".join(filter(None, (titles.get(one.load, one.load), of, one.point)))
            lines = [RankLine(labels(a.arm), words.ranks(a), _ties(one, a.arm)) for a in one.arms]
            found.append(RankTable(f"{where}; by {COMPARED[one.metric].in_full}", lines))
            left -= len(lines)
    return found


def _ties(ranking: Ranking, arm: str) -> str:
    others = {name: None for group in ranking.ties if arm in group for name in group}
    names = [name for name in others if name != arm]
    return ", ".join(names) or "none" if len(names) <= MOST_NAMED else f"{len(names)} arms"
