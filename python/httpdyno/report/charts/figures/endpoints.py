"""The response times of each endpoint of a load, as percentiles: a plot for each."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from httpdyno import units
from httpdyno.doubts import Number
from httpdyno.report.charts.drawing.curves import Line, Plot, Spot
from httpdyno.report.charts.drawing.multiples import draw_multiples
from httpdyno.report.charts.drawing.rows import Drawing
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import Table
from httpdyno.report.charts.figures.distribution import MEDIAN, percent_axis
from httpdyno.report.text.drawable import drawable

_TAIL = 99.0


@dataclass(frozen=True)
class EndpointTimes:
    """The response times of an endpoint."""

    name: str
    """Without control characters."""
    percentiles: Sequence[tuple[float, float]]
    """Percentile and seconds, as far as there are calls beyond it; at least one."""


def by_endpoint(each: Sequence[EndpointTimes], suspect: Set[Number], left_out: int) -> Sheet:
    """The chart. `left_out`: endpoints that are not drawn."""

    def draw(total: float, prefix: str) -> Drawing:
        lines = [_line(one, place, suspect) for place, one in enumerate(each)]
        x = percent_axis(max(spot.x for line in lines for spot in line.spots))
        return draw_multiples(Plot("response time (ms)", lines, log=True), x, total, prefix)

    more = f" {units.counted(left_out, 'endpoint')} with fewer calls left out." if left_out else ""
    return Sheet(
        section="spectrum",
        slug="endpoints",
        title=_finding(each),
        subtitle="Response times by percentile, from the fastest calls to the slowest. A plot for"
        f" each endpoint, the others in grey.{more}",
        load=None,
        draw=draw,
        table=lambda: _table(each),
    )


def _line(one: EndpointTimes, place: int, suspect: Set[Number]) -> Line:
    spots = []
    for percentile, seconds in one.percentiles:
        if (value := drawable(seconds, 1e3)) and 0 <= percentile < 100:
            number: Number = "p50" if percentile <= MEDIAN else "p99"
            tip = f"{one.name}\n{percentile:g} % within {units.duration(seconds)}"
            spots.append(Spot(1 / (1 - percentile / 100), value, hollow=number in suspect, tip=tip))
    return Line(one.name, place, spots)


def _finding(each: Sequence[EndpointTimes]) -> str:
    """The range of the p99 of the endpoints."""
    known = [(dict(one.percentiles)[_TAIL], one.name) for one in each if _has_tail(one)]
    if not known:
        return "No endpoint has enough calls for a p99"
    (low, fast), (high, slow) = min(known), max(known)
    if len(known) == 1:
        return f"p99 of {fast}: {units.duration(low)}"
    least, most = units.duration(low), units.duration(high)
    return f"p99 by endpoint: {least} ({fast}) to {most} ({slow})"


def _has_tail(one: EndpointTimes) -> bool:
    return any(percentile == _TAIL for percentile, _ in one.percentiles)


def _table(each: Sequence[EndpointTimes]) -> Table:
    shares = sorted({share for one in each for share, _ in one.percentiles})
    rows = []
    for one in each:
        known = dict(one.percentiles)
        times = (units.duration(known[share]) if share in known else "–" for share in shares)
        rows.append((one.name, *times))
    return Table(("endpoint", *(f"{share:g} %" for share in shares)), tuple(rows))
