"""The points of a sweep as a table, and the reasons to doubt them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from httpdyno import units
from httpdyno.cli.load.output.doubts import DOUBT
from httpdyno.doubts import Number, Status
from httpdyno.sweep import Point, TimeKind, shown

__all__ = ["in_words", "reasons", "table"]

_NUMBERS = 58
"""Most columns of the numbers, if no heading is unusually long."""
_LEAST_VERDICT = 8
INVALID = "✕"
"""Behind each number of an invalid point."""
_COLOURS: dict[Status, str] = {"valid": "green", "suspect": "yellow", "invalid": "red"}


def table(points: Sequence[Point], times: TimeKind, unit: str, width: int | None = None) -> Table:
    """A row for each point. With a `width`, each is one line high, and long verdicts are cut."""
    made = Table(box=None, pad_edge=False, header_style="dim")
    for heading in (f"{unit}/s", "replies/s", *_times(times), "failed"):
        made.add_column(heading, justify="right", no_wrap=True)
    made.add_column("verdict", overflow="fold")
    for point in points:
        verdict = _verdict(point)
        if width is not None:
            verdict.truncate(max(_LEAST_VERDICT, width - _NUMBERS), overflow="ellipsis")
        made.add_row(shown(point.rate_per_s), *_numbers(point, times), verdict)
    return made


def in_words(point: Point, times: TimeKind) -> str:
    """A point in one line, for what is not a terminal."""
    replies, *seen, failed = _numbers(point, times)
    named = [f"{name} {value}" for name, value in zip(_times(times), seen, strict=True)]
    parts = [f"{replies} replies/s", *named, f"{failed} failed"]
    return f"{', '.join(parts)}; {_verdict(point).plain}"


def reasons(points: Sequence[Point]) -> Iterator[str]:
    """Each reason to doubt points, once: its rates, its text at the first of them, its hint."""
    found: dict[str, list[Point]] = {}
    for point in points:
        for reason in point.reasons:
            found.setdefault(reason.code, []).append(point)
    for code, doubted in found.items():
        first = next(reason for reason in doubted[0].reasons if reason.code == code)
        rates = f"{shown(doubted[0].rate_per_s)}/s"
        more = len(doubted) - 1
        where = f"{rates} and {more} more" if more else rates
        yield f"{first.status} at {where}: {first.text}"
        yield f"  hint: {first.hint}"


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


def _verdict(point: Point) -> Text:
    codes = ", ".join(reason.code.replace("_", " ") for reason in point.reasons)
    words = f"{point.verdict}: {codes}" if codes else point.verdict
    if point.interrupted:
        words += ", interrupted"
    return Text(words, _COLOURS[point.verdict])
