"""A single load over time: percentiles and replies, a heat map of response times, failures.

The engine's bins are one second long, or longer where the load is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from httpdyno import units
from httpdyno.doubts import Number
from httpdyno.measurement import TimeBin
from httpdyno.report.charts.drawing.curves import Line, Plot, Spot, XAxis, draw_curves
from httpdyno.report.charts.drawing.heat import Strip, draw_heat
from httpdyno.report.charts.drawing.sheet import Sheet
from httpdyno.report.charts.figure import NO_TABLE, Table

_LINES: tuple[tuple[str, Callable[[TimeBin], int], Number], ...] = (
    ("p50", lambda one: one.p50_ns, "p50"),
    ("p90", lambda one: one.p90_ns, "p99"),
    ("p99", lambda one: one.p99_ns, "p99"),
    ("max", lambda one: one.max_ns, "p99"),
)
_MS = 1e-6
_CLOCKS = ((10_800.0, 3600.0, "hour"), (600.0, 60.0, "minute"), (0.0, 1.0, "second"))
"""(from this length on, seconds of a unit, its name)."""


@dataclass(frozen=True)
class OverTime:
    """A load over time, with what is doubted of its numbers. There is one bin at least."""

    bins: Sequence[TimeBin]
    window_s: float
    is_open: bool
    suspect: frozenset[Number] = frozenset()

    def sheets(self) -> Iterator[Sheet]:
        """The charts; no heat map without a right reply, no failures where no call failed."""
        yield self._percentiles()
        if any(one.times for one in self.bins):
            yield self._heat_map()
        if any(one.failures for one in self.bins):
            yield self._failures()

    @property
    def _of(self) -> str:
        """The time that a point stands for: `each second`, `each 5 seconds`."""
        seconds = self.bins[0].seconds
        return "each second" if seconds == 1 else f"each {seconds} seconds"

    @cached_property
    def _clock(self) -> tuple[float, str]:
        """The seconds of a unit of the x axis, and its name."""
        return next((unit, name) for least, unit, name in _CLOCKS if self.window_s >= least)

    def _x(self) -> XAxis:
        unit, name = self._clock
        ends = [0.0, *((one.second + one.seconds) / unit for one in self.bins)]
        return XAxis(f"{name} of the measurement", ends)

    def _at(self, one: TimeBin) -> float:
        """The middle of a bin on the x axis."""
        return (one.second + one.seconds / 2) / self._clock[0]

    def _rate(self, one: TimeBin, count: int) -> float | None:
        """A count per second of the part of its bin that is in the window; None: too short."""
        return count / self._seconds(one) if self._is_within(one) else None

    def _seconds(self, one: TimeBin) -> float:
        """The part of a bin that is in the window."""
        return min(one.second + one.seconds, self.window_s) - one.second

    def _is_within(self, one: TimeBin) -> bool:
        """More than half of the bin is in the window; in others, only late replies came."""
        return self._seconds(one) > 0.5 * one.seconds

    def _line(
        self, name: str, place: int, value: Callable[[TimeBin], float | None], number: Number
    ) -> Line:
        spots = [Spot(self._at(one), value(one)) for one in self.bins]
        alone = sum(spot.y is not None for spot in spots) < 2
        dash = "dc" if number in self.suspect else ""
        return Line(name, place, spots, points=alone, dash=dash)

    def _percentiles(self) -> Sheet:
        def ms(read: Callable[[TimeBin], int]) -> Callable[[TimeBin], float | None]:
            return lambda one: read(one) * _MS if one.ok and self._is_within(one) else None

        lines = [
            self._line(name, place, ms(read), number)
            for place, (name, read, number) in enumerate(_LINES)
        ]
        due = [(self._at(one), rate) for one in self.bins if (rate := self._rate(one, one.due))]
        dotted = " (dotted: due)" if self.is_open else ""
        replies = self._line("", 0, lambda one: self._rate(one, one.ok), "throughput")
        plots = [
            Plot("response time (ms)", lines, log=True, height=220.0),
            Plot(
                f"right replies per second{dotted}",
                [replies],
                height=110.0,
                dashed=due if self.is_open else [],
            ),
        ]
        return Sheet(
            section="timeline",
            slug="percentiles",
            title=self._finding(),
            subtitle=f"Percentiles of the response time, and right replies, of {self._of}. Of fewer"
            " than 100 replies, p99 is the maximum.",
            load=None,
            draw=lambda total, _: draw_curves(plots, self._x(), total),
            table=self._table,
        )

    def _finding(self) -> str:
        known = [one for one in self.bins if one.ok and self._is_within(one)]
        if not known:
            return "No right reply in any second"
        low, high = (pick(known, key=lambda one: one.p99_ns) for pick in (min, max))
        span = units.duration(low.p99_ns * 1e-9)
        if high.p99_ns > low.p99_ns:
            span += f" to {units.duration(high.p99_ns * 1e-9)}"
        return f"p99 of {self._of}: {span}, the highest {self._when(high)}"

    def _when(self, one: TimeBin) -> str:
        """`in second 12`, `from second 120 to 125`."""
        if one.seconds == 1:
            return f"in second {one.second}"
        return f"from second {one.second:,} to {one.second + one.seconds:,}"

    def _heat_map(self) -> Sheet:
        unit = self._clock[0]
        strips = [
            Strip(
                one.second / unit,
                (one.second + one.seconds) / unit,
                [(max(low, 1) * _MS, high * _MS, count) for low, high, count in one.times],
            )
            for one in self.bins
        ]
        return Sheet(
            section="timeline",
            slug="heat",
            title="Where the response times lie, and how many there are",
            subtitle="Right replies by the time at which they came, and by their response time."
            " The stronger the colour, the more.",
            load=None,
            draw=lambda total, _: draw_heat(strips, "response time (ms)", self._x(), total),
            table=lambda: NO_TABLE,
        )

    def _failures(self) -> Sheet:
        kinds = sorted({kind for one in self.bins for kind in one.failures})

        def rate(kind: str) -> Callable[[TimeBin], float | None]:
            return lambda one: one.failures.get(kind, 0) / one.seconds

        lines = [
            self._line(_words(kind), place, rate(kind), "errors")
            for place, kind in enumerate(kinds)
        ]
        worst = max(self.bins, key=lambda one: one.failed)
        total = sum(one.failed for one in self.bins)
        calls = units.counted(total, "call")
        ties = sum(one.failed == worst.failed for one in self.bins) > 1
        where = f"at most {worst.failed:,} in {self._of}"
        title = f"{calls} failed, " + (
            where if ties else f"most {self._when(worst)}: {worst.failed:,}"
        )
        plot = Plot("failed calls per second", lines, height=190.0)
        return Sheet(
            section="timeline",
            slug="failures",
            title=title,
            subtitle=f"Failed calls of {self._of}, by what went wrong, when they ended.",
            load=None,
            draw=lambda width, _: draw_curves([plot], self._x(), width),
            table=lambda: self._table_of_failures(kinds),
        )

    def _table(self) -> Table:
        rows = tuple(
            (
                self._period(one),
                f"{one.due:,}",
                f"{one.ok:,}",
                f"{one.failed:,}",
                *(units.duration(read(one) * 1e-9) if one.ok else "–" for _, read, _ in _LINES),
            )
            for one in self.bins
        )
        names = (name for name, *_ in _LINES)
        return Table(("seconds", "due", "right", "failed", *names), rows)

    def _table_of_failures(self, kinds: Sequence[str]) -> Table:
        bad = [one for one in self.bins if one.failures]
        rows = tuple(
            (self._period(one), *(f"{one.failures.get(kind, 0):,}" for kind in kinds))
            for one in bad
        )
        return Table(("seconds", *map(_words, kinds)), rows)

    def _period(self, one: TimeBin) -> str:
        return f"{one.second:,}" if one.seconds == 1 else f"{one.second:,}+{one.seconds}"


def _words(kind: str) -> str:
    return kind.replace("_", " ")
