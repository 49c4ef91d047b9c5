"""What the engine is told to do in one run: plain data, checked, version 1.

The field names are the JSON that crosses into the compiled engine. Times are seconds, rates per
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


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True
    )


class Tls(_Part):
    """How TLS is spoken. Files are PEM, and are read when the run begins."""

    ca: str | None = None
    """The certificates of whom to trust; None: whom this machine trusts."""
    insecure: bool = False
    """Trust whoever answers."""
    sni: str | None = None
    """The name that is sent and must be in the server's certificate; None: the host."""
    certificate: str | None = None
    """The client's certificate and those that lead from it to one that the server trusts."""
    key: str | None = None
    """The key of the client's certificate."""
    min_version: TlsVersion = "1.2"
    max_version: TlsVersion = "1.3"
    resume: bool = True
    """Go on with an earlier session where the server lets us."""


class Target(_Part):
    """Where the server listens: a host and port, or the path of a Unix socket."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65535)] = 80
    unix: str | None = None
    tls: Tls | None = None
    """How TLS is spoken with it; None: not at all."""


class Proxy(_Part):
    """An HTTP proxy that connections go to: it is asked for each request, or with TLS once a
    connection for a way to the server (CONNECT)."""

    host: str
    port: Port
    authorization: str | None = None
    """The value of `Proxy-Authorization`; `***` in what is written down."""


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
    """A reply body of so many bytes, whatever they are."""

    length: Annotated[int, Field(ge=0)]


class Same(_Part):
    """A reply body equal to the first reply's."""

    same: Literal[True] = True


class Digest(_Part):
    """A body that is not written down: only its length and its SHA-256 are."""

    length: Annotated[int, Field(ge=0)]
    """In bytes."""
    sha256: str

    @classmethod
    def of(cls, content: bytes) -> Digest:
        """The digest of a body."""
        return cls(length=len(content), sha256=sha256(content).hexdigest())


Body = Text | Base64 | File


class Expect(_Part):
    """The right answer: anything else is counted as a wrong status or a wrong body."""

    status: list[int] | None = None
    """None: any 2xx or 3xx."""
    body: Body | Length | Same | None = None
    check_every: Count = 1
    """Every how manieth reply's body is checked."""


class Request(_Part):
    """One request of the rotation."""

    method: str = "GET"
    path: str = "/"
    headers: list[tuple[str, str]] = []
    body: Body | Digest | None = None
    """`Digest` only in what is written down: the engine refuses it."""
    weight: Count = 1
    expect: Expect = Expect()

    def without_secrets(self) -> Request:
        """The request as it may be written down; the body of a file is not in it anyway."""
        written = {
            "path": masked_url(self.path),
            "headers": masked_headers(self.headers),
            "body": _digest(self.body),
        }
        return self.model_copy(update=written)


class Segment(_Part):
    """A stretch of arrivals whose rate goes straight from one value to another."""

    from_per_s: Rate
    to_per_s: Rate
    seconds: PositiveSeconds | None = None
    """None: for ever; only in the last segment."""


class Arrivals(_Part):
    """When work falls due: rates over time, and how its moments are spaced."""

    spacing: Spacing = "constant"
    segments: Annotated[list[Segment], Field(min_length=1)]

    @model_validator(mode="after")
    def _only_the_last_is_endless(self) -> Self:
        if any(segment.seconds is None for segment in self.segments[:-1]):
            raise ValueError("only the last segment may go on for ever")
        return self

    @classmethod
    def steady(cls, rate_per_s: float, spacing: Spacing = "constant") -> Arrivals:
        """One rate from start to stop."""
        return cls(spacing=spacing, segments=[Segment(from_per_s=rate_per_s, to_per_s=rate_per_s)])


class ClosedLoad(_Part):
    """So many connections, each of which sends when it has its reply."""

    kind: Literal["closed"] = "closed"
    connections: Count


class RequestsLoad(_Part):
    """Requests due at a rate, on a pool of at most so many connections."""

    kind: Literal["requests"] = "requests"
    arrivals: Arrivals
    connections: Count


class SessionsLoad(_Part):
    """Sessions that arrive at a rate, each on a connection of its own, each with so many calls."""

    kind: Literal["sessions"] = "sessions"
    arrivals: Arrivals
    calls: Count = 1
    max_open: Count | None = None


Load = Annotated[ClosedLoad | RequestsLoad | SessionsLoad, Field(discriminator="kind")]


class Timeouts(_Part):
    """How long each wait may last; None: as long as the whole reply may."""

    connect_s: PositiveSeconds | None = 5.0
    first_byte_s: PositiveSeconds | None = None
    reply_s: PositiveSeconds | None = 30.0


class Until(_Part):
    """How well a percentile of the response time is to be known."""

    quantile: Annotated[float, Field(gt=0, lt=1)]
    """Which percentile, as a share."""
    within: Annotated[float, Field(gt=0, lt=1)]
    """Half of its 95 % interval, as a share of it."""


class Stop(_Part):
    """When to begin no new work (the first that comes), and how long to wait for the rest."""

    count: Count | None = None
    """Measured arrivals: calls, or sessions of the `sessions` load."""
    duration_s: PositiveSeconds | None = None
    drain_s: Seconds = 5.0
    until: Until | None = None
    """Begin no new work earlier, once a percentile is known so well; takes 5 seconds at least."""

    @model_validator(mode="after")
    def _ends(self) -> Self:
        if self.count is None and self.duration_s is None:
            raise ValueError("a run needs an end: a count, a duration, or both")
        return self


class Source(_Part):
    """Where connections come from; empty: the kernel chooses."""

    addresses: list[str] = []
    ports: tuple[Port, Port] | None = None
    """First and last port of the range."""


class EnginePlan(_Part):
    """One run: whom to ask, what, how hard, how long, and with which means."""

    version: Literal[1] = 1
    target: Target
    http: Literal["1.0", "1.1"] = "1.1"
    keep_alive: bool = True
    requests: Annotated[list[Request], Field(min_length=1)] = [Request()]
    load: Load
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
    proxy: Proxy | None = None
    """None: straight to the server. No environment variable is read."""
    seed: int = 1
    spin: bool = False
    low_latency: bool = False
    """Keep the processors out of deep idle states and, for a paced load that sleeps on processors
    of its own, run the engine's threads at real-time priority, where this machine allows it."""
    shared_cpus: bool = False
    """The server runs on the processors of `cpus` too."""
    kernel_timestamps: bool = False
    """Time the calls by the kernel's own stamps too; TCP and epoll only."""

    def without_secrets(self) -> EnginePlan:
        """The plan as it may be written down."""
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
