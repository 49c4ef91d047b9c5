"""Connections that each wait for their reply."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from httpdyno import engine_plan
from httpdyno.metrics import Purpose
from httpdyno.study.keys import ConnectionPoints, up_to
from httpdyno.study.loads.shape import FixedLoad, LoadShape, Point
from httpdyno.units import counted


class ClosedLoad(FixedLoad):
    """Connections that each send the next call when the last was answered (ab, wrk)."""

    purpose: ClassVar[Purpose] = "closed"
    sentence: ClassVar[str] = (
        "closed loop: each connection or stream waits for its reply before it sends the next"
        " request, so a slow server receives fewer requests"
    )
    quick_keys: ClassVar[frozenset[str]] = frozenset(
        {"skip", "duration", "requests", "connections"}
    )
    incidental_keys: ClassVar[frozenset[str]] = LoadShape.incidental_keys | {"connections"}

    kind: Literal["closed"]
    connections: ConnectionPoints = (10,)
    requests: Annotated[int, up_to(1_000_000_000)] | None = None
    calls_per_connection: Annotated[int, up_to(1_000_000_000)] | None = None

    @property
    def count(self) -> int | None:
        """Measured calls after which a trial stops; None: it stops by duration."""
        return self.requests

    @property
    def calls_on_connection(self) -> int | None:
        """Calls on one connection; None: no limit."""
        return self.calls_per_connection

    def points(self) -> list[Point]:
        """One for each number of connections."""
        streams = "" if self.streams == 1 else f" × {self.streams:,} streams"
        return [Point(counted(one, "connection") + streams, None, one) for one in self.connections]

    def engine_load(self, point: Point) -> engine_plan.Load:
        """The engine's load at a point."""
        return engine_plan.ClosedLoad(connections=point.connections or 1)

    def in_words(self) -> str:
        """The load in words."""
        noun = "connection" if self.connections == (1,) else "connections"
        listed = ", ".join(f"{number:,}" for number in self.connections)
        return self.words_after(f"closed: {listed} {noun}")
