"""Which charts a result gets, in the order of the page: section by section, load by load."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from httpdyno.report.charts import cost, errors, latency, ratio, spectrum, style, throughput
from httpdyno.statistics.result import CellRow, Comparison, LoadInfo, StudyResult

Section = Literal["ratio", "throughput", "latency", "spectrum", "errors", "cpu", "memory"]


@dataclass(frozen=True)
class Drawing:
    """One chart: where it stands, what it is called, and its Vega-Lite specification."""

    section: Section
    name: str
    """Its file's stem and its element's id: letters, digits and dashes."""
    what: str
    """The metric, in words."""
    where: str
    """The load, and what else tells this chart from its neighbours."""
    load: LoadInfo
    spec: style.Spec

    @property
    def shape(self) -> Literal["ratio", "lines", "rows"]:
        """How it is laid out, which says how narrow it may become."""
        if self.section == "ratio":
            return "ratio"
        return "lines" if self.spec["height"] == style.CURVE_HEIGHT else "rows"

    @property
    def title(self) -> str:
        """All of it in one line, for a picture that stands alone."""
        return f"{self.what}: {self.where}"


@dataclass(frozen=True)
class _Entry:
    """A chart that each load gets: what draws it, and the field of a cell that it needs."""

    section: Section
    what: str
    field: str
    draw: Callable[..., Any] | None


_BY_LOAD = (
    _Entry("throughput", "Requests answered per second", "throughput_per_s", throughput.throughput),
    _Entry(
        "latency", "Response time: median (p50) and slowest 1 % (p99)", "p99_s", latency.latency
    ),
    _Entry("spectrum", "Response time, from the typical to the rarest", "latency_spectrum", None),
    _Entry("errors", "Requests that failed", "error_share", errors.errors),
    _Entry("cpu", "Processor time per request", "server_cpu_s_per_request", cost.cpu),
    _Entry("memory", "Peak memory", "server_rss_bytes", cost.memory),
)
_METRICS = {
    "throughput": "Requests answered per second",
    "p99": "Response time of the slowest 1 % (p99)",
    "server CPU per request": "Processor time per request",
}


def drawings(result: StudyResult) -> list[Drawing]:
    """All charts of a result. A metric of which no cell of a load has a value gets none."""
    arms = arm_names(result)
    by_load = [
        (load, [cell for cell in result.cells if cell.load == load.name]) for load in result.loads
    ]
    found = [_metric(entry, load, cells, arms) for entry in _BY_LOAD for load, cells in by_load]
    return _ratios(result) + [drawing for drawing in found if drawing is not None]


def _ratios(result: StudyResult) -> list[Drawing]:
    found = []
    for metric, title in _METRICS.items():
        for load in result.loads:
            rows = [
                row for row in result.comparisons if (row.load, row.metric) == (load.name, metric)
            ]
            for baseline in dict.fromkeys(row.baseline for row in rows):
                against = [row for row in rows if row.baseline == baseline]
                found.append(
                    _ratio(result, load, against, title, f"{load.title}; against {baseline}")
                )
    return found


def _ratio(
    result: StudyResult, load: LoadInfo, rows: Sequence[Comparison], what: str, where: str
) -> Drawing:
    doubtful = {(c.arm, c.load, c.point) for c in result.cells if c.status == "suspect"}
    suspect = {
        place
        for place, row in enumerate(rows)
        if doubtful & {(row.arm, row.load, row.point), (row.baseline, row.load, row.point)}
    }
    name = slug("ratio", rows[0].metric, load.name, rows[0].baseline)
    chart = ratio.ratios(rows, arm_names(result), suspect)
    return Drawing(
        "ratio", name, what, where, load, style.finished(chart, title=f"{what}: {where}")
    )


def arm_names(result: StudyResult) -> list[str]:
    """All arms in the study's order, which is the order of their colours."""
    names = [arm.name for arm in result.arms]
    return names + sorted({cell.arm for cell in result.cells} - set(names))


def _metric(
    entry: _Entry, load: LoadInfo, cells: Sequence[CellRow], arms: Sequence[str]
) -> Drawing | None:
    values = [getattr(cell, entry.field) for cell in cells if cell.status != "invalid"]
    if not any(values) or (entry.section == "errors" and not any(v and v.value for v in values)):
        return None
    where = load.title
    if entry.draw is None:
        point = telling_point(cells)
        where = where if point in where else f"{where}; {point}"
        chart = spectrum.spectrum([cell for cell in cells if cell.point == point], arms)
    else:
        chart = entry.draw(cells, arms, by_rate=is_by_rate(cells))
    spec = style.finished(chart, title=f"{entry.what}: {where}")
    return Drawing(entry.section, slug(entry.section, load.name), entry.what, where, load, spec)


def is_by_rate(cells: Sequence[CellRow]) -> bool:
    """Whether the cells lie along an axis of offered rates."""
    rates = {cell.rate_per_s for cell in cells}
    return None not in rates and len(rates) > 1


def telling_point(cells: Sequence[CellRow]) -> str:
    """The load point at which most cells are valid; among equals the last, which is the hardest."""
    points = list(dict.fromkeys(cell.point for cell in cells))
    valid = {p: sum(c.status == "valid" for c in cells if c.point == p) for p in points}
    return max(reversed(points), key=lambda point: valid[point])


def slug(*parts: str) -> str:
    """A name for files and elements from any words."""
    return re.sub(r"[^a-z0-9]+", "-", " ".join(parts).lower()).strip("-")
