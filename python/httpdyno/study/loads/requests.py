"""Calls at a rate."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from httpdyno import engine_plan
from httpdyno.metrics import Purpose
from httpdyno.study.keys import Connections, RatePoints, Spacing, up_to
from httpdyno.study.loads.shape import (
    FixedLoad,
    LoadShape,
    Point,
    enough_s,
    rate_label,
    rates_in_words,
)


class RequestsLoad(FixedLoad):
    """Calls due at a rate, however fast the server is, on a pool of connections (wrk2)."""

    purpose: ClassVar[Purpose] = "open"
    sentence: ClassVar[str] = (
        "open loop: requests are due at a given rate, however slow the server is"
    )
    quick_keys: ClassVar[frozenset[str]] = frozenset({"skip", "duration", "requests", "rate"})
    schedule_key: ClassVar[str | None] = "rate"
    takes_sessions: ClassVar[bool] = False
    """Each call is due by itself, whatever came back before it."""
    incidental_keys: ClassVar[frozenset[str]] = LoadShape.incidental_keys | {"rate"}

    kind: Literal["requests"]
    rate: RatePoints
    connections: Connections = 64
    requests: Annotated[int, up_to(1_000_000_000)] | None = None
    calls_per_connection: Annotated[int, up_to(1_000_000_000)] | None = None
    arrivals: Spacing = "constant"

    @property
    def count(self) -> int | None:
        """Measured calls after which a trial stops; None: it stops by duration."""
        return self.requests

    @property
    def calls_on_connection(self) -> int | None:
        """Calls on one connection; None: no limit."""
        return self.calls_per_connection

    @property
    def enough_s(self) -> float:
        """Seconds that the lowest rate needs for enough calls."""
        return enough_s(min(self.rate))

    def points(self) -> list[Point]:
        """One for each rate."""
        return [Point(rate_label(one), one, self.connections) for one in self.rate]

    def engine_load(self, point: Point) -> engine_plan.Load:
        """The engine's load at a point."""
        arrivals = engine_plan.Arrivals.steady(point.rate_per_s or 0, self.arrivals)
        pool = point.connections or self.connections
        return engine_plan.RequestsLoad(arrivals=arrivals, connections=pool)

    def in_words(self) -> str:
        """The load in words."""
        return self.words_after(
            f"open: {rates_in_words(self.rate)} on at most {self.connections:,} connections,"
            f" {self.arrivals} spacing"
        )
