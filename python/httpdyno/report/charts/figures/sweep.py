"""A sweep along offered rates: reply rate, response time and failures, one below the other.

A suspect point is hollow. An invalid one is a cross at the top edge, at no value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from httpdyno import units
from httpdyno.doubts import Number
from httpdyno.output.printable import printable
from httpdyno.report.charts.drawing.curves import Line, Plot, Spot, XAxis, draw_curves
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import Table
from httpdyno.report.text.drawable import drawable
from httpdyno.sweep import Point, SweepRecord, headline, shown

_TIMES = {"response": "response time", "first_byte": "mean response time"}
_LEAST_FAILED = 1.0
"""The least end of the axis of failures, %: a few lost calls do not fill it."""
_MOST_TITLE = 160

_Value = Callable[[Point], float | None]


def sweep(record: SweepRecord, *, log: bool) -> Sheet:
    """The chart of a sweep. `log`: the response time has a logarithmic axis."""
    points = sorted(record.points, key=lambda point: point.rate_per_s)
    rates = [rate for point in points if (rate := drawable(point.rate_per_s)) is not None]
    x = XAxis(
        f"offered {record.unit} per second",
        rates or [1.0],
        log=record.log_rates and bool(rates) and 0 < min(rates) < max(rates),
    )
    plots = _plots(points, record, log=log)
    return Sheet(
        section="sweep",
        slug="sweep",
        title=_finding(record),
        subtitle=title(record),
        load=None,
        draw=lambda total, _: draw_curves(plots, x, total),
        table=lambda: _table(points),
    )


def _plots(points: Sequence[Point], record: SweepRecord, *, log: bool) -> list[Plot]:
    """Replies, times and failures, from top to bottom."""
    return [
        Plot(
            "replies per second (dotted: due)",
            [_line(points, "replies", 0, lambda point: point.replies_per_s, "throughput")],
            dashed=_due(points),
            crosses=True,
            height=200.0,
        ),
        Plot(
            f"{_TIMES[record.times]} (ms)",
            _times(points, record),
            log=log,
            crosses=True,
            height=200.0,
        ),
        Plot(
            "failed (%)",
            [_line(points, "failed", 0, lambda point: point.error_share, "errors", 100.0)],
            crosses=True,
            height=90.0,
            least=_LEAST_FAILED,
        ),
    ]


def title(record: SweepRecord) -> str:
    """The things swept: the URL and its rates."""
    rates = [point.rate_per_s for point in record.points]
    span = f"{shown(min(rates))} to {shown(max(rates))} {record.unit}/s"
    return f"{printable(record.url)[:100]}: {span}"


def _finding(record: SweepRecord) -> str:
    """The first sentence of the answer."""
    first = headline(record.points, record.times, record.planned)
    return first if first and len(first) <= _MOST_TITLE else "Replies, response time and failures"


def _due(points: Sequence[Point]) -> list[tuple[float, float]]:
    pairs = [(drawable(point.rate_per_s), drawable(point.offered_per_s)) for point in points]
    return [(rate, due) for rate, due in pairs if rate is not None and due is not None]


def _times(points: Sequence[Point], record: SweepRecord) -> list[Line]:
    if record.times == "first_byte":
        return [_line(points, "mean", 0, lambda point: point.mean_s, "p50", 1000.0)]
    return [
        _line(points, "p50", 0, lambda point: point.p50_s, "p50", 1000.0),
        _line(points, "p99", 1, lambda point: point.p99_s, "p99", 1000.0),
    ]


def _line(
    points: Sequence[Point],
    name: str,
    place: int,
    value: _Value,
    number: Number,
    factor: float = 1.0,
) -> Line:
    """One number of each point; without a value where the point is invalid."""
    spots = []
    for point in points:
        rate = drawable(point.rate_per_s)
        if rate is not None:
            known = None if point.verdict == "invalid" else drawable(value(point), factor)
            hollow = point.status_of(number) == "suspect"
            tip = (
                f"{shown(point.rate_per_s)}/s\n{name}: {_bounded_words(point, name, value(point))}"
            )
            bound = _is_bound(point, name) and known is not None
            spots.append(Spot(rate, known, None, None, hollow, f"{tip}\n{point.verdict}", bound))
    return Line(name, place, spots)


def _words(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    if name == "failed":
        return units.percent(value)
    return units.rate(value) if name == "replies" else units.duration(value)


def _bounded_words(point: Point, name: str, value: float | None) -> str:
    """The number in words, with `≥` if the p99 is only a lower bound."""
    bound = "≥" if value is not None and _is_bound(point, name) else ""
    return bound + _words(name, value)


def _is_bound(point: Point, name: str) -> bool:
    return name == "p99" and point.p99_is_lower_bound


def _table(points: Sequence[Point]) -> Table:
    rows = tuple(
        (
            f"{shown(point.rate_per_s)}/s",
            units.rate(point.replies_per_s),
            _words("mean", point.mean_s),
            _words("p50", point.p50_s),
            _bounded_words(point, "p99", point.p99_s),
            units.percent(point.error_share),
            point.verdict,
        )
        for point in points
    )
    return Table(("offered", "replies", "mean", "p50", "p99", "failed", "verdict"), rows)
