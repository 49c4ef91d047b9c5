"""The page of a load over time, or of a sweep along rates."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Literal

from httpdyno.doubts import Reason, Status
from httpdyno.report.charts.figure import Figure
from httpdyno.result import Fact

Verb = Literal["load", "sweep"]
MOST_REQUESTS = 100
"""Requests that are listed one by one."""


@dataclass(frozen=True)
class NumbersTable:
    """A table of numbers in words; the first column is the heading of its row."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    texts: Set[int] = frozenset({0})
    """The places of columns of texts, which are at the left."""


@dataclass(frozen=True)
class RequestRow:
    """A request as it was sent, with credentials masked."""

    line: str
    """`GET /items?page=2`."""
    headers: Sequence[tuple[str, str]]
    body: str
    """The body in words; empty: none."""
    weight: int


@dataclass(frozen=True)
class Conditions:
    """The requests, the command and the machine."""

    requests: Sequence[RequestRow]
    left_out: int
    """Requests that are not listed."""
    command: str
    httpdyno_version: str
    seed: int
    started: str
    machine: Sequence[Fact]


@dataclass(frozen=True)
class LoadPage:
    """Everything that the template shows: texts and charts. Without secrets."""

    verb: Verb
    url: str
    load: str
    """The load in words."""
    status: Status
    lead: str
    """The numbers in a sentence, with the first doubt."""
    thresholds: Sequence[tuple[str, str, str]]
    """The condition, `passed`, `failed` or `no result`, and the measured value."""
    reasons: Sequence[Reason]
    tables: Sequence[NumbersTable]
    charts: Sequence[Figure]
    slowest: NumbersTable | None
    """The slowest calls; None: there is none."""
    counts: Sequence[tuple[str, str]]
    """Calls, failures, connections, bytes, the generator: a label and its words."""
    notes: Sequence[str]
    measured: Conditions
    by_endpoint: Figure | None = None
    """The times of each endpoint; None: there is only one."""
