"""Every arm compared with the baseline of its workload, at every load point that both have.

The comparisons of one metric in a study are judged together (see `holm.py`): with any number of
arms and load points, at most 1 study in 20 shows a difference in a metric that is not there. The
interval of a comparison is at the level at which it was decided, so it never contradicts the
outcome. Each is a 95 % interval, or a wider one.

A comparison of the baseline with its A/A control is a test of the machine, not a finding. It stays
at 95 %, by itself: about 1 in 20 of them shows a difference.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from httpdyno.outcome import CellKey
from httpdyno.plan import Cell
from httpdyno.result import CellRow, Comparison
from httpdyno.statistics.compare import MORE_IS_BETTER, Metric, at_level, compare
from httpdyno.statistics.doubts import is_frequent
from httpdyno.statistics.rows import by_block
from httpdyno.statistics.several.holm import holm

COLUMN: dict[Metric, str] = {
    "throughput": "throughput_per_s",
    "p99": "p99_s",
    "server CPU per request": "server_cpu_s_per_request",
    "capacity": "capacity_per_s",
}


def comparisons(
    every: Sequence[Cell],
    rows: Mapping[CellKey, CellRow],
    baselines: Mapping[str, str],
    *,
    sequential: bool,
) -> list[Comparison]:
    """The comparisons of a study. `baselines`: the baseline arm of each workload."""
    found = list(_each(every, rows, baselines, sequential=sequential))
    controls = {cell.arm.name for cell in every if cell.arm.control_of is not None}
    return judged_together(found, controls, sequential=sequential)


def judged_together(
    found: Sequence[Comparison], controls: Collection[str] = (), *, sequential: bool = False
) -> list[Comparison]:
    """The comparisons, each adjusted for the others of its metric; not those of A/A controls."""
    judged = list(found)
    for metric in MORE_IS_BETTER:
        p_values = {
            place: row.p_value
            for place, row in enumerate(found)
            if row.metric == metric and row.arm not in controls and row.p_value is not None
        }
        for place, decision in zip(p_values, holm(list(p_values.values())), strict=True):
            adjusted = {"adjusted_p_value": decision.adjusted, "adjusted_with": len(p_values)}
            row = at_level(found[place], decision.level, sequential=sequential)
            judged[place] = row.model_copy(update=adjusted)
    return judged


def kept_up(row: CellRow) -> bool:
    """True for a fixed rate that the arm kept up with, but for as few trials as no number is
    suspect for.

    The latency of an overloaded server grows with the length of the run, so it is not compared.
    """
    return row.rate_per_s is not None and not is_frequent("overload", row.trials)


def _each(
    every: Sequence[Cell],
    rows: Mapping[CellKey, CellRow],
    baselines: Mapping[str, str],
    *,
    sequential: bool,
) -> Iterator[Comparison]:
    for cell in every:
        name, load, point = cell.key
        first = baselines[cell.arm.workload]
        row, base = rows[cell.key], rows.get((first, load, point))
        if name == first or base is None:
            continue
        for metric in _metrics(row, base):
            yield compare(
                by_block(base, COLUMN[metric]),
                by_block(row, COLUMN[metric]),
                names=(first, name),
                at=(load, point),
                metric=metric,
                sequential=sequential,
            )


def _metrics(row: CellRow, base: CellRow) -> tuple[Metric, ...]:
    """Latency under a rate that both arms keep up with, else throughput; or the capacity."""
    if row.capacity is not None:
        return ("capacity",)
    if kept_up(row) and kept_up(base):
        return ("p99", "server CPU per request")
    return ("throughput", "server CPU per request")
