"""A published comparison beside the measurements: three columns, never one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.plan import AA_SUFFIX
from httpdyno.report.text import words
from httpdyno.report.text.arms import by_workload
from httpdyno.result import CellRow, LoadInfo, PublishedRow, StudyResult
from httpdyno.study import LOADS

CORRECTED = "corrected: "
"""Begins the title of a load that asks the question of a post without the faults of its load."""
MOST_IN_ORDER = 8
"""More rows than this are sorted: a reader no longer takes them in at a glance."""


@dataclass(frozen=True)
class Entry:
    """One number of the table: its load, its value and interval, and its verdict."""

    about: str
    text: str
    interval: str
    status: str
    load: LoadInfo
    cell: CellRow

    @property
    def has_interval(self) -> bool:
        """False where there are too few trials for one."""
        estimate = self.cell.throughput_per_s
        return estimate is not None and not words.without_interval(estimate)


@dataclass(frozen=True)
class ReplayRow:
    """One arm: its published numbers, the same load measured here, and the corrected loads."""

    arm: str
    published: list[PublishedRow]
    rerun: list[Entry]
    corrected: list[Entry]


def replay_rows(result: StudyResult) -> list[ReplayRow]:
    """A row for each arm: first those with published numbers, in the order of the numbers.

    Then the other arms, without an A/A control; then the published numbers without an arm.
    """
    if not result.published:
        return []
    paired = [row.arm for row in result.published if row.measured]
    others = [arm.name for arm in result.arms if not arm.name.endswith(AA_SUFFIX)]
    unmeasured = [row.arm for row in result.published if not row.measured]
    names = dict.fromkeys([*paired, *others, *unmeasured])
    return [_row(result, name) for name in names]


def replay_groups(result: StudyResult) -> list[tuple[str | None, list[ReplayRow]]]:
    """The rows of each workload; published numbers without an arm are with the first."""
    rows = replay_rows(result)
    groups = by_workload(result)
    known = {name for _, names in groups for name in names}
    found = []
    for place, (workload, names) in enumerate(groups):
        mine = [r for r in rows if r.arm in names or (place == 0 and r.arm not in known)]
        if mine:
            found.append((workload, mine))
    return found


def has_rerun(rows: Sequence[ReplayRow]) -> bool:
    """True if any of these rows has a result."""
    return any(entry.status != "invalid" for row in rows for entry in (*row.rerun, *row.corrected))


def post_entry(row: ReplayRow) -> Entry | None:
    """The entry of the rerun load that the arm's published number came from."""
    named = {one.load for one in row.published}
    own = [entry for entry in row.rerun if entry.load.name in named]
    return next(iter([*own, *row.rerun]), None)


def rerun_loads(rows: Sequence[ReplayRow]) -> list[LoadInfo]:
    """The published loads that these rows rerun."""
    entries = [entry for row in rows if (entry := post_entry(row)) is not None]
    return list({entry.load.name: entry.load for entry in entries}.values())


def corrected_loads(rows: Sequence[ReplayRow]) -> list[LoadInfo]:
    """The corrected loads at full speed; without any, those that offer a rate.

    An open load limits the throughput to what it offers, so that fast arms look alike.
    """
    loads = {entry.load.name: entry.load for row in rows for entry in row.corrected}
    closed = [load for load in loads.values() if LOADS[load.kind].purpose == "closed"]
    return closed or list(loads.values())


def _row(result: StudyResult, name: str) -> ReplayRow:
    published = [row for row in result.published if row.arm == name]
    cells = [cell for cell in result.cells if cell.arm == name]
    rerun: list[Entry] = []
    corrected: list[Entry] = []
    for load in result.loads:
        picked = _telling([cell for cell in cells if cell.load == load.name])
        if picked is not None:
            (rerun if is_rerun(result, load) else corrected).append(_entry(picked, load))
    return ReplayRow(name, published, rerun, corrected)


def in_order(rows: Sequence[ReplayRow]) -> list[ReplayRow]:
    """The order of the post; of many rows, best first by what was measured here."""
    if len(rows) <= MOST_IN_ORDER:
        return list(rows)
    return sorted(rows, key=lambda row: -_best(row))


def _best(row: ReplayRow) -> float:
    values = [
        _throughput(entry.cell)
        for entry in (*row.rerun, *row.corrected)
        if entry.status != "invalid"
    ]
    published = max((one.requests_per_s for one in row.published), default=0.0)
    # Arms without a result come last, in the order of their published numbers.
    return max(values) if values else published * 1e-9


def is_rerun(result: StudyResult, load: LoadInfo) -> bool:
    """True for a published load that was run again."""
    named = {row.load for row in result.published}
    return load.as_published or load.name in named


def _telling(cells: Sequence[CellRow]) -> CellRow | None:
    """The point of a load with the highest throughput; without any result, the first one."""
    results = [
        cell for cell in cells if cell.throughput_per_s is not None and cell.status != "invalid"
    ]
    return max(results, key=_throughput) if results else next(iter(cells), None)


def _throughput(cell: CellRow) -> float:
    return cell.throughput_per_s.value if cell.throughput_per_s is not None else 0.0


def _entry(cell: CellRow, load: LoadInfo) -> Entry:
    is_open = cell.rate_per_s is not None
    point = "" if cell.point in load.title else f", {cell.point}{' offered' if is_open else ''}"
    about = f"{load.title}{point}"
    if cell.throughput_per_s is None or cell.status == "invalid":
        why = cell.reasons[0].text if cell.reasons else ""
        return Entry(about, words.without_result(cell), why, "invalid", load, cell)
    interval = words.interval(cell.throughput_per_s, units.rate)
    shown, status = units.rate(cell.throughput_per_s.value), cell.status_of("throughput")
    return Entry(about, shown, interval, status, load, cell)
