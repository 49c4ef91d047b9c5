"""The answer: a sentence to begin with, and a table of the arms for each load."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.report.contents.glances import Glance, best_capacity, glances, legend
from httpdyno.report.contents.rows.arms import Labels
from httpdyno.report.contents.rows.tables import cores_of
from httpdyno.report.text import words
from httpdyno.result import CapacityRow, CellRow, StudyResult
from httpdyno.statistics.capacity.answer import whole

_LONG = 360
"""Letters of an answer from which only its first sentences stand alone."""
_SENTENCE = re.compile(r"(?<=[a-z0-9)×%]\.) (?=[A-Z])")
_SUSPECT = "This result is suspect"
_SMALL = "The small print"
_MARK = "A number marked ? is suspect; the mark leads to the reason."


@dataclass(frozen=True)
class Answer:
    """The answer of the study."""

    lead: str
    """The sentences that everyone should read."""
    more: str
    """The whole answer, where it is long; empty: the lead is all of it."""
    first: Sequence[Glance]
    """The tables of the load that the answer is about."""
    others: Sequence[Glance]

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
    tables = glances(result, labels) if compared else []
    sentences = _SENTENCE.split(result.answer)
    is_long = len(result.answer) > _LONG and len(sentences) > 2
    lead = _lead(result, sentences) if is_long else result.answer
    first = [table for table in tables if table.load == tables[0].load]
    others = tables[len(first) :]
    return Answer(lead, result.answer if is_long else "", first, others)


def _lead(result: StudyResult, sentences: Sequence[str]) -> str:
    capacities = [cell for cell in result.cells if cell.capacity is not None]
    if len(capacities) > 1 and len(capacities) == len(result.cells):
        return _capacities(capacities, sentences[0])
    # The first sentence names the difference, the others may name the load and a doubt.
    more = itertools.takewhile(lambda one: one.startswith(("Load: ", _SUSPECT)), sentences[1:])
    return " ".join([sentences[0], *more])


def _capacities(cells: Sequence[CellRow], first: str) -> str:
    """`Capacity at p99 ≤ 20 ms: from 15,500/s (starlette) to 98,600/s or more (nginx).`"""
    found = [(rate, cell) for cell in cells if (rate := best_capacity(cell)) is not None]
    if not found:
        return first
    (low, slow), (high, fast) = min(found, key=_value_of), max(found, key=_value_of)
    limits = next((cell.capacity.limits_in_words for cell in cells if cell.capacity), "")
    more = " or more" if fast.capacity and fast.capacity.at_least_per_s is not None else ""
    cores = _cores(cells, limits)
    where = "" if cores else f" at {limits}"
    without = len(cells) - len(found)
    none = f" {without} of {len(cells)} have no result." if without else ""
    return (
        f"{cores}Capacity{where}: from {units.rate(low)} ({_named(slow)}) to"
        f" {units.rate(high)}{more} ({_named(fast)}).{none}"
    )


def _cores(cells: Sequence[CellRow], limits: str) -> str:
    """`3,000/s at p99 ≤ 20 ms: 1 core is enough; it takes 0.0304 (nginx) to 0.193 cores (go). `"""
    rows = [(row, cell) for cell in cells if (row := cell.capacity) and cell.status != "invalid"]
    found = [(value, row, cell) for row, cell in rows if (value := cores_of(row)) is not None]
    if not found:
        return ""
    ordered = sorted(found, key=_cores_of)
    low, high = whole(_cores_of(ordered[0])), whole(_cores_of(ordered[-1]))
    enough = "1 core is enough" if high == 1 else f"{high} cores are needed"
    count = enough if low == high else f"{low} to {high} cores are needed"
    ends = [
        f"{'' if row.cores_needed else 'at most '}{units.significant(value)} cores ({_named(cell)})"
        for value, row, cell in (ordered[0], ordered[-1])
    ]
    told = ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
    wanted = units.rate(ordered[0][1].for_rate_per_s or 0.0)
    return f"{wanted} at {limits}: {count}; it takes {told}. "


def _value_of(pair: tuple[float, CellRow]) -> float:
    return pair[0]


def _cores_of(one: tuple[float, CapacityRow, CellRow]) -> float:
    return one[0]


def _named(cell: CellRow) -> str:
    return f"{cell.arm}, suspect" if cell.status == "suspect" else cell.arm
