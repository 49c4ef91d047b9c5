"""The answer: a sentence to begin with, and a table of the arms for each load."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.contents.rows.groups import grouped
from httpdyno.report.contents.rows.tables import (
    Shown,
    card_id,
    cores_of,
    cores_shown,
    number,
    ratio_shown,
    shown,
)
from httpdyno.report.text import words
from httpdyno.report.text.doubts import cells_of
from httpdyno.report.text.replay import is_rerun
from httpdyno.result import CapacityRow, CellRow, Comparison, Estimate, LoadInfo, StudyResult
from httpdyno.statistics.capacity.answer import whole

MOST_AT_ONCE = 12
"""A table of more arms shows so many, and folds the others."""
_LONG = 360
"""Letters of an answer from which only its first sentences stand alone."""
_SENTENCE = re.compile(r"(?<=[a-z0-9)×%]\.) (?=[A-Z])")
_METRICS = {"throughput": "requests/s", "p99": "p99", "capacity": "capacity"}
_COLUMNS = ("requests/s", "p50", "p99", "CPU per request")
_CAPACITY_COLUMNS = ("capacity", "held", "CPU per request at half of it")
_SUSPECT = "This result is suspect"


@dataclass(frozen=True)
class GlanceLine:
    """One arm under one load."""

    arm: ArmLabel
    load: str
    point: str
    """Empty: that of the table."""
    rank: str
    """`1`, `2 to 4`; empty: the arms are not ranked."""
    status: str
    without: str
    """Why there is no number; empty: there is one."""
    ratio: Shown | None
    """To the baseline; None: the study did not compare this arm."""
    is_baseline: bool
    numbers: Sequence[Shown]


@dataclass(frozen=True)
class Glance:
    """The arms of one workload under one load point, best first."""

    load: str
    title: str
    point: str
    ranked_by: str
    """Empty: not ranked."""
    baseline: str
    """Empty: nothing is compared."""
    columns: Sequence[str]
    ranked_column: int
    """The place of the number that is ranked and compared."""
    note: str
    """On numbers without an interval; empty: all have one."""
    lines: Sequence[GlanceLine]
    rest: Sequence[GlanceLine]
    """The lines that are folded."""


@dataclass(frozen=True)
class Answer:
    """The answer of the study."""

    lead: str
    """The sentences that everyone should read."""
    more: str
    """The whole answer, where it is long; empty: the lead is all of it."""
    first: Sequence[Glance]
    others: Sequence[Glance]


def answer(result: StudyResult, labels: Labels) -> Answer:
    """The answer of a result."""
    tables = _Glances(result, labels).all() if len(result.arms) > 1 else []
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
    found = [(rate, cell) for cell in cells if (rate := _capacity_rate(cell)) is not None]
    if not found:
        return first
    (low, slow), (high, fast) = min(found, key=_rate_of), max(found, key=_rate_of)
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
    """`3,000/s at p99 ≤ 20 ms need 1 core: from 0.0304 at most (nginx) to 0.193 (starlette). `"""
    rows = [(row, cell) for cell in cells if (row := cell.capacity) and cell.status != "invalid"]
    found = [(value, row, cell) for row, cell in rows if (value := cores_of(row)) is not None]
    if not found:
        return ""
    ordered = sorted(found, key=_value_of)
    low, high = whole(_value_of(ordered[0])), whole(_value_of(ordered[-1]))
    count = f"{low}" if low == high else f"{low} to {high}"
    noun = "core" if high == 1 else "cores"
    ends = [
        f"{units.significant(value)}{'' if row.cores_needed else ' at most'} ({_named(cell)})"
        for value, row, cell in (ordered[0], ordered[-1])
    ]
    told = ends[0] if ends[0] == ends[1] else f"from {ends[0]} to {ends[1]}"
    wanted = units.rate(ordered[0][1].for_rate_per_s or 0.0)
    return f"{wanted} at {limits} need {count} {noun}: {told}. "


def _value_of(one: tuple[float, CapacityRow, CellRow]) -> float:
    return one[0]


def _named(cell: CellRow) -> str:
    return f"{cell.arm}, suspect" if cell.status == "suspect" else cell.arm


def _rate_of(pair: tuple[float, CellRow]) -> float:
    return pair[0]


def _capacity_rate(cell: CellRow) -> float | None:
    if cell.capacity is None or cell.status == "invalid":
        return None
    found = cell.capacity.capacity_per_s
    return found.value if found is not None else cell.capacity.at_least_per_s


class _Glances:
    """Makes the tables of a result; each lookup is built once."""

    def __init__(self, result: StudyResult, labels: Labels) -> None:
        self._result, self._labels = result, labels
        self._cells = cells_of(result)
        self._workload = {arm.name: arm.workload for arm in result.arms}
        self._rankings = grouped(
            result.rankings, lambda one: (one.load, one.point, str(one.metric))
        )
        self._compared: dict[tuple[str, str, str, str], Comparison] = {}
        for row in result.comparisons:
            self._compared.setdefault((row.metric, row.load, row.point, row.arm), row)

    def all(self) -> list[Glance]:
        """A table for each load and workload; the loads that answer the question come first."""
        of_load = grouped(self._result.cells, lambda cell: cell.load)
        several = len(set(self._workload.values())) > 1
        found = []
        for load in sorted(self._result.loads, key=lambda load: _order(self._result, load)):
            rows = _telling_rows(of_load.get(load.name, []))
            for name, mine in grouped(rows, lambda c: self._workload.get(c.arm, "")).items():
                found.append(self._one(load, f"{load.title}; {name}" if several else "", mine))
        return found

    def _one(self, load: LoadInfo, title: str, cells: Sequence[CellRow]) -> Glance:
        metric, point = _metric(load), cells[0].point
        ranks = self._ranks(load.name, point, metric, cells)
        places = {name: place for place, name in enumerate(ranks)}
        rows = {
            cell.arm: row
            for cell in cells
            if (row := self._compared.get((metric, cell.load, cell.point, cell.arm))) is not None
        }
        if not any(row.ratio for row in rows.values()):
            rows = {}
        baseline = next((row.baseline for row in rows.values()), "")
        wanted = next((c.capacity.for_rate_per_s for c in cells if c.capacity), None)
        cores = [] if wanted is None else [f"cores for {units.rate(wanted)}"]
        columns = _CAPACITY_COLUMNS if load.kind == "capacity" else _COLUMNS
        lines = [
            self._line(cell, point, ranks, rows.get(cell.arm), baseline)
            for cell in sorted(cells, key=lambda cell: _best_first(cell, places, metric))
        ]
        return Glance(
            load=load.name,
            title=title or load.title,
            point=point,
            ranked_by=_METRICS[metric] if ranks else "",
            baseline=baseline,
            columns=[*cores, *columns],
            ranked_column=len(cores),
            note=words.note_on_intervals([_compared_estimate(cell) for cell in cells]),
            lines=lines[:MOST_AT_ONCE],
            rest=lines[MOST_AT_ONCE:],
        )

    def _line(
        self,
        cell: CellRow,
        point: str,
        ranks: dict[str, str],
        row: Comparison | None,
        baseline: str,
    ) -> GlanceLine:
        return GlanceLine(
            arm=self._labels(cell.arm),
            load=cell.load,
            point="" if cell.point == point else cell.point,
            rank=ranks.get(cell.arm, "") if cell.point == point else "",
            status=cell.status,
            without=words.without_result(cell) if cell.status == "invalid" else "",
            ratio=None if row is None else ratio_shown(row, self._cells),
            is_baseline=cell.arm == baseline,
            numbers=_numbers(cell),
        )

    def _ranks(
        self, load: str, point: str, metric: str, cells: Sequence[CellRow]
    ) -> dict[str, str]:
        """The ranks of these arms in words, best first; of more than two arms."""
        names = {cell.arm for cell in cells}
        for ranking in self._rankings.get((load, point, metric), ()):
            if len(ranking.arms) > 2 and names & {arm.arm for arm in ranking.arms}:
                return {one.arm: words.ranks(one) for one in ranking.arms}
        return {}


def _order(result: StudyResult, load: LoadInfo) -> tuple[bool, bool]:
    """Sort key: capacities and corrected loads at full speed, others, loads of a post."""
    return is_rerun(result, load), load.kind not in ("capacity", "closed")


def _metric(load: LoadInfo) -> str:
    if load.kind == "capacity":
        return "capacity"
    return "throughput" if load.kind == "closed" else "p99"


def _telling_rows(cells: Sequence[CellRow]) -> list[CellRow]:
    """The cells at the load point at which most arms have a result, the highest of several; an arm
    without that point has another one."""
    points = grouped(cells, lambda cell: cell.point)
    counts = [
        (sum(cell.status != "invalid" for cell in rows), rows[0].rate_per_s or 0.0, point)
        for point, rows in points.items()
    ]
    found = list(points[max(counts)[2]]) if counts else []
    known = {cell.arm for cell in found}
    for cell in cells:
        if cell.arm not in known:
            known.add(cell.arm)
            found.append(cell)
    return found


def _best_first(cell: CellRow, places: dict[str, int], metric: str) -> tuple[bool, int, float]:
    value: float | None = None
    if metric == "capacity":
        value = _capacity_rate(cell)
    elif metric == "throughput" and cell.throughput_per_s is not None:
        value = cell.throughput_per_s.value
    elif metric == "p99" and cell.p99_s is not None:
        value = -cell.p99_s.value
    return cell.status == "invalid", places.get(cell.arm, len(places)), -(value or 0.0)


def _numbers(cell: CellRow) -> list[Shown]:
    if cell.capacity is not None:
        return _capacity_numbers(cell, cell.capacity)
    return [
        number(cell, "throughput_per_s", units.rate),
        number(cell, "p50_s", units.duration),
        number(cell, "p99_s", units.duration),
        number(cell, "server_cpu_s_per_request", words.per_request),
    ]


def _capacity_numbers(cell: CellRow, row: CapacityRow) -> list[Shown]:
    least = row.at_least_per_s
    doubt = cell.reasons[0].text if cell.status == "suspect" and cell.reasons else ""
    card = card_id(cell.reasons[0].code) if doubt else ""
    capacity = (
        shown(row.capacity_per_s, units.rate, doubt, card)
        if least is None
        else Shown(f"≥ {units.rate(least)}", "the search ended here", doubt, least, card)
    )
    held = f"{row.held} of {row.confirmations}" if row.confirmations else "not confirmed"
    half = row.profile[1].server_cpu_s_per_request if len(row.profile) > 1 else None
    cpu = Shown("–", "") if half is None else Shown(words.per_request(half), "", number=half)
    cores = [] if row.for_rate_per_s is None else [cores_shown(row, doubt, card)]
    return [*cores, capacity, Shown(held, ""), cpu]


def _compared_estimate(cell: CellRow) -> Estimate | None:
    if cell.status == "invalid":
        return None
    return cell.capacity.capacity_per_s if cell.capacity else cell.throughput_per_s
