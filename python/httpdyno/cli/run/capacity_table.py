"""The capacities of a result as tables: the answer, and what it costs to be near it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from httpdyno.cli.run.fitted import Column, FittedTable
from httpdyno.output.printable import printable
from httpdyno.result import CapacityRow, CellRow, StudyResult
from httpdyno.statistics.capacity.answer import counts, kept, whole
from httpdyno.units import duration, significant, size

__all__ = ["capacity_tables"]

_STYLE = {"valid": "green", "suspect": "yellow", "invalid": "red"}
_DASH = "–"


def capacity_tables(result: StudyResult) -> Iterator[FittedTable]:
    """A table of the capacities, and one of their profiles; nothing without a capacity load."""
    rows = [(cell, cell.capacity) for cell in result.cells if cell.capacity is not None]
    if rows:
        yield _capacities(rows)
    if any(capacity.profile for _, capacity in rows):
        yield _profiles(rows)


def _capacities(rows: list[tuple[CellRow, CapacityRow]]) -> FittedTable:
    needed = next((c.for_rate_per_s for _, c in rows if c.for_rate_per_s is not None), None)
    table = FittedTable(
        Column("capacity/s"),
        Column("95 % CI", drop=1),
        Column("held", drop=2),
        *([] if needed is None else [Column(f"cores for {significant(needed)}/s")]),
        Column("knee/s", drop=3),
        Column("verdict", right=False),
    )
    before = ""
    for cell, capacity in rows:
        if cell.point != before:
            table.add_heading(printable(cell.point))
        before = cell.point
        table.add_row(
            Text(f"  {printable(cell.arm)}"),
            _capacity(cell, capacity),
            _interval(capacity),
            f"{capacity.held} of {capacity.confirmations}" if capacity.confirmations else _DASH,
            *([] if needed is None else [_cores(capacity)]),
            _rate(capacity.knee_per_s),
            Text(cell.status, _STYLE[cell.status]),
        )
    return table


def _profiles(rows: list[tuple[CellRow, CapacityRow]]) -> FittedTable:
    table = FittedTable(
        *(Column(f"CPU at {share} %", drop=drop) for share, drop in ((25, 2), (50, 0), (80, 1))),
        Column("memory", drop=4),
        Column("kept at 1.5×", drop=3),
        Column("kept at 2×"),
        Column("recovery"),
    )
    for cell, capacity in rows:
        costs = [step.server_cpu_s_per_request for step in capacity.profile[:3]]
        three = [_DASH if one is None else duration(one) for one in costs]
        three += [_DASH] * (3 - len(three))
        memory = capacity.half.server_rss_bytes if capacity.half else None
        table.add_row(
            Text(f"  {printable(cell.arm)}"),
            *three,
            _DASH if memory is None else size(memory),
            kept(capacity, "1.5") or _DASH,
            kept(capacity, "2") or _DASH,
            _recovery(capacity),
        )
    return table


def _capacity(cell: CellRow, capacity: CapacityRow) -> str:
    if capacity.at_least_per_s is not None:
        return f"≥ {significant(capacity.at_least_per_s)}"
    if capacity.capacity_per_s is None:
        return "no result" if cell.trials or cell.reasons else _DASH
    return significant(capacity.capacity_per_s.value)


def _interval(capacity: CapacityRow) -> str:
    found = capacity.capacity_per_s
    if found is None or found.low is None or found.high is None:
        return _DASH
    least = "≥ " if capacity.high_is_bound else ""
    return f"{significant(found.low)} to {least}{significant(found.high)}"


def _cores(capacity: CapacityRow) -> str:
    needed, most = capacity.cores_needed, capacity.cores_at_most
    if most is not None:
        return f"≤ {whole(most)} (≤ {significant(most)})"
    if needed is None:
        return _DASH
    low, high = counts(needed)
    count = f"{low}" if low == high else f"{low} to {high}"
    return f"{count} ({significant(needed.value)})"


def _rate(per_s: float | None) -> str:
    return _DASH if per_s is None else significant(per_s)


def _recovery(capacity: CapacityRow) -> str:
    if not capacity.overload:
        return _DASH
    if capacity.recovery_s is None:
        after = sum(second.share < 1 for second in capacity.overload) - 1
        return f"> {after} s"
    return "< 1 s" if capacity.recovery_s == 0 else f"{capacity.recovery_s:.0f} s"
