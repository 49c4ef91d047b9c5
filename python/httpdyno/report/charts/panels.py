"""The cells of one chart: of one load and one workload.

Different workloads never share an axis. The name of an arm leaves out the workload, which the
title and the subtitle of the chart have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from httpdyno.report.text.arms import by_workload, coloured_names, short_names, with_short_name
from httpdyno.result import CellRow, Comparison, KeptUp, LoadInfo, Ranking, StudyResult

MOST_RATIOS = 24
"""A chart of ratios that would have more rows shows one load point."""


@dataclass(frozen=True)
class Panel:
    """The cells of one chart; their arms have their short names."""

    load: LoadInfo
    workload: str | None
    """None: the study has only one."""
    cells: Sequence[CellRow]
    places: Mapping[str, int]
    """The place of each arm in the study, by its short name: its colour and shape."""
    kept_up: Sequence[KeptUp] = ()
    """The rates that these arms kept up with, by their short names."""

    @property
    def by_rate(self) -> bool:
        """True if the cells are points along an axis of offered rates."""
        rates = {cell.rate_per_s for cell in self.cells}
        return None not in rates and len(rates) > 1

    @property
    def shown(self) -> list[CellRow]:
        """The cells with a result."""
        return [cell for cell in self.cells if cell.status != "invalid"]

    @property
    def where(self) -> str:
        """The load and the workload, to tell this chart from its neighbours."""
        where = "; ".join(part for part in (self.load.title, self.workload) if part)
        return f"{where[:1].upper()}{where[1:]}"

    @property
    def slug_parts(self) -> tuple[str, ...]:
        """The parts of its file names that follow the metric."""
        return tuple(word for word in (self.load.name, self.workload or "") if word)


def panels(result: StudyResult) -> list[Panel]:
    """All panels, load by load and workload by workload; none is empty. A capacity has its own."""
    return _panels(result, [load for load in result.loads if load.kind != "capacity"])


def capacity_panels(result: StudyResult) -> list[Panel]:
    """A panel for each capacity load and workload."""
    return _panels(result, [load for load in result.loads if load.kind == "capacity"])


def _panels(result: StudyResult, loads: Sequence[LoadInfo]) -> list[Panel]:
    names = short_names(result)
    places = {name: place for place, name in enumerate(coloured_names(result))}
    workloads = by_workload(result)
    of_load: dict[str, list[CellRow]] = {}
    for cell in result.cells:
        of_load.setdefault(cell.load, []).append(cell)
    found = []
    for load in loads:
        for workload, arms in workloads:
            mine = [cell for cell in of_load.get(load.name, ()) if cell.arm in arms]
            if mine:
                drawn = {cell.arm for cell in mine}
                kept = [
                    one.model_copy(update={"arm": names.get(one.arm, one.arm)})
                    for one in result.kept_up
                    if one.load == load.name and one.arm in drawn
                ]
                cells = [with_short_name(cell, names) for cell in mine]
                found.append(Panel(load, workload, cells, places, kept))
    return found


def telling_point(cells: Sequence[CellRow]) -> str:
    """The load point with the most valid cells; among equals the last, which is the hardest."""
    valid: dict[str, int] = {}
    for cell in cells:
        valid[cell.point] = valid.get(cell.point, 0) + (cell.status == "valid")
    return max(reversed(list(valid)), key=lambda point: valid[point])


def telling_ratios(
    rows: Sequence[Comparison], cells: Iterable[CellRow]
) -> tuple[Sequence[Comparison], str]:
    """The comparisons to draw, and the words for a selection: `, at 100/s; the table has …`."""
    if len(rows) <= MOST_RATIOS or len({row.point for row in rows}) < 2:
        return rows, ""
    if rows[0].metric == "throughput":  # below saturation, all arms answer what is offered
        points = list(dict.fromkeys(row.point for row in rows))
        with_result = [row.point for row in rows if row.outcome != "no result"]
        point = max(reversed(points), key=with_result.count)
    else:
        compared = {row.point for row in rows}
        point = telling_point([cell for cell in cells if cell.point in compared])
    return [row for row in rows if row.point == point], f", at {point}; the table has the others"


def ranking_of(result: StudyResult, panel: Panel, metric: str) -> Ranking | None:
    """The ranking of the arms of a panel by a metric, with their short names; None where they are
    at several points."""
    points = {cell.point for cell in panel.cells}
    arms = dict(by_workload(result)).get(panel.workload, set())
    for one in result.rankings:
        here = (one.load, one.metric) == (panel.load.name, metric) and {one.point} == points
        if here and all(arm.arm in arms for arm in one.arms):
            return _with_names(one, short_names(result))
    return None


def comparisons_of(result: StudyResult, panel: Panel, metric: str) -> list[Comparison]:
    """The comparisons of the arms of a panel by a metric, with their short names; none where they
    are at several points."""
    here = {(panel.load.name, cell.point) for cell in panel.cells}
    arms = dict(by_workload(result)).get(panel.workload, set())
    names = short_names(result)
    return [
        one.model_copy(update={"arm": names[one.arm], "baseline": names[one.baseline]})
        for one in result.comparisons
        if one.metric == metric and {(one.load, one.point)} == here and one.arm in arms
    ]


def _with_names(ranking: Ranking, names: Mapping[str, str]) -> Ranking:
    """The ranking with other names of its arms."""

    def of(arm: str) -> str:
        return names.get(arm, arm)

    return ranking.model_copy(
        update={
            "arms": [one.model_copy(update={"arm": of(one.arm)}) for one in ranking.arms],
            "ties": [[of(arm) for arm in tie] for tie in ranking.ties],
            "unranked": {of(arm): why for arm, why in ranking.unranked.items()},
        }
    )


def tie_places(ranking: Ranking | None, places: Mapping[str, int]) -> list[list[int]]:
    """The rows of each group of arms without a shown difference; `places`: the row of each arm.

    An arm without a row is left out, and so is a group that then has one row.
    """
    ties = ranking.ties if ranking is not None and len(places) > 2 else ()
    groups = [sorted(places[arm] for arm in tie if arm in places) for tie in ties]
    return [group for group in groups if len(group) > 1]
