"""Every arm compared with the baseline of its workload, at every load point that both have.

The comparison of the baseline with its A/A control is one of them: a test of the machine, and no
finding about the arms. `family.py` decides on all of them together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from httpdyno.metrics import COMPARED, ComparedBy
from httpdyno.outcome import CellKey
from httpdyno.plan import Plan
from httpdyno.result import CellRow, Comparison
from httpdyno.statistics.claims.holm import Decision
from httpdyno.statistics.compare import at_level, compare
from httpdyno.statistics.rows import by_block


def comparisons(plan: Plan, rows: Mapping[CellKey, CellRow]) -> Iterator[Comparison]:
    """The comparisons of a study, each as if it were alone."""
    for base, row in pairs(plan, rows):
        yield from of_cells(base, row, sequential=plan.sequential)


def pairs(plan: Plan, rows: Mapping[CellKey, CellRow]) -> Iterator[tuple[CellRow, CellRow]]:
    """The cell of the baseline, and each cell that is compared with it."""
    for cell in plan.cells:
        name, load, point = cell.key
        first = plan.baselines[cell.arm.workload]
        base = rows.get((first, load, point))
        if name != first and base is not None:
            yield base, rows[cell.key]


def of_cells(base: CellRow, row: CellRow, *, sequential: bool) -> Iterator[Comparison]:
    """The comparisons of a cell with the one of another arm at the same place, each as if it were
    alone."""
    for metric in metrics_of(row, base):
        yield compare(
            values_of(base, metric),
            values_of(row, metric),
            names=(base.arm, row.arm),
            at=(row.load, row.point),
            metric=metric,
            sequential=sequential,
        )


def values_of(row: CellRow, metric: ComparedBy) -> Mapping[int, float]:
    """The values of a cell by block; none where only a lower bound of its capacity is known."""
    if metric == "capacity" and row.capacity_per_s is None:
        return {}
    return by_block(row, COMPARED[metric].column)


def with_decision(
    row: Comparison, decision: Decision | None, together: int, *, sequential: bool = False
) -> Comparison:
    """The comparison with the outcome and the interval of its decision; as it is without one.

    `together`: the number of decisions that were made together.
    """
    if decision is None:
        return row
    adjusted = {"adjusted_p_value": decision.adjusted, "adjusted_with": together}
    return at_level(row, decision.level, sequential=sequential).model_copy(update=adjusted)


def metrics_of(row: CellRow, base: CellRow) -> tuple[ComparedBy, ...]:
    """The metrics by which two cells are compared: latency under a rate that both kept up with,
    else throughput; or the capacity.

    The latency of an overloaded server grows with the length of the run, so it is not compared.
    """
    if row.capacity is not None:
        return ("capacity",)
    if row.pace == base.pace == "kept up":
        return ("p99", "server CPU per request")
    return ("throughput", "server CPU per request")
