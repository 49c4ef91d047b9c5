"""A published comparison beside what was measured here: three columns, never one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.report import words
from httpdyno.statistics.result import CellRow, PublishedRow, StudyResult


@dataclass(frozen=True)
class Entry:
    """One number of the table: what it is, its value and interval, and its verdict."""

    about: str
    text: str
    interval: str
    status: str


@dataclass(frozen=True)
class ReplayRow:
    """One published number, the same shape measured here, and the corrected loads."""

    published: PublishedRow
    then: str
    rerun: list[Entry]
    corrected: list[Entry]


def replay_rows(result: StudyResult) -> list[ReplayRow]:
    """A row for each published number."""
    replayed = {row.load for row in result.published}
    rows = []
    for row in result.published:
        cells = [cell for cell in result.cells if cell.arm == row.arm]
        corrected = [
            _entry(picked)
            for load in result.loads
            if load.name not in replayed
            and (picked := _telling([c for c in cells if c.load == load.name]))
        ]
        rerun = [_entry(cell) for cell in cells if cell.load == row.load]
        rows.append(ReplayRow(row, units.rate(row.requests_per_s), rerun, corrected))
    return rows


def _telling(cells: Sequence[CellRow]) -> CellRow | None:
    """Of a load's points, the one that answered most; without any result, the first, to say so."""
    results = [
        cell for cell in cells if cell.throughput_per_s is not None and cell.status != "invalid"
    ]
    return max(results, key=_answered) if results else next(iter(cells), None)


def _answered(cell: CellRow) -> float:
    return cell.throughput_per_s.value if cell.throughput_per_s is not None else 0.0


def _entry(cell: CellRow) -> Entry:
    is_open = cell.rate_per_s is not None
    about = f"of {cell.point} offered ({cell.load})" if is_open else f"{cell.load}, {cell.point}"
    if cell.throughput_per_s is None or cell.status == "invalid":
        why = cell.reasons[0].text if cell.reasons else ""
        return Entry(about, words.NO_RESULT, why, "invalid")
    interval = words.interval(cell.throughput_per_s, units.rate)
    return Entry(about, units.rate(cell.throughput_per_s.value), interval, cell.status)
