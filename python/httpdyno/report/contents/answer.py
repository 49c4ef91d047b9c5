"""The answer: a sentence to begin with, and a table of the arms for each load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.report.contents.overviews import Overview, legend, overviews
from httpdyno.report.contents.rows.arms import Labels
from httpdyno.report.contents.rows.decisions import Decisions, decisions
from httpdyno.report.contents.rows.groups import group_by
from httpdyno.report.contents.rows.tables import cores_of
from httpdyno.report.text import words
from httpdyno.result import CapacityRow, CellRow, Estimate, StudyResult
from httpdyno.statistics.capacity.answer import counts, whole
from httpdyno.statistics.claims.sentences import under

_LONG = 360
"""Letters of an answer about capacities from which their range stands alone."""
_MOST_BOUNDS = 3
_SMALL = "The small print"
_MARK = "A number marked ? is suspect; the mark leads to the reason."


@dataclass(frozen=True)
class Answer:
    """The answer of the study."""

    lead: str
    """The sentences that everyone should read."""
    more: str
    """The whole answer, where it is long; empty: the lead is all of it."""
    decisions: Decisions | None
    """Of `httpdyno compare`."""
    first: Sequence[Overview]
    """The tables of the load that the answer is about."""
    others: Sequence[Overview]

    @property
    def first_legend(self) -> str:
        """The sentences below the first tables."""
        return legend(self.first, _SMALL, _MARK)

    @property
    def others_legend(self) -> str:
        """The sentences below the other tables."""
        return legend(self.others, _SMALL, _MARK)


def answer(result: StudyResult, labels: Labels) -> Answer:
    """The answer of a result."""
    compared = len(result.arms) > 1 and not words.is_empty(result)
    tables = overviews(result, labels) if compared else []
    lead = _lead(result)
    first = [table for table in tables if table.load == tables[0].load]
    others = tables[len(first) :]
    more = result.answer if len(result.answer) > len(lead) else ""
    return Answer(lead, more, decisions(result, labels), first, others)


def _lead(result: StudyResult) -> str:
    """The lead of the answer; of many capacities, their range."""
    capacities = [cell for cell in result.cells if cell.capacity is not None]
    is_long = len(result.answer) > _LONG
    if is_long and len(capacities) > 1 and len(capacities) == len(result.cells):
        return " ".join(_of_loads(capacities, result))
    return result.answer_lead or result.answer


def _of_loads(cells: Sequence[CellRow], result: StudyResult) -> Iterator[str]:
    """A sentence for each search, named by its limits; by its title, if two have the same."""
    loads = group_by(cells, lambda cell: cell.load)
    titles = {load.name: load.title for load in result.loads}
    are_distinct = len({_limits(mine) for mine in loads.values()}) == len(loads)
    for load, mine in loads.items():
        text = _capacities(mine)
        yield text if are_distinct else f"{under(titles[load])}: {words.within(text)}"


def _limits(cells: Sequence[CellRow]) -> str:
    return next((cell.capacity.limits_in_words for cell in cells if cell.capacity), "")


def _capacities(cells: Sequence[CellRow]) -> str:
    """`Capacity at p99 ≤ 20 ms: from 15,500/s (starlette) to 98,600/s (nginx).`"""
    known = [(one.value, cell) for cell in cells if (one := _valid_capacity(cell)) is not None]
    bounds = [(low, cell) for cell in cells if (low := cell.at_least_per_s) is not None]
    limits = _limits(cells)
    cores = _cores(cells, limits)
    parts = [f"Capacity{'' if cores else f' at {limits}'}: {_range(known)}"] if known else []
    if bounds:
        ends = [f"{units.rate(low)} or more ({_name(cell)})" for low, cell in bounds]
        shown = ends if len(ends) <= _MOST_BOUNDS else [f"only a lower bound of {len(ends)} arms"]
        parts.append(f"{'' if parts else f'Capacity at {limits}: '}{', '.join(shown)}")
    without = len(cells) - len(known) - len(bounds)
    none = f" {without} of {len(cells)} have no result." if without else ""
    if not parts:
        return f"No capacity was found at {limits}."
    return f"{cores}{'; '.join(parts)}.{none}"


def _range(known: Sequence[tuple[float, CellRow]]) -> str:
    (low, slow), (high, fast) = min(known, key=_value_of), max(known, key=_value_of)
    if slow is fast:
        return f"{units.rate(low)} ({_name(slow)})"
    return f"from {units.rate(low)} ({_name(slow)}) to {units.rate(high)} ({_name(fast)})"


def _valid_capacity(cell: CellRow) -> Estimate | None:
    return None if cell.status == "invalid" else cell.capacity_per_s


def _cores(cells: Sequence[CellRow], limits: str) -> str:
    """`3,000/s at p99 ≤ 20 ms: 1 core is enough; it takes 0.0304 cores (nginx) to 0.193 cores (go).
    `"""
    rows = [(row, cell) for cell in cells if (row := cell.capacity) and cell.status != "invalid"]
    found = [(value, row, cell) for row, cell in rows if (value := cores_of(row)) is not None]
    if not found:
        return ""
    ordered = sorted(found, key=_cores_of)
    count = _whole_cores([row for _, row, _ in ordered])
    ends = [
        f"{'' if row.cores_needed else 'at most '}{units.significant(value)} cores ({_name(cell)})"
        for value, row, cell in (ordered[0], ordered[-1])
    ]
    cores = ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
    rate = units.rate(ordered[0][1].for_rate_per_s or 0.0)
    return f"{rate} at {limits}: {count}; it takes {cores}. "


def _whole_cores(rows: Sequence[CapacityRow]) -> str:
    """`1 to 2 cores are needed`: as many as the intervals tell, or at most."""
    known = [counts(row.cores_needed) for row in rows if row.cores_needed is not None]
    most = [whole(row.cores_at_most) for row in rows if row.cores_at_most is not None]
    high = max([*most, *(high for _, high in known)])
    if high == 1:
        return "1 core is enough"
    if most:
        return f"at most {high} cores are needed"
    low = min(low for low, _ in known)
    return f"{high} cores are needed" if low == high else f"{low} to {high} cores are needed"


def _value_of(pair: tuple[float, CellRow]) -> float:
    return pair[0]


def _cores_of(one: tuple[float, CapacityRow, CellRow]) -> float:
    return one[0]


def _name(cell: CellRow) -> str:
    return f"{cell.arm}, suspect" if cell.status == "suspect" else cell.arm
