"""Published, rerun and corrected side by side: the same rows, each column with its own axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from httpdyno.report.charts.drawing.altair_border import alt
from httpdyno.report.charts.drawing.dots import MOST_UNSORTED, axis_of, drawn
from httpdyno.report.charts.drawing.rows import Row, estimate_row, trial_rows
from httpdyno.report.charts.figures import throughput
from httpdyno.report.charts.figures.column import AXIS, headed
from httpdyno.report.charts.figures.published import history
from httpdyno.report.text.replay import ReplayRow, corrected_loads, post_entry, rerun_loads
from httpdyno.result import CellRow

MOST_CORRECTED = 2
"""Corrected loads in the picture; the table has all."""
_WIDE, _NARROW = 260, 205
"""Width of a column, CSS pixels; narrow with more than two columns of measurements."""
_NO_INTERVALS = "too few trials for intervals"


def columns(rows: Sequence[ReplayRow], short: Mapping[str, str], arms: Sequence[str]) -> Any:
    """An Altair chart of the rows: a column for the post, one for each load measured here."""
    ordered = _ordered(rows)
    names = [short.get(row.arm, row.arm) for row in ordered]
    drawn_columns = [history(ordered, names)]
    told = _told(ordered)
    width = _WIDE if len(told) <= MOST_CORRECTED else _NARROW
    for heading, title, cells in told:
        chart = _measured(cells, names, short, arms, width)
        subtitle = f"{title}; {_NO_INTERVALS}" if _lack_intervals(cells) else title
        drawn_columns.append(headed(chart, (heading, subtitle), names, width))
    return alt.hconcat(*drawn_columns, spacing=18).resolve_scale(x="independent", color="shared")


def _told(rows: Sequence[ReplayRow]) -> list[tuple[str, str, list[CellRow]]]:
    """The columns of what was measured: heading, load, and a cell for each row that has one."""
    told = []
    if loads := rerun_loads(rows):
        title = loads[0].title if len(loads) == 1 else "each arm under its own published load"
        cells = [entry.cell for row in rows if (entry := post_entry(row)) is not None]
        told.append(("Same load, rerun here", title, cells))
    for load in corrected_loads(rows)[:MOST_CORRECTED]:
        cells = [e.cell for row in rows for e in row.corrected if e.load.name == load.name]
        told.append(("Corrected", load.title.removeprefix("corrected: "), cells))
    return told


def _lack_intervals(cells: Sequence[CellRow]) -> bool:
    found = [cell.throughput_per_s for cell in cells if cell.throughput_per_s is not None]
    return bool(found) and all(estimate.low is None for estimate in found)


def _ordered(rows: Sequence[ReplayRow]) -> list[ReplayRow]:
    """The post's order; of many rows, best first by what was measured here."""
    if len(rows) <= MOST_UNSORTED:
        return list(rows)
    return sorted(rows, key=lambda row: -_best(row))


def _best(row: ReplayRow) -> float:
    cells = [e.cell for e in (*row.rerun, *row.corrected) if e.status != "invalid"]
    values = [cell.throughput_per_s.value for cell in cells if cell.throughput_per_s]
    published = max((one.requests_per_s for one in row.published), default=0.0)
    # Arms without a result come last, in the order of their published numbers.
    return max(values) if values else published * 1e-9


def _measured(
    cells: Sequence[CellRow],
    names: Sequence[str],
    short: Mapping[str, str],
    arms: Sequence[str],
    width: int,
) -> Any:
    estimates, trials = [], []
    lacking = _lack_intervals(cells)
    for cell in cells:
        name = short.get(cell.arm, cell.arm)
        own = cell.model_copy(update={"arm": name})
        # A column in which no arm has an interval says so once, in its heading.
        estimates.append(estimate_row(own, throughput.SCALE, name, intervals=not lacking))
        trials.extend(trial_rows(own, throughput.SCALE, name))
    x = axis_of([*estimates, *trials], AXIS, width=width)
    told = {row["row"] for row in estimates}
    absent = [_absent(name) for name in names if name not in told]
    return drawn([*estimates, *absent], trials, names, arms, x)


def _absent(name: str) -> Row:
    return {
        "row": name,
        "arm": name,
        "status": "invalid",
        "value": None,
        "said": "not measured",
        "why": "this load does not apply to this arm",
    }
