"""The plan of one run of the engine: plain data.

The field names are those of the JSON that the compiled engine reads. Times are seconds, rates per
second.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import Annotated, Literal

from httpdyno.choices import WITH_STREAMS, DriverChoice, HttpVersion, Spacing, TlsVersion
from httpdyno.endpoints import MOST_ENDPOINTS
from httpdyno.engine_plan.data import DataFile, names_of, parse_data, written_data
from httpdyno.engine_plan.load import (
    Arrivals,
    ClosedLoad,
    Load,
    RequestsLoad,
    Script,
    ScriptStep,
    Segment,
    SessionsLoad,
)
from httpdyno.engine_plan.part import (
    Count,
    Part,
    Port,
    PositiveSeconds,
    Rate,
    Seconds,
    Within,
    to_json,
)
from httpdyno.engine_plan.placeholders import (
    check_placeholders,
    literal,
    names_sent,
    texts_of,
    with_placeholders,
)
from httpdyno.engine_plan.request import (
    Base64,
    Body,
    Digest,
    Expect,
    File,
    Html,
    InCookie,
    InHeader,
    InJson,
    InMatch,
    Json,
    Keep,
    Length,
    Like,
    Regex,
    Request,
    Same,
    Text,
)
from httpdyno.output.secrets import MASK

__all__ = [
    "Arrivals",
    "Base64",
    "Body",
    "BufferBytes",
    "CallLimit",
    "ClosedLoad",
    "Count",
    "DataFile",
    "Digest",
    "DriverChoice",
    "EnginePlan",
    "Expect",
    "File",
    "Html",
    "Http2",
    "InCookie",
    "InHeader",
    "InJson",
    "InMatch",
    "Json",
    "Keep",
    "Length",
    "Like",
    "Load",
    "PlanPart",
    "Port",
    "PositiveSeconds",
    "Proxy",
    "Rate",
    "RecordLimit",
    "Regex",
    "Request",
    "RequestsLoad",
    "Same",
    "Script",
    "ScriptStep",
    "Seconds",
    "Segment",
    "SessionsLoad",
    "Source",
    "Spacing",
    "Stop",
    "Target",
    "Text",
    "Timeouts",
    "Tls",
    "TlsVersion",
    "TraceParts",
    "TracedPart",
    "Until",
    "burst_fault",
    "check_placeholders",
    "literal",
    "names_of",
    "names_sent",
    "parse_data",
    "texts_of",
    "to_json",
    "with_placeholders",
    "written_data",
]

BufferBytes = Annotated[int, Within(ge=1, le=1 << 30)]
RecordLimit = Annotated[int, Within(ge=1, le=1 << 30)]
MOST_STREAMS = 10_000
MOST_WINDOW = (1 << 31) - 1
"""Of a stream or a connection of HTTP/2, in bytes."""
TracedPart = Literal["head", "body", "whole"]


def burst_fault(http: object, keep_alive: object, *, in_sessions: bool) -> str | None:
    """The reason why bursts of several calls cannot be sent; None: they can."""
    if http in WITH_STREAMS:
        other = f"`streams` for more calls at once on a connection of HTTP/{http}"
        return None if in_sessions else f"pipelines calls: expected {other}"
    pipelines = http == "1.1" and keep_alive is True
    return None if pipelines else "pipelines calls: expected HTTP/1.1 with keep-alive"


class Http2(Part):
    """Settings of HTTP/2 (RFC 9113 §6.5.2). Lengths are in bytes. HTTP/3 has those of streams and
    windows; its windows are of 16 MiB unless they are given."""

    streams: Annotated[int, Within(ge=1, le=MOST_STREAMS)] = 1
    """Calls at once on a connection."""
    window: Annotated[int, Within(ge=1, le=MOST_WINDOW)] = 1_073_741_823
    """The bytes that the server may send on a stream before it is asked for more."""
    connection_window: Annotated[int, Within(ge=65_535, le=MOST_WINDOW)] = 1_073_741_823
    """The same for all streams of a connection."""
    header_table: Annotated[int, Within(ge=0, le=65_536)] = 4096
    """The table for the header fields of replies (HPACK)."""
    encoder_table: Annotated[int, Within(ge=0, le=65_536)] = 0
    """The table for the header fields of requests. 0: equal requests have equal bytes."""
    max_frame: Annotated[int, Within(ge=16_384, le=16_777_215)] = 16_384
    """Longest payload of a frame from the server."""
    resend_refused: bool = False
    """Send a call again, once, if the server says that it has not processed it: it refused the
    stream, or ended the connection before."""


class Tls(Part):
    """TLS settings. Files are PEM and are read when the run begins."""

    ca: str | None = None
    """The certificates to trust; None: those that this machine trusts."""
    insecure: bool = False
    """Do not check the server's certificate."""
    sni: str | None = None
    """The server name to send and to expect in the certificate; None: the host."""
    certificate: str | None = None
    """The client certificate with its chain."""
    key: str | None = None
    """The private key of the client certificate."""
    min_version: TlsVersion = "1.2"
    max_version: TlsVersion = "1.3"
    resume: bool = True
    """Resume earlier TLS sessions if the server allows it."""


class Target(Part):
    """The address of the server: a host and port, or the path of a Unix socket."""

    host: str = "127.0.0.1"
    port: Annotated[int, Within(ge=1, le=65535)] = 80
    unix: str | None = None
    tls: Tls | None = None
    """None: no TLS."""


class Proxy(Part):
    """An HTTP proxy. It forwards each request, or with TLS opens a tunnel for each connection
    (CONNECT)."""

    host: str
    port: Port
    authorization: str | None = None
    """The value of `Proxy-Authorization`; `***` in records."""


class Timeouts(Part):
    """The longest wait for each step; None: as long as for the complete reply."""

    connect_s: PositiveSeconds | None = 5.0
    first_byte_s: PositiveSeconds | None = None
    reply_s: PositiveSeconds | None = 30.0
    idle_s: PositiveSeconds | None = None
    """Longest time without progress: until the connection is made, from a request to the first byte
    of its reply (if `first_byte_s` is null), and between bytes of the reply. None: no limit."""


class Until(Part):
    """The precision with which a percentile of the response time is to be known."""

    quantile: Annotated[float, Within(gt=0, lt=1)]
    """The percentile, as a share of one."""
    within: Annotated[float, Within(gt=0, lt=1)]
    """Half the width of its 95 % interval, as a share of its value."""


class Stop(Part):
    """When to stop sending (whichever comes first), and how long to wait for the replies."""

    count: Count | None = None
    """Measured arrivals: calls, or sessions of the `sessions` load."""
    duration_s: PositiveSeconds | None = None
    drain_s: Seconds = 5.0
    until: Until | None = None
    """Stop earlier, once a percentile is known so precisely; after 5 seconds at least."""

    def __post_init__(self) -> None:
        if self.count is None and self.duration_s is None:
            raise ValueError("a run needs an end: a count, a duration, or both")


class Source(Part):
    """Local addresses and ports to connect from; empty: the kernel chooses."""

    addresses: list[str] = field(default_factory=list)
    ports: tuple[Port, Port] | None = None
    """First and last port of the range."""
    close_with_reset: bool = False
    """Close connections with a reset, which leaves no port in TIME_WAIT."""
    send_buffer_bytes: BufferBytes | None = None
    """Size of the kernel's send buffer of a connection; None: the kernel chooses."""
    receive_buffer_bytes: BufferBytes | None = None
    """Size of the kernel's receive buffer of a connection; None: the kernel chooses."""


class CallLimit(Part):
    """The size of the call log."""

    most: RecordLimit = 10_000_000
    """Most calls that are recorded."""


class TraceParts(Part):
    """The bytes of calls that the trace keeps."""

    requests: TracedPart | None = None
    """None: nothing."""
    replies: TracedPart | None = None
    most_bytes: RecordLimit = 16 << 20
    """Most bytes that are kept."""


class PlanPart(Part):
    """The part of a plan that one of several load generators carries out."""

    index: Annotated[int, Within(ge=0)]
    """From 0 on."""
    of: Annotated[int, Within(ge=1, le=1000)]

    def __post_init__(self) -> None:
        if self.index >= self.of:
            raise ValueError(f"part {self.index} of {self.of}: expected an index below {self.of}")


class EnginePlan(Part):
    """One run: target, requests, load, duration, and settings of the engine."""

    target: Target
    http: HttpVersion = "1.1"
    http2: Http2 | None = None
    """Settings of HTTP/2 or HTTP/3. None: the defaults, or another version."""
    keep_alive: bool = True
    requests: Annotated[list[Request], Within(min_length=1)] = field(
        default_factory=lambda: [Request()]
    )
    data: list[DataFile] = field(default_factory=list)
    """The files whose values the placeholders `{NAME.COLUMN}` stand for."""
    load: Load
    scripts: Annotated[list[Script], Within(min_length=1)] | None = None
    """The scripts of sessions: session number n follows script n modulo their number. The weights
    of the requests, `burst`, `think_s` and the load's `calls` are not used. None: sessions are
    alike. Only for the `sessions` load."""
    calls_per_connection: Count | None = None
    burst: Count = 1
    """Calls pipelined together."""
    think_s: Seconds = 0.0
    timeouts: Timeouts = Timeouts()
    warm_up_s: Seconds = 0.0
    stop: Stop
    driver: DriverChoice = "auto"
    threads: Count = 1
    cpus: list[int] | None = None
    source: Source = Source()
    preflight: bool = True
    """Connect once before the run, to prove that the server can be reached. False: the first
    connections of the run find out."""
    proxy: Proxy | None = None
    """None: connect to the server directly. Environment variables are ignored."""
    seed: int = 1
    spin: bool = False
    low_latency: bool = False
    """Keep the processors out of deep idle states and, for a paced load that sleeps on processors
    of its own, run the engine's threads at real-time priority, where this machine allows it."""
    shared_cpus: bool = False
    """The server runs on the processors of `cpus` too."""
    kernel_timestamps: bool = False
    """Also time the calls by the kernel's timestamps; TCP on epoll only."""
    over_time: bool = False
    """Also summarise the window over time, in bins."""
    slowest: Annotated[int, Within(ge=0, le=100)] = 0
    """Keep so many of the slowest measured calls."""
    call_log: CallLimit | None = None
    """Record each measured call, for `Running.call_log`."""
    trace: TraceParts | None = None
    """Keep the bytes of requests and replies, for `Running.trace`. It costs time."""
    part: PlanPart | None = None
    """The part of this plan that the run carries out; None: all of it. `threads`, `cpus` and
    `source` are those of its machine, everything else is that of the whole."""

    @property
    def endpoints(self) -> list[str]:
        """The names of its endpoints that are counted by themselves."""
        names = dict.fromkeys(request.endpoint for request in self.requests)
        return list(names)[:MOST_ENDPOINTS]

    @property
    def has_streams(self) -> bool:
        """A connection carries several calls at once."""
        return self.http in WITH_STREAMS

    @property
    def streams(self) -> int:
        """Calls at once on a connection, unless a burst is sent on it."""
        return 1 if self.http2 is None else self.http2.streams

    @property
    def is_open(self) -> bool:
        """Calls fall due by a schedule, whatever the server does."""
        return self.load.schedule is not None

    @property
    def calls_per_session(self) -> float:
        """Calls of a session on average; 1 for loads without sessions."""
        if self.scripts is None:
            return float(self.load.calls_per_arrival)
        calls = (len(step.requests) for script in self.scripts for step in script)
        return sum(calls) / len(self.scripts)

    def without_secrets(self) -> EnginePlan:
        """The plan for a record: credentials masked, bodies replaced by their digests."""
        proxy = self.proxy
        if proxy is not None and proxy.authorization is not None:
            proxy = replace(proxy, authorization=MASK)
        requests = [request.without_secrets() for request in self.requests]
        return replace(self, proxy=proxy, requests=requests)
