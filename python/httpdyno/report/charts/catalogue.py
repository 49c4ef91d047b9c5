"""Which charts a result gets, in the order of the page: section by section, load by load."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from httpdyno.report.charts import cost, errors, latency, ratio, spectrum, style, throughput
from httpdyno.statistics.result import CellRow, Comparison, LoadInfo, StudyResult

Section = Literal["ratio", "throughput", "latency", "spectrum", "errors", "cpu", "memory"]


@dataclass(frozen=True)
class Drawing:
    """One chart: where it stands, what it is called, and its Vega-Lite specification."""

    section: Section
    name: str
    """Its file's stem and its element's id: letters, digits and dashes."""
    title: str
    load: LoadInfo
    spec: style.Spec


_BY_LOAD = (
    ("throughput", throughput.throughput, "Requests answered per second", "throughput_per_s"),
    ("latency", latency.latency, "Response time: the median (p50) and the slowest 1 % (p99)", "p99_s"),
    ("spectrum", None, "Response time, from the typical to the rarest", "latency_spectrum"),
    ("errors", errors.errors, "Requests that failed", "error_share"),
    ("cpu", cost.cpu, "Processor time per request", "server_cpu_s_per_request"),
    ("memory", cost.memory, "Peak memory", "server_rss_bytes"),
)
_METRICS = {
    "throughput": "Requests answered per second",
    "p99": "Response time of the slowest 1 % (p99)",
    "server CPU per request": "Processor time per request",
}


def drawings(result: StudyResult) -> list[Drawing]:
    """All charts of a result. A metric of which no cell of a load has a value gets none."""
    arms = arm_names(result)
    by_load = [(load, [cell for cell in result.cells if cell.load == load.name]) for load in result.loads]
    return _ratios(result) + [
        drawing
        for entry in _BY_LOAD
        for load, cells in by_load
        if (drawing := _metric(entry[0], load, cells, arms)) is not None
    ]


def _ratios(result: StudyResult) -> list[Drawing]:
    found = []
    for metric, title in _METRICS.items():
        for load in result.loads:
            rows = [row for row in result.comparisons if (row.load, row.metric) == (load.name, metric)]
            for baseline in dict.fromkeys(row.baseline for row in rows):
                against = [row for row in rows if row.baseline == baseline]
                found.append(_ratio(result, load, against, f"{title}: {_short(load)}, against {baseline}"))
    return found


def _ratio(result: StudyResult, load: LoadInfo, rows: Sequence[Comparison], title: str) -> Drawing:
    doubtful = {(c.arm, c.load, c.point) for c in result.cells if c.status == "suspect"}
    suspect = {
        place
        for place, row in enumerate(rows)
        if doubtful & {(row.arm, row.load, row.point), (row.baseline, row.load, row.point)}
    }
    name = slug("ratio", rows[0].metric, load.name, rows[0].baseline)
    chart = ratio.ratios(rows, arm_names(result), suspect)
    return Drawing("ratio", name, title, load, style.finished(chart, title=title))


def arm_names(result: StudyResult) -> list[str]:
    """All arms in the study's order, which is the order of their colours."""
    names = [arm.name for arm in result.arms]
    return names + sorted({cell.arm for cell in result.cells} - set(names))


def _metric(
    section: Section, load: LoadInfo, cells: Sequence[CellRow], arms: Sequence[str]
) -> Drawing | None:
    _, draw, words, field = next(entry for entry in _BY_LOAD if entry[0] == section)
    values = [getattr(cell, field) for cell in cells if cell.status != "invalid"]
    if not any(values) or (section == "errors" and not any(value and value.value for value in values)):
        return None
    title = f"{words}: {_short(load)}"
    if draw is None:
        point = telling_point(cells)
        cells = [cell for cell in cells if cell.point == point]
        title = title if point in title else f"{title}, {point}"
        chart = spectrum.spectrum(cells, arms)
    else:
        chart = draw(cells, arms, by_rate=is_by_rate(cells))
    return Drawing(section, slug(section, load.name), title, load, style.finished(chart, title=title))


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


def _short(load: LoadInfo) -> str:
    return load.title
