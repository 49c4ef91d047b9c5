"""Sessions at a rate."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from httpdyno import engine_plan
from httpdyno.metrics import Purpose
from httpdyno.study.keys import MOST_CONNECTIONS, RatePoints, Spacing, up_to
from httpdyno.study.loads.shape import (
    FixedLoad,
    LoadShape,
    Point,
    enough_s,
    rate_label,
    rates_in_words,
)


class SessionsLoad(FixedLoad):
    """Sessions that arrive at a rate, each a connection with a number of calls (httperf)."""

    purpose: ClassVar[Purpose] = "open"
    sentence: ClassVar[str] = (
        "open loop: connections are opened at a given rate, however slow the server is"
    )
    quick_keys: ClassVar[frozenset[str]] = frozenset({"skip", "duration", "sessions", "rate"})
    count_key: ClassVar[str | None] = "sessions"
    incidental_keys: ClassVar[frozenset[str]] = LoadShape.incidental_keys | {"rate"}
    in_sessions: ClassVar[bool] = True
    calls_per_connection: ClassVar[None] = None
    """The engine's plan has no limit: a session ends after its calls."""

    kind: Literal["sessions"]
    rate: RatePoints
    calls: Annotated[int, up_to(1_000_000)] = 1
    sessions: Annotated[int, up_to(1_000_000_000)] | None = None
    max_open: Annotated[int, up_to(MOST_CONNECTIONS)] | None = None
    arrivals: Spacing = "constant"

    @property
    def count(self) -> int | None:
        """Measured sessions after which a trial stops; None: it stops by duration."""
        return self.sessions

    @property
    def calls_on_connection(self) -> int | None:
        """Calls on one connection: those of a session."""
        return self.calls

    @property
    def calls_per_arrival(self) -> int:
        """Calls of a session."""
        return self.calls

    @property
    def enough_s(self) -> float:
        """Seconds that the lowest rate needs for enough calls."""
        return enough_s(min(self.rate) * self.calls)

    def points(self) -> list[Point]:
        """One for each rate."""
        return [Point(f"{rate_label(one)} sessions", one, self.max_open) for one in self.rate]

    def engine_load(self, point: Point) -> engine_plan.Load:
        """The engine's load at a point."""
        arrivals = engine_plan.Arrivals.steady(point.rate_per_s or 0, self.arrivals)
        return engine_plan.SessionsLoad(arrivals=arrivals, calls=self.calls, max_open=self.max_open)

    def in_words(self) -> str:
        """The load in words."""
        return self.words_after(
            f"open: {rates_in_words(self.rate)} sessions of {self.calls:,} calls,"
            f" {self.arrivals} spacing"
        )
