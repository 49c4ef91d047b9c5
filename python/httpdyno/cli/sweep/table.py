"""The points of a sweep as a table, and the reasons to doubt them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from httpdyno import units
from httpdyno.cli.load.output.doubts import DOUBT
from httpdyno.cli.run.fitted import Column, FittedTable
from httpdyno.doubts import Number, Reason, Status
from httpdyno.doubts.together import together
from httpdyno.sweep import Point, TimeKind, shown

__all__ = ["in_words", "reasons", "table"]

INVALID = "✕"
"""Behind each number of an invalid point."""
_COLOURS: dict[Status, str] = {"valid": "green", "suspect": "yellow", "invalid": "red"}


def table(points: Sequence[Point], times: TimeKind, unit: str) -> FittedTable:
    """A row for each point. A narrow terminal goes without the reasons, then p50, then failures."""
    why = [_why(point) for point in points]
    made = FittedTable(
        Column("replies/s"),
        *(Column(name, drop=2 if name == "p50" else 0) for name in _times(times)),
        Column("failed", drop=1),
        Column("verdict", right=False),
        *([Column("reasons", drop=3, right=False)] if any(why) else []),
        name=Column(f"{unit}/s"),
    )
    for point, reason in zip(points, why, strict=True):
        verdict = Text(point.verdict, _COLOURS[point.verdict])
        last = [reason] if any(why) else []
        made.add_row(Text(shown(point.rate_per_s)), *_numbers(point, times), verdict, *last)
    return made


def in_words(point: Point, times: TimeKind) -> str:
    """A point in one line, for what is not a terminal."""
    replies, *seen, failed = _numbers(point, times)
    named = [f"{name} {value}" for name, value in zip(_times(times), seen, strict=True)]
    parts = [f"{replies} replies/s", *named, f"{failed} failed"]
    why = _why(point)
    return f"{', '.join(parts)}; {point.verdict}{f': {why}' if why else ''}"


def reasons(points: Sequence[Point]) -> Iterator[str]:
    """Each reason to doubt points, once: its rates, its text with all its numbers, its hint."""
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
        yield f"{same[0].status} at {where}: {text}{alike}"
        yield f"  hint: {same[0].hint}"


def _times(times: TimeKind) -> tuple[str, ...]:
    return ("p50", "p99") if times == "response" else ("mean",)


def _numbers(point: Point, times: TimeKind) -> list[str]:
    """Reply rate, times and failures as they are shown, marked where they are doubtful."""
    replies = units.significant(point.replies_per_s) + _doubt(point, "throughput")
    failed = units.percent(point.error_share) if point.error_share else "none"
    mean = _duration(point.mean_s, _doubt(point, "p50", "p99"))
    p50 = _duration(point.p50_s, _doubt(point, "p50"))
    bound = "≥" if point.p99_is_lower_bound else ""
    p99 = bound + _duration(point.p99_s, _doubt(point, "p99"))
    seen = [p50, p99] if times == "response" else [mean]
    return [replies, *seen, failed + _doubt(point, "errors")]


def _duration(seconds: float | None, mark: str) -> str:
    return "–" if seconds is None else units.duration(seconds) + mark


def _doubt(point: Point, *numbers: Number) -> str:
    """The mark of suspect numbers, or that of an invalid point, whose numbers are no results."""
    if point.verdict == "invalid":
        return INVALID
    return DOUBT if any(point.status_of(one) == "suspect" for one in numbers) else ""


def _why(point: Point) -> str:
    """The reasons to doubt a point."""
    return ", ".join([*map(_code, point.reasons), *(["interrupted"] if point.interrupted else [])])


def _code(reason: Reason) -> str:
    return reason.code.replace("_", " ")
