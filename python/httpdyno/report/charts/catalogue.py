"""The charts of a result in the order of the page: section by section, load by load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from httpdyno.output.slugs import all_different, slug
from httpdyno.report.charts.drawing import style
from httpdyno.report.charts.drawing.panels import (
    Panel,
    capacity_panels,
    panels,
    parts,
    telling_point,
    telling_ratios,
)
from httpdyno.report.charts.figures import (
    capacity,
    cost,
    errors,
    latency,
    ratio,
    spectrum,
    throughput,
)
from httpdyno.report.charts.figures import replay as replay_chart
from httpdyno.report.text.arms import coloured, short_names
from httpdyno.report.text.doubts import cells_of, doubt_of_ratio
from httpdyno.report.text.replay import has_rerun, replay_groups
from httpdyno.result import CellRow, Comparison, LoadInfo, StudyResult

Section = Literal[
    "replay",
    "ratio",
    "throughput",
    "latency",
    "spectrum",
    "errors",
    "cpu",
    "memory",
    "capacity",
]
LARGE_BODY = 10_000
"""Bytes of a reply from which the bytes per second have a chart."""


@dataclass(frozen=True)
class Drawing:
    """One chart: its section, its name, its title, and its Vega-Lite specification."""

    section: Section
    name: str
    """Stem of its files and id of its element: letters, digits and dashes."""
    what: str
    """The metric, in words."""
    where: str
    """The load, and what else distinguishes this chart from its neighbours."""
    load: LoadInfo | None
    """None: the chart shows several loads."""
    spec: style.Spec

    @property
    def shape(self) -> Literal["panels", "ratio", "lines", "rows"]:
        """Layout, which decides how the page scales it."""
        if self.section in ("replay", "ratio"):
            return "panels" if self.section == "replay" else "ratio"
        return "lines" if self.spec["height"] == style.CURVE_HEIGHT else "rows"

    @property
    def is_log(self) -> bool:
        """True if an axis of the chart is logarithmic."""
        return any(_is_log(view) for view in _views(self.spec))

    @property
    def rows(self) -> int:
        """The number of rows; 0 for curves."""
        if self.shape == "lines":
            return 0
        scales = [view["encoding"].get("y", {}).get("scale", {}) for view in _views(self.spec)]
        return max((len(scale.get("domain", ())) for scale in scales), default=0)

    @property
    def title(self) -> str:
        """The title of a picture that stands alone."""
        return f"{self.what}: {self.where}"


@dataclass(frozen=True)
class _Entry:
    """A chart that each panel may have: its drawing function, and the field of a cell it needs."""

    section: Section
    what: str
    field: str
    draw: Callable[[Panel, Sequence[str]], Any]
    kind: Literal["curve", "rows", "both"] = "both"
    suffix: str = ""


_ENTRIES = (
    _Entry("throughput", "Requests per second", "throughput_per_s", throughput.throughput),
    _Entry(
        "throughput",
        "Bytes of reply bodies per second",
        "body_bytes_per_s",
        throughput.bodies,
        suffix="bodies",
    ),
    _Entry(
        "latency",
        "Response time: median (p50) and p99",
        "p99_s",
        latency.latency,
        "rows",
    ),
    _Entry("latency", "Response time: median (p50)", "p50_s", latency.median, "curve", "p50"),
    _Entry("latency", "Response time: p99", "p99_s", latency.slowest, "curve", "p99"),
    _Entry(
        "spectrum",
        "Latency distribution",
        "latency_spectrum",
        lambda panel, arms: spectrum.spectrum(panel.cells, arms),
    ),
    _Entry("errors", "Requests that failed", "error_share", errors.errors),
    _Entry("cpu", "CPU time per request", "server_cpu_s_per_request", cost.cpu),
    _Entry("memory", "Peak memory", "server_rss_bytes", cost.memory),
)
_CAPACITY = (
    _Entry("capacity", "p99 response time by rate", "p99_s", capacity.latency, suffix="p99"),
    _Entry("capacity", "CPU time per request by rate", "p99_s", capacity.cpu, suffix="cpu"),
    _Entry("capacity", "Lag of the load generator by rate", "p99_s", capacity.lag, suffix="lag"),
)
_METRICS = {
    "capacity": "Capacity",
    "throughput": "Requests per second",
    "p99": "Response time: p99",
    "server CPU per request": "CPU time per request",
}


def drawings(result: StudyResult) -> list[Drawing]:
    """All charts of a result, each with a name of its own.

    A panel has no chart for a metric that none of its cells has.
    """
    arms, every = coloured(result), panels(result)
    found = [
        drawing for entry in _ENTRIES for panel in every for drawing in _metric(entry, panel, arms)
    ]
    every_one = [*replay_drawings(result), *_capacities(result, arms), *_ratios(result), *found]
    names = all_different([drawing.name for drawing in every_one])
    return [replace(one, name=name) for one, name in zip(every_one, names, strict=True)]


def replay_drawings(result: StudyResult) -> list[Drawing]:
    """Published, rerun and corrected side by side: a picture for each workload of the replay."""
    found = []
    for workload, rows in replay_groups(result):
        if not has_rerun(rows):
            continue
        what = "Published, rerun and corrected"
        where = f"{result.title}{f'; {workload}' if workload else ''}"
        spec = style.finished_panels(
            replay_chart.columns(rows, short_names(result), coloured(result)),
            title=f"{what}: {where}",
        )
        found.append(Drawing("replay", slug("replay", workload or ""), what, where, None, spec))
    return found


def _capacities(result: StudyResult, arms: Sequence[str]) -> list[Drawing]:
    """The curves that each search for a capacity walked."""
    return [
        _drawing(entry, panel, panel.where, entry.draw(panel, arms))
        for panel in capacity_panels(result)
        for entry in _CAPACITY
    ]


def _ratios(result: StudyResult) -> list[Drawing]:
    found = []
    for metric in _METRICS:
        for load in result.loads:
            rows = [
                row for row in result.comparisons if (row.load, row.metric) == (load.name, metric)
            ]
            for baseline in dict.fromkeys(row.baseline for row in rows):
                against = [row for row in rows if row.baseline == baseline]
                if any(row.outcome != "no result" for row in against):
                    found.append(_ratio(result, load, against))
    return found


def _ratio(result: StudyResult, load: LoadInfo, every: Sequence[Comparison]) -> Drawing:
    rows, which = telling_ratios(every, [c for c in result.cells if c.load == load.name])
    metric, baseline = rows[0].metric, rows[0].baseline
    cells = cells_of(result)
    suspect = {place for place, row in enumerate(rows) if doubt_of_ratio(row, cells)}
    names = short_names(result)
    short = [row.model_copy(update={"arm": names.get(row.arm, row.arm)}) for row in rows]
    what = _METRICS[metric]
    where = "; ".join(part for part in (load.title, f"relative to {baseline}", which) if part)
    spec = style.finished(ratio.ratios(short, coloured(result), suspect), title=f"{what}: {where}")
    return Drawing("ratio", slug("ratio", metric, load.name, baseline), what, where, load, spec)


def _metric(entry: _Entry, panel: Panel, arms: Sequence[str]) -> list[Drawing]:
    if not _has_chart(entry, panel):
        return []
    if entry.section == "spectrum":
        return [_spectrum(entry, part, arms) for part in _at_telling_point(panel)]
    return [_drawing(entry, panel, panel.where, entry.draw(panel, arms))]


def _at_telling_point(panel: Panel) -> list[Panel]:
    """The panel's results at one load point, in as many parts as lines need."""
    point = telling_point(panel.cells)
    cells = [cell for cell in panel.cells if cell.point == point and cell.latency_spectrum]
    shown = [cell for cell in cells if cell.status != "invalid"]
    if panel.part:
        return [replace(panel, cells=shown, behind=())] if shown else []
    return parts(replace(panel, cells=shown)) if shown else []


def _spectrum(entry: _Entry, panel: Panel, arms: Sequence[str]) -> Drawing:
    point = panel.cells[0].point
    where = panel.where if point in panel.where else f"{panel.where}; {point}"
    return _drawing(entry, panel, where, entry.draw(panel, arms))


def _drawing(entry: _Entry, panel: Panel, where: str, chart: Any) -> Drawing:
    name = slug(entry.section, *panel.slug_parts, entry.suffix)
    spec = style.finished(chart, title=f"{entry.what}: {where}")
    return Drawing(entry.section, name, entry.what, where, panel.load, spec)


def _has_chart(entry: _Entry, panel: Panel) -> bool:
    if entry.kind != "both" and panel.by_rate != (entry.kind == "curve"):
        return False
    shown = [cell for cell in panel.cells if cell.status != "invalid"]
    values = [getattr(cell, entry.field) for cell in shown]
    if entry.section == "errors":
        return any(value and value.value for value in values)
    if entry.field == "body_bytes_per_s":
        return any(is_large(cell) for cell in shown)
    return any(values)


def is_large(cell: CellRow) -> bool:
    """True if the replies of a cell have bodies so large that bytes per second matter."""
    bodies, replies = cell.body_bytes_per_s, cell.throughput_per_s
    return bool(bodies and replies and bodies.value >= LARGE_BODY * replies.value)


def _views(node: Any) -> Iterator[dict[str, Any]]:
    """Every layer of a specification that draws something."""
    if isinstance(node, dict):
        if "mark" in node:
            yield node
        for name in ("layer", "hconcat"):
            for child in node.get(name, ()):
                yield from _views(child)


def _is_log(view: dict[str, Any]) -> bool:
    scales = [view["encoding"].get(channel, {}).get("scale") or {} for channel in ("x", "y")]
    return any(scale.get("type") == "log" for scale in scales)


__all__ = ["Drawing", "drawings", "replay_drawings", "telling_point"]
