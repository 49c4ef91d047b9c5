"""The capacities as a table of the page: the answer, and what it costs to be near it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.report.charts.figure import Figure
from httpdyno.report.contents.rows.arms import ArmLabel, Labels
from httpdyno.report.contents.rows.tables import (
    NOT_MEASURED,
    LoadTable,
    Shown,
    capacity_shown,
    cores_shown,
)
from httpdyno.report.text import words
from httpdyno.report.text.explanations import kind_words
from httpdyno.result import CapacityRow, CellRow, LoadInfo, Status, StudyResult


@dataclass(frozen=True)
class CapacityLine:
    """One arm as a row."""

    arm: ArmLabel
    point: str
    status: Status
    capacity: Shown
    held: Shown
    knee: str
    cpu: Shown
    memory: str
    overload: Shown
    recovery: Shown
    cores: Shown


@dataclass(frozen=True)
class Capacity:
    """The section: charts, and a table for each load."""

    figures: Sequence[Figure]
    tables: Sequence[LoadTable[CapacityLine]]
    for_rate: str | None
    """The rate for which cores are given: `3,000/s`."""


def capacity(result: StudyResult, figures: Sequence[Figure], labels: Labels) -> Capacity | None:
    """The section; None without a capacity load."""
    tables = capacity_tables(result, labels)
    if not tables:
        return None
    return Capacity(
        figures=[one for one in figures if one.section == "capacity"],
        tables=tables,
        for_rate=rate_for_cores(result),
    )


def capacity_tables(result: StudyResult, labels: Labels) -> list[LoadTable[CapacityLine]]:
    """A table for each capacity load."""
    return [_table(load, result, labels) for load in result.loads if load.kind == "capacity"]


def rate_for_cores(result: StudyResult) -> str | None:
    """The rate for which cores are given: `3,000/s`."""
    rates = (cell.capacity.for_rate_per_s for cell in result.cells if cell.capacity)
    return next((units.rate(rate) for rate in rates if rate is not None), None)


def _table(load: LoadInfo, result: StudyResult, labels: Labels) -> LoadTable[CapacityLine]:
    lines = [
        _line(cell, cell.capacity, labels)
        for cell in result.cells
        if cell.load == load.name and cell.capacity is not None
    ]
    return LoadTable(load.name, load.title, kind_words(load), load.note, lines)


def _line(cell: CellRow, row: CapacityRow, labels: Labels) -> CapacityLine:
    costs = [step.server_cpu_s_per_request for step in row.profile]
    half = row.half
    return CapacityLine(
        arm=labels(cell.arm),
        point=cell.point,
        status=cell.status,
        capacity=capacity_shown(cell, row),
        held=_held(row),
        knee=_knee(cell),
        cpu=Shown(
            _time(half.server_cpu_s_per_request) if half else words.NO_RESULT,
            " · ".join(_time(one) for one in costs),
        ),
        memory=units.size(half.server_rss_bytes) if half and half.server_rss_bytes else "–",
        overload=_overload(row),
        recovery=_recovery(row),
        cores=cores_shown(cell, row),
    )


def _knee(cell: CellRow) -> str:
    """The knee; of a capacity without a result, it is unknown if there is one."""
    if cell.capacity is None or cell.best_capacity_per_s is None:
        return "–"
    knee = cell.capacity.knee_per_s
    return units.rate(knee) if knee else "none"


def _held(row: CapacityRow) -> Shown:
    if not row.confirmations or row.confirmed_at_per_s is None:
        return Shown("not confirmed", "")
    at = f"at {units.rate(row.confirmed_at_per_s)}"
    return Shown(f"{row.held} of {row.confirmations}", at)


def _overload(row: CapacityRow) -> Shown:
    kept = row.goodput_per_s
    if "2" not in kept:
        return NOT_MEASURED
    return Shown(units.rate(kept["2"]), f"{units.rate(kept.get('1.5', 0.0))} at 1.5×")


def _recovery(row: CapacityRow) -> Shown:
    if not row.overload:
        return NOT_MEASURED
    if row.recovery_s is None:
        return Shown(f"not within {sum(one.share < 1 for one in row.overload) - 1} s", "")
    return Shown("under 1 s" if row.recovery_s == 0 else f"{row.recovery_s:.0f} s", "")


def _time(seconds: float | None) -> str:
    return "–" if seconds is None else units.microseconds(seconds)
