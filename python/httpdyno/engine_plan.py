"""The plan of one run of the engine: plain data, checked, version 1.

The field names are those of the JSON that the compiled engine reads. Times are seconds, rates per
second.
"""

from __future__ import annotations

from base64 import b64decode
from hashlib import sha256
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from httpdyno.output.secrets import MASK, masked_headers, masked_url

PLAN_VERSION = 1

Seconds = Annotated[float, Field(ge=0)]
PositiveSeconds = Annotated[float, Field(gt=0)]
Rate = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Port = Annotated[int, Field(ge=1, le=65535)]
Spacing = Literal["constant", "uniform", "exponential"]
DriverChoice = Literal["auto", "io_uring", "epoll"]
TlsVersion = Literal["1.2", "1.3"]
BufferBytes = Annotated[int, Field(ge=1, le=1 << 30)]
Recorded = Annotated[int, Field(ge=1, le=1 << 30)]
TracedPart = Literal["head", "body", "whole"]


def can_pipeline(http: object, keep_alive: object) -> bool:
    """Bursts of several calls need a connection that stays open, and HTTP/1.1."""
    return http == "1.1" and keep_alive is True


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True
    )


class Tls(_Part):
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


class Target(_Part):
    """The address of the server: a host and port, or the path of a Unix socket."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65535)] = 80
    unix: str | None = None
    tls: Tls | None = None
    """None: no TLS."""


class Proxy(_Part):
    """An HTTP proxy. It forwards each request, or with TLS opens a tunnel for each connection
    (CONNECT)."""

    host: str
    port: Port
    authorization: str | None = None
    """The value of `Proxy-Authorization`; `***` in records."""


class Text(_Part):
    """A body given as text, sent as UTF-8."""

    text: str


class Base64(_Part):
    """A body given as base64."""

    base64: str


class File(_Part):
    """A body read from a file when the run begins."""

    file: str


class Length(_Part):
    """A reply body of this length, with any content."""

    length: Annotated[int, Field(ge=0)]


class Same(_Part):
    """A reply body equal to the first reply's."""

    same: Literal[True] = True


class Digest(_Part):
    """A body in a record: its length and SHA-256, not its content."""

    length: Annotated[int, Field(ge=0)]
    """In bytes."""
    sha256: str

    @classmethod
    def of(cls, content: bytes) -> Digest:
        """The digest of a body."""
        return cls(length=len(content), sha256=sha256(content).hexdigest())


Body = Text | Base64 | File


class Expect(_Part):
    """The expected reply; any other is counted as a wrong status or a wrong body."""

    status: list[int] | None = None
    """None: any 2xx or 3xx."""
    wrong_status: list[int] | None = None
    """Wrong statuses: any other is right. None: `status` decides."""
    body: Body | Length | Same | None = None
    check_every: Count = 1
    """Check the body of every Nth reply."""
    decode: Literal["gzip"] | None = None
    """Decode the body, by its Content-Encoding (gzip, deflate or none), before it is compared. A body
    that cannot be decoded is a wrong body. None: compare it as it came."""


class Request(_Part):
    """One request of the rotation."""

    method: str = "GET"
    path: str = "/"
    headers: list[tuple[str, str]] = []
    body: Body | Digest | None = None
    """A `Digest` only in records; the engine refuses it."""
    raw: Body | Digest | None = None
    """The whole request as bytes, which are sent as they are: `method` says if the reply has a body,
    and `path` is only a name. A `Digest` only in records. None: encoded from the other fields."""
    weight: Count = 1
    expect: Expect = Expect()

    def without_secrets(self) -> Request:
        """The request for a record: credentials masked, the body replaced by its digest."""
        written = {
            "path": masked_url(self.path),
            "headers": masked_headers(self.headers),
            "body": _digest(self.body),
            "raw": _digest(self.raw),
        }
        return self.model_copy(update=written)


class Segment(_Part):
    """A part of the schedule in which the rate changes linearly, or not at all."""

    from_per_s: Rate
    to_per_s: Rate
    seconds: PositiveSeconds | None = None
    """None: without end; only in the last segment."""


class Arrivals(_Part):
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


class ClosedLoad(_Part):
    """Connections that each send the next request when they have their reply."""

    kind: Literal["closed"] = "closed"
    connections: Count


class RequestsLoad(_Part):
    """Requests that are due at a rate, on a pool of connections."""

    kind: Literal["requests"] = "requests"
    arrivals: Arrivals
    connections: Count


class SessionsLoad(_Part):
    """Sessions that arrive at a rate, each with connections of its own. It makes a number of calls in
    bursts, or follows one of the plan's `scripts`."""

    kind: Literal["sessions"] = "sessions"
    arrivals: Arrivals | None
    """None: a session begins when one ends, `max_open` (default 1) at once."""
    calls: Count = 1
    """Calls of a session without a script."""
    max_open: Count | None = None
    on_wrong: Literal["go_on", "fail", "retry"] = "go_on"
    """After a reply with a wrong status or body: `fail`: the session ends, failed; `retry`: the same
    call is sent again at once, at most 100 times for each call of a burst."""
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


class ScriptStep(_Part):
    """A burst of a scripted session, and the pause after it."""

    requests: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)]
    """Indices of the plan's requests, pipelined in this order."""
    think_s: Seconds = 0.0
    """Seconds between the last reply and the next step."""
    first_alone: bool = False
    """Send the first call alone, and the others once its reply is complete."""


Script = Annotated[list[ScriptStep], Field(min_length=1)]
"""The calls of a session, step by step."""


class Timeouts(_Part):
    """The longest wait for each step; None: as long as for the complete reply."""

    connect_s: PositiveSeconds | None = 5.0
    first_byte_s: PositiveSeconds | None = None
    reply_s: PositiveSeconds | None = 30.0
    idle_s: PositiveSeconds | None = None
    """Longest time without progress: until the connection is made, from a request to the first byte
    of its reply (if `first_byte_s` is null), and between bytes of the reply. None: no limit."""


class Until(_Part):
    """The precision with which a percentile of the response time is to be known."""

    quantile: Annotated[float, Field(gt=0, lt=1)]
    """The percentile, as a share of one."""
    within: Annotated[float, Field(gt=0, lt=1)]
    """Half the width of its 95 % interval, as a share of its value."""


class Stop(_Part):
    """When to stop sending (whichever comes first), and how long to wait for the replies."""

    count: Count | None = None
    """Measured arrivals: calls, or sessions of the `sessions` load."""
    duration_s: PositiveSeconds | None = None
    drain_s: Seconds = 5.0
    until: Until | None = None
    """Stop earlier, once a percentile is known so precisely; after 5 seconds at least."""

    @model_validator(mode="after")
    def _ends(self) -> Self:
        if self.count is None and self.duration_s is None:
            raise ValueError("a run needs an end: a count, a duration, or both")
        return self


class Source(_Part):
    """Local addresses and ports to connect from; empty: the kernel chooses."""

    addresses: list[str] = []
    ports: tuple[Port, Port] | None = None
    """First and last port of the range."""
    close_with_reset: bool = False
    """Close connections with a reset, which leaves no port in TIME_WAIT."""
    send_buffer_bytes: BufferBytes | None = None
    """Size of the kernel's send buffer of a connection; None: the kernel chooses."""
    receive_buffer_bytes: BufferBytes | None = None
    """Size of the kernel's receive buffer of a connection; None: the kernel chooses."""


class CallLimit(_Part):
    """The size of the call log."""

    most: Recorded = 10_000_000
    """Most calls that are recorded."""


class TraceParts(_Part):
    """The bytes of calls that the trace keeps."""

    requests: TracedPart | None = None
    """None: nothing."""
    replies: TracedPart | None = None
    most_bytes: Recorded = 16 << 20
    """Most bytes that are kept."""


class EnginePlan(_Part):
    """One run: target, requests, load, duration, and settings of the engine."""

    version: Literal[1] = 1
    target: Target
    http: Literal["1.0", "1.1"] = "1.1"
    keep_alive: bool = True
    requests: Annotated[list[Request], Field(min_length=1)] = [Request()]
    load: Load
    scripts: Annotated[list[Script], Field(min_length=1)] | None = None
    """The calls of sessions: number n follows script n modulo their number, and the weights of
    the requests, `burst`, `think_s` and the load's `calls` are not used. None: sessions are alike.
    Only for the `sessions` load."""
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
    call_log: CallLimit | None = None
    """Record each measured call, for `Running.call_log`."""
    trace: TraceParts | None = None
    """Keep the bytes of requests and replies, for `Running.trace`. It costs time."""

    @property
    def is_open(self) -> bool:
        """Calls fall due by a schedule, whatever the server does."""
        return self.load.kind != "closed" and self.load.arrivals is not None

    @property
    def calls_per_session(self) -> float:
        """Calls of a session on average; 1 for loads without sessions."""
        if self.load.kind != "sessions":
            return 1.0
        if self.scripts is None:
            return float(self.load.calls)
        calls = (len(step.requests) for script in self.scripts for step in script)
        return sum(calls) / len(self.scripts)

    def without_secrets(self) -> EnginePlan:
        """The plan for a record: credentials masked, bodies replaced by their digests."""
        proxy = self.proxy
        if proxy is not None and proxy.authorization is not None:
            proxy = proxy.model_copy(update={"authorization": MASK})
        requests = [request.without_secrets() for request in self.requests]
        return self.model_copy(update={"proxy": proxy, "requests": requests})


def _digest(body: Body | Digest | None) -> File | Digest | None:
    if isinstance(body, Text):
        return Digest.of(body.text.encode())
    if isinstance(body, Base64):
        return Digest.of(b64decode(body.base64))
    return body
