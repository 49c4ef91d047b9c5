"""A row for each cell under a load: throughput, response time, errors, CPU time, memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from httpdyno import units
from httpdyno.doubts import NUMBER_OF
from httpdyno.output.slugs import slug
from httpdyno.report.charts.drawing.rows import MOST_UNSORTED, Mark, Row, RowsPlot, draw_rows
from httpdyno.report.charts.drawing.shapes import CIRCLE, DIAMOND
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import Section, Table
from httpdyno.report.charts.panels import Panel, tie_places
from httpdyno.report.text import words
from httpdyno.report.text.drawable import bounds, drawable
from httpdyno.report.text.findings import Known, Sentences, range_of, with_alike, with_doubts
from httpdyno.result import CellRow, Comparison, Estimate, Ranking

Field = Literal[
    "throughput_per_s",
    "p50_s",
    "p99_s",
    "error_share",
    "server_cpu_s_per_request",
    "server_rss_bytes",
    "body_bytes_per_s",
]
LARGE_BODY = 10_000
"""Bytes of a reply from which the bytes per second have a chart."""


@dataclass(frozen=True)
class Metric:
    """A number of a cell as it is drawn: `shown = stored × factor`."""

    section: Section
    field: Field
    factor: float
    axis: str
    about: str
    """The subtitle's beginning."""
    said: Sentences
    more_is_better: bool = False
    ranked: Literal["throughput", "p99", ""] = ""
    compared: Literal["server CPU per request", ""] = ""
    """By the baseline alone: such a metric has no ranks."""
    suffix: str = ""


THROUGHPUT = Metric(
    "throughput",
    "throughput_per_s",
    1.0,
    "right replies per second",
    "Right replies per second",
    Sentences(
        "Right replies per second",
        "{arm} answers {value}",
        "{arm} answers most",
        "{arm} answers least",
        units.rate,
    ),
    more_is_better=True,
    ranked="throughput",
)
BODIES = Metric(
    "throughput",
    "body_bytes_per_s",
    1e-6,
    "reply bodies, millions of bytes per second (MB/s)",
    "Bytes of reply bodies per second",
    Sentences("Reply bodies", "{arm} sends {value} of bodies", "", "", units.bytes_per_s),
    more_is_better=True,
    suffix="bodies",
)
P50 = Metric("latency", "p50_s", 1e3, "ms", "", Sentences("Median", "", "", "", units.duration))
P99 = Metric(
    "latency",
    "p99_s",
    1e3,
    "response time (ms)",
    "Response time: median (p50) and p99",
    Sentences(
        "Response time at p99",
        "{arm} answers 99 % of the requests within {value}",
        "{arm} has the shortest p99",
        "{arm} has the longest",
        units.duration,
    ),
    ranked="p99",
)
ERRORS = Metric(
    "errors",
    "error_share",
    100.0,
    "requests that failed (%)",
    "Share of the requests that failed",
    Sentences(
        "Failed requests, median of the trials",
        "{arm}: {value} of the requests failed in the median trial",
        "",
        "",
        units.percent,
    ),
)
CPU = Metric(
    "cpu",
    "server_cpu_s_per_request",
    1e6,
    "CPU time per request (µs)",
    "CPU time per request, of all processes of the server",
    Sentences(
        "CPU time per request", "{arm} needs {value} of CPU per request", "", "", units.microseconds
    ),
    compared="server CPU per request",
)
MEMORY = Metric(
    "memory",
    "server_rss_bytes",
    2.0**-20,
    "peak memory of all processes (MiB)",
    "Peak memory of all processes of the server",
    Sentences("Peak memory", "{arm} uses {value}", "", "", units.size),
)
METRICS = (THROUGHPUT, BODIES, P99, ERRORS, CPU, MEMORY)


def estimate_of(cell: CellRow, metric: Metric) -> Estimate | None:
    """The estimate of a cell; None without a result."""
    found: Estimate | None = getattr(cell, metric.field)
    return None if cell.status == "invalid" else found


def has_chart(panel: Panel, metric: Metric) -> bool:
    """True if there is anything to show of this metric."""
    estimates = [estimate_of(cell, metric) for cell in panel.shown]
    if metric is ERRORS:
        return any(trial.error_share for cell in panel.shown for trial in cell.trials) or any(
            one and one.value for one in estimates
        )
    if metric is BODIES:
        return any(is_large(cell) for cell in panel.shown)
    return any(estimates)


def is_large(cell: CellRow) -> bool:
    """True if the replies of a cell have bodies so large that bytes per second matter."""
    bodies, replies = cell.body_bytes_per_s, cell.throughput_per_s
    return bool(bodies and replies and bodies.value >= LARGE_BODY * replies.value)


def metric_rows(
    panel: Panel, metric: Metric, ranking: Ranking | None, compared: Sequence[Comparison] = ()
) -> Sheet:
    """The chart of one metric of a panel. `compared`: its arms with the baseline."""
    several = len({cell.point for cell in panel.cells}) > 1
    names = {id(cell): name_of(cell, several=several) for cell in panel.cells}
    cells = ordered(panel.cells, metric)
    ties = tie_places(ranking, {cell.arm: at for at, cell in enumerate(cells)})

    @cache
    def plot() -> RowsPlot:
        rows = [row_of(cell, metric, panel.places, names[id(cell)]) for cell in cells]
        key = [(CIRCLE, "p50"), (DIAMOND, "p99")] if metric is P99 else []
        return RowsPlot(rows, metric.axis, ties=ties, key=key)

    known = [
        Known(names[id(cell)], estimate)
        for cell in panel.cells
        if (estimate := estimate_of(cell, metric)) is not None
    ]
    without = [names[id(cell)] for cell in panel.cells if estimate_of(cell, metric) is None]
    found = range_of(known, metric.said, ranking=ranking, without=without)
    finding = with_alike(found, compared)
    return Sheet(
        section=metric.section,
        slug=slug(metric.section, *panel.slug_parts, metric.suffix),
        title=with_doubts(finding, cells, NUMBER_OF[metric.field]),
        subtitle=subtitle(metric, panel, ties=bool(ties)),
        load=panel.load,
        draw=lambda total, _: draw_rows(plot(), total),
        table=lambda: table_of(cells, names, metric),
    )


def name_of(cell: CellRow, *, several: bool) -> str:
    """The name of a cell within its load."""
    return f"{cell.arm} · {cell.point}" if several else cell.arm


def ordered(cells: Sequence[CellRow], metric: Metric) -> list[CellRow]:
    """The study's order; many cells by load point, best first, those without a value last."""
    if len(cells) <= MOST_UNSORTED:
        return list(cells)
    points = {point: place for place, point in enumerate(dict.fromkeys(c.point for c in cells))}
    sign = -1.0 if metric.more_is_better else 1.0

    def rank(cell: CellRow) -> tuple[int, bool, float]:
        estimate = estimate_of(cell, metric)
        value = drawable(estimate.value) if estimate else None
        return points[cell.point], value is None, sign * (value or 0.0)

    return sorted(cells, key=rank)


def row_of(
    cell: CellRow, metric: Metric, places: Mapping[str, int], name: str, *, interval: bool = True
) -> Row:
    """The row of a cell. `interval`: its words have the interval, or that there is none."""
    arm, estimate = places.get(cell.arm), estimate_of(cell, metric)
    parts = (P50, P99) if metric is P99 else (metric,)
    marks = [mark for part in parts for mark in _marks(cell, part, two=len(parts) > 1)]
    tip = "\n".join(tip_of(cell, parts))
    if estimate is None or not marks:
        return Row(name, arm, (), words.without_result(cell), tip=tip)
    said = _marked(cell, metric, estimate)
    if metric is P99 and cell.p50_s is not None:
        said = f"{_marked(cell, P50, cell.p50_s)} · {said}"
    aside = ""
    if interval and metric is not P99:
        lacking = estimate.low is None or estimate.high is None
        aside = words.NO_INTERVAL if lacking else words.interval(estimate, metric.said.form)
    return Row(name, arm, tuple(marks), said, aside, tip)


def _marked(cell: CellRow, metric: Metric, estimate: Estimate) -> str:
    """The number in words, with a mark if it is suspect."""
    doubted = cell.status_of(NUMBER_OF[metric.field]) == "suspect"
    return f"{metric.said.form(estimate.value)}{'?' if doubted else ''}"


def _marks(cell: CellRow, metric: Metric, *, two: bool) -> Iterator[Mark]:
    estimate = estimate_of(cell, metric)
    value = drawable(estimate.value, metric.factor) if estimate else None
    if estimate is None or value is None:
        return
    low, high = bounds(estimate, metric.factor)
    number = NUMBER_OF[metric.field]
    trials = [
        shown
        for trial in cell.trials
        if trial.status != "invalid"
        and (shown := drawable(getattr(trial, metric.field), metric.factor)) is not None
    ]
    hollow = cell.status_of(number) == "suspect"
    shape = DIAMOND if two and metric is P99 else CIRCLE
    yield Mark(value, low, high, tuple(trials), hollow, shape)


def tip_of(cell: CellRow, parts: Sequence[Metric]) -> Iterator[str]:
    """The lines of a tooltip: arm, value with its interval, restarts, verdict with its reasons."""
    yield f"{cell.arm}, {cell.point}"
    for metric in parts:
        estimate = estimate_of(cell, metric)
        label = f"{metric.said.range}: " if len(parts) > 1 else ""
        if estimate is None:
            yield f"{label}{words.without_result(cell)}"
            continue
        yield f"{label}{words.estimate(estimate, metric.said.form)}"
        values = [v for t in cell.trials if (v := drawable(getattr(t, metric.field))) is not None]
        if len(values) > 1:
            low, high = metric.said.form(min(values)), metric.said.form(max(values))
            yield f"{len(values)} trials, {low} to {high}"
    number = NUMBER_OF[parts[-1].field]
    status, reasons = cell.status_of(number), cell.reasons_of(number)
    why = f": {reasons[0].text}" if reasons else ""
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    yield f"{status}{why}{more}"
    if cell.shape is not None and cell.shape.number == number:
        yield cell.shape.text


def subtitle(metric: Metric, panel: Panel, *, ties: bool = False) -> str:
    """The things drawn: metric, load, marks."""
    parts = [f"{metric.about}. {panel.where}."]
    estimates = [estimate for cell in panel.cells if (estimate := estimate_of(cell, metric))]
    if any(one.low is not None for one in estimates):
        parts.append("Bar: 95 % confidence interval.")
    if any(cell.trials for cell in panel.shown):
        parts.append("Small dots: single trials.")
    if ties:
        parts.append("Bracket: no difference is shown between the rows with a tick.")
    if len(panel.cells) > MOST_UNSORTED:
        parts.append("Sorted by value.")
    return " ".join(parts)


def table_of(cells: Sequence[CellRow], names: Mapping[int, str], metric: Metric) -> Table:
    """The numbers of the chart."""
    parts = (P50, P99) if metric is P99 else (metric,)
    heads = ("p50", "p99") if metric is P99 else (metric.axis,)
    number = NUMBER_OF[metric.field]
    rows = tuple(
        (
            names[id(cell)],
            *(
                words.without_result(cell)
                if (one := estimate_of(cell, part)) is None
                else words.in_table(one, part.said.form)
                for part in parts
            ),
            cell.status_of(number),
        )
        for cell in cells
    )
    return Table(("arm", *heads, "verdict"), rows)
