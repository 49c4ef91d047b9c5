"""The points of a sweep as a table, and the reasons to doubt them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from httpdyno import units
from httpdyno.cli.load.output.endpoints import most_called
from httpdyno.cli.table import FittedTable
from httpdyno.cli.text import DASH
from httpdyno.doubts import MARKS, Number, Reason, mark
from httpdyno.doubts.together import together
from httpdyno.measurement import Endpoint
from httpdyno.output.printable import printable
from httpdyno.output.table import Cell, Column, TextColumn
from httpdyno.sweep import Point, TimeKind, shown

__all__ = [
    "by_endpoint",
    "columns",
    "doubts",
    "endpoint_columns",
    "endpoint_names",
    "in_words",
    "reasons",
    "table",
]


def table(points: Sequence[Point], times: TimeKind, unit: str) -> FittedTable:
    """A row for each point. A narrow terminal goes without the reasons, then p50, then failures."""
    return FittedTable(columns(points, times, unit), points)


def columns(points: Sequence[Point], times: TimeKind, unit: str) -> Sequence[Column[Point]]:
    """The columns of that table."""
    return (
        Column(f"{unit}/s", lambda point: shown(point.rate_per_s)),
        Column("replies/s", _replies),
        *(Column(name, field, drop=2 if name == "p50" else 0) for name, field in _times(times)),
        Column("failed", _failed_share, drop=1),
        TextColumn("verdict", lambda point: Cell(point.verdict, tone=point.verdict)),
        *([TextColumn("reasons", _why, drop=3)] if any(map(_why, points)) else []),
    )


def by_endpoint(points: Sequence[Point]) -> FittedTable | None:
    """The p99 of each endpoint at each rate; None of a server with one. A narrow terminal goes
    without the rates in the middle."""
    names = endpoint_names(points)
    return FittedTable(endpoint_columns(points), names) if names else None


def endpoint_names(points: Sequence[Point]) -> list[str]:
    """The endpoints of that table: of very many, those with most calls."""
    return [one.name for one in most_called(points[0].measurement)] if points else []


def endpoint_columns(points: Sequence[Point]) -> Sequence[Column[str]]:
    """The columns of that table: a name, and its p99 at each rate."""
    rates = (
        Column(
            f"{shown(one.rate_per_s)}/s", partial(_endpoint_p99, one), drop=_drop(at, len(points))
        )
        for at, one in enumerate(points)
    )
    return (TextColumn("p99 by endpoint", printable), *rates)


def _endpoint_p99(point: Point, name: str) -> str:
    found = point.measurement.part(name)
    if not isinstance(found, Endpoint) or not found.response.count:
        return DASH
    bound = "≥" if found.response.is_lower_bound(0.99, found.response.p99_ns) else ""
    return bound + _duration(found.response.p99_ns * 1e-9, _doubt(point, "p99"))


def _drop(at: int, count: int) -> int:
    """The first and the last rate stay; of the others, those in the middle go first."""
    return min(at, count - 1 - at)


def in_words(point: Point, times: TimeKind) -> str:
    """A point in one line, for what is not a terminal."""
    named = [f"{name} {field(point)}" for name, field in _times(times)]
    parts = [f"{_replies(point)} replies/s", *named, f"{_failed_share(point)} failed"]
    why = _why(point)
    return f"{', '.join(parts)}; {point.verdict}{f': {why}' if why else ''}"


def reasons(points: Sequence[Point]) -> Iterator[str]:
    """Each reason to doubt points, in two lines."""
    for reason in doubts(points):
        yield f"{reason.status} {reason.text}"
        yield f"  hint: {reason.hint}"


def doubts(points: Sequence[Point]) -> Iterator[Reason]:
    """Each reason to doubt points, once: its text has the rates, and all of its numbers."""
    found: dict[str, list[Point]] = {}
    for point in points:
        for reason in point.reasons:
            found.setdefault(reason.code, []).append(point)
    for code, doubted in found.items():
        same = [one for point in doubted for one in point.reasons if one.code == code]
        text, times = together([one.text for one in same])
        alike = "" if times == len(same) else f" ({times} of them like this)"
        rates = f"{shown(doubted[0].rate_per_s)}/s"
        more = len(doubted) - 1
        where = f"{rates} and {more} more" if more else rates
        yield same[0].model_copy(update={"text": f"at {where}: {text}{alike}"})


def _times(times: TimeKind) -> Sequence[tuple[str, Callable[[Point], str]]]:
    """The columns of times, each with its numbers, which are marked where they are doubtful."""
    return (("p50", _p50), ("p99", _p99)) if times == "response" else (("mean", _mean),)


def _replies(point: Point) -> str:
    return units.significant(point.replies_per_s) + _doubt(point, "throughput")


def _mean(point: Point) -> str:
    return _duration(point.mean_s, _doubt(point, "p50", "p99"))


def _p50(point: Point) -> str:
    return _duration(point.p50_s, _doubt(point, "p50"))


def _p99(point: Point) -> str:
    bound = "≥" if point.p99_is_lower_bound else ""
    return bound + _duration(point.p99_s, _doubt(point, "p99"))


def _failed_share(point: Point) -> str:
    failed = units.percent(point.error_share) if point.error_share else "none"
    return failed + _doubt(point, "errors")


def _duration(seconds: float | None, mark: str) -> str:
    return DASH if seconds is None else units.duration(seconds) + mark


def _doubt(point: Point, *numbers: Number) -> str:
    """The mark of suspect numbers, or that of an invalid point, whose numbers are no results."""
    return MARKS["invalid"] if point.verdict == "invalid" else mark(point, *numbers)


def _why(point: Point) -> str:
    """The reasons to doubt a point."""
    return ", ".join([*map(_code, point.reasons), *(["interrupted"] if point.interrupted else [])])


def _code(reason: Reason) -> str:
    return reason.code.replace("_", " ")
