"""The ranks that the arms can have at each load point, as rows of the page's tables."""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno.metrics import COMPARED
from httpdyno.output.table import Column, TextColumn, fields
from httpdyno.report.contents.rows.arms import Labels
from httpdyno.report.contents.rows.tables import Line, LoadTable
from httpdyno.report.text import words
from httpdyno.report.text.arms import by_workload
from httpdyno.result import RankedArm, Ranking, StudyResult

MOST_ROWS = 1000
"""All these tables together have at most so many rows."""
MOST_NAMED = 30
"""An arm with more ties has their number."""


def rank_tables(result: StudyResult, labels: Labels) -> list[LoadTable]:
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
            title = f"{where}; by {COMPARED[one.metric].in_full}"
            lines = [Line(labels(arm.arm), fields(_COLUMNS, (one, arm))) for arm in one.arms]
            found.append(LoadTable(one.load, title, "", "", _COLUMNS, lines))
            left -= len(lines)
    return found


def _ties(one: tuple[Ranking, RankedArm]) -> str:
    """The other arms that an arm was not told apart from; `none`."""
    ranking, arm = one
    others = {name: None for group in ranking.ties if arm.arm in group for name in group}
    names = [name for name in others if name != arm.arm]
    return ", ".join(names) or "none" if len(names) <= MOST_NAMED else f"{len(names)} arms"


_COLUMNS: Sequence[Column[tuple[Ranking, RankedArm]]] = (
    Column("rank", lambda one: words.ranks(one[1])),
    TextColumn("no difference shown from", _ties),
)
