"""The sections of charts: a question each, with its charts, its tables and how to read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

from httpdyno.report.charts.figure import Figure
from httpdyno.report.contents.banners import is_summary
from httpdyno.report.contents.rows.arms import Labels
from httpdyno.report.contents.rows.groups import group_by
from httpdyno.report.contents.rows.ranks import rank_tables
from httpdyno.report.contents.rows.tables import LoadTable, comparison_tables
from httpdyno.report.text.drawable import drawable
from httpdyno.report.text.explanations import EXPLANATIONS, Explanation, Feature
from httpdyno.result import CellRow, StudyResult

_IN_RATES = frozenset({"throughput", "latency", "errors"})
"""Sections whose curves are panels of the section `rates`."""
AT_ONCE = 4
"""A section of more charts shows so many, and folds the others; less where that is many rows."""
ROWS_AT_ONCE = 48
"""Rows of all charts that a section shows at once."""


@dataclass(frozen=True)
class Question:
    """A section of charts; without charts, `explanation` says that there are none."""

    section: str
    heading: str
    explanation: str
    figures: Sequence[Figure]
    comparisons: Sequence[LoadTable]
    """The tables of the section that compares arms; empty elsewhere."""
    ranks: Sequence[LoadTable]
    """Also of that section."""
    at_once: int = AT_ONCE
    """The number of charts that are not folded."""

    @property
    def first(self) -> Sequence[Figure]:
        """The charts that are shown at once."""
        return self._drawn[: self.at_once]

    @property
    def others(self) -> Sequence[Figure]:
        """The charts that are folded."""
        return self._drawn[self.at_once :]

    @property
    def findings(self) -> Sequence[Figure]:
        """The charts that the page has no room for: only their findings are listed."""
        return [figure for figure in self.figures if figure.form == "title"]

    @property
    def _drawn(self) -> Sequence[Figure]:
        return [figure for figure in self.figures if figure.form != "title"]


def questions(result: StudyResult, figures: Sequence[Figure], labels: Labels) -> list[Question]:
    """The sections of a result."""
    ranked = rank_tables(result, labels)
    known = any(row.ratio is not None for row in result.comparisons)
    compared = comparison_tables(result, labels) if known else []
    of_section = group_by(figures, lambda figure: str(figure.section))
    elsewhere = _IN_RATES if "rates" in of_section else frozenset[str]()
    found = []
    for one in EXPLANATIONS:
        if not _applies(result, one):
            continue
        mine = of_section.get(one.section, [])
        is_ratio = one.section == "ratio"
        if is_ratio and not (mine or compared or ranked):
            continue
        if not mine and (not one.without or one.section in elsewhere):
            continue
        text = one.text(_features(result, mine)) if mine else one.without
        found.append(
            Question(
                section=one.section,
                heading=one.heading,
                explanation=text,
                figures=mine,
                comparisons=compared if is_ratio else (),
                ranks=ranked if is_ratio else (),
                at_once=_at_once(result),
            )
        )
    return found


def _at_once(result: StudyResult) -> int:
    """A chart has a row for each arm of one workload."""
    rows = max(Counter(arm.workload for arm in result.arms).values(), default=1)
    return max(1, min(AT_ONCE, ROWS_AT_ONCE // rows))


def _applies(result: StudyResult, one: Explanation) -> bool:
    if one.section == "spectrum" and is_summary(result):
        return False  # a summary has no distributions, and says so once at the top
    return len(result.arms) > 1 if one.section == "ratio" else _has_other_loads(result)


def _has_other_loads(result: StudyResult) -> bool:
    """False for a study that only searches for capacities: its numbers have a section."""
    return any(load.kind != "capacity" for load in result.loads) or not result.loads


def _features(result: StudyResult, figures: Sequence[Figure]) -> Set[Feature]:
    drawn = [figure for figure in figures if figure.form != "title"]
    found: set[Feature] = {"log" if figure.is_log else "linear" for figure in drawn}
    found.add("apart" if result.is_comparison else "together")
    if any(figure.name.startswith("density") for figure in drawn):
        found.add("density")
    rows = [figure for figure in figures if figure.section != "rates"]
    if len(rows) < len(figures):
        found.add("curves")
        calls = {load.name: load.calls_per_arrival for load in result.loads}
        if any(_above(cell, calls.get(cell.load, 1)) for cell in result.cells):
            found.add("above")
    if rows and not is_summary(result):
        found.add("trials")
        if all(arm.restarted for arm in result.arms):
            found.add("restarts")
    return found


def _above(cell: CellRow, calls: int) -> bool:
    """True if a cell answered clearly more than was offered."""
    if cell.status == "invalid" or cell.throughput_per_s is None:
        return False
    offered = drawable(cell.rate_per_s, calls)
    return offered is not None and cell.throughput_per_s.value > 1.02 * offered
