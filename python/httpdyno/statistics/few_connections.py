"""A closed load below a rate that its arm kept up with: its connections may be too few.

Each connection waits for its reply, so few of them limit the throughput, whatever the server can
do. A held rate shows it, if its load uses connections no better.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from httpdyno.doubts import NUMBERS
from httpdyno.outcome import CellKey
from httpdyno.plan import Cell
from httpdyno.result import CellRow, Reason
from httpdyno.study import AnyLoad
from httpdyno.study.keys import MOST_CONNECTIONS
from httpdyno.units import counted, percent, rate

CODE = "few_connections"
LIMIT = 0.02
"""A held rate is above all trials of a closed load by more than this, not by chance."""


def with_few_connections(
    rows: Mapping[CellKey, CellRow], cells: Sequence[Cell], *, by_flags: bool
) -> dict[CellKey, CellRow]:
    """The rows, with a reason for each closed load whose throughput is no maximum.

    `by_flags`: hints name a flag of `httpdyno compare`, else a key of a study.
    """
    found, of_arm = dict(rows), _by_arm(cells)
    for cell in cells:
        row, beside = rows[cell.key], of_arm[cell.arm.name]
        trials = [one.throughput_per_s for one in row.trials if one.throughput_per_s is not None]
        if not trials or not _shows_the_most(cell, beside):
            continue
        held = max(_held_rates(cell, rows, beside), key=_per_s, default=None)
        if held is not None and _per_s(held) > (1 + LIMIT) * max(trials):
            found[cell.key] = _with_doubt(row, _reason(cell, max(trials), held, by_flags=by_flags))
    return found


def _by_arm(cells: Sequence[Cell]) -> dict[str, list[Cell]]:
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        found.setdefault(cell.arm.name, []).append(cell)
    return found


def _shows_the_most(cell: Cell, beside: Sequence[Cell]) -> bool:
    """True if a cell is to show the most that its arm can do: at full speed, with the most
    connections of its load. The design of a published load is no doubt."""
    if cell.load.purpose != "closed" or cell.load.think or cell.as_published:
        return False
    same = (one for one in beside if one.load_name == cell.load_name)
    return _connections(cell) == max(map(_connections, same))


def _held_rates(
    cell: Cell, rows: Mapping[CellKey, CellRow], beside: Sequence[Cell]
) -> Iterator[CellRow]:
    """The rates that the arm kept up with, on connections that are used no better."""
    for other in beside:
        row = rows[other.key]
        surplus = "backlog" in (row.doubts or {}).get("throughput", ())
        if (
            row.pace == "kept up"
            and row.throughput_per_s is not None
            and not surplus
            and other.load.version == cell.load.version
            and other.load.burst <= cell.load.burst
            and other.load.streams <= cell.load.streams
            and _reuse(other.load) <= _reuse(cell.load)
        ):
            yield row


def _reuse(load: AnyLoad) -> float:
    """Calls on one connection."""
    return (load.calls_on_connection or math.inf) if load.keep_alive else 1


def _per_s(row: CellRow) -> float:
    return row.throughput_per_s.value if row.throughput_per_s else 0.0


def _connections(cell: Cell) -> int:
    return cell.point.connections or 0


def _reason(cell: Cell, most_per_s: float, held: CellRow, *, by_flags: bool) -> Reason:
    now = _connections(cell)
    more = min(MOST_CONNECTIONS, 2 * now)
    key = f"--connections {more}" if by_flags else f"connections = {more}"
    beyond = f"{percent(_per_s(held) / most_per_s - 1)} more, limit {LIMIT * 100:g} %"
    return Reason(
        code=CODE,
        status="suspect",
        text=(
            f"no more than {rate(most_per_s)} at {cell.point.label}, but the arm kept up with"
            f" {rate(_per_s(held))} under {held.load} ({beyond}):"
            f" {counted(now, 'connection')} may be too few"
        ),
        hint=f"allow more connections (`{key}`)",
        doubts=("throughput",),
    )


def _with_doubt(row: CellRow, reason: Reason) -> CellRow:
    """The row with one more doubt about its throughput."""
    known = dict(row.doubts or {})
    known["throughput"] = [*known.get("throughput", ()), reason.code]
    update: dict[str, object] = {
        "reasons": [*row.reasons, reason],
        "doubts": {number: known[number] for number in NUMBERS if number in known},
        "status": "suspect" if row.status == "valid" else row.status,
    }
    return row.model_copy(update=update)
