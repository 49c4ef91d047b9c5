"""The distribution of response times at one load point: as densities, and as percentiles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from httpdyno import units
from httpdyno.output.slugs import slug
from httpdyno.report.charts.drawing.curves import Line, Plot, Spot, XAxis, draw_curves
from httpdyno.report.charts.drawing.multiples import MOST_LINES, draw_multiples
from httpdyno.report.charts.drawing.ridge import Hill, draw_ridge
from httpdyno.report.charts.drawing.rows import MOST_UNSORTED, Drawing
from httpdyno.report.charts.drawing.scales import Scale
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import Table
from httpdyno.report.charts.panels import Panel, telling_point
from httpdyno.report.text.drawable import drawable
from httpdyno.report.text.findings import (
    ArmEstimate,
    Sentences,
    few,
    range_of,
    with_doubts,
    with_lost,
)
from httpdyno.result import CellRow, Estimate

MEDIAN = 50
"""Up to here a doubt about p50 counts, beyond it one about p99."""
_P99 = Sentences(
    "p99 in the trials drawn", "p99 of {arm} in the trial drawn: {value}", "", "", units.duration
)
_TICKS = {
    2.0: "50 %",
    10.0: "90 %",
    100.0: "99 %",
    1000.0: "99.9 %",
    10_000.0: "99.99 %",
    100_000.0: "99.999 %",
}


def distributions(panel: Panel) -> Iterator[Sheet]:
    """The densities and the percentiles of a panel, at its most telling load point."""
    cells = _at_telling_point(panel)
    with_density = [cell for cell in cells if _has_density(cell)]
    if with_density:
        yield _densities(panel, with_density, _finding(panel, with_density))
    with_spectrum = [cell for cell in cells if _has_spectrum(cell)]
    if with_spectrum:
        yield _spectrum(panel, with_spectrum, _tail(panel, with_spectrum))


def _at_telling_point(panel: Panel) -> list[CellRow]:
    point = telling_point(panel.cells)
    return [cell for cell in panel.shown if cell.point == point]


def _where(panel: Panel, cells: Sequence[CellRow]) -> str:
    point = cells[0].point
    return panel.where if point in panel.where else f"{panel.where}; {point}"


def _densities(panel: Panel, cells: Sequence[CellRow], title: str) -> Sheet:
    ordered = cells
    if len(cells) > MOST_UNSORTED:
        ordered = sorted(cells, key=lambda cell: cell.p99_s.value if cell.p99_s else 0.0)

    def draw(total: float, _: str) -> Drawing:
        hills = [_hill(cell, panel.places.get(cell.arm, 0)) for cell in ordered]
        return draw_ridge(hills, "response time (ms)", total)

    return Sheet(
        section="spectrum",
        slug=slug("density", *panel.slug_parts),
        title=title,
        subtitle=(
            "Response times as densities: a hill is high where many requests took that long."
            f" {_where(panel, cells)}. From the trial with the median p99."
        ),
        load=panel.load,
        draw=draw,
        table=lambda: _table(ordered),
    )


def _hill(cell: CellRow, arm: int) -> Hill:
    bins = _bins(cell)
    median, p99 = (_at(cell, share) for share in (50.0, 99.0))
    tip = f"{cell.arm}, {cell.point}\np50 {units.duration(median)}, p99 {units.duration(p99)}"
    return Hill(
        cell.arm,
        arm,
        bins,
        median * 1e3,
        p99 * 1e3,
        hollow=cell.status_of("p99") == "suspect",
        tip=f"{tip}\n{cell.status_of('p99')}",
    )


def _has_density(cell: CellRow) -> bool:
    """True if `_bins` has some; for most cells the last two bins show it."""
    last = cell.latency_density[-2:]
    values = [drawable(end, 1e3) for end, _ in last]
    plain = len(last) > 1 and all(values) and (values[1] or 0.0) > (values[0] or 0.0)
    return bool(plain and any(drawable(share) for _, share in last)) or bool(_bins(cell))


def _bins(cell: CellRow) -> list[tuple[float, float]]:
    """The bins of a density, in milliseconds; ascending, above zero, at least two."""
    found: list[tuple[float, float]] = []
    for end, share in cell.latency_density:
        value, part = drawable(end, 1e3), drawable(share)
        if value and part is not None and (not found or value > found[-1][0]):
            found.append((value, part))
    return found if len(found) > 1 and any(part for _, part in found[1:]) else []


def _at(cell: CellRow, percentile: float) -> float:
    """The response time at a percentile of a density."""
    known = dict(cell.latency_spectrum)
    estimate = cell.p50_s if percentile == MEDIAN else cell.p99_s
    return known.get(percentile, estimate.value if estimate else 0.0)


def _drawn_time(cell: CellRow, percentile: float) -> float | None:
    """The response time at a percentile of the trial that is drawn, if it has enough requests."""
    return drawable(dict(cell.latency_spectrum).get(percentile, math.nan))


def _spectrum(panel: Panel, cells: Sequence[CellRow], title: str) -> Sheet:
    many = len(cells) > MOST_LINES
    more = " A plot for each arm, the others in grey." if many else ""

    def draw(total: float, prefix: str) -> Drawing:
        lines = [Line(c.arm, panel.places.get(c.arm, 0), _spots(c), thin=many) for c in cells]
        x = percent_axis(max(spot.x for line in lines for spot in line.spots))
        if not many:
            plot = Plot("response time (ms)", lines, log=True, height=260.0)
            return draw_curves([plot], x, total)
        ordered = sorted(lines, key=lambda line: max(s.y or 0.0 for s in line.spots))
        plot = Plot("response time (ms)", ordered, log=True)
        return draw_multiples(plot, x, total, prefix)

    return Sheet(
        section="spectrum",
        slug=slug("spectrum", *panel.slug_parts),
        title=title,
        subtitle=(
            "Response times by percentile, from the fastest requests to the slowest. "
            f"{_where(panel, cells)}. From the trial with the median p99.{more}"
        ),
        load=panel.load,
        draw=draw,
        table=lambda: _table(cells),
    )


def percent_axis(last: float) -> XAxis:
    """The axis of percentiles, each as 1 ÷ the share of requests beyond it, up to the last."""
    return _PercentAxis(
        "share of requests answered within this time",
        [1.0, last],
        log=True,
        label=lambda tick: _TICKS.get(tick, ""),
        ticks=tuple(tick for tick in _TICKS if tick <= last * 1.01),
    )


class _PercentAxis(XAxis):
    """Shares of requests: a decade for each further nine."""

    def scale(self, start: float, end: float) -> Scale:
        """The axis from no request to the rarest that is drawn."""
        high = max(self.values) * 1.05
        return Scale(1.0, max(high, 4.0), start, end, self.ticks or (), log=True, mark=False)


def _has_spectrum(cell: CellRow) -> bool:
    return any(0 <= share < 100 and drawable(value) for share, value in cell.latency_spectrum)


def _spots(cell: CellRow) -> list[Spot]:
    """The points of one cell; 100 % is at infinity on this axis, and only in `result.json`."""
    found = []
    for percentile, seconds in cell.latency_spectrum:
        value = drawable(seconds, 1e3)
        if not 0 <= percentile < 100 or not value:
            continue
        number = "p50" if percentile <= MEDIAN else "p99"
        tip = f"{cell.arm}\n{percentile:g} % within {units.duration(seconds)}"
        hollow = cell.status_of("p50" if number == "p50" else "p99") == "suspect"
        found.append(Spot(1 / (1 - percentile / 100), value, hollow=hollow, tip=tip))
    return found


def _finding(panel: Panel, drawn: Sequence[CellRow]) -> str:
    """The range of the p99 of the trials that are drawn."""
    known = [
        ArmEstimate(cell.arm, Estimate(value=p99, low=None, high=None, trials=1))
        for cell in drawn
        if (p99 := _drawn_time(cell, 99.0)) is not None
    ]
    return _with_rest(range_of(known, _P99), panel, [one.arm for one in known])


def _tail(panel: Panel, drawn: Sequence[CellRow]) -> str:
    """The length of the tails: p99 ÷ p50 of the trials that are drawn."""
    tails = [
        (p99 / median, cell.arm)
        for cell in drawn
        if (p99 := _drawn_time(cell, 99.0)) is not None and (median := _drawn_time(cell, 50.0))
    ]
    trials = "trial" if len(drawn) == 1 else "trials"
    found = f"In the {trials} drawn, {_tails(tails)}" if tails else "Too few requests for a p99"
    return _with_rest(found, panel, [arm for _, arm in tails])


def _with_rest(finding: str, panel: Panel, named: Sequence[str]) -> str:
    """The finding about some arms, the others, and the doubts."""
    shown = _at_telling_point(panel)
    short = [cell.arm for cell in shown if cell.p99_s is not None and cell.arm not in named]
    if named and short:
        finding = f"{finding}; {few(short)} had too few requests"
    known = {cell.arm for cell in shown if cell.p99_s is not None}
    here = [cell.arm for cell in panel.cells if cell.point == shown[0].point]
    lost = [arm for arm in here if arm not in known]
    return with_doubts(with_lost(finding, lost), shown, "p99")


def _tails(tails: Sequence[tuple[float, str]]) -> str:
    (low, calm), (high, wild) = min(tails), max(tails)
    if len(tails) == 1:
        return f"the p99 of {wild} is {_times(high)} its median"
    if _times(low) == _times(high):
        every = "both" if len(tails) == 2 else f"all {len(tails)}"
        return f"p99 is {_times(high)} the median in {every} arms"
    return f"p99 is {_times(low)} the median ({calm}) to {_times(high)} ({wild})"


def _times(value: float) -> str:
    return f"{units.significant(value, 2)}×"


def _table(cells: Sequence[CellRow]) -> Table:
    shares = list(dict.fromkeys(share for cell in cells for share, _ in cell.latency_spectrum))
    shares = sorted(share for share in shares if 0 <= share < 100)
    rows = []
    for cell in cells:
        known = dict(cell.latency_spectrum)
        values = (units.duration(known[s]) if s in known else "–" for s in shares)
        rows.append((cell.arm, *values))
    return Table(("arm", *(f"{share:g} %" for share in shares)), tuple(rows))
