"""A row for each cell under a load: throughput, response time, errors, CPU time, memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from httpdyno.listing import both
from httpdyno.metrics import BY_NAME, MEASURED, Metric
from httpdyno.output.slugs import slug
from httpdyno.report.charts.drawing.rows import MOST_UNSORTED, Mark, Row, RowsPlot, draw_rows
from httpdyno.report.charts.drawing.shapes import CIRCLE, DIAMOND, DOWN, SQUARE, UP
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import Table
from httpdyno.report.charts.panels import Panel, tie_places
from httpdyno.report.text import words
from httpdyno.report.text.drawable import bounds, drawable
from httpdyno.report.text.findings import ArmEstimate, Sentences, range_of, with_alike, with_doubts
from httpdyno.result import CellRow, Comparison, Estimate, Ranking

LARGE_BODY = 10_000
"""Bytes of a reply from which the bytes per second have a chart."""
THROUGHPUT, BODIES, ERRORS = (BY_NAME[name] for name in ("throughput", "bodies", "errors"))
_TIMES = "response time"
"""The metrics that share a chart are times."""
_SHAPES = (CIRCLE, SQUARE, UP, DOWN)
CHARTS = tuple(one for one in MEASURED if one.chart.one)
"""The metrics with a chart; others share one of these."""


def parts_of(metric: Metric) -> tuple[Metric, ...]:
    """The metrics of a chart: p50 and p99 share one."""
    chart = metric.chart
    place = chart.section, chart.suffix
    return tuple(one for one in MEASURED if (one.chart.section, one.chart.suffix) == place)


def sentences_of(metric: Metric) -> Sentences:
    """The words of a metric in the finding of its chart."""
    chart = metric.chart
    return Sentences(chart.range, chart.one, chart.best, chart.last, metric.unit.in_report)


def estimate_of(cell: CellRow, metric: Metric) -> Estimate | None:
    """The estimate of a cell; None without a result."""
    found: Estimate | None = getattr(cell, metric.column)
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
    several, parts = len({cell.point for cell in panel.cells}) > 1, parts_of(metric)
    names = {id(cell): name_of(cell, several=several) for cell in panel.cells}
    cells = order_cells(panel.cells, metric)
    ties = tie_places(ranking, {cell.arm: at for at, cell in enumerate(cells)})

    @cache
    def plot() -> RowsPlot:
        rows = [row_of(cell, metric, panel.places, names[id(cell)]) for cell in cells]
        key = [(shape, one.name) for shape, one in zip(_shapes(parts), parts, strict=True)]
        axis = metric.chart.axis if len(parts) == 1 else f"{_TIMES} ({metric.unit.name})"
        return RowsPlot(rows, axis, ties=ties, key=key if len(parts) > 1 else [])

    known = [
        ArmEstimate(names[id(cell)], estimate)
        for cell in panel.cells
        if (estimate := estimate_of(cell, metric)) is not None
    ]
    without = [names[id(cell)] for cell in panel.cells if estimate_of(cell, metric) is None]
    found = range_of(known, sentences_of(metric), ranking=ranking, without=without)
    finding = with_alike(found, compared)
    return Sheet(
        section=metric.chart.section,
        slug=slug(metric.chart.section, *panel.slug_parts, metric.chart.suffix),
        title=with_doubts(finding, cells, metric.number),
        subtitle=subtitle(metric, panel, ties=bool(ties)),
        load=panel.load,
        draw=lambda total, _: draw_rows(plot(), total),
        table=lambda: table_of(cells, names, metric),
    )


def name_of(cell: CellRow, *, several: bool) -> str:
    """The name of a cell within its load."""
    return f"{cell.arm} · {cell.point}" if several else cell.arm


def order_cells(cells: Sequence[CellRow], metric: Metric) -> list[CellRow]:
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
    parts = parts_of(metric)
    marks = [
        mark
        for part, shape in zip(parts, _shapes(parts), strict=True)
        for mark in _marks(cell, part, shape)
    ]
    tip = "\n".join(tip_of(cell, parts))
    if estimate is None or not marks:
        return Row(name, arm, (), words.without_result(cell), tip=tip)
    values = " · ".join(
        _marked_words(cell, part, found)
        for part in parts
        if (found := estimate_of(cell, part)) is not None
    )
    aside = ""
    if interval and len(parts) == 1:
        lacking = estimate.low is None or estimate.high is None
        aside = words.NO_INTERVAL if lacking else words.interval(estimate, metric.unit.in_report)
    return Row(name, arm, tuple(marks), values, aside, tip)


def _marked_words(cell: CellRow, metric: Metric, estimate: Estimate) -> str:
    """The number in words, with a mark if it is suspect."""
    doubted = cell.status_of(metric.number) == "suspect"
    return f"{metric.unit.in_report(estimate.value)}{'?' if doubted else ''}"


def _shapes(parts: Sequence[Metric]) -> list[int]:
    """The shape of each part; the last of several is a diamond."""
    return [CIRCLE] if len(parts) == 1 else [*_SHAPES[: len(parts) - 1], DIAMOND]


def _marks(cell: CellRow, metric: Metric, shape: int) -> Iterator[Mark]:
    estimate = estimate_of(cell, metric)
    value = drawable(estimate.value, metric.factor) if estimate else None
    if estimate is None or value is None:
        return
    low, high = bounds(estimate, metric.factor)
    trials = [
        shown
        for trial in cell.trials
        if trial.status != "invalid"
        and (shown := drawable(getattr(trial, metric.column), metric.factor)) is not None
    ]
    hollow = cell.status_of(metric.number) == "suspect"
    yield Mark(value, low, high, tuple(trials), hollow, shape)


def tip_of(cell: CellRow, parts: Sequence[Metric]) -> Iterator[str]:
    """The lines of a tooltip: arm, value with its interval, restarts, verdict with its reasons."""
    yield f"{cell.arm}, {cell.point}"
    for metric in parts:
        estimate = estimate_of(cell, metric)
        label = f"{metric.chart.range}: " if len(parts) > 1 else ""
        if estimate is None:
            yield f"{label}{words.without_result(cell)}"
            continue
        yield f"{label}{words.estimate(estimate, metric.unit.in_report)}"
        values = [v for t in cell.trials if (v := drawable(getattr(t, metric.column))) is not None]
        if len(values) > 1:
            low, high = (metric.unit.in_report(pick(values)) for pick in (min, max))
            yield f"{len(values)} trials, {low} to {high}"
    number = parts[-1].number
    status, reasons = cell.status_of(number), cell.reasons_of(number)
    why = f": {reasons[0].text}" if reasons else ""
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    yield f"{status}{why}{more}"
    if cell.shape is not None and cell.shape.number == number:
        yield cell.shape.text


def subtitle(metric: Metric, panel: Panel, *, ties: bool = False) -> str:
    """The things drawn: metric, load, marks."""
    drawn = [part.chart.about for part in parts_of(metric)]
    about = drawn[0] if len(drawn) == 1 else f"{_TIMES.capitalize()}: {both(drawn)}"
    parts = [f"{about}. {panel.where}."]
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
    parts = parts_of(metric)
    heads = [metric.chart.axis] if len(parts) == 1 else [part.name for part in parts]
    rows = tuple(
        (
            names[id(cell)],
            *(
                words.without_result(cell)
                if (one := estimate_of(cell, part)) is None
                else words.in_table(one, part.unit.in_report)
                for part in parts
            ),
            cell.status_of(metric.number),
        )
        for cell in cells
    )
    return Table(("arm", *heads, "verdict"), rows)
