"""Numbers over time: a plot per series, with the mean of each part and what changed between them.

The value axis does not begin at zero: the question is what changed, and steps of a few percent
would be flat lines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from httpdyno.dates import date, moment
from httpdyno.history import Change, Observation, Series, summary
from httpdyno.history.words import relative, title
from httpdyno.output.printable import printable
from httpdyno.report.charts.drawing.curves import Line, Note, Plot, Spot, XAxis, draw_curves
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import Table
from httpdyno.report.text import words
from httpdyno.report.text.drawable import bounds, drawable
from httpdyno.units import significant

MOST_PANELS = 12
_LONGEST_LABEL = 34
_DAY_S = 86_400.0
_HOUR = 1 / 24
_STEPS = (
    *(_HOUR / 12, _HOUR / 4, _HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR),
    *(1, 2, 7, 14, 30, 61, 91, 183, 365),
)
"""Days between ticks: 5 minutes to a year."""
_MOST_TICKS = 8
_COLOUR = {"worse": 1, "better": 2, "small": 7}
"""Colours of a change: vermilion, green, grey; one that shows only without suspect runs is grey."""


def choose_charted(series: Sequence[Series]) -> list[Series]:
    """The series to draw, in their order: those with changes first where there are too many."""
    ranked = sorted(range(len(series)), key=lambda at: (not series[at].changes, at))
    return [series[at] for at in sorted(ranked[:MOST_PANELS])]


def history(series: Sequence[Series], every: Sequence[Series] = ()) -> Sheet:
    """The series, one below the other on one time axis; the title is about `every` series."""
    moments = [one.at for each in series for one in each.observations]
    moments += [gap.at for each in series for gap in each.gaps]
    days = [at / _DAY_S for at in moments]
    ticks = _ticks(min(days), max(days))
    whole = all(tick == int(tick) for tick in ticks)
    x = XAxis("date (UTC)", days, label=_date if whole else _hour, ticks=ticks, zero=False)
    plots = [_plot(one) for one in series]
    machines = dict.fromkeys(one.latest.machine_words for one in series)
    return Sheet(
        section="history",
        slug="history",
        title=_finding(every or series),
        subtitle=(
            "Numbers of stored runs over time; value axes do not begin at zero. Thick lines: means "
            f"between changes. {printable('; '.join(machines))[:200]}"
        ),
        load=None,
        draw=lambda total, _: draw_curves(plots, x, total),
        table=lambda: _table(series),
    )


def _plot(series: Series) -> Plot:
    place, metric = series.place, series.place.metric
    name = f"{place.arm} · {place.load} · {place.point}: {metric.title} ({metric.unit.name})"
    notes = []
    for change in series.changes:
        notes.append(Note(_between(change), _change_words(change), _COLOUR[change.outcome]))
    for change in series.hidden:
        text = f"{_size(change)} without suspect runs"
        notes.append(Note(_between(change), text, _COLOUR["small"]))
    runs = Line("", 0, [_spot(one, series) for one in series.observations], thin=True, joined=False)
    gap = "" if series.newest_gap is None else f"no result in run {series.newest_gap.run}"
    return Plot(
        printable(f"{name}; {gap}" if gap else name)[:110],
        [*_means(series), runs],
        height=150.0,
        notes=notes,
        zero=False,
    )


def _between(change: Change) -> float:
    """The day between the runs before and after a change."""
    return (change.before.at + change.after.at) / 2 / _DAY_S


def _spot(one: Observation, series: Series) -> Spot:
    factor = series.place.metric.factor
    low, high = bounds(one.estimate, factor)
    tip = f"{moment(one.at)}\n{words.estimate(one.estimate, series.place.metric.words)}"
    value, hollow = drawable(one.estimate.value, factor), one.status == "suspect"
    return Spot(one.at / _DAY_S, value, low, high, hollow, f"{tip}\n{one.status}")


def _means(series: Series) -> list[Line]:
    """The level of each part between two changes, as a line over its runs."""
    found = []
    for part, mean in series.parts:
        value = drawable(mean, series.place.metric.factor)
        ends = [Spot(one.at / _DAY_S, value) for one in (part[0], part[-1])]
        found.append(Line("", 7, ends, points=False))
    return found


def _change_words(change: Change) -> str:
    """`-8.3 %, server 1.24.0 → 1.26.1`, short enough for a plot."""
    size = _size(change)
    if not change.differences:
        return size
    first = change.differences[0]
    cause = printable(f"{first.what} {first.before} → {first.after}")
    more = len(change.differences) - 1
    cut = cause if len(cause) <= _LONGEST_LABEL else f"{cause[: _LONGEST_LABEL - 1]}…"
    return f"{size}, {cut}{f' and {more} more' if more else ''}"


def _size(change: Change) -> str:
    if not change.point.before:
        return relative(change.point.change)
    sign = "+" if change.point.change > 0 else "-"
    return f"{sign}{significant(abs(change.point.change) * 100, 2)} %"


def _finding(series: Sequence[Series]) -> str:
    """The title: the newest change that matters, or the claims without one."""
    newest = ""
    if changes := summary(series).changes:
        one, change = changes[0]
        newest = f"{one.place.arm}: {one.place.metric.title} {_change_words(change)}"
    return printable(title(series, newest))


def _date(day: float) -> str:
    return date(day * _DAY_S)


def _hour(day: float) -> str:
    """`11-22 18:00`, on an axis of few days."""
    return moment(round(day * 1440) * 60.0, zone="")[5:]


def _ticks(first: float, last: float) -> tuple[float, ...]:
    """Full minutes, hours, midnights or weeks, by the length of the history."""
    span = last - first
    step = next((step for step in _STEPS if span / step <= _MOST_TICKS), None)
    if step is None:
        step = max(1, round(span / _MOST_TICKS))
    begin = math.floor(first / step) if step < 1 else int(first) / step
    found = [(begin + at) * step for at in range(int(span / step) + 2)]
    margin = min(step, 1)
    return tuple(day for day in found if first - margin <= day <= last + margin)


def _table(series: Sequence[Series]) -> Table:
    rows = []
    for one in series:
        place = one.place
        named = (place.arm, place.load, place.metric.title)
        found = {(each.at, each.run): _number(each) for each in one.observations}
        found |= {(gap.at, gap.run): (words.NO_RESULT, "invalid") for gap in one.gaps}
        rows += [(*named, moment(at), *number) for (at, _), number in sorted(found.items())]
    return Table(("arm", "load", "metric", "date", "value", "verdict"), tuple(rows))


def _number(one: Observation) -> tuple[str, str]:
    return words.in_table(one.estimate, one.place.metric.words), one.status
