"""The keys of a study file. A field's description is what an error says was expected.

Times are seconds, rates per second. In the file, a time is text such as `"15s"` or a number, and a
rate a number or text such as `"5k"`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
)

from httpdyno.limits.declared import ErrorBudget, Limits
from httpdyno.study.own.arm_keys import OwnArm
from httpdyno.study.own.workload import OwnWorkload
from httpdyno.study.precision import COARSEST, EXPECTED, FINEST, parse_precision
from httpdyno.units import HIGHEST_RATE, LOWEST_RATE, parse_duration, parse_rate
from httpdyno.warm_up import QUICK_S, STUDY_S

LEAST_S = 0.001
LONGEST_S = 3600.0
MOST_CONNECTIONS = 100_000
HIGHEST_PUBLISHED = 1_000_000_000.0
MOST_COUNTED = 1_000_000_000_000
YEAR_S = 31_536_000.0
STEP_S, RANDOM_STEP_S = 1.0, 5.0
"""The least time of a step of a capacity load: with constant spacing, and with random arrivals."""

T = TypeVar("T")


def _seconds(given: Any) -> Any:
    return parse_duration(given) if isinstance(given, str) else given


def _per_second(given: Any) -> Any:
    return parse_rate(given) if isinstance(given, str) else given


def _share(given: Any) -> Any:
    return parse_precision(given) if isinstance(given, str) else given


def _several(given: Any) -> Any:
    return given if isinstance(given, list | tuple) else (given,)


def _different(given: tuple[T, ...]) -> tuple[T, ...]:
    if len(set(given)) < len(given):
        raise ValueError("one of them is there twice")
    return given


def _text(limit: int = 2000) -> Any:
    return Field(min_length=1, max_length=limit, description="a text")


def _count(most: int) -> Any:
    return Field(ge=1, le=most, strict=True, description=f"a whole number from 1 to {most:,}")


def _time(*, zero: bool = False) -> Any:
    most = f'{LONGEST_S:,.0f} s, such as "15s"'
    if zero:
        return Field(ge=0, le=LONGEST_S, strict=True, description=f"a time up to {most}")
    return Field(ge=LEAST_S, le=LONGEST_S, strict=True, description=f"a time from 1 ms to {most}")


def _published_rate() -> Any:
    expected = f"a rate per second up to {HIGHEST_PUBLISHED:,.0f}"
    return Field(ge=0, le=HIGHEST_PUBLISHED, strict=True, description=expected)


Text = Annotated[str, _text()]
Name = Annotated[str, Field(pattern=r"^[^\s/][^\n]*$", max_length=80, description="a name")]
Seconds = Annotated[float, BeforeValidator(_seconds), _time()]
SecondsOrNone = Annotated[float, BeforeValidator(_seconds), _time(zero=True)]
Whole = Annotated[
    int,
    Field(ge=0, le=MOST_COUNTED, strict=True, description=f"a whole number up to {MOST_COUNTED:,}"),
]
Yes = Annotated[bool, Field(strict=True, description="true or false")]
Names = Annotated[tuple[Name, ...], Field(min_length=1, description="a list of names")]
Connections = Annotated[int, _count(MOST_CONNECTIONS)]
Precision = Annotated[
    float,
    BeforeValidator(_share),
    Field(ge=FINEST, le=COARSEST, strict=True, description=EXPECTED),
]
Rate = Annotated[
    float,
    BeforeValidator(_per_second),
    Field(ge=LOWEST_RATE, le=HIGHEST_RATE, strict=True),
]
OneRate = Annotated[
    float,
    BeforeValidator(_per_second),
    Field(
        ge=LOWEST_RATE,
        le=HIGHEST_RATE,
        strict=True,
        description=f"a rate per second from {LOWEST_RATE:g} to {HIGHEST_RATE:,.0f}",
    ),
]

ConnectionPoints = Annotated[
    tuple[Connections, ...],
    BeforeValidator(_several),
    AfterValidator(_different),
    Field(
        min_length=1,
        max_length=50,
        description=f"a whole number from 1 to {MOST_CONNECTIONS:,}, or a list of different ones",
    ),
]
RatePoints = Annotated[
    tuple[Rate, ...],
    BeforeValidator(_several),
    AfterValidator(_different),
    Field(
        min_length=1,
        max_length=50,
        description=f"a rate per second from {LOWEST_RATE:g} to {HIGHEST_RATE:,.0f},"
        " or a list of different ones",
    ),
]
HttpVersion = Annotated[Literal["1.0", "1.1"], Field(description='"1.0" or "1.1"')]
Spacing = Annotated[
    Literal["constant", "uniform", "exponential"],
    Field(description='"constant", "uniform" or "exponential"'),
]


class _Declared(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class _Load(_Declared):
    """The keys of every load."""

    title: Text | None = None
    duration: Seconds | None = None
    warm_up: SecondsOrNone | None = None
    """None: the study's warm-up."""
    http: HttpVersion = "1.1"
    keep_alive: Yes = True
    burst: Annotated[int, _count(1000)] = 1
    """Calls pipelined together."""
    think: SecondsOrNone = 0.0
    timeout: Seconds = 10.0
    """Limit for the whole reply."""
    connect_timeout: Seconds = 5.0
    first_byte_timeout: Seconds | None = None
    arms: Names | None = None
    """The arms under this load; None: all."""
    blocks: Annotated[int, _count(1000)] | None = None
    """Measured only in the first so many blocks; None: in all."""


class _FixedLoad(_Load):
    """A load at declared points, and the errors that it allows (a capacity load has limits)."""

    error_budget: ErrorBudget = ()


class ClosedLoad(_FixedLoad):
    """Connections that each send the next call when the last was answered (ab, wrk)."""

    kind: Literal["closed"]
    connections: ConnectionPoints = (10,)
    requests: Annotated[int, _count(1_000_000_000)] | None = None
    calls_per_connection: Annotated[int, _count(1_000_000_000)] | None = None


class RequestsLoad(_FixedLoad):
    """Calls due at a rate, however fast the server is, on a pool of connections (wrk2)."""

    kind: Literal["requests"]
    rate: RatePoints
    connections: Connections = 64
    requests: Annotated[int, _count(1_000_000_000)] | None = None
    calls_per_connection: Annotated[int, _count(1_000_000_000)] | None = None
    arrivals: Spacing = "constant"


class SessionsLoad(_FixedLoad):
    """Sessions that arrive at a rate, each a connection with a number of calls (httperf)."""

    kind: Literal["sessions"]
    rate: RatePoints
    calls: Annotated[int, _count(1_000_000)] = 1
    sessions: Annotated[int, _count(1_000_000_000)] | None = None
    max_open: Annotated[int, _count(MOST_CONNECTIONS)] | None = None
    arrivals: Spacing = "constant"


class CapacityLoad(_Load):
    """The search for the highest rate that holds limits: `docs/concepts/capacity.md`.

    Each trial is one start of the server and one climb along rates. `duration` is the least time of
    a step.
    """

    kind: Literal["capacity"]
    limits: Limits
    connections: Connections | None = None
    """At most; None: at each rate as many as can be busy within the limits."""
    calls_per_connection: Annotated[int, _count(1_000_000_000)] | None = None
    arrivals: Spacing = "constant"
    confirm: Annotated[
        int, Field(ge=0, le=1000, strict=True, description="a whole number from 0 to 1,000")
    ] = 5
    """Fresh starts that have to hold the lower end of the interval."""
    profile: Yes = True
    """Also measure the cost at 25, 50 and 80 % of the capacity, and an overload."""
    rate_max: OneRate | None = None
    """The search ends at this rate; None: at the generator's ceiling."""
    for_rate: OneRate | None = None
    """Say how many cores this rate needs."""

    @property
    def least_step_s(self) -> float:
        """The least time of a step: random arrivals take longer to judge."""
        return self.duration or (STEP_S if self.arrivals == "constant" else RANDOM_STEP_S)


AnyLoad = ClosedLoad | RequestsLoad | SessionsLoad | CapacityLoad
Load = Annotated[AnyLoad, Field(discriminator="kind")]
LOADS: dict[str, type[_Load]] = {
    "closed": ClosedLoad,
    "requests": RequestsLoad,
    "sessions": SessionsLoad,
    "capacity": CapacityLoad,
}


class ArmGroup(OwnArm):
    """A server in one or more of its deployments; each is an arm.

    An arm of the user's own has a `name`, with `start`, `url` or `unix`, and is one arm.
    """

    server: Name = ""
    """A name of the catalogue. In the file, also the path of a user's own `server.toml`."""
    deployments: Names = ()
    workload: Name | None = None
    """None: the study's workload."""
    name: Name | None = None
    """Replaces the server's name in the name of the arm."""
    warm_up: SecondsOrNone | None = None
    """Minimum under loads that do not set their own: a JVM compiles while it runs."""


class RawLog(_Declared):
    """The counts in the raw log behind a published number; see `verdict/log.py`."""

    asked: Annotated[int, _count(1_000_000_000)]
    replies: Whole
    wrong: Whole = 0
    failed_connections: Whole = 0
    seconds: Annotated[
        float,
        Field(
            ge=LEAST_S,
            le=YEAR_S,
            strict=True,
            description=f"a number of seconds from {LEAST_S:g} to {YEAR_S:,.0f}",
        ),
    ]
    samples: Whole
    stdev_per_s: Annotated[float, _published_rate()] | None = None


class PublishedNumber(_Declared):
    """A number from the post that the study replays, for an arm or for a system without one."""

    arm: Name | None = None
    name: Text | None = None
    """The system in the post's own words, if no arm of the study stands for it."""
    load: Name
    point: Text | None = None
    """The point of the load, as the report names it; None: the whole load."""
    requests_per_s: Annotated[float, _published_rate()]
    note: Annotated[str, Field(max_length=2000, description="a text")] = ""
    source: Annotated[str, Field(max_length=2000, description="a text")] = ""
    log: RawLog | None = None


class QuickLoad(_Declared):
    """Changes to one load under `--quick`, besides the general limits."""

    skip: Yes = False
    duration: Seconds | None = None
    requests: Annotated[int, _count(1_000_000_000)] | None = None
    sessions: Annotated[int, _count(1_000_000_000)] | None = None
    rate: RatePoints | None = None
    connections: ConnectionPoints | None = None


class Quick(_Declared):
    """The limits of a study under `--quick`."""

    blocks: Annotated[int, _count(1000)] = 3
    duration: Seconds = 2.0
    """Maximum of each trial, unless its load says otherwise below."""
    warm_up: SecondsOrNone = QUICK_S
    loads: dict[Name, QuickLoad] = {}


class Study(_Declared):
    """Arms, loads, and how often each pair is measured."""

    title: Text
    question: Text | None = None
    """The question that the study answers."""
    source: Text | None = None
    workload: Name = "hello"
    blocks: Annotated[int, _count(1000)] = 10
    until: Precision | None = None
    """Stop once each interval is this narrow, after `blocks` at most; None: measure all blocks."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1, strict=True, description="a whole number")] = 1
    warm_up: SecondsOrNone = STUDY_S
    aa_control: Yes = False
    """Measure the baseline a second time under another name."""
    baseline: Name | None = None
    """The arm that the others are compared with; None: the first."""
    arms: Annotated[tuple[ArmGroup, ...], Field(min_length=1, description="at least one [[arms]]")]
    loads: Annotated[dict[Name, Load], Field(min_length=1, description="at least one [loads.NAME]")]
    published: tuple[PublishedNumber, ...] = ()
    quick: Quick = Quick()
    notes: tuple[Text, ...] = ()
    workloads: dict[Name, OwnWorkload] = {}
    """The study's own workloads, by name."""

    name: Annotated[str, Field(exclude=True)] = ""
    """The built-in name or the file's stem; not a key of the file."""
    text: Annotated[str, Field(exclude=True)] = ""
    """The file as it was read; not a key of the file."""
    file: Annotated[str, Field(exclude=True)] = ""
    folder: Annotated[str, Field(exclude=True)] = ""
    """The folder that it belongs to, and that its paths are relative to; empty: built in."""
    server_files: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    """The `server.toml` files that its arms name; not a key of the file."""
    narrowed_from_several: Annotated[bool, Field(exclude=True)] = False
    """True if `narrow` removed workloads: the arms keep their names."""

    @property
    def names_workloads(self) -> bool:
        """True if the names of arms end in their workload."""
        several = len({group.workload or self.workload for group in self.arms}) > 1
        return several or self.narrowed_from_several
