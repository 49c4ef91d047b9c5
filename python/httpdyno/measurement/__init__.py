"""The engine's result of one trial: versioned, plain values, nothing computed but ratios.

The JSON that these models read and write is `docs/reference/measurement.md`. Format history:
  1  first version.
A reader accepts its own version and older ones, ignores fields it does not know, and refuses newer
versions.
"""

from __future__ import annotations

from typing import Literal

from httpdyno.measurement.calls import Calls, EndpointCalls
from httpdyno.measurement.connections import Connections, Grpc, Handshakes, Http2, Quic
from httpdyno.measurement.endpoints import Endpoint, EndpointStep
from httpdyno.measurement.nodes import Node, NodePart
from httpdyno.measurement.over_time import TimeBin
from httpdyno.measurement.replies import FirstReply, ReplyBytes
from httpdyno.measurement.slowest import SlowCall
from httpdyno.measurement.times import Quantiles, Time, Times
from httpdyno.measurement.validity import (
    ArrivalFit,
    Dependence,
    Drift,
    Percentile,
    Validity,
)
from httpdyno.output.secrets import masked_text
from httpdyno.value import Value

__all__ = [
    "BRIEF_S",
    "ENOUGH_CALLS",
    "FEWEST_CALLS",
    "ArrivalFit",
    "Calls",
    "Connections",
    "Cpu",
    "Dependence",
    "Drift",
    "Endpoint",
    "EndpointCalls",
    "EndpointStep",
    "EngineFacts",
    "FirstReply",
    "Grant",
    "Grpc",
    "Handshakes",
    "Http2",
    "Interval",
    "Kernel",
    "LowLatency",
    "Measurement",
    "Node",
    "NodePart",
    "Percentile",
    "Quantiles",
    "Quic",
    "ReplyBytes",
    "Sessions",
    "SlowCall",
    "Time",
    "TimeBin",
    "Times",
    "Validity",
]

BRIEF_S = 1.0
"""A shorter window is mostly start-up."""
FEWEST_CALLS = 1000
"""Fewer calls say too little about a tail."""
ENOUGH_CALLS = 1100
"""A few more than that, since rates vary: the calls for which a measurement is planned."""


class Kernel(Value):
    """The number of right calls with the kernel's stamps; see `docs/concepts/times.md`."""

    stamped: int
    unstamped: int
    """Calls that miss one: their reply shared its last bytes' stamp with what followed it, or ended
    with the connection, or the kernel gave none."""
    clock_set_ns: int | None
    """Distance by which the wall clock, by which the kernel stamps, was set during the run: then no
    stamp can be placed. Null: it was not set."""


class Interval(Value):
    """One second of the run, counted from the start of the window (negative: warm-up)."""

    second: int
    due: int
    sent: int
    ok: int
    failed: int
    sessions: int
    """Sessions completed."""
    p50_ns: int
    p99_ns: int
    max_ns: int


class Sessions(Value):
    """Numbers of sessions by their outcome (only for the `sessions` load)."""

    due: int
    started: int
    completed: int
    failed: int
    connections: int
    """Connections of the completed sessions."""
    resent: int
    """Calls sent again, each time they were, because the server closed their connection."""
    lifetime: Time
    """begun → complete, of completed sessions."""
    fail_time: Time
    """begun → failed, of failed sessions."""
    lengths: list[int]
    """Completed and failed sessions by their number of replies: 0, 1, 2 … The last number is at
    most 1,000, and stands for more replies too."""


class Cpu(Value):
    """The cost of the engine's own threads in the window."""

    user_s: float
    system_s: float
    busy_share: float
    """Share of the window that the busiest engine thread spent on a processor, 0 to 1."""
    voluntary_switches: int
    involuntary_switches: int
    waiting_share: float | None
    """Share of the window in which the engine thread that waited longest was ready to run and had
    no processor, 0 to 1. Null: the kernel does not say."""
    standstill_share: float
    """Share of the window in which the engine thread that stood still longest did not run, although
    it was to wake up: it ran on 5 ms late or more. It may have been stopped, or preempted."""


class Grant(Value):
    """This machine's answer to a request of the engine."""

    granted: bool
    reason: str | None
    """Why not; null: it was granted."""

    @property
    def refused(self) -> bool:
        """True if this machine refused it, and not if the engine gave it up."""
        return not self.granted and not (self.reason or "").startswith("given up")


class LowLatency(Value):
    """The parts of low latency that were granted; see `docs/concepts/times.md`."""

    shallow_idle: Grant
    """Processors kept out of deep idle states."""
    real_time: Grant
    """Engine threads at real-time priority."""


class EngineFacts(Value):
    """Which engine measured, and how."""

    version: str
    driver: Literal["io_uring", "epoll", "simulated"]
    driver_reason: str
    threads: int
    cpus: list[int] | None
    low_latency: LowLatency | None = None
    """Null: not asked for."""


class Measurement(Value):
    """One trial as the engine measured it."""

    format: Literal["httpdyno-measurement"]
    version: Literal[1]
    engine: EngineFacts
    load: str
    """Its kind in the plan, such as `closed`."""
    started_at: float
    """Unix time of the start, seconds."""
    warm_up_s: float
    window_s: float
    """Length of the measured window: to its stop edge, or to the last reply of a counted run."""
    drain_s: float
    stopped_by: Literal["count", "duration", "interrupt", "precision"]
    calls: Calls
    warm_up_calls: Calls
    completed_in_window: int
    """Right replies whose last byte came inside the window, whenever they were due."""
    offered_per_s: float | None
    """Calls due per second of window (open loads only)."""
    throughput_per_s: float
    """completed_in_window ÷ window_s."""
    statuses: dict[str, int]
    """Replies by status; `other` are those outside 100 to 599."""
    bytes_sent: int
    """Bytes of requests, in the window; with TLS, before encryption."""
    bytes_received: int
    """Bytes of replies, heads and framing included, in the window; with TLS, after decryption."""
    body_bytes: int
    """Bytes of the bodies of replies that were complete in the window."""
    replies: ReplyBytes
    first_reply: FirstReply | None = None
    """Null: no reply was complete."""
    protocol: Literal["http/1.0", "http/1.1", "h2", "h3"]
    """Of the connections."""
    connections: Connections
    http2: Http2 | None = None
    """The streams of HTTP/2 or HTTP/3. Null: the protocol is another."""
    quic: Quic | None = None
    """The datagrams of HTTP/3. Null: the protocol is another."""
    grpc: Grpc | None = None
    """Null: no request was of gRPC."""
    handshakes: Handshakes | None = None
    """Null without TLS."""
    sessions: Sessions | None = None
    times: Times
    endpoints: tuple[Endpoint, ...] = ()
    """In the order in which the plan has them: the first 200, and all others as one. Empty if it
    has only one."""
    kernel: Kernel | None = None
    """Null: not asked for."""
    intervals: list[Interval]
    over_time: list[TimeBin] | None = None
    """The window in at most 240 bins. Null: not asked for."""
    slowest: tuple[SlowCall, ...] = ()
    """The slowest measured calls, the slowest first. Empty: not asked for."""
    mean_in_flight: float
    """Time average of calls begun and not ended, over the window."""
    validity: Validity
    cpu: Cpu
    first_failure: str | None = None
    """The first call that failed, in words, for whoever must find out why."""
    nodes: list[Node] | None = None
    """The load generators whose results were merged (`docs/concepts/many-machines.md`). Null: one
    machine measured, by itself."""

    def without_secrets(self) -> Measurement:
        """The measurement for a record: credentials in the first failure masked."""
        failure = self.first_failure and masked_text(self.first_failure)
        return self.model_copy(update={"first_failure": failure})

    @property
    def seconds(self) -> list[Interval]:
        """The intervals, and the seconds of the window in which nothing happened, with zeros."""
        known = {one.second: one for one in self.intervals}
        first = min(known, default=0)
        end = max(int(self.window_s), max(known, default=-1) + 1)
        silent = dict.fromkeys(Interval.model_fields, 0)
        return [
            known.get(second) or Interval.model_validate(silent | {"second": second})
            for second in range(min(0, first), end)
        ]

    @property
    def error_share(self) -> float:
        """Share of the ended and abandoned calls that did not come back right, 0 to 1."""
        lost = self.calls.failed + self.calls.in_flight
        total = lost + self.calls.ok
        return lost / total if total else 0.0

    def time(self, name: str) -> Time | None:
        """The times of this name, such as `response`; None: not measured."""
        found: Time | None = getattr(self.times, name)
        return found

    def percentile(self, quantile: float) -> Percentile | None:
        """The percentile of the response time at `quantile`, 0 to 1, if it has an interval."""
        found = self.validity.percentile(quantile)
        return found and found.bounded_by(self.times.response)

    def part(self, endpoint: str | None) -> Measurement | Endpoint | None:
        """The results of the endpoint of this name; of a plan that has only one, the whole. None:
        there is none of this name."""
        if endpoint is None or not self.endpoints:
            return self
        return next((one for one in self.endpoints if one.name == endpoint), None)

    @property
    def is_closed(self) -> bool:
        """Each of a number of connections waited for its reply before it sent the next call."""
        return self.load == "closed"

    @property
    def in_sessions(self) -> bool:
        """Sessions arrived, each with connections of its own."""
        return self.load == "sessions"

    @property
    def is_open(self) -> bool:
        """Calls fell due by a schedule, whatever the server did."""
        return not self.is_closed and self.offered_per_s is not None

    @property
    def is_brief(self) -> bool:
        """Too short for a rate, or with too few calls for a tail."""
        return self.window_s < BRIEF_S or self.calls.ended < FEWEST_CALLS

    @property
    def achieved_share(self) -> float | None:
        """Achieved ÷ offered rate, of open loads."""
        return None if not self.offered_per_s else self.throughput_per_s / self.offered_per_s
