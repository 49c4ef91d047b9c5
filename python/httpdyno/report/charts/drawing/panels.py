"""The cells of one chart: of one load and one workload, with no more arms than are legible.

Different workloads never share an axis. The name of an arm leaves out the workload, which the
title of the chart has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from httpdyno.report.text.arms import by_workload, renamed, short_names
from httpdyno.result import CellRow, Comparison, LoadInfo, StudyResult

MOST_LINES = 8
"""More lines than this in one chart are hard to tell apart."""
MOST_RATIOS = 24
"""A chart of ratios that would have more rows shows one load point."""


@dataclass(frozen=True)
class Panel:
    """The cells of one chart; their arms have their short names."""

    load: LoadInfo
    workload: str | None
    """None: the study has only one."""
    cells: Sequence[CellRow]
    behind: Sequence[CellRow] = ()
    """Cells of the other arms, drawn in grey for comparison."""
    part: str = ""
    """`part 1 of 2`; empty: the panel has one chart."""

    @property
    def by_rate(self) -> bool:
        """True if the cells are points along an axis of offered rates."""
        rates = {cell.rate_per_s for cell in self.cells}
        return None not in rates and len(rates) > 1

    @property
    def where(self) -> str:
        """The load, the workload and the part, to tell this chart from its neighbours."""
        return "; ".join(part for part in (self.load.title, self.workload, self.part) if part)

    @property
    def slug_parts(self) -> tuple[str, ...]:
        """The parts of its file names that follow the metric."""
        words = (self.load.name, self.workload or "", self.part.split(" of ")[0])
        return tuple(word for word in words if word)


def panels(result: StudyResult) -> list[Panel]:
    """All panels, load by load and workload by workload; none is empty. A capacity has its own."""
    names = short_names(result)
    found = []
    for load in (one for one in result.loads if one.kind != "capacity"):
        for workload, arms in by_workload(result):
            cells = [
                renamed(cell, names)
                for cell in result.cells
                if cell.load == load.name and cell.arm in arms
            ]
            panel = Panel(load, workload, cells)
            if cells:
                found.extend(parts(panel) if panel.by_rate else [panel])
    return found


def capacity_panels(result: StudyResult) -> list[Panel]:
    """A panel for each capacity load and workload, of the cells whose curve was walked."""
    names = short_names(result)
    found = []
    for load in (one for one in result.loads if one.kind == "capacity"):
        for workload, arms in by_workload(result):
            cells = [
                renamed(cell, names)
                for cell in result.cells
                if cell.load == load.name and cell.arm in arms
                if cell.capacity and cell.capacity.curve and cell.status != "invalid"
            ]
            found += parts(Panel(load, workload, cells)) if cells else []
    return found


def telling_point(cells: Sequence[CellRow]) -> str:
    """The load point with the most valid cells; among equals the last, which is the hardest."""
    points = list(dict.fromkeys(cell.point for cell in cells))
    valid = {p: sum(c.status == "valid" for c in cells if c.point == p) for p in points}
    return max(reversed(points), key=lambda point: valid[point])


def telling_ratios(
    rows: Sequence[Comparison], cells: Iterable[CellRow]
) -> tuple[Sequence[Comparison], str]:
    """The comparisons to draw, all or those of one load point, and words for the selection."""
    if len(rows) <= MOST_RATIOS or len({row.point for row in rows}) < 2:
        return rows, ""
    if rows[0].metric == "throughput":  # below saturation, all arms answer what is offered
        points = list(dict.fromkeys(row.point for row in rows))
        told = [row.point for row in rows if row.outcome != "no result"]
        point = max(reversed(points), key=told.count)
    else:
        compared = {row.point for row in rows}
        point = telling_point([cell for cell in cells if cell.point in compared])
    return [row for row in rows if row.point == point], f"at {point}; the table has the others"


def parts(panel: Panel) -> list[Panel]:
    """The panel, split where it would have too many lines."""
    arms = list(dict.fromkeys(cell.arm for cell in panel.cells))
    if len(arms) <= MOST_LINES:
        return [panel]
    size = -(-len(arms) // -(-len(arms) // MOST_LINES))
    groups = [arms[start : start + size] for start in range(0, len(arms), size)]
    return [_part(panel, group, f"{n} of {len(groups)}") for n, group in enumerate(groups, 1)]


def _part(panel: Panel, arms: Sequence[str], number: str) -> Panel:
    return Panel(
        panel.load,
        panel.workload,
        [cell for cell in panel.cells if cell.arm in arms],
        [cell for cell in panel.cells if cell.arm not in arms],
        f"part {number}{', the other arms in grey' if panel.by_rate else ''}",
    )
