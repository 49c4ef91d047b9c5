"""The keys of every load, and what others ask of a load shape."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from httpdyno import engine_plan
from httpdyno.engine_plan import MOST_STREAMS
from httpdyno.limits.keys import ErrorBudget
from httpdyno.limits.walk import Task
from httpdyno.measurement import ENOUGH_CALLS
from httpdyno.metrics import Purpose
from httpdyno.study.keys import (
    HttpVersion,
    Names,
    Seconds,
    SecondsOrNone,
    StudyTable,
    Text,
    Yes,
    up_to,
)
from httpdyno.units import counted, duration, rate

GUESSED_RATE = 1500.0
"""Replies/s of a server that is not measured yet, for the estimate only."""
CEILING_S, SHORTEST_CEILING_S = 1.5, 0.2
"""The longest and the shortest window in which the generator's ceiling is measured."""
MOST_QUICK_S = 10.0


@dataclass(frozen=True)
class Point:
    """One point of a load: its rate (open loads) and its connections (closed, requests)."""

    label: str
    rate_per_s: float | None
    connections: int | None


@dataclass(frozen=True)
class TrialFacts:
    """The facts about a trial on which its estimated time depends."""

    task: Task
    point: Point
    is_first: bool
    """It is in the first block."""
    around_s: float
    """Starting, checking and stopping the server."""
    rate_per_s: float | None
    """The capacity, if it is known."""


class LoadShape(StudyTable):
    """The keys of every load, and its answers to those who plan, measure and describe it."""

    purpose: ClassVar[Purpose]
    sentence: ClassVar[str]
    """Explains the kind to the reader of a report."""
    quick_keys: ClassVar[frozenset[str]]
    """The keys of `[quick.loads.NAME]`."""
    count_key: ClassVar[str | None] = "requests"
    """The key that ends it after so many arrivals; None: it ends by itself."""
    schedule_key: ClassVar[str | None] = None
    """The key that says when each call is due, so that `think` cannot."""
    incidental_keys: ClassVar[frozenset[str]] = frozenset({"title", "arms", "blocks"})
    """Keys that do not change what is measured at one of its points."""
    takes_sessions: ClassVar[bool] = True
    """It can send a workload that is a session."""
    in_sessions: ClassVar[bool] = False
    """Sessions arrive, which end their connections themselves."""
    task: ClassVar[Task] = "measure"
    """The task of the trials in the blocks."""

    title: Text | None = None
    duration: Seconds | None = None
    warm_up: SecondsOrNone | None = None
    """None: the study's warm-up."""
    http: HttpVersion | None = None
    """None: the first that the deployment of an arm speaks, mostly 1.1."""
    streams: Annotated[int, up_to(MOST_STREAMS)] = 1
    """Calls at once on a connection of HTTP/2."""
    keep_alive: Yes = True
    burst: Annotated[int, up_to(1000)] = 1
    """Calls pipelined together."""
    think: SecondsOrNone = 0.0
    timeout: Seconds = 10.0
    """Limit for the whole reply."""
    connect_timeout: Seconds = 5.0
    first_byte_timeout: Seconds | None = None
    arms: Names | None = None
    """The arms under this load; None: all."""
    blocks: Annotated[int, up_to(1000)] | None = None
    """Measured only in the first so many blocks; None: in all."""

    @property
    def version(self) -> HttpVersion:
        """The version of HTTP, where no deployment has another."""
        return self.http or "1.1"

    @property
    @abstractmethod
    def count(self) -> int | None:
        """Measured arrivals after which a trial stops; None: it stops by duration."""

    @property
    @abstractmethod
    def calls_on_connection(self) -> int | None:
        """Calls on one connection; None: no limit."""

    @property
    def calls_per_arrival(self) -> int:
        """Calls of one arrival: more than 1 for sessions."""
        return 1

    @property
    def enough_s(self) -> float:
        """Seconds that the slowest point needs for enough calls."""
        return 1.0

    @abstractmethod
    def points(self) -> list[Point]:
        """The points, in the order of the file."""

    def follow_ups(self) -> list[Task]:
        """The tasks for a cell after its blocks."""
        return []

    def shorten(self) -> Self:
        """The load under `--quick`, besides its duration and its warm-up."""
        return self

    @abstractmethod
    def trial_s(self, trial: TrialFacts) -> float:
        """The expected length of the measured part of a trial."""

    @abstractmethod
    def ceiling_s(self, point: Point) -> float:
        """The window in which the generator's ceiling is measured."""

    @abstractmethod
    def engine_load(self, point: Point) -> engine_plan.Load:
        """The engine's load at a point."""

    @abstractmethod
    def in_words(self) -> str:
        """The load in words: `closed: 10 connections, HTTP/1.1, keep-alive, 10.0 s`."""

    def use_words(self) -> str:
        """The use of connections: `keep-alive, 20 calls pipelined, 100 requests per connection`.

        Without the calls of a session, which its own words have.
        """
        if not self.keep_alive:
            return "one connection per request"
        calls = None if self.in_sessions else self.calls_on_connection
        words = ["keep-alive"]
        words += [f"{self.burst} calls pipelined"] if self.burst > 1 else []
        words += [f"{counted(calls, 'request')} per connection"] if calls is not None else []
        return ", ".join(words)

    def think_words(self) -> list[str]:
        """The think time, if it has one."""
        return [f"{duration(self.think)} think time"] if self.think else []

    def http_words(self) -> str:
        """The version of HTTP and the use of connections."""
        streams = "" if self.streams == 1 else f" with {self.streams} streams on each connection"
        return f"HTTP/{self.version}{streams}, {self.use_words()}"


class FixedLoad(LoadShape):
    """A load at declared points, and the errors that it allows (a capacity load has limits)."""

    error_budget: ErrorBudget = ()

    def expected_s(self, point: Point) -> float:
        """The expected length of the measured part of a trial."""
        ends = [] if self.duration is None else [self.duration]
        if self.count is not None:
            ends.append(self.count / (point.rate_per_s or GUESSED_RATE))
        return min(ends)

    def trial_s(self, trial: TrialFacts) -> float:
        """The expected length of the measured part of a trial."""
        return self.expected_s(trial.point)

    def ceiling_s(self, point: Point) -> float:
        """The window in which the generator's ceiling is measured: no longer than a trial."""
        return min(CEILING_S, max(SHORTEST_CEILING_S, self.expected_s(point)))

    def words_after(self, head: str) -> str:
        """The load in words: `head`, then its connections and its end."""
        ends = [] if self.count is None else [f"{self.count:,} {self.count_key}"]
        ends += [] if self.duration is None else [duration(self.duration)]
        return ", ".join([head, self.http_words(), *self.think_words(), " or ".join(ends)])


def enough_s(calls_per_s: float) -> float:
    """Seconds in which enough calls fall due, 1 s at least.

    No trial under `--quick` takes longer than 10 s because of this.
    """
    return min(MOST_QUICK_S, max(1.0, ENOUGH_CALLS / calls_per_s))


def rate_label(per_second: float) -> str:
    """A rate in three digits, or in all of them if three would be another rate's label too."""
    short = rate(per_second)
    if float(short.removesuffix("/s").replace(",", "")) == per_second:
        return short
    return f"{per_second:,}".removesuffix(".0") + "/s"


def rates_in_words(rates: Sequence[float]) -> str:
    """`100/s, 2,000/s`."""
    return ", ".join(rate(one) for one in rates)
