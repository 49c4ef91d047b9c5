"""The charts of a measurement under way: their lines, their axes, their points.

The page draws them once as a whole. From then on its script gets new points once a second, and the
axes with their labels, and draws the lines itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from httpdyno.running.live.state import RunState, Sample
from httpdyno.units import duration, rate, significant
from httpdyno.web.live.charts import Axes, Chart, Line, chart

Read = Callable[[Sample], float | None]
LEAST_S = 5.0
"""A measurement that is planned to be shorter has too few seconds for a chart."""
MOST_ROWS = 480
"""Most rows of points for a viewer that has none yet."""


@dataclass(frozen=True)
class Timeline:
    """A chart over the time of a measurement."""

    slug: str
    title: str
    lines: Mapping[str, Read]
    words: Callable[[float], str]
    log: bool = False
    most: float | None = None
    joined: bool = False
    """A value that is unknown for a moment is no gap."""


TIMELINES = (
    Timeline(
        "rate",
        "Requests per second",
        {"achieved": lambda one: one.rate_per_s, "offered": lambda one: one.offered_per_s},
        rate,
    ),
    Timeline(
        "times",
        "Response time by second, logarithmic",
        {
            "p50": lambda one: one.p50_ns * 1e-9 or None,
            "p99": lambda one: one.p99_ns * 1e-9 or None,
        },
        duration,
        log=True,
    ),
    Timeline(
        "lag",
        "Lag of the load generator",
        {"lag p99": lambda one: one.lag_p99_ns * 1e-9 or None},
        duration,
    ),
    Timeline(
        "cpu",
        "Processors in use",
        {"load generator": lambda one: one.busy, "server": lambda one: one.server_cpus},
        partial(significant, digits=2),
        most=1.0,
        joined=True,  # busy is unknown when the next step of a search begins
    ),
)
READS = tuple(chain.from_iterable(one.lines.values() for one in TIMELINES))
"""The columns of a row of points, behind its time."""
Row = list[float | None]


class Extents:
    """The least and the greatest value of each line of a measurement, kept sample by sample."""

    def __init__(self) -> None:
        self._course = self._taken = 0
        self.low: list[float] = []
        self.high: list[float] = []

    def take(self, state: RunState) -> None:
        """Take in the samples that are new."""
        if state.course != self._course:
            self._course, self._taken = state.course, 0
            self.low, self.high = [math.inf] * len(READS), [-math.inf] * len(READS)
        for sample in (
            state.samples[-(state.taken - self._taken) :] if self._is_behind(state) else ()
        ):
            for column, read in enumerate(READS):
                value = read(sample)
                if value is not None and value > 0:
                    self.low[column] = min(self.low[column], value)
                    self.high[column] = max(self.high[column], value)
        self._taken = state.taken

    def _is_behind(self, state: RunState) -> bool:
        return state.taken > self._taken


def are_shown(state: RunState) -> bool:
    """True once the measurement has, or will have, enough seconds for a chart."""
    if len(state.samples) < 2:
        return False
    left_s = None if state.pace is None else state.pace.left_s
    over_s = state.samples[-1].at - state.samples[0].at
    return left_s is None or over_s + left_s >= LEAST_S


def columns_with_values(state: RunState, extents: Extents) -> list[list[int]]:
    """The columns of each chart that have a line; none: it has no value yet, and is not shown."""
    is_open = state.plan is not None and not state.plan.is_closed
    found, column = [], 0
    for timeline in TIMELINES:
        columns = list(range(column, column + len(timeline.lines)))
        column += len(columns)
        if timeline.slug == "rate" and not is_open:
            columns = columns[:1]
        with_values = [one for one in columns if math.isfinite(extents.high[one])]
        # Lines keep their order and their colours: those before the last one are there, too.
        found.append(columns[: columns.index(with_values[-1]) + 1] if with_values else [])
    return found


def charts(state: RunState) -> list[Chart]:
    """The measurement under way over time."""
    if not are_shown(state):
        return []
    extents = Extents()
    extents.take(state)
    span = (state.samples[0].at, state.samples[-1].at)
    drawn = []
    for timeline, columns in zip(TIMELINES, columns_with_values(state, extents), strict=True):
        if not columns:
            continue
        names = list(timeline.lines)[: len(columns)]
        lines = [
            Line(name, _points(state.samples, READS[column], joined=timeline.joined), column + 1)
            for name, column in zip(names, columns, strict=True)
        ]
        axes = _axes(timeline, columns, span, extents)
        drawn.append(
            chart(
                timeline.slug, timeline.title, lines, timeline.words, axes, joined=timeline.joined
            )
        )
    return drawn


def labels(state: RunState, extents: Extents) -> dict[str, object]:
    """The axes of each chart with their labels, and the newest value of each line."""
    span = (state.samples[0].at, state.samples[-1].at)
    found: dict[str, object] = {}
    for timeline, columns in zip(TIMELINES, columns_with_values(state, extents), strict=True):
        if not columns:
            continue
        axes = _axes(timeline, columns, span, extents)
        latest = [_latest(state.samples, READS[column], timeline) for column in columns]
        found[timeline.slug] = [*axes.ends, *axes.labels(timeline.words), latest]
    return found


def rows(samples: Sequence[Sample], most: int = MOST_ROWS) -> list[Row]:
    """The points of all lines; of more than `most`, the highest of each group."""
    size = max(1, math.ceil(len(samples) / most))
    found = []
    for start in range(0, len(samples), size):
        group = samples[start : start + size]
        found.append([round(group[-1].at, 2), *(_highest(group, read) for read in READS)])
    return found


def _highest(group: Sequence[Sample], read: Read) -> float | None:
    values = [value for one in group if (value := read(one)) is not None]
    return float(f"{max(values):.4g}") if values else None


def _axes(
    timeline: Timeline, columns: Sequence[int], span: tuple[float, float], extents: Extents
) -> Axes:
    values = [extents.low[one] for one in columns] + [extents.high[one] for one in columns]
    return Axes.around(
        [one for one in values if math.isfinite(one)], span, timeline.log, timeline.most
    )


def _points(
    samples: Sequence[Sample], read: Read, *, joined: bool
) -> list[tuple[float, float | None]]:
    points = [(one.at, read(one)) for one in samples]
    return [one for one in points if one[1] is not None] if joined else points


def _latest(samples: Sequence[Sample], read: Read, timeline: Timeline) -> str:
    newest = reversed(samples) if timeline.joined else samples[-1:]
    value = next((value for one in newest if (value := read(one)) is not None), None)
    return "–" if value is None else timeline.words(value)
