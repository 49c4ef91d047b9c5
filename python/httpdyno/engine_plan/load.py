"""The load of a plan: its shape, its arrivals, and the scripts of its sessions."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from httpdyno.engine_plan.part import Count, Part, PositiveSeconds, Rate, Seconds

Spacing = Literal["constant", "uniform", "exponential"]


class Segment(Part):
    """A part of the schedule in which the rate changes linearly, or not at all."""

    from_per_s: Rate
    to_per_s: Rate
    seconds: PositiveSeconds | None = None
    """None: without end; only in the last segment."""


class Arrivals(Part):
    """The schedule of arrivals: rates over time, and their spacing."""

    spacing: Spacing = "constant"
    spread: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Uniform spacing: gaps from (1 - spread) to (1 + spread) times the mean."""
    segments: Annotated[list[Segment], Field(min_length=1)]
    cycle: bool = False
    """Repeat the segments; none of them is without end then."""

    @model_validator(mode="after")
    def _only_the_last_is_endless(self) -> Self:
        if any(segment.seconds is None for segment in self.segments[:-1]):
            raise ValueError("only the last segment may be without end")
        if self.cycle and self.segments[-1].seconds is None:
            raise ValueError("segments that are repeated need an end")
        return self

    @classmethod
    def steady(cls, rate_per_s: float, spacing: Spacing = "constant") -> Arrivals:
        """A constant rate without end."""
        return cls(spacing=spacing, segments=[Segment(from_per_s=rate_per_s, to_per_s=rate_per_s)])


class ClosedLoad(Part):
    """Connections that each send the next request when they have their reply."""

    kind: Literal["closed"] = "closed"
    connections: Count


class RequestsLoad(Part):
    """Requests that are due at a rate, on a pool of connections."""

    kind: Literal["requests"] = "requests"
    arrivals: Arrivals
    connections: Count


class SessionsLoad(Part):
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
    most_connections: Annotated[int, Field(ge=1, le=100)] = 1
    """Connections of one session at once, where one does not take all calls of a burst."""


Load = Annotated[ClosedLoad | RequestsLoad | SessionsLoad, Field(discriminator="kind")]


class ScriptStep(Part):
    """A burst of a scripted session, and the pause after it."""

    requests: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)]
    """Indices of the plan's requests, pipelined in this order."""
    think_s: Seconds = 0.0
    """Seconds between the last reply and the next step."""
    first_alone: bool = False
    """Send the first call alone, and the others once its reply is complete."""


Script = Annotated[list[ScriptStep], Field(min_length=1)]
"""The requests of a session, step by step."""
