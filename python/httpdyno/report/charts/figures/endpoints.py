"""The response times of each endpoint, as percentiles: a plot for each, of a load or of all arms of
a panel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from httpdyno import units
from httpdyno.doubts import Number
from httpdyno.output.slugs import slug
from httpdyno.report.charts.drawing.curves import Line, Plot, Spot
from httpdyno.report.charts.drawing.multiples import MOST_LINES, draw_multiples
from httpdyno.report.charts.drawing.rows import Drawing
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import Table
from httpdyno.report.charts.figures.distribution import MEDIAN, percent_axis
from httpdyno.report.charts.panels import Panel, telling_point
from httpdyno.report.text.drawable import drawable
from httpdyno.result import CellRow, EndpointRow

_TAIL = 99.0


@dataclass(frozen=True)
class EndpointTimes:
    """The response times of an endpoint."""

    name: str
    percentiles: Sequence[tuple[float, float]]
    """Percentile and seconds, as far as there are calls beyond it; at least one."""
    arm: str = ""
    """Empty: of the only one."""

    @property
    def where(self) -> str:
        """`GET /items`, or `GET /items, tornado`."""
        return f"{self.name}, {self.arm}" if self.arm else self.name


def by_endpoint(each: Sequence[EndpointTimes], suspect: Set[Number], left_out: int) -> Sheet:
    """The chart. `left_out`: endpoints that are not drawn."""

    def draw(total: float, prefix: str) -> Drawing:
        lines = [_line(one, place, suspect) for place, one in enumerate(each)]
        x = percent_axis(max(spot.x for line in lines for spot in line.spots))
        return draw_multiples(Plot("response time (ms)", lines, log=True), x, total, prefix)

    more = _left_out(left_out)
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


def endpoints_of(panel: Panel) -> Iterator[Sheet]:
    """The chart of a panel whose workload has several endpoints, at its most telling load point."""
    point = telling_point(panel.cells)
    cells = [
        cell for cell in panel.shown if cell.point == point and any(map(_has_times, cell.endpoints))
    ]
    drawn = cells[:MOST_LINES]
    if not drawn:
        return
    arms = [(cell.arm, panel.places.get(cell.arm, 0)) for cell in drawn]
    each = [
        (_times(cell, one), cell) for cell in drawn for one in cell.endpoints if _has_times(one)
    ]
    first = f" The first {len(drawn)} of {len(cells)} arms." if len(drawn) < len(cells) else ""
    known = {one.name for cell in drawn for one in cell.endpoints}
    left_out = len(known) - len({one.name for one, _ in each})
    where = panel.where if point in panel.where else f"{panel.where}; {point}"

    def draw(total: float, prefix: str) -> Drawing:
        lines = [_line(one, panel.places.get(cell.arm, 0), _suspect(cell)) for one, cell in each]
        x = percent_axis(max(spot.x for line in lines for spot in line.spots))
        plot = Plot("response time (ms)", lines, log=True)
        return draw_multiples(plot, x, total, prefix, arms=arms if len(arms) > 1 else ())

    yield Sheet(
        section="spectrum",
        slug=slug("endpoints", *panel.slug_parts),
        title=_finding([one for one, _ in each], "p99 by endpoint in the trials drawn"),
        subtitle="Response times by percentile, from the fastest requests to the slowest. A plot"
        f" for each endpoint, on the same axes. {where}. From the trial with the median"
        f" p99.{first}{_left_out(left_out)}",
        load=panel.load,
        draw=draw,
        table=lambda: _table([one for one, _ in each]),
    )


def _left_out(count: int) -> str:
    return f" {units.counted(count, 'endpoint')} with fewer calls left out." if count else ""


def _has_times(one: EndpointRow) -> bool:
    return any(0 <= share < 100 and drawable(value) for share, value in one.spectrum)


def _times(cell: CellRow, one: EndpointRow) -> EndpointTimes:
    return EndpointTimes(one.name, one.spectrum, cell.arm)


def _suspect(cell: CellRow) -> Set[Number]:
    numbers: tuple[Number, ...] = ("p50", "p99")
    return {number for number in numbers if cell.status_of(number) == "suspect"}


def _line(one: EndpointTimes, place: int, suspect: Set[Number]) -> Line:
    spots = []
    for percentile, seconds in one.percentiles:
        if (value := drawable(seconds, 1e3)) and 0 <= percentile < 100:
            number: Number = "p50" if percentile <= MEDIAN else "p99"
            tip = f"{one.where}\n{percentile:g} % within {units.duration(seconds)}"
            spots.append(Spot(1 / (1 - percentile / 100), value, hollow=number in suspect, tip=tip))
    return Line(one.name, place, spots)


def _finding(each: Sequence[EndpointTimes], of: str = "p99 by endpoint") -> str:
    """The range of the p99 of the endpoints."""
    known = [(dict(one.percentiles)[_TAIL], one.where) for one in each if _has_tail(one)]
    if not known:
        return "No endpoint has enough calls for a p99"
    (low, fast), (high, slow) = min(known), max(known)
    if len(known) == 1:
        return f"p99 of {fast}: {units.duration(low)}"
    least, most = units.duration(low), units.duration(high)
    return f"{of}: {least} ({fast}) to {most} ({slow})"


def _has_tail(one: EndpointTimes) -> bool:
    return any(percentile == _TAIL for percentile, _ in one.percentiles)


def _table(each: Sequence[EndpointTimes]) -> Table:
    in_arms = any(one.arm for one in each)
    shares = sorted({share for one in each for share, _ in one.percentiles})
    rows = []
    for one in each:
        known = dict(one.percentiles)
        times = (units.duration(known[share]) if share in known else "–" for share in shares)
        rows.append((one.name, *([one.arm] if in_arms else []), *times))
    heads = ("endpoint", "arm") if in_arms else ("endpoint",)
    return Table((*heads, *(f"{share:g} %" for share in shares)), tuple(rows))
