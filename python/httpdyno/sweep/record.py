"""The record of a sweep, as JSON and as CSV. Format history:

  1  first version.

A reader accepts its own version and older ones, ignores fields it does not know, and refuses
newer versions.
"""

from __future__ import annotations

import csv
import io
from typing import Literal

from httpdyno.sweep.point import Point, TimeKind
from httpdyno.value import Value

__all__ = ["SweepRecord", "to_csv"]

_COLUMNS = (
    "rate_per_s",
    "offered_per_s",
    "replies_per_s",
    "mean_s",
    "p50_s",
    "p99_s",
    "error_share",
)
_COUNTS = ("due", "sent", "ok", "failed", "unsent", "in_flight")


class SweepRecord(Value):
    """One run of `httpdyno sweep`."""

    format: Literal["httpdyno-sweep"] = "httpdyno-sweep"
    version: Literal[1] = 1
    httpdyno_version: str
    command: list[str]
    """The command line, word by word, with credentials and bodies masked."""
    url: str
    unit: Literal["requests", "sessions", "connections"]
    """The things that arrive at the rates of the sweep."""
    times: TimeKind
    """The kind of time of the points: `response` is due → last byte, `first_byte` is sent → first
    byte."""
    log_rates: bool
    """The rates were given by a factor."""
    planned: int
    """Rates of the sweep; more than `points` if it ended early."""
    complete: bool
    """False: the sweep was interrupted, or the server went away."""
    points: list[Point]


def to_csv(points: list[Point]) -> str:
    """A line for each point; times in seconds, rates per second, shares of one."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow([*_COLUMNS, *_COUNTS, "pace", "verdict", "reasons", "p99_is_lower_bound"])
    for point in points:
        numbers = [_plain(getattr(point, column)) for column in _COLUMNS]
        counts = [getattr(point.measurement.calls, name) for name in _COUNTS]
        bound = "true" if point.p99_is_lower_bound else "false"
        codes = " ".join(reason.code for reason in point.reasons)
        lines.writerow([*numbers, *counts, point.pace, point.verdict, codes, bound])
    return text.getvalue()


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.9g}"
