"""A search for a capacity: the capacity of each start, its curves, and the overload after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import median

from httpdyno import units
from httpdyno.capacity.limits import in_words, parse_limits
from httpdyno.limits.walk import OverloadSecond, WalkStep
from httpdyno.listing import both
from httpdyno.metrics import BY_NAME
from httpdyno.output.slugs import slug
from httpdyno.report.charts.drawing.curves import Guide, Line, Plot, Spot, XAxis, draw_curves
from httpdyno.report.charts.drawing.multiples import MOST_LINES, draw_multiples
from httpdyno.report.charts.drawing.rows import Mark, Row, RowsPlot, draw_rows
from httpdyno.report.charts.drawing.scales import is_wide
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import Table
from httpdyno.report.charts.figures.metrics import sentences_of
from httpdyno.report.charts.panels import Panel, tie_places
from httpdyno.report.text import words
from httpdyno.report.text.drawable import bounds, drawable
from httpdyno.report.text.findings import ArmEstimate, count_doubts, range_of
from httpdyno.result import CapacityRow, CellRow, Ranking
from httpdyno.statistics.capacity.answer import share_kept

_HOLLOW = "hollow: the limits did not hold"
_Value = Callable[[WalkStep], float | None]


def capacities(panel: Panel, ranking: Ranking | None) -> Iterator[Sheet]:
    """The charts of a panel of capacity cells."""
    if any(_capacity(cell) is not None for cell in panel.cells):
        yield _rows(panel, ranking)
    walked = [cell for cell in panel.shown if cell.capacity and cell.capacity.curve]
    if walked:
        yield from _curves(panel, walked)
    loaded = [cell for cell in panel.shown if cell.capacity and len(cell.capacity.overload) > 2]
    if loaded:
        yield _overload(panel, loaded)


def _rows(panel: Panel, ranking: Ranking | None) -> Sheet:
    cells = panel.cells
    if len(cells) > MOST_LINES:
        cells = sorted(cells, key=lambda cell: -(_capacity(cell) or -1.0))
    rows = [_row(cell, panel.places.get(cell.arm)) for cell in cells]
    ties = tie_places(ranking, {cell.arm: at for at, cell in enumerate(cells)})
    plot = RowsPlot(rows, "capacity, requests per second", ties=ties)
    if panel.load.kind != "capacity" or panel.load.calls_per_arrival > 1:
        plot = replace(plot, axis="capacity, arrivals per second")
    known = [
        ArmEstimate(cell.arm, cell.capacity_per_s) for cell in panel.shown if cell.capacity_per_s
    ]
    limits = {cell.capacity.limits_in_words for cell in panel.cells if cell.capacity}
    held = f" Limits: {'; '.join(sorted(limits))}." if limits else ""
    bound = [cell for cell in panel.shown if _bound(cell) is not None]
    if bound:
        plot = replace(plot, hollow="hollow: suspect, or a lower bound")
    doubted = [cell.status == "suspect" for cell in panel.shown]
    return Sheet(
        section="capacity",
        slug=slug("capacity", *panel.slug_parts),
        title=count_doubts(_title(panel, known, ranking), doubted),
        subtitle=(
            f"Highest rate at which the limits hold. {panel.where}.{held} Bar: 95 % confidence "
            "interval. Small dots: single starts."
        ),
        load=panel.load,
        draw=lambda total, _: draw_rows(plot, total),
        table=lambda: _rows_table(cells),
    )


def _title(panel: Panel, known: Sequence[ArmEstimate], ranking: Ranking | None) -> str:
    """The order of the capacities that were found, then the lower bounds."""
    bounds_ = {cell.arm: bound for cell in panel.shown if (bound := _bound(cell)) is not None}
    ends = [f"{arm} at least {units.rate(bound)}" for arm, bound in bounds_.items()]
    found = {one.arm for one in known}
    without = [c.arm for c in panel.cells if c.arm not in found and c.arm not in bounds_]
    if not known and ends:
        lost = [f"no result for {both(without)}"] if without else []
        return "; ".join(["No capacity was reached", *ends, *lost])
    # A lower bound may be of the arm with the highest capacity of all.
    among = f"Of the {len(known)} capacities found, " if ends else ""
    title = range_of(
        known, sentences_of(BY_NAME["capacity"]), ranking=ranking, without=without, among=among
    )
    return "; ".join([title, *ends])


def _bound(cell: CellRow) -> float | None:
    return drawable(cell.at_least_per_s)


def _capacity(cell: CellRow) -> float | None:
    return drawable(cell.best_capacity_per_s)


def _row(cell: CellRow, arm: int | None) -> Row:
    value, row = _capacity(cell), cell.capacity
    if value is None or row is None:
        text = words.without_result(cell)
        return Row(cell.arm, arm, (), text, tip=f"{cell.arm}\n{text}")
    starts = tuple(one for t in cell.trials if (one := drawable(t.capacity_per_s)) is not None)
    estimate = row.capacity_per_s
    if estimate is None:
        text = f"≥ {units.rate(value)}"
        mark = Mark(value, dots=starts, hollow=True)
        return Row(cell.arm, arm, (mark,), text, "the search ended here", f"{cell.arm}\n{text}")
    low, high = bounds(estimate)
    tip = [cell.arm, words.estimate(estimate, units.rate)]
    if starts:
        count, least, most = units.counted(len(starts), "start"), min(starts), max(starts)
        tip.append(f"{count}, {units.rate(least)} to {units.rate(most)}")
    if row.confirmations:
        tip.append(f"held by {row.held} of {row.confirmations} fresh starts")
    tip.append(cell.status)
    mark = Mark(value, low, high, starts, cell.status == "suspect")
    more = " or more" if row.high_is_bound else ""
    aside = f"{words.interval(estimate, units.rate)}{more}" if low else words.NO_INTERVAL
    return Row(cell.arm, arm, (mark,), units.rate(value), aside, "\n".join(tip))


def _rows_table(cells: Sequence[CellRow]) -> Table:
    lines = []
    for cell in cells:
        row = _row(cell, None)
        capacity = cell.capacity
        tried = capacity is not None and capacity.confirmations
        held = f"{capacity.held} of {capacity.confirmations}" if capacity and tried else "–"
        lines.append((cell.arm, row.words, row.aside, held, cell.status))
    return Table(("arm", "capacity", "95 % CI", "held by fresh starts", "verdict"), tuple(lines))


def _curves(panel: Panel, cells: Sequence[CellRow]) -> Iterator[Sheet]:
    """p99, CPU time and lag along the rates of the search, on one x axis."""
    guides = _guides(cells)
    plots = [
        _plot(panel, cells, "response time, p99 (ms)", lambda s: s.p99_s, 1e3, log=True),
        _plot(panel, cells, "CPU time per request (µs)", _cpu, 1e6),
        _plot(panel, cells, "lag of the load generator, p99 (µs)", _lag, 1e6, log=True),
    ]
    plots[0] = replace(plots[0], guides=guides, height=210.0)
    plots = [plot for plot in plots if any(line.spots for line in plot.lines)]
    if not plots:
        return
    rates = [spot.x for plot in plots for line in plot.lines for spot in line.spots]
    x = XAxis("offered requests per second", rates, log=is_wide(rates))
    many = len({cell.arm for cell in cells}) > MOST_LINES
    more = " A plot for each arm, the others in grey." if many else ""
    yield Sheet(
        section="capacity",
        slug=slug("capacity", *panel.slug_parts, "curves"),
        title=_knees(cells),
        subtitle=(f"Each line is one start of a server that climbs. {panel.where}.{more}"),
        load=panel.load,
        draw=lambda total, prefix: (
            draw_multiples(plots[0], x, total, prefix, hollow=_HOLLOW)
            if many
            else draw_curves(plots, x, total, hollow=_HOLLOW)
        ),
        table=lambda: _curves_table(cells),
    )


def _cpu(step: WalkStep) -> float | None:
    return step.server_cpu_s_per_request


def _lag(step: WalkStep) -> float | None:
    return step.generator_lag_p99_s


def _guides(cells: Sequence[CellRow]) -> list[Guide]:
    """A line at each limit of p99."""
    texts = {text for cell in cells if cell.capacity for text in cell.capacity.limits}
    limits = parse_limits(sorted(texts))
    held = [one for one in limits if one.metric == "p99" and one.endpoint is None]
    return [Guide(one.limit * 1e3, f"limit: {in_words([one])}") for one in held]


def _plot(
    panel: Panel,
    cells: Sequence[CellRow],
    axis: str,
    value: _Value,
    factor: float,
    *,
    log: bool = False,
) -> Plot:
    lines = [
        line
        for cell in cells
        for line in _starts(cell, panel.places.get(cell.arm, 0), value, factor)
    ]
    return Plot(axis, lines, log=log, height=140.0)


def _starts(cell: CellRow, arm: int, value: _Value, factor: float) -> Iterator[Line]:
    """A line for each start: each has a capacity of its own."""
    starts: dict[int | None, dict[float, list[tuple[WalkStep, float]]]] = {}
    for step in cell.capacity.curve if cell.capacity else ():
        found, rate = drawable(value(step), factor), drawable(step.rate_per_s)
        if found is not None and rate:
            starts.setdefault(step.start, {}).setdefault(rate, []).append((step, found))
    for start, rates in starts.items():
        spots = [_spot(cell.arm, rate, tries) for rate, tries in sorted(rates.items())]
        yield Line(cell.arm, arm, spots, thin=True, start=start)


def _spot(arm: str, rate: float, tries: Sequence[tuple[WalkStep, float]]) -> Spot:
    """The median of the tries at one rate; hollow where the last did not hold the limits."""
    last, _ = tries[-1]
    value = median(found for _, found in tries)
    tip = [f"{arm} at {units.rate(rate)}"]
    if last.start is not None:
        tip.append(f"start {last.start + 1}")
    if last.p99_s is not None:
        tip.append(f"p99 {units.duration(last.p99_s)}")
    tip.append("held the limits" if last.outcome == "held" else last.why or last.outcome)
    return Spot(rate, value, hollow=last.outcome != "held", tip="\n".join(tip))


def _knees(cells: Sequence[CellRow]) -> str:
    """The rates at which more load begins to cost latency."""
    known = [(row.knee_per_s, c.arm) for c in cells if (row := c.capacity) and row.knee_per_s]
    if not known:
        return "Response time, cost and the lag of the generator as the rate climbs"
    (low, first), (high, last) = min(known), max(known)
    if len(known) == 1:
        return f"Response times of {first} begin to rise at {units.rate(low)}"
    ends = f"{units.rate(low)} ({first}) to {units.rate(high)} ({last})"
    return f"Response times begin to rise at {ends}"


def _curves_table(cells: Sequence[CellRow]) -> Table:
    rows = tuple(
        (
            cell.arm,
            "–" if step.start is None else f"{step.start + 1}",
            units.rate(step.rate_per_s),
            "–" if step.p99_s is None else units.duration(step.p99_s),
            "–" if (cpu := _cpu(step)) is None else units.microseconds(cpu),
            "–" if (lag := _lag(step)) is None else units.duration(lag),
            step.outcome,
        )
        for cell in cells
        for step in (cell.capacity.curve if cell.capacity else ())
    )
    heads = ("arm", "start", "rate", "p99", "CPU per request", "lag of the generator", "outcome")
    return Table(heads, rows)


def _overload(panel: Panel, cells: Sequence[CellRow]) -> Sheet:
    """Right replies second by second while more than the capacity is offered, and after it."""
    lines: list[Line] = []
    offered: list[tuple[float, float]] = []
    for cell in cells:
        row, seconds = cell.capacity, _in_order(cell)
        capacity = _base(row, seconds)
        if row is None or not capacity:
            continue
        spots = [
            Spot(float(at), drawable(one.ok, 100.0 / capacity), tip=_second(cell.arm, one))
            for at, one in enumerate(seconds)
        ]
        lines.append(Line(cell.arm, panel.places.get(cell.arm, 0), spots, points=False))
        steps = [
            (at + side, one.share * 100) for at, one in enumerate(seconds) for side in (-0.5, 0.5)
        ]
        offered = max(offered, steps, key=len)
    top = max((spot.y or 0.0 for line in lines for spot in line.spots), default=0.0)
    axis = "right replies, % of the capacity (dotted: offered)"
    plot = Plot(axis, lines, dashed=offered, height=220.0, least=max(top, 205.0))
    x = XAxis("second of the overload", [0.0, max((x for x, _ in offered), default=1.0)])
    return Sheet(
        section="capacity",
        slug=slug("capacity", *panel.slug_parts, "overload"),
        title=_goodput(cells),
        subtitle=(
            f"Goodput second by second at 1.5 and 2 times the capacity, and the recovery after it. "
            f"{panel.where}."
        ),
        load=panel.load,
        draw=lambda total, prefix: (
            draw_multiples(plot, x, total, prefix)
            if len(lines) > MOST_LINES
            else draw_curves([plot], x, total)
        ),
        table=lambda: _overload_table(cells),
    )


def _in_order(cell: CellRow) -> list[OverloadSecond]:
    """The seconds of the first overload: a profile of another start begins at second 0 again."""
    found: list[OverloadSecond] = []
    for one in cell.capacity.overload if cell.capacity else ():
        if found and one.second <= found[-1].second:
            break
        found.append(one)
    return found


def _base(row: CapacityRow | None, seconds: Sequence[OverloadSecond]) -> float:
    """The capacity that the overload is a multiple of."""
    shares = [
        due
        for one in seconds
        if one.share > 0 and (due := drawable(one.due, 1 / one.share)) is not None
    ]
    return median(shares) if row is not None and shares else 0.0


def _second(arm: str, one: OverloadSecond) -> str:
    return f"{arm}\n{one.ok:,} right replies of {one.due:,} due\np99 {units.duration(one.p99_s)}"


def _goodput(cells: Sequence[CellRow]) -> str:
    """The share of its capacity that a server still answers at twice that rate."""
    shares = []
    for cell in cells:
        row = cell.capacity if cell.status != "invalid" else None
        if row is not None and (kept := drawable(share_kept(row, "2"))) is not None:
            shares.append((kept, cell.arm))
    if not shares:
        return "Replies while more than the capacity is offered"
    (low, worst), (high, best) = min(shares), max(shares)
    if len(shares) == 1:
        return f"At twice its capacity {best} still answers {units.percent(high)} of it"
    return (
        f"At twice their capacity the servers still answer {units.percent(low)} ({worst}) to "
        f"{units.percent(high)} ({best}) of it"
    )


def _overload_table(cells: Sequence[CellRow]) -> Table:
    rows = []
    for cell in cells:
        row = cell.capacity
        kept = row.goodput_per_s if row else {}
        values = (units.rate(kept[at]) if at in kept else "–" for at in ("1.5", "2"))
        recovery = "–"
        if row and row.overload:
            recovery = "not while measured" if row.recovery_s is None else f"{row.recovery_s:.0f} s"
        rows.append((cell.arm, *values, recovery))
    return Table(("arm", "goodput at 1.5×", "goodput at 2×", "recovery"), tuple(rows))
