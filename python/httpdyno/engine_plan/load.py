"""The load of a plan: its shape, its arrivals, and the scripts of its sessions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from httpdyno import units
from httpdyno.choices import Spacing
from httpdyno.engine_plan.part import ByKind, Count, Part, PositiveSeconds, Rate, Seconds, Within


class Segment(Part):
    """A part of the schedule in which the rate changes linearly, or not at all."""

    from_per_s: Rate
    to_per_s: Rate
    seconds: PositiveSeconds | None = None
    """None: without end; only in the last segment."""


class Arrivals(Part):
    """The schedule of arrivals: rates over time, and their spacing."""

    spacing: Spacing = "constant"
    spread: Annotated[float, Within(ge=0, le=1)] = 1.0
    """Uniform spacing: gaps from (1 - spread) to (1 + spread) times the mean."""
    segments: Annotated[list[Segment], Within(min_length=1)]
    cycle: bool = False
    """Repeat the segments; none of them is without end then."""

    def __post_init__(self) -> None:
        if any(segment.seconds is None for segment in self.segments[:-1]):
            raise ValueError("only the last segment may be without end")
        if self.cycle and self.segments[-1].seconds is None:
            raise ValueError("segments that are repeated need an end")

    @classmethod
    def steady(cls, rate_per_s: float, spacing: Spacing = "constant") -> Arrivals:
        """A constant rate without end."""
        return cls(spacing=spacing, segments=[Segment(from_per_s=rate_per_s, to_per_s=rate_per_s)])

    @property
    def highest_per_s(self) -> float:
        """The highest rate of all segments."""
        return max(max(one.from_per_s, one.to_per_s) for one in self.segments)

    def with_factor(self, factor: float) -> Arrivals:
        """The same schedule with so many times the rate."""
        segments = [
            replace(one, from_per_s=factor * one.from_per_s, to_per_s=factor * one.to_per_s)
            for one in self.segments
        ]
        return replace(self, segments=segments)

    @property
    def has_one_rate(self) -> bool:
        """True unless the rate changes."""
        ends = {rate for one in self.segments for rate in (one.from_per_s, one.to_per_s)}
        return len(ends) <= 1

    def in_words(self) -> str:
        """`100/s, then 100/s to 500/s exponential`."""
        rates = []
        for segment in self.segments:
            rate = units.rate(segment.from_per_s)
            if segment.to_per_s != segment.from_per_s:
                rate = f"{rate} to {units.rate(segment.to_per_s)}"
            rates.append(rate)
        spacing = "" if self.spacing == "constant" else f" {self.spacing}"
        return ", then ".join(rates) + spacing


class _LoadShape(Part):
    """A load's answers to those who judge, describe and divide a plan."""

    @property
    def in_sessions(self) -> bool:
        """Sessions arrive, each with connections of its own."""
        return False

    @property
    def schedule(self) -> Arrivals | None:
        """The arrivals; None: what is sent next waits for what was sent before."""
        return None

    @property
    def fixed_connections(self) -> int | None:
        """Connections that are always open: those of a closed load; None: they come and go."""
        return None

    @property
    def pool(self) -> int | None:
        """Connections that all arrivals share; None: there is no pool."""
        return None

    @property
    def most_open(self) -> int | None:
        """Most connections at once, or sessions; None: no limit."""
        return self.fixed_connections or self.pool

    @property
    def calls_per_arrival(self) -> int:
        """Calls of an arrival without a script."""
        return 1

    @abstractmethod
    def of_sessions(self, calls: int) -> SessionsLoad:
        """The load with as many requests, but in sessions of so many."""

    @abstractmethod
    def in_words(self, scripts: Sequence[Script] | None) -> list[str]:
        """The load in words, with the scripts of its sessions, if they have some."""


class ClosedLoad(_LoadShape):
    """Connections that each send the next request when they have their reply."""

    kind: Literal["closed"] = "closed"
    connections: Count

    @property
    def fixed_connections(self) -> int | None:
        """All of its connections."""
        return self.connections

    def of_sessions(self, calls: int) -> SessionsLoad:
        """A session begins when one ends."""
        return SessionsLoad(arrivals=None, calls=calls, max_open=self.connections)

    def in_words(self, scripts: Sequence[Script] | None) -> list[str]:
        """`closed load`, `10 connections`."""
        return ["closed load", units.counted(self.connections, "connection")]


class RequestsLoad(_LoadShape):
    """Requests that are due at a rate, on a pool of connections."""

    kind: Literal["requests"] = "requests"
    arrivals: Arrivals
    connections: Count

    @property
    def schedule(self) -> Arrivals | None:
        """The arrivals of requests."""
        return self.arrivals

    @property
    def pool(self) -> int | None:
        """All of its connections."""
        return self.connections

    def of_sessions(self, calls: int) -> SessionsLoad:
        """Sessions arrive at a part of the rate, each with a connection."""
        arrivals = self.arrivals.with_factor(1 / calls)
        return SessionsLoad(arrivals=arrivals, calls=calls, max_open=self.connections)

    def in_words(self, scripts: Sequence[Script] | None) -> list[str]:
        """`open load, 100/s requests`, `at most 64 connections`."""
        most = units.counted(self.connections, "connection")
        return [f"open load, {self.arrivals.in_words()} requests", f"at most {most}"]


class SessionsLoad(_LoadShape):
    """Sessions that arrive at a rate, each with connections of its own. It makes a number of calls
    in bursts, or follows one of the plan's `scripts`."""

    kind: Literal["sessions"] = "sessions"
    arrivals: Arrivals | None
    """None: a session begins when one ends, `max_open` (default 1) at once."""
    calls: Count = 1
    """Calls of a session without a script."""
    max_open: Count | None = None
    on_wrong: Literal["go_on", "fail", "retry"] = "go_on"
    """After a reply with a wrong status or body: `fail`: the session ends, failed; `retry`: the
    same call is sent again at once, at most 100 times for each call of a burst."""
    on_close: Literal["reconnect", "resend", "end"] = "reconnect"
    """When the server closes the connection: `reconnect`: the next burst goes out on a new one, and
    unanswered calls fail; `resend`: these are sent again on new connections, if the old one has
    answered any, and from then on each connection carries one call at a time; `end`: the session
    ends."""
    ignore_close: bool = False
    """Send on a connection although a reply has announced that the server closes it. With `resend`,
    all unanswered calls are then sent again together on one new connection. As httperf does."""
    cookies: bool = False
    """Send the cookies that replies of the session have set with its later requests."""
    most_pipelined: Count | None = None
    """Most calls of a burst sent together on a connection; None: all of them."""
    most_connections: Annotated[int, Within(ge=1, le=100)] = 1
    """Connections of one session at once, where one does not take all calls of a burst."""

    @property
    def in_sessions(self) -> bool:
        """True: it is the load of sessions."""
        return True

    @property
    def schedule(self) -> Arrivals | None:
        """The arrivals of sessions; None: a session begins when one ends."""
        return self.arrivals

    @property
    def most_open(self) -> int | None:
        """Most sessions at once; None: no limit."""
        return self.max_open

    @property
    def calls_per_arrival(self) -> int:
        """Calls of a session without a script."""
        return self.calls

    def of_sessions(self, calls: int) -> SessionsLoad:
        """The load itself."""
        return self

    def in_words(self, scripts: Sequence[Script] | None) -> list[str]:
        """The rate of the sessions, or how many are open; and what they send."""
        if self.arrivals is None:
            head = f"closed load, {units.counted(self.max_open or 1, 'session')} at a time"
        else:
            head = f"open load, {self.arrivals.in_words()} sessions"
        if scripts is not None and len(scripts) > 1:
            return [head, f"{units.counted(len(scripts), 'recorded session')} in turn"]
        calls = self.calls if scripts is None else sum(len(step.requests) for step in scripts[0])
        return [head, f"{units.counted(calls, 'call')} each"]


Load = Annotated[ClosedLoad | RequestsLoad | SessionsLoad, ByKind()]


class ScriptStep(Part):
    """A burst of a scripted session, and the pause after it."""

    requests: Annotated[list[Annotated[int, Within(ge=0)]], Within(min_length=1)]
    """Indices of the plan's requests, pipelined in this order."""
    think_s: Seconds = 0.0
    """Seconds between the last reply and the next step."""
    first_alone: bool = False
    """Send the first call alone, and the others once its reply is complete."""


Script = Annotated[list[ScriptStep], Within(min_length=1)]
"""The requests of a session, step by step."""
