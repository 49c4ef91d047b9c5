"""The marks of suspect numbers in the summary of a load."""

from __future__ import annotations

from collections.abc import Set

from httpdyno.doubts import Number, mark
from httpdyno.limits.thresholds import Threshold
from httpdyno.verdict import Verdict

__all__ = ["doubted_columns", "doubted_of_parts", "mark_threshold"]

_TAIL = {"p90", "p95", "p99", "p99.9", "max"}
_TIMES = {"response", "service", "first_byte"}
_RATES = {"rate", "achieved", "ok"}
_FAILURES = {"failed", "in_flight"}
_MEDIAN = 50.0


def doubted_columns(verdict: Verdict) -> Set[str]:
    """The suspect columns of the table of times: a doubt about p99 is one about the whole tail."""
    columns = {"mean"} if mark(verdict, "p50", "p99") else set()
    columns |= {"p50"} if mark(verdict, "p50") else set()
    return columns | (_TAIL if mark(verdict, "p99") else set())


def doubted_of_parts(verdict: Verdict) -> Set[str]:
    """The headings of the columns of endpoints or steps whose numbers are suspect."""
    numbers: dict[str, Number] = {"answered": "throughput", "failed": "errors"}
    marked = {name for name, number in numbers.items() if mark(verdict, number)}
    return marked | doubted_columns(verdict)


def mark_threshold(verdict: Verdict, threshold: Threshold) -> str:
    """` (suspect)` behind a threshold whose number is; an invalid one is no result."""
    if verdict.status == "invalid":
        return " (not a result)"
    return " (suspect)" if mark(verdict, *_numbers(threshold)) else ""


def _numbers(threshold: Threshold) -> tuple[Number, ...]:
    """The number that a threshold such as `p99>20ms` is about; lag and connecting have none."""
    if threshold.is_of_errors or threshold.metric in _FAILURES:
        return ("errors",)
    if threshold.metric in _RATES:
        return ("throughput",)
    timed = threshold.timed
    if timed is None or timed.time not in _TIMES or timed.statistic == "min":
        return ()
    if timed.percent is not None:
        return ("p50",) if timed.percent <= _MEDIAN else ("p99",)
    return ("p50", "p99") if timed.statistic == "mean" else ("p99",)
