"""Throughput, response time and failures by offered rate, one below the other on one x axis.

More than eight arms have small multiples instead. Cost by offered rate is a chart of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from httpdyno import units
from httpdyno.listing import both
from httpdyno.metrics import MEASURED, Metric
from httpdyno.output.slugs import slug
from httpdyno.report.charts.drawing.curves import (
    Line,
    Plot,
    Spot,
    XAxis,
    draw_curves,
)
from httpdyno.report.charts.drawing.multiples import MOST_LINES, draw_multiples
from httpdyno.report.charts.drawing.scales import is_wide
from httpdyno.report.charts.drawing.sheet import Draw, Sheet
from httpdyno.report.charts.figure import Section, Table
from httpdyno.report.charts.figures.metrics import (
    ERRORS,
    THROUGHPUT,
    estimate_of,
    has_chart,
    sentences_of,
    tip_of,
)
from httpdyno.report.charts.panels import Panel
from httpdyno.report.text import words
from httpdyno.report.text.drawable import bounds, drawable
from httpdyno.report.text.findings import ArmEstimate, range_of, with_doubts
from httpdyno.result import CellRow
from httpdyno.statistics.claims.rates_kept import rates_kept
from httpdyno.study import LOADS

_IN_ONE = tuple(
    one
    for one in MEASURED
    if one.chart.section in ("throughput", "latency", "errors") and not one.chart.suffix
)
"""The metrics in one chart; each of the others has its own."""
_LEAST_FAILED = 1.0
"""The least end of the axis of failures, %: a few lost requests do not fill it."""


def by_rate(panel: Panel) -> Iterator[Sheet]:
    """The charts of a panel whose cells lie along offered rates."""
    if shown := [one for one in _IN_ONE if has_chart(panel, one)]:
        finding = with_doubts(kept_up(panel), panel.cells, "throughput", noun="points")
        yield from _charts(panel, shown, "rates", finding)
    for one in MEASURED:
        if one not in _IN_ONE and one.chart.one and has_chart(panel, one):
            yield from _charts(panel, [one], one.chart.section, _range(panel, one))


def _charts(
    panel: Panel, shown: Sequence[Metric], section: Section, finding: str
) -> Iterator[Sheet]:
    """One chart of all metrics; with many arms, one for each."""
    arms = len({cell.arm for cell in panel.cells})
    x = x_axis(panel)
    plots = [_plot(panel, one) for one in shown]
    if arms <= MOST_LINES:
        about = _about(panel, shown)
        yield _sheet(panel, section, shown, finding, about, plots, x)
        return
    for one, plot in zip(shown, plots, strict=True):
        title = finding if one is shown[0] else _range(panel, one)
        many = f"{_about(panel, [one])} A plot for each arm, the others in grey."
        yield _sheet(panel, section, [one], title, many, [_sort(plot, one)], x, many=True)


def _sheet(
    panel: Panel,
    section: Section,
    shown: Sequence[Metric],
    title: str,
    about: str,
    plots: Sequence[Plot],
    x: XAxis,
    *,
    many: bool = False,
) -> Sheet:
    suffix = shown[0].chart.suffix or (shown[0].column.split("_")[0] if many else "")
    suffix = "" if section in ("cpu", "memory") else suffix

    def drawing(axis: XAxis) -> Draw:
        if many:
            return lambda total, prefix: draw_multiples(plots[0], axis, total, prefix)
        return lambda total, _: draw_curves(plots, axis, total)

    return Sheet(
        section=section,
        slug=slug(section, *panel.slug_parts, suffix),
        title=title,
        subtitle=about,
        load=panel.load,
        draw=drawing(x),
        table=lambda: _table(panel, shown),
        other=None if many or min(x.values) <= 0 else drawing(replace(x, log=not x.log)),
    )


def x_axis(panel: Panel) -> XAxis:
    """The offered rates; logarithmic where they span a factor of 30."""
    rates = [rate for cell in panel.cells if (rate := drawable(cell.rate_per_s)) is not None]
    return XAxis(f"offered: {offered_words(panel)}", rates or [1.0], log=is_wide(rates))


def offered_words(panel: Panel) -> str:
    """`connections opened per second, 10 requests each`."""
    calls = panel.load.calls_per_arrival
    each = f", {calls:,} requests each" if calls > 1 else ""
    sessions = LOADS[panel.load.kind].in_sessions
    return f"connections opened per second{each}" if sessions else "requests due per second"


def _plot(panel: Panel, metric: Metric) -> Plot:
    dashed: list[tuple[float, float]] = []
    if metric is THROUGHPUT:
        calls = drawable(panel.load.calls_per_arrival) or 1.0
        rates = sorted({cell.rate_per_s for cell in panel.cells if cell.rate_per_s is not None})
        # Points at each rate, because a straight line is none on a logarithmic axis.
        known = [rate for rate in map(drawable, rates) if rate is not None]
        steps = _between(known)
        dashed = [(rate, rate * calls) for rate in steps]
    return Plot(
        f"{metric.chart.axis} (dotted: all that was offered)" if dashed else metric.chart.axis,
        _lines(panel, metric),
        log=metric.chart.section == "latency",
        height=110.0 if metric is ERRORS else 180.0,
        dashed=dashed,
        least=_LEAST_FAILED if metric is ERRORS else 0.0,
        crosses=metric.chart.section not in ("latency", "errors"),
    )


def _between(rates: Sequence[float]) -> list[float]:
    """The rates, with points between the lowest and the highest."""
    if len(rates) < 2:
        return list(rates)
    low, high = rates[0], rates[-1]
    if low <= 0:
        return [low + (high - low) * part / 20 for part in range(21)]
    return [low * (high / low) ** (part / 40) for part in range(41)]


def _lines(panel: Panel, metric: Metric) -> list[Line]:
    of_arm: dict[str, list[CellRow]] = {}
    for cell in panel.cells:
        of_arm.setdefault(cell.arm, []).append(cell)
    return [
        Line(arm, panel.places.get(arm, 0), _spots(cells, metric)) for arm, cells in of_arm.items()
    ]


def _spots(cells: Sequence[CellRow], metric: Metric) -> list[Spot]:
    found = []
    for cell in cells:
        rate, estimate = drawable(cell.rate_per_s), estimate_of(cell, metric)
        if rate is None:
            continue
        tip = "\n".join(tip_of(cell, (metric,)))
        value = drawable(estimate.value, metric.factor) if estimate else None
        if estimate is None or value is None:
            found.append(Spot(rate, None, tip=tip))
            continue
        low, high = bounds(estimate, metric.factor)
        hollow = cell.status_of(metric.number) == "suspect"
        found.append(Spot(rate, value, low, high, hollow, tip))
    return sorted(found, key=lambda spot: spot.x)


def _sort(plot: Plot, metric: Metric) -> Plot:
    """The lines of a plot, the best at its last point first."""
    sign = -1.0 if metric.more_is_better else 1.0

    def last(line: Line) -> tuple[float, float]:
        known = [spot for spot in line.spots if spot.y is not None]
        return (-known[-1].x, sign * (known[-1].y or 0.0)) if known else (0.0, 0.0)

    lines = sorted(plot.lines, key=last)
    return replace(plot, lines=[replace(line, thin=True) for line in lines])


def _about(panel: Panel, shown: Sequence[Metric]) -> str:
    named = both([one.chart.axis if one is THROUGHPUT else one.in_full for one in shown])
    bands = any(
        one.low is not None for cell in panel.shown if (one := cell.throughput_per_s) is not None
    )
    band = " Band: 95 % confidence interval." if bands else ""
    return f"{named[0].upper()}{named[1:]}, by offered rate. {panel.where}.{band}"


def kept_up(panel: Panel) -> str:
    """The finding: how far the arms kept up with the offered rates."""
    unit = " connections/s" if LOADS[panel.load.kind].in_sessions else " requests/s"
    names = {one.arm: one.arm for one in panel.kept_up}
    return rates_kept(panel.kept_up, names, unit)


def _range(panel: Panel, metric: Metric) -> str:
    """The finding of one metric: the range of the arms at the highest rate that most of them have
    a result for."""
    counts: dict[float, int] = {}
    for cell in panel.shown:
        if cell.rate_per_s is not None and estimate_of(cell, metric):
            counts[cell.rate_per_s] = counts.get(cell.rate_per_s, 0) + 1
    if not counts:
        return "No result"
    rate = max(counts, key=lambda rate: (counts[rate], rate))
    known = [
        ArmEstimate(cell.arm, estimate)
        for cell in panel.shown
        if cell.rate_per_s == rate and (estimate := estimate_of(cell, metric))
    ]
    without = [
        cell.arm
        for cell in panel.cells
        if cell.rate_per_s == rate and estimate_of(cell, metric) is None
    ]
    found = range_of(known, sentences_of(metric), without=without)
    found = words.within(found, [one.arm for one in known])
    there = [cell for cell in panel.shown if cell.rate_per_s == rate]
    return with_doubts(f"At {units.rate(rate)}, {found}", there, metric.number)


def _table(panel: Panel, shown: Sequence[Metric]) -> Table:
    rows = []
    for cell in sorted(panel.cells, key=lambda c: (c.arm, c.rate_per_s or 0.0)):
        values = (
            words.without_result(cell)
            if (one := estimate_of(cell, metric)) is None
            else words.in_table(one, metric.unit.in_report)
            for metric in shown
        )
        rows.append((cell.arm, cell.point, *values, cell.status))
    heads = (one.chart.axis.partition(" (")[0] for one in shown)
    return Table(("arm", "offered", *heads, "verdict"), tuple(rows))
