"""The capacities of a result as tables: the answer, and what it costs to be near it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from httpdyno.cli.table import FittedTable
from httpdyno.cli.text import DASH
from httpdyno.output.table import Cell, Column, TextColumn
from httpdyno.result import CapacityRow, CellRow, StudyResult
from httpdyno.statistics.capacity.answer import counts, kept_share, whole
from httpdyno.units import duration, significant, size

__all__ = ["capacity_tables"]

_CapacityCell = tuple[CellRow, CapacityRow]


def capacity_tables(result: StudyResult) -> Iterator[FittedTable]:
    """A table of the capacities, and one of their profiles; nothing without a capacity load."""
    rows = [(cell, cell.capacity) for cell in result.cells if cell.capacity is not None]
    if rows:
        yield _capacities(rows)
    if any(capacity.profile for _, capacity in rows):
        yield _profiles(rows)


def _capacities(rows: list[_CapacityCell]) -> FittedTable:
    needed = next((c.for_rate_per_s for _, c in rows if c.for_rate_per_s is not None), None)
    cores = [] if needed is None else [Column(f"cores for {significant(needed)}/s", _cores)]
    columns: Sequence[Column[_CapacityCell]] = (
        TextColumn("", lambda one: one[0].arm),
        Column("capacity/s", _capacity),
        Column("95 % CI", _interval, drop=1),
        Column("held", _starts_that_held, drop=2),
        *cores,
        Column("knee/s", _knee, drop=3),
        TextColumn("verdict", lambda one: Cell(one[0].status, tone=one[0].status)),
    )
    return FittedTable(columns, rows, under=lambda one: one[0].point)


def _profiles(rows: list[_CapacityCell]) -> FittedTable:
    columns: Sequence[Column[_CapacityCell]] = (
        TextColumn("", lambda one: f"  {one[0].arm}"),
        *(
            Column(f"CPU at {share} %", partial(_cost, place), drop=drop)
            for place, (share, drop) in enumerate(((25, 2), (50, 0), (80, 1)))
        ),
        Column("memory", _memory, drop=4),
        Column("kept at 1.5×", lambda one: kept_share(one[1], "1.5") or DASH, drop=3),
        Column("kept at 2×", lambda one: kept_share(one[1], "2") or DASH),
        Column("recovery", _recovery),
    )
    return FittedTable(columns, rows)


def _capacity(one: _CapacityCell) -> str:
    cell, capacity = one
    if capacity.at_least_per_s is not None:
        return f"≥ {significant(capacity.at_least_per_s)}"
    if capacity.capacity_per_s is None:
        return "no result" if cell.trials or cell.reasons else DASH
    return significant(capacity.capacity_per_s.value)


def _interval(one: _CapacityCell) -> str:
    _, capacity = one
    found = capacity.capacity_per_s
    if found is None or found.low is None or found.high is None:
        return DASH
    least = "≥ " if capacity.high_is_bound else ""
    return f"{significant(found.low)} to {least}{significant(found.high)}"


def _starts_that_held(one: _CapacityCell) -> str:
    """The fresh starts that held, and their rate where it is not the capacity that is shown."""
    _, capacity = one
    if not capacity.confirmations:
        return DASH
    rate = capacity.confirmed_at_per_s
    at = "" if rate is None else significant(rate)
    where = "" if not at or _capacity(one).removeprefix("≥ ") == at else f" at {at}/s"
    return f"{capacity.held} of {capacity.confirmations}{where}"


def _cores(one: _CapacityCell) -> str:
    needed, most = one[1].cores_needed, one[1].cores_at_most
    if most is not None:
        return f"≤ {whole(most)} (≤ {significant(most)})"
    if needed is None:
        return DASH
    low, high = counts(needed)
    count = f"{low}" if low == high else f"{low} to {high}"
    return f"{count} ({significant(needed.value)})"


def _knee(one: _CapacityCell) -> str:
    knee = one[1].knee_per_s
    return DASH if knee is None else significant(knee)


def _cost(place: int, one: _CapacityCell) -> str:
    profile = one[1].profile
    cost = profile[place].server_cpu_s_per_request if place < len(profile) else None
    return DASH if cost is None else duration(cost)


def _memory(one: _CapacityCell) -> str:
    half = one[1].half
    return DASH if half is None or half.server_rss_bytes is None else size(half.server_rss_bytes)


def _recovery(one: _CapacityCell) -> str:
    _, capacity = one
    if not capacity.overload:
        return DASH
    if capacity.recovery_s is None:
        after = sum(second.share < 1 for second in capacity.overload) - 1
        return f"> {after} s"
    return "< 1 s" if capacity.recovery_s == 0 else f"{capacity.recovery_s:.0f} s"
