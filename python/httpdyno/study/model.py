"""The words of a study file. Each field's description is what a fault says was expected.

Times are seconds, rates per second. In the file, a time is text such as `"15s"` or a number.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from httpdyno.units import duration, parse_duration, rate

LONGEST_S = 3600.0
MOST_CONNECTIONS = 100_000
HIGHEST_RATE = 10_000_000.0


def _seconds(given: Any) -> Any:
    return parse_duration(given) if isinstance(given, str) else given


def _several(given: Any) -> Any:
    return given if isinstance(given, list | tuple) else (given,)


def _text(limit: int = 2000) -> Any:
    return Field(min_length=1, max_length=limit, description="a text")


def _count(most: int) -> Any:
    return Field(ge=1, le=most, strict=True, description=f"a whole number from 1 to {most:,}")


def _time(*, zero: bool = False) -> Any:
    expected = f'a time up to {LONGEST_S:,.0f} s such as "15s"'
    if zero:
        return Field(ge=0, le=LONGEST_S, description=expected)
    return Field(gt=0, le=LONGEST_S, description=expected)


Text = Annotated[str, _text()]
Name = Annotated[str, Field(pattern=r"^[^\s/][^\n]*$", max_length=80, description="a name")]
Seconds = Annotated[float, BeforeValidator(_seconds), _time()]
SecondsOrNone = Annotated[float, BeforeValidator(_seconds), _time(zero=True)]
Whole = Annotated[int, Field(ge=0, strict=True, description="a whole number")]
Yes = Annotated[bool, Field(strict=True, description="true or false")]
Names = Annotated[tuple[Name, ...], Field(min_length=1, description="a list of names")]
Connections = Annotated[int, _count(MOST_CONNECTIONS)]
Rate = Annotated[float, Field(gt=0, le=HIGHEST_RATE)]

ConnectionPoints = Annotated[
    tuple[Connections, ...],
    BeforeValidator(_several),
    Field(
        min_length=1,
        max_length=50,
        description=f"a whole number from 1 to {MOST_CONNECTIONS:,}, or a list of them",
    ),
]
RatePoints = Annotated[
    tuple[Rate, ...],
    BeforeValidator(_several),
    Field(
        min_length=1,
        max_length=50,
        description=f"a rate a second up to {HIGHEST_RATE:,.0f}, or a list of them",
    ),
]
HttpVersion = Annotated[Literal["1.0", "1.1"], Field(description='"1.0" or "1.1"')]
Spacing = Annotated[
    Literal["constant", "uniform", "exponential"],
    Field(description='"constant", "uniform" or "exponential"'),
]


class _Declared(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Load(_Declared):
    """What every load may say."""

    title: Text | None = None
    duration: Seconds | None = None
    warm_up: SecondsOrNone | None = None
    """None: the study's."""
    http: HttpVersion = "1.1"
    keep_alive: Yes = True
    burst: Annotated[int, _count(1000)] = 1
    """Calls pipelined together."""
    think: SecondsOrNone = 0.0
    timeout: Seconds = 10.0
    """For the whole reply."""
    connect_timeout: Seconds = 5.0
    first_byte_timeout: Seconds | None = None
    arms: Names | None = None
    """The arms that this load is for; None: all."""
    blocks: Annotated[int, _count(1000)] | None = None
    """How many of the study's blocks it is in, from the first on; None: all."""

    @property
    def connection_words(self) -> str:
        """HTTP version and connection use, in words."""
        use = "keep-alive" if self.keep_alive else "a new connection a call"
        pipelined = f", {self.burst} calls pipelined" if self.burst > 1 else ""
        return f"HTTP/{self.http}, {use}{pipelined}"


class ClosedLoad(_Load):
    """So many connections; each sends its next call when it got its reply (ab, wrk)."""

    kind: Literal["closed"]
    connections: ConnectionPoints = (10,)
    requests: Annotated[int, _count(1_000_000_000)] | None = None
    calls_per_connection: Annotated[int, _count(1_000_000_000)] | None = None


class RequestsLoad(_Load):
    """Calls fall due at a rate, whatever the server does, on a pool of connections (wrk2)."""

    kind: Literal["requests"]
    rate: RatePoints
    connections: Connections = 64
    requests: Annotated[int, _count(1_000_000_000)] | None = None
    calls_per_connection: Annotated[int, _count(1_000_000_000)] | None = None
    arrivals: Spacing = "constant"


class SessionsLoad(_Load):
    """Sessions arrive at a rate, each a connection with so many calls (httperf)."""

    kind: Literal["sessions"]
    rate: RatePoints
    calls: Annotated[int, _count(1_000_000)] = 1
    sessions: Annotated[int, _count(1_000_000_000)] | None = None
    max_open: Annotated[int, _count(MOST_CONNECTIONS)] | None = None
    arrivals: Spacing = "constant"


Load = Annotated[ClosedLoad | RequestsLoad | SessionsLoad, Field(discriminator="kind")]
LOADS: dict[str, type[_Load]] = {
    "closed": ClosedLoad,
    "requests": RequestsLoad,
    "sessions": SessionsLoad,
}


class ArmGroup(_Declared):
    """A server in some of its deployments."""

    server: Name
    deployments: Names
    workload: Name | None = None
    """None: the study's."""
    name: Name | None = None
    """Stands for the server's name in the arm's."""
    warm_up: SecondsOrNone | None = None
    """At least this long, under loads that do not set their own: a JVM compiles as it runs."""


class RawLog(_Declared):
    """What the raw log behind a published number says; see `verdict/log.py`."""

    asked: Annotated[int, _count(1_000_000_000)]
    replies: Whole
    wrong: Whole = 0
    failed_connections: Whole = 0
    seconds: Annotated[float, Field(gt=0, description="a number of seconds")]
    samples: Whole
    stdev_per_s: Annotated[float, Field(ge=0, description="a rate a second")] | None = None


class PublishedNumber(_Declared):
    """A number from the post that the study replays: of an arm, or of a system without one."""

    arm: Name | None = None
    name: Text | None = None
    """In the post's own words, when no arm of the study stands for it."""
    load: Name
    point: Text | None = None
    """Which point of the load, as the report names it; None: the load as a whole."""
    requests_per_s: Annotated[float, Field(ge=0, description="a rate a second")]
    note: Annotated[str, Field(max_length=2000, description="a text")] = ""
    source: Annotated[str, Field(max_length=2000, description="a text")] = ""
    log: RawLog | None = None


class QuickLoad(_Declared):
    """What `--quick` changes in one load, beyond shortening it."""

    skip: Yes = False
    duration: Seconds | None = None
    requests: Annotated[int, _count(1_000_000_000)] | None = None
    sessions: Annotated[int, _count(1_000_000_000)] | None = None
    rate: RatePoints | None = None
    connections: ConnectionPoints | None = None


class Quick(_Declared):
    """What `--quick` makes of a study."""

    blocks: Annotated[int, _count(1000)] = 3
    duration: Seconds = 2.0
    """No trial is longer than this, unless its load says so below."""
    warm_up: SecondsOrNone = 0.5
    loads: dict[Name, QuickLoad] = {}


class Study(_Declared):
    """Arms and loads, and how often each pair is measured."""

    title: Text
    question: Text | None = None
    """What a reader wants to know."""
    source: Text | None = None
    workload: Name = "hello"
    blocks: Annotated[int, _count(1000)] = 10
    seed: Annotated[int, Field(ge=0, le=2**32 - 1, strict=True, description="a whole number")] = 1
    warm_up: SecondsOrNone = 1.0
    aa_control: Yes = False
    """Measure the baseline a second time under another name."""
    baseline: Name | None = None
    """The arm that others are compared with; None: the first."""
    arms: Annotated[tuple[ArmGroup, ...], Field(min_length=1, description="at least one [[arms]]")]
    loads: Annotated[dict[Name, Load], Field(min_length=1, description="at least one [loads.NAME]")]
    published: tuple[PublishedNumber, ...] = ()
    quick: Quick = Quick()
    notes: tuple[Text, ...] = ()

    name: Annotated[str, Field(exclude=True)] = ""
    """The built-in name or the file's stem; not a key of the file."""
    text: Annotated[str, Field(exclude=True)] = ""
    """The file as it was read; not a key of the file."""
    file: Annotated[str, Field(exclude=True)] = ""
    narrowed_from_several: Annotated[bool, Field(exclude=True)] = False
    """Whether it had several workloads before it was narrowed: its arms keep their names."""

    @property
    def names_workloads(self) -> bool:
        """Whether an arm's name ends in its workload."""
        several = len({group.workload or self.workload for group in self.arms}) > 1
        return several or self.narrowed_from_several


def describe(load: ClosedLoad | RequestsLoad | SessionsLoad) -> str:
    """A load in words: `10 connections, HTTP/1.0, a new connection a call, 1,000 requests`."""
    if isinstance(load, ClosedLoad):
        head = f"closed: {_list(load.connections)} connections"
    elif isinstance(load, RequestsLoad):
        head = (
            f"open: {_rates(load.rate)} on up to {load.connections:,} connections, {load.arrivals}"
        )
    else:
        head = f"open: {_rates(load.rate)} sessions of {load.calls:,} calls, {load.arrivals}"
    count = load.sessions if isinstance(load, SessionsLoad) else load.requests
    noun = "sessions" if isinstance(load, SessionsLoad) else "requests"
    ends = [] if count is None else [f"{count:,} {noun}"]
    ends += [] if load.duration is None else [duration(load.duration)]
    return f"{head}, {load.connection_words}, {' or '.join(ends)}"


def _list(numbers: tuple[int, ...]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


def _rates(rates: tuple[float, ...]) -> str:
    return ", ".join(rate(one) for one in rates)
