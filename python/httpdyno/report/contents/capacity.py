"""The capacities as a table of the page: the answer, and what it costs to be near it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from httpdyno import units
from httpdyno.capacity.knee import FEWEST_POINTS
from httpdyno.output.table import Cell, Column, Field, fields
from httpdyno.report.charts.figure import Figure
from httpdyno.report.contents.rows.arms import Labels
from httpdyno.report.contents.rows.tables import (
    NOT_MEASURED,
    Line,
    LoadTable,
    capacity_shown,
    cores_shown,
    load_table,
)
from httpdyno.result import CapacityRow, CellRow, LoadInfo, StudyResult

_CapacityCell = tuple[CellRow, CapacityRow]
"""A cell whose load searches for a capacity."""


@dataclass(frozen=True)
class Capacity:
    """The section: charts, and a table for each load."""

    figures: Sequence[Figure]
    tables: Sequence[LoadTable]
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


def capacity_tables(result: StudyResult, labels: Labels) -> list[LoadTable]:
    """A table for each capacity load."""
    return [_table(load, result, labels) for load in result.loads if load.kind == "capacity"]


def rate_for_cores(result: StudyResult) -> str | None:
    """The rate for which cores are given: `3,000/s`."""
    rates = (cell.capacity.for_rate_per_s for cell in result.cells if cell.capacity)
    return next((units.rate(rate) for rate in rates if rate is not None), None)


def _table(load: LoadInfo, result: StudyResult, labels: Labels) -> LoadTable:
    for_rate = rate_for_cores(result)
    cores = Column[_CapacityCell](
        f"cores for {for_rate}", lambda one: cores_shown(*one), sorts=True
    )
    columns = [*([cores] if for_rate else []), *_COLUMNS]
    lines = [
        Line(
            labels(cell.arm),
            fields(columns, (cell, cell.capacity)),
            point=cell.point,
            status=cell.status,
        )
        for cell in result.cells
        if cell.load == load.name and cell.capacity is not None
    ]
    return load_table(load, columns, lines, len(lines))


def _held_field(one: _CapacityCell) -> Field:
    _, row = one
    if not row.confirmations or row.confirmed_at_per_s is None:
        return Cell("not confirmed")
    return Cell(f"{row.held} of {row.confirmations}", f"at {units.rate(row.confirmed_at_per_s)}")


def _knee(one: _CapacityCell) -> Field:
    """The knee; without a capacity, or with few steps that held, it is unknown if there is one."""
    cell, row = one
    held = sum(step.outcome == "held" for step in row.curve)
    if cell.best_capacity_per_s is None or (row.knee_per_s is None and held < FEWEST_POINTS):
        return "–"
    return units.rate(row.knee_per_s) if row.knee_per_s else "none"


def _cpu(one: _CapacityCell) -> Field:
    _, row = one
    costs = " · ".join(_time(step.server_cpu_s_per_request) for step in row.profile)
    return Cell(_time(row.half.server_cpu_s_per_request) if row.half else "–", costs)


def _memory(one: _CapacityCell) -> Field:
    half = one[1].half
    return units.size(half.server_rss_bytes) if half and half.server_rss_bytes else "–"


def _overload(one: _CapacityCell) -> Field:
    kept = one[1].goodput_per_s
    if "2" not in kept:
        return NOT_MEASURED
    return Cell(units.rate(kept["2"]), f"{units.rate(kept.get('1.5', 0.0))} at 1.5×")


def _recovery(one: _CapacityCell) -> Field:
    _, row = one
    if not row.overload:
        return NOT_MEASURED
    if row.recovery_s is None:
        return Cell(f"not within {sum(second.share < 1 for second in row.overload) - 1} s")
    return Cell("under 1 s" if row.recovery_s == 0 else f"{row.recovery_s:.0f} s")


def _time(seconds: float | None) -> str:
    return "–" if seconds is None else units.microseconds(seconds)


_COLUMNS: Sequence[Column[_CapacityCell]] = (
    Column("capacity", lambda one: capacity_shown(*one), sorts=True),
    Column("held", _held_field),
    Column("knee", _knee),
    Column("CPU per request", _cpu, at="at 50 %", interval="25 · 50 · 80 %"),
    Column("memory", _memory, at="at 50 %"),
    Column("goodput at 2×", _overload),
    Column("recovery", _recovery),
)
