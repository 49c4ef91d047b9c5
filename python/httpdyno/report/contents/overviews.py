"""The tables below the answer: the arms under each load, sorted by rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from httpdyno import units
from httpdyno.metrics import COMPARED, FEW, RankedBy
from httpdyno.output.table import Cell
from httpdyno.plan import AA_SUFFIX
from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.contents.rows.groups import group_by
from httpdyno.report.contents.rows.tables import (
    capacity_shown,
    cores_shown,
    number,
    ratio_shown,
)
from httpdyno.report.text import words
from httpdyno.report.text.doubts import cells_of
from httpdyno.report.text.replay import CORRECTED, is_rerun
from httpdyno.result import (
    CapacityRow,
    CellRow,
    Comparison,
    Estimate,
    LoadInfo,
    Ranking,
    StudyResult,
)
from httpdyno.statistics.claims.rankings import ranked_by
from httpdyno.study import LOADS

MOST_AT_ONCE = 12
"""A table of more arms shows so many, and folds the others."""
MOST_FOLDED = 500
MOST_CELLS, MOST_TABLES = 400, 20
"""A study of more cells has only the best arms of the other loads, in at most so many tables."""
_COLUMNS = tuple(metric.heading for metric in FEW)
_CAPACITY_COLUMNS = ("capacity", "held", "CPU per request at half of it")

_ABOUT_CORRECTED = "the corrected load: the question of the post, without the faults of its load"


@dataclass(frozen=True)
class OverviewLine:
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
    ratio: Cell | None
    """To the baseline; None: the study did not compare this arm."""
    is_baseline: bool
    numbers: Sequence[Cell]


@dataclass(frozen=True)
class Overview:
    """The arms of one workload under one load point, sorted by rank."""

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
    about: str
    """The kind of the load in words, where its title alone does not say it."""
    note: str
    """On numbers without an interval; empty: all have one."""
    compared: Sequence[Comparison]
    """The comparisons behind its ratios."""
    lines: Sequence[OverviewLine]
    rest: Sequence[OverviewLine]
    """The lines that are folded."""
    left_out: int
    """Arms that this table has no room for."""


def overviews(result: StudyResult, labels: Labels) -> list[Overview]:
    """A table for each load and workload. The load of the answer comes first, then capacities and
    loads at full speed, then the others; the loads of a post come last."""
    return _Overviews(result, labels).all()


def legend(tables: Sequence[Overview], small: str, mark: str) -> str:
    """The order of the tables, their intervals and their marks in words.

    `small`: the way they show intervals. `mark`: the sentence about the mark of a suspect number.
    """
    parts = (_interval_words(tables, small), _ratio_words(tables), _marks(tables, mark))
    return " ".join([_order_words(tables), *chain.from_iterable(parts)])


_SORTED = {
    "requests/s": "by requests/s",
    "p99": "by p99 at a rate that all arms with a result kept up with",
    "capacity": "by capacity",
}


def _order_words(tables: Sequence[Overview]) -> str:
    """The order of the lines. It is that of the estimates where the trials tell no ranks."""
    sorted_by = dict.fromkeys(_SORTED[table.columns[table.ranked_column]] for table in tables)
    order = f"Sorted {', or '.join(sorted_by)}"
    lines = [line for table in tables for line in (*table.lines, *table.rest)]
    if not any(line.rank for line in lines):
        return f"{order}."
    order = f"Sorted by rank, then {', or '.join(sorted_by)}."
    if not any(" to " in line.rank for line in lines):
        return order
    return (
        f"{order} A rank such as “2 to 4” means that the trials do not tell which of these places"
        " the arm has."
    )


def _interval_words(tables: Sequence[Overview], small: str) -> Iterator[str]:
    lines = [line for table in tables for line in (*table.lines, *table.rest)]
    numbers = any(one.interval for line in lines for one in line.numbers)
    compared = [one for table in tables for one in table.compared]
    of_ratios = words.levels(compared)
    if not numbers and not of_ratios:
        return
    if of_ratios in ("", "95 %"):
        yield f"{small} is the 95 % confidence interval (CI)."
        return
    together = max(one.adjusted_with for one in compared)
    yield (
        f"{small} is the 95 % confidence interval (CI); of a ratio it is the {of_ratios} CI,"
        f" because {together:,} comparisons were judged together."
    )


def _ratio_words(tables: Sequence[Overview]) -> Iterator[str]:
    """Where a ratio is not that of the two numbers in the table."""
    if any(row.in_common for table in tables for row in table.compared):
        yield words.LEFT_OUT
    if any(one.compared and one.columns[one.ranked_column] == "capacity" for one in tables):
        yield (
            "A capacity is the median over restarts; a ratio of capacities is the geometric mean of"
            " the ratios within blocks."
        )


def _marks(tables: Sequence[Overview], mark: str) -> Iterator[str]:
    lines = [line for table in tables for line in (*table.lines, *table.rest)]
    shown_there = [one for line in lines for one in (*line.numbers, line.ratio) if one is not None]
    if mark and any(one.doubt for one in shown_there):
        yield mark


class _Overviews:
    """Makes the tables of a result; each lookup is built once."""

    def __init__(self, result: StudyResult, labels: Labels) -> None:
        self._result, self._labels = result, labels
        self._cells = cells_of(result)
        self._workload = {arm.name: arm.workload for arm in result.arms}
        self._rankings = group_by(result.rankings, lambda one: (one.load, one.point))
        self._compared: dict[tuple[str, str, str, str], Comparison] = {}
        for row in result.comparisons:
            self._compared.setdefault((row.metric, row.load, row.point, row.arm), row)

    def all(self) -> list[Overview]:
        """The tables in their order."""
        of_load = group_by(self._result.cells, lambda cell: cell.load)
        several = len(set(self._workload.values())) > 1
        found: list[Overview] = []
        for load in sorted(self._result.loads, key=self._order):
            others = bool(found) and found[0].load != load.name
            large = others and len(self._result.cells) > MOST_CELLS
            if large and len(found) >= MOST_TABLES:
                break
            rows = _telling_rows(of_load.get(load.name, []), self._point(load))
            for name, mine in group_by(rows, lambda c: self._workload.get(c.arm, "")).items():
                title = load.title.removeprefix(CORRECTED)
                title = f"{title}; {name}" if several else title
                found.append(self._one(load, title, mine, 0 if large else MOST_FOLDED))
        return found

    def _point(self, load: LoadInfo) -> str:
        """The load point of the answer, if it is one of this load."""
        return self._result.answer_point if self._result.answer_load == load.name else ""

    def _order(self, load: LoadInfo) -> tuple[bool, bool, bool]:
        other = self._result.answer_load != load.name
        return other, is_rerun(self._result, load), LOADS[load.kind].purpose == "open"

    def _one(self, load: LoadInfo, title: str, cells: Sequence[CellRow], folded: int) -> Overview:
        point = cells[0].point
        ranking = self._ranking(cells)
        metric = self._metric(load, cells, ranking)
        ranks = _ranks(ranking)
        places = {name: place for place, name in enumerate(ranks)}
        rows = self._ratios(cells, metric)
        baseline = next((row.baseline for row in rows.values()), "")
        for_rate_per_s = next((c.capacity.for_rate_per_s for c in cells if c.capacity), None)
        cores = [] if for_rate_per_s is None else [f"cores for {units.rate(for_rate_per_s)}"]
        columns = [*cores, *(_CAPACITY_COLUMNS if load.kind == "capacity" else _COLUMNS)]
        best = sorted(cells, key=lambda cell: _best_first(cell, places, metric))
        shown_there = best[: MOST_AT_ONCE + folded]
        lines = [self._line(c, point, ranks, rows.get(c.arm), baseline) for c in shown_there]
        return Overview(
            load=load.name,
            title=title,
            point=point,
            ranked_by=COMPARED[metric].heading if ranks else "",
            baseline=baseline,
            columns=columns,
            ranked_column=columns.index(COMPARED[metric].heading),
            about=_ABOUT_CORRECTED if load.title.startswith(CORRECTED) else "",
            note=words.note_on_intervals([_compared_estimate(cell) for cell in cells]),
            compared=[row for row in rows.values() if row.arm != baseline],
            lines=lines[:MOST_AT_ONCE],
            rest=lines[MOST_AT_ONCE:],
            left_out=len(cells) - len(lines),
        )

    def _ratios(self, cells: Sequence[CellRow], metric: str) -> Mapping[str, Comparison]:
        """The comparison of each arm; none at all if not one has a ratio."""
        rows = {
            cell.arm: row
            for cell in cells
            if (row := self._compared.get((metric, cell.load, cell.point, cell.arm))) is not None
        }
        return rows if any(row.ratio for row in rows.values()) else {}

    def _line(
        self,
        cell: CellRow,
        point: str,
        ranks: Mapping[str, str],
        row: Comparison | None,
        baseline: str,
    ) -> OverviewLine:
        return OverviewLine(
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

    def _ranking(self, cells: Sequence[CellRow]) -> Ranking | None:
        """The ranking of these arms at the point of the first."""
        names = {cell.arm for cell in cells}
        found = self._rankings.get((cells[0].load, cells[0].point), ())
        return next((one for one in found if names & {arm.arm for arm in one.arms}), None)

    def _metric(
        self, load: LoadInfo, cells: Sequence[CellRow], ranking: Ranking | None
    ) -> RankedBy:
        """The metric of a table: that of its ranking, or of the same rule. An A/A control is a test
        of the machine, and no part of either."""
        if load.kind == "capacity":
            return "capacity"
        if ranking is not None:
            return ranking.metric
        here = [cell for cell in cells if cell.point == cells[0].point]
        return ranked_by([cell for cell in here if not cell.arm.endswith(AA_SUFFIX)])


def _ranks(ranking: Ranking | None) -> dict[str, str]:
    """The ranks of these arms in words, best first; of more than two arms."""
    if ranking is None or len(ranking.arms) <= 2:
        return {}
    return {one.arm: words.ranks(one) for one in ranking.arms}


def _telling_rows(cells: Sequence[CellRow], preferred: str) -> list[CellRow]:
    """The cells at the load point of the answer, else at the one at which most arms have a result,
    the highest of several; an arm without that point has another one."""
    points = group_by(cells, lambda cell: cell.point)
    counts = [
        (sum(cell.status != "invalid" for cell in rows), rows[0].rate_per_s or 0.0, point)
        for point, rows in points.items()
    ]
    point = preferred if preferred in points else max(counts)[2] if counts else ""
    found = list(points.get(point, ()))
    known = {cell.arm for cell in found}
    for cell in cells:
        if cell.arm not in known:
            known.add(cell.arm)
            found.append(cell)
    return found


def _best_first(
    cell: CellRow, places: Mapping[str, int], metric: RankedBy
) -> tuple[bool, int, float]:
    by = COMPARED[metric]
    found: Estimate | None = getattr(cell, by.column)
    value = None if found is None else found.value
    if metric == "capacity":
        value = cell.best_capacity_per_s
    sign = -1.0 if by.more_is_better else 1.0
    return cell.status == "invalid", places.get(cell.arm, len(places)), sign * (value or 0.0)


def _numbers(cell: CellRow) -> list[Cell]:
    if cell.capacity is not None:
        return _capacity_numbers(cell, cell.capacity)
    return [number(cell, metric) for metric in FEW]


def _capacity_numbers(cell: CellRow, row: CapacityRow) -> list[Cell]:
    held = f"{row.held} of {row.confirmations}" if row.confirmations else "not confirmed"
    half = row.half.server_cpu_s_per_request if row.half else None
    cpu = Cell("–") if half is None else Cell(units.microseconds(half), number=half)
    cores = [] if row.for_rate_per_s is None else [cores_shown(cell, row)]
    return [*cores, capacity_shown(cell, row), Cell(held), cpu]


def _compared_estimate(cell: CellRow) -> Estimate | None:
    if cell.status == "invalid":
        return None
    return cell.capacity.capacity_per_s if cell.capacity else cell.throughput_per_s
