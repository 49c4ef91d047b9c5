"""A trial second by second: replies, response time, failures; one line for each arm."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from httpdyno import units
from httpdyno.listing import both
from httpdyno.output.slugs import slug
from httpdyno.report.charts.drawing.curves import Line, Plot, Spot, XAxis, draw_curves
from httpdyno.report.charts.drawing.multiples import MOST_LINES, draw_multiples
from httpdyno.report.charts.drawing.rows import Drawing
from httpdyno.report.charts.drawing.scales import is_wide
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import Table
from httpdyno.report.charts.panels import Panel, telling_point
from httpdyno.report.text.drawable import drawable
from httpdyno.report.text.findings import with_doubts
from httpdyno.result import CellRow, SecondRow
from httpdyno.study import LOADS

_FEWEST = 3
"""Seconds without which there is nothing to see."""
_EVEN = 0.05
"""A rate within this share of its mean is called even."""
_Value = Callable[[SecondRow], float | None]


def timelines(panel: Panel) -> Iterator[Sheet]:
    """The chart of a panel, at its most telling load point."""
    point = telling_point(panel.cells)
    cells = [c for c in panel.shown if c.point == point and len(_window(c)) >= _FEWEST]
    if not cells:
        return
    many = len(cells) > MOST_LINES
    where = panel.where if point in panel.where else f"{panel.where}; {point}"
    about = f"One trial of each arm, second by second: the one with the median p99. {where}."
    yield Sheet(
        section="timeline",
        slug=slug("timeline", *panel.slug_parts),
        title=with_doubts(_finding(cells), cells, "throughput"),
        subtitle=f"{about} A plot for each arm, the others in grey." if many else about,
        load=panel.load,
        draw=lambda total, prefix: _draw(panel, cells, total, prefix),
        table=lambda: _table(cells),
    )


def _draw(panel: Panel, cells: Sequence[CellRow], total: float, prefix: str) -> Drawing:
    seconds = [float(one.second) for cell in cells for one in cell.timeline]
    x = XAxis(
        "second of the measurement (negative: warm-up)", [min(seconds), max(seconds)], zero=False
    )
    due = _due(panel, cells)
    dotted = " (dotted: due)" if due else ""
    replies = _plot(panel, cells, f"right replies per second{dotted}", lambda one: one.ok)
    replies = replace(replies, dashed=due)
    if len(cells) > MOST_LINES:
        lines = sorted(replies.lines, key=lambda line: -max(spot.y or 0.0 for spot in line.spots))
        values = [spot.y for line in lines for spot in line.spots if spot.y]
        thin = [replace(line, thin=True) for line in lines]
        plot = replace(replies, lines=thin, log=is_wide(values))
        return draw_multiples(plot, x, total, prefix)
    plots = [replies, _plot(panel, cells, "response time, p99 (ms)", _p99, log=True)]
    if any(one.failed for cell in cells for one in cell.timeline):
        plots.append(_plot(panel, cells, "failed requests per second", lambda one: one.failed))
    return draw_curves(plots, x, total)


def _due(panel: Panel, cells: Sequence[CellRow]) -> list[tuple[float, float]]:
    """The requests that fell due in each second of an open loop; every arm has the same."""
    if LOADS[panel.load.kind].purpose == "closed":
        return []
    seconds = max((cell.timeline for cell in cells), key=len)
    return [(float(one.second), due) for one in seconds if (due := drawable(one.due)) is not None]


def _window(cell: CellRow) -> list[SecondRow]:
    """The whole seconds of the window. The last one may be shorter."""
    return [one for one in cell.timeline if one.second >= 0][:-1]


def _counts(cell: CellRow) -> list[float]:
    return [drawable(one.ok) or 0.0 for one in _window(cell)]


def _p99(one: SecondRow) -> float | None:
    return drawable(one.p99_s, 1e3) or None


def _plot(
    panel: Panel, cells: Sequence[CellRow], axis: str, value: _Value, *, log: bool = False
) -> Plot:
    lines = [
        Line(
            cell.arm,
            panel.places.get(cell.arm, 0),
            _spots(cell, value),
            points=False,
            dash="dc" if cell.status_of("throughput") == "suspect" else "",
        )
        for cell in cells
    ]
    return Plot(axis, lines, log=log, height=130.0)


def _spots(cell: CellRow, value: _Value) -> list[Spot]:
    return [Spot(float(one.second), drawable(value(one))) for one in cell.timeline]


def _spread(cell: CellRow) -> float:
    """The largest distance of a second's replies from their mean, as a share of it."""
    counts = _counts(cell)
    mean = sum(counts) / len(counts)
    return max(abs(count - mean) for count in counts) / mean if mean else 0.0


def _finding(cells: Sequence[CellRow]) -> str:
    silent = [cell.arm for cell in cells if not any(_counts(cell))]
    if len(silent) == len(cells):
        return "No right reply in any second of these trials"
    worst = max(cells, key=_spread)
    none = [f"no right reply in any second of {both(silent)}"] if silent else []
    return "; ".join([_evenness(worst, cells, silent), *none])


def _evenness(worst: CellRow, cells: Sequence[CellRow], silent: Sequence[str]) -> str:
    several = len(cells) - len(silent) > 1
    where = f"In the {'trial' if len(cells) == 1 else 'trials'} drawn"
    if _spread(worst) <= _EVEN:
        every = "all other arms answer" if silent else "every arm answers"
        who = every if several else f"{worst.arm} answers"
        return f"{where}, {who} evenly: no second is more than 5 % from its mean"
    counts = _counts(worst)
    low, high = units.significant(min(counts)), units.significant(max(counts))
    most = " most" if several else ""
    return f"{where}, {worst.arm} varies{most} from second to second: {low} to {high} replies"


def _table(cells: Sequence[CellRow]) -> Table:
    rows = []
    for cell in cells:
        counts = _counts(cell)
        slowest = max(_window(cell), key=lambda one: one.p99_s)
        rows.append(
            (
                cell.arm,
                units.significant(min(counts)),
                units.significant(sum(counts) / len(counts)),
                units.significant(max(counts)),
                f"{units.duration(slowest.p99_s)}, second {slowest.second}",
                f"{sum(one.failed for one in cell.timeline):,}",
                cell.status_of("throughput"),
            )
        )
    heads = (
        "arm",
        "fewest replies/s",
        "mean",
        "most",
        "highest p99 of a second",
        "failed",
        "verdict",
    )
    return Table(heads, tuple(rows))
