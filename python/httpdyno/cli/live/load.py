"""The lines about one measurement: its bar, its charts over time, its distribution, its counts."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from httpdyno import units
from httpdyno.cli.live.drawing import bar, chart, distribution
from httpdyno.cli.live.text import beside, cells, with_style
from httpdyno.running.live.records import BUSY, LATE_NS

if TYPE_CHECKING:
    from httpdyno.engine import Progress
    from httpdyno.running.live.pace import Pace, Series

__all__ = [
    "LABEL",
    "charts",
    "errors",
    "generator",
    "in_words",
    "load_lines",
    "place",
    "tried_rates",
]

LABEL = 12
"""The width of the labels on the left."""
_VALUE = 18
"""The width of the numbers on the right of charts."""
_NARROW = 60
"""Columns below which the bar of a measurement has no label."""
_HIGH = 22
"""Lines from which the description of the load may take two."""
_BROADEST = 6
"""Most columns of a second."""
_WIDE = 132
"""Columns from which the distribution stands beside the charts."""
_PHASES = {
    "connecting": "connecting",
    "warm_up": "warming up",
    "measuring": "measuring",
    "draining": "draining",
    "done": "done",
}
_COLOURS = {"p50": "green", "p99": "magenta"}
_GROWING = ("distribution", "p99", "rate", "distribution", "p50")
"""The drawings in the order in which they get another line."""
_MOST = {"rate": 5, "p50": 4, "p99": 6, "distribution": 12}
_OVERHEAD = 2
"""Lines of a distribution besides its drawing: title and axis."""


def load_lines(about: Sequence[str], pace: Pace[Progress], width: int, height: int) -> list[str]:
    """The whole view of a load under the lines `about`, in at most `height` lines."""
    head = [with_style(about[0], "bold")]
    for line in about[1:]:
        head += textwrap.wrap(line, width)[: 2 if height >= _HIGH else 1]
    foot = _foot(pace)
    room = height - len(head) - 1 - len(foot)
    if room < 3:
        return [_progress(pace, width), *charts(pace, width, {"rate": 1, "p99": 1}), *foot][:height]
    spaced = room >= 8
    room -= 3 if spaced else 0
    drawn = _drawings(pace, width, room)
    gap = [""] if spaced else []
    return [*head, *gap, _progress(pace, width), *gap, *drawn, *gap, *foot]


def charts(pace: Pace[Progress], width: int, heights: dict[str, int]) -> list[str]:
    """Rate, p50 and p99 over time, each with its newest value, as high as `heights` says."""
    now = pace.now
    offered = pace.offered_per_s
    of = "" if offered is None else f" of {units.significant(offered)}/s"
    rate = units.rate(now.rate_per_s) if now and now.rate_per_s else "–"
    values = {
        "rate": ("requests/s", pace.rates, with_style(rate, "bold") + of, units.rate),
        "p50": ("p50", pace.p50s, _time(now.p50_ns if now else 0), _time),
        "p99": ("p99", pace.p99s, with_style(_time(now.p99_ns if now else 0), "bold"), _time),
    }
    lines = []
    for name, height in heights.items():
        if name not in values:
            continue
        label, series, newest, words = values[name]
        most = f"most {words(max(series.values))}" if height > 1 and any(series.values) else ""
        beside_it = [newest, with_style(most, "dim")]
        lines += _chart(label, series, width, height, beside_it, pace.plan.duration_s)
    return lines


def tried_rates(rates: Series, width: int, height: int) -> list[str]:
    """The rates that a search has tried, one after the other."""
    newest = with_style(units.rate(rates.values[-1]), "bold") if rates.values else "–"
    return _chart("rates tried", rates, width, height, [newest])


def errors(progress: Progress) -> str:
    """The failed calls by class: `10 reset, 2 wrong reply`."""
    classes = dict(progress.errors)
    wrong = progress.failed - sum(classes.values())
    if wrong > 0:
        classes["wrong reply"] = wrong
    most_first = sorted(classes.items(), key=lambda one: -one[1])
    return ", ".join(f"{count:,} {name}" for name, count in most_first)


def place(pace: Pace[Progress]) -> str:
    """The place in the phase under way, and the time that is left: `12 s of 30 s, 18 s left`."""
    parts = []
    whole_s = pace.whole_s
    if whole_s:
        most = "at most " if pace.plan.may_end_early and pace.left_s is not None else ""
        parts.append(f"{_short(min(pace.elapsed_s, whole_s))} of {most}{_short(whole_s)}")
    if pace.count:
        parts.append("{:,} of {:,}".format(*pace.count))
    if not parts:
        parts.append(_short(pace.elapsed_s))
    if pace.left_s and pace.left_s >= 0.05:
        parts.append(f"{_short(pace.left_s)} left")
    return ", ".join(parts)


def in_words(pace: Pace[Progress]) -> str:
    """The progress in one line, for what is not a terminal."""
    now = pace.now
    if now is None or not now.ok + now.failed:
        return f"{place(pace)}: no reply yet"
    failed = f"{now.failed:,} failed ({errors(now)})" if now.failed else "none failed"
    times = f", p50 {_time(now.p50_ns)}, p99 {_time(now.p99_ns)}" if now.p50_ns else ""
    lag = f", lag p99 {_time(now.lag_p99_ns)}" if now.lag_p99_ns >= LATE_NS else ""
    speed = (
        f"{units.significant(now.rate_per_s)} requests/s" if now.rate_per_s else f"{now.ok:,} ok"
    )
    return f"{place(pace)}: {speed}{times}, {failed}{lag}"


def _drawings(pace: Pace[Progress], width: int, room: int) -> Sequence[str]:
    """The drawings. They cost most of a view, and change with a second at the most."""
    now = pace.now
    key = now and (len(pace.rates.values), now.rate_per_s, now.p99_ns, len(now.so_far)), width, room
    if pace.drawn is None or pace.drawn[0] != key:
        pace.drawn = key, _draw(pace, width, room)
    return pace.drawn[1]


def _draw(pace: Pace[Progress], width: int, room: int) -> list[str]:
    """The charts, and the distribution below or beside them, in at most `room` lines."""
    heights = {"rate": 1, "p50": 1, "p99": 1}
    if width >= _WIDE and room >= 3 + _OVERHEAD:
        _grow(heights, room - 3)
        left = (width - 4) // 2
        high = min(sum(heights.values()), room) - _OVERHEAD
        return beside(
            charts(pace, left, heights), _distribution(pace, width - left - 4, high), left + 4
        )
    spare = room - 3 - _OVERHEAD - 2
    if spare < 0:
        return charts(pace, width, heights)
    heights["distribution"] = 2
    _grow(heights, spare)
    return [*charts(pace, width, heights), *_distribution(pace, width, heights["distribution"])]


def _grow(heights: dict[str, int], spare: int) -> None:
    """Give each drawing its part of the spare lines."""
    while spare > 0:
        before = spare
        for name in _GROWING:
            if spare and name in heights and heights[name] < _MOST[name]:
                heights[name] += 1
                spare -= 1
        if spare == before:
            return


def _distribution(pace: Pace[Progress], width: int, height: int) -> list[str]:
    """The response times so far, below their title."""
    times = pace.now.so_far if pace.now else []
    label = "times so far  " if width < _WIDE // 2 else "response times so far  "
    if pace.now is None or not times:
        return [with_style(label, "dim") + "–", *[""] * (height + 1)]
    found = zip(_SHARES, pace.now.quantiles(list(_SHARES.values())), strict=True)
    words = "   ".join(f"{name} {_time(ns)}" for name, ns in found)
    drawing = distribution(times, width, height)
    *rows, axis = drawing
    return [
        with_style(label, "dim") + words,
        *(with_style(row, "cyan") for row in rows),
        with_style(axis, "dim"),
    ]


_SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}


def _progress(pace: Pace[Progress], width: int) -> str:
    phase = pace.now.phase if pace.now else "connecting"
    label = f"{_PHASES.get(phase, phase):<{LABEL}}"
    if phase == "draining":
        return f"{label}waiting for the last replies"
    words, share = place(pace), pace.share
    if share is None:
        return label + words
    if width < _NARROW and phase == "measuring":
        return f"{with_style(bar(share, max(4, width - cells(words) - 2)), 'cyan')}  {words}"
    room = max(10, min(60, width - LABEL - max(cells(words), 30) - 2))
    return f"{label}{with_style(bar(share, room), 'cyan')}  {words}"


def _chart(
    label: str,
    series: Series,
    width: int,
    height: int,
    beside_it: Sequence[str],
    whole_s: float | None = None,
) -> list[str]:
    """A chart with its label. One of few seconds has broad columns, to fill its room at the end."""
    room = max(4, width - LABEL - _VALUE - 2)
    each = min(_BROADEST, max(1, int(room / whole_s))) if whole_s else 1
    values = [value for value in series.values for _ in range(each)]
    rows = chart(values, room, height, series.join)
    colour = _COLOURS.get(label, "cyan")
    return [
        f"{label if row == 0 else '':<{LABEL}}{with_style(f'{one:<{room}}', colour)}  "
        + (beside_it[row] if row < len(beside_it) else "")
        for row, one in enumerate(rows)
    ]


def _foot(pace: Pace[Progress]) -> list[str]:
    """The counts, the errors by class, the state of the load generator."""
    now = pace.now
    if now is None:
        return [f"{'replies':<{LABEL}}none yet"]
    failed = with_style(f"{now.failed:,} failed", "red") if now.failed else "none failed"
    flight = f"{now.in_flight:,} in flight on {now.open_connections:,} connections"
    lines = [f"{'replies':<{LABEL}}{now.ok:,} ok, {failed}, {flight}"]
    if now.failed:
        lines.append(f"{'errors':<{LABEL}}{with_style(errors(now), 'red')}")
    if words := generator(pace, now):
        lines.append(f"{'generator':<{LABEL}}{words}")
    return lines


def generator(pace: Pace[Progress], now: Progress) -> str:
    """The load generator's own state, and what it means."""
    parts = []
    if pace.busy is not None:
        words = f"{pace.busy * 100:.0f} % busy"
        limit = with_style(f"{words}: it may limit the rate", "yellow")
        parts.append(limit if pace.busy >= BUSY else words)
    if not pace.plan.is_closed and now.lag_p99_ns:
        words = f"lag p99 {_time(now.lag_p99_ns)}"
        late = with_style(f"{words}: requests leave late", "yellow")
        parts.append(late if now.lag_p99_ns >= LATE_NS else f"{words}: requests leave on time")
    return ", ".join(parts)


def _time(ns: float) -> str:
    return units.duration(ns * 1e-9) if ns else "–"


def _short(seconds: float) -> str:
    """Seconds without more digits than people read."""
    return f"{seconds:.1f} s" if seconds < 9.95 else units.roughly(seconds)
