"""The steps of a rate that changes, each with numbers of its own, from the seconds of the run.

The engine keeps percentiles of each second, of the right replies that came in it. A percentile of
all replies of a step lies between the lowest and the highest of its seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence, Set

from httpdyno import units
from httpdyno.cli.load.output.times import LABEL
from httpdyno.cli.text_table import TextTable
from httpdyno.engine_plan import EnginePlan
from httpdyno.measurement import Interval, Measurement
from httpdyno.output.table import Column, TextColumn
from httpdyno.value import Value
from httpdyno.verdict.checks.seconds import whole_seconds

__all__ = ["COLUMNS", "STEPS_NOTE", "StepRecord", "steps_of", "table"]

STEPS_NOTE = (
    "By step: the whole seconds of each, and the replies that came in them. Times are known by"
    " second: those of a step lie in its range."
)
_DASH = "–"
_ROUNDING_S = 1e-6
"""Lengths of steps are added up: their ends may be this far from a whole second."""


class StepRecord(Value):
    """A step or ramp of the rate, by the seconds of the window that lie entirely in it.

    Without such a second, it has no counts and no times.
    """

    begins_s: float
    """From the start of the window; negative: in the warm-up."""
    ends_s: float | None
    """None: without end."""
    from_per_s: float
    to_per_s: float
    """The rates at its begin and at its end."""
    seconds: int
    """Its whole seconds."""
    due: int
    ok: int
    """Right replies that came in them, whenever they were due."""
    failed: int
    p50_ns: tuple[int, int] | None
    """The lowest and the highest p50 of a second; that of the step lies in between."""
    p99_ns: tuple[int, int] | None
    """The same of p99."""


def steps_of(plan: EnginePlan, m: Measurement) -> list[StepRecord]:
    """The steps that were measured, in their order; none if the rate did not change."""
    schedule = plan.load.schedule
    if plan.load.in_sessions or schedule is None or schedule.has_one_rate:
        return []
    seconds, begins_s, found = whole_seconds(m), 0.0 - m.warm_up_s, []
    for segment in schedule.segments:
        ends_s = math.inf if segment.seconds is None else begins_s + segment.seconds
        inside = [
            one
            for one in seconds
            if begins_s - _ROUNDING_S <= one.second and one.second + 1 <= ends_s + _ROUNDING_S
        ]
        if begins_s < m.window_s and ends_s > _ROUNDING_S:
            found.append(
                StepRecord(
                    begins_s=begins_s,
                    ends_s=None if math.isinf(ends_s) else ends_s,
                    from_per_s=segment.from_per_s,
                    to_per_s=segment.to_per_s,
                    seconds=len(inside),
                    due=sum(one.due for one in inside),
                    ok=sum(one.ok for one in inside),
                    failed=sum(one.failed for one in inside),
                    p50_ns=_range(inside, lambda one: one.p50_ns),
                    p99_ns=_range(inside, lambda one: one.p99_ns),
                )
            )
        begins_s = ends_s
    return found


def table(
    steps: Sequence[StepRecord], width: int, doubted: Set[str] = frozenset()
) -> TextTable[StepRecord]:
    """A row for each step; where there is no room, without p50. No rows without a whole second.

    The headings of `doubted` columns are marked.
    """
    rows = steps if any(step.seconds for step in steps) else []
    return TextTable(COLUMNS, rows, width, first=LABEL - 2, doubted=doubted)


def _range(seconds: Sequence[Interval], of: Callable[[Interval], int]) -> tuple[int, int] | None:
    times = [of(one) for one in seconds if one.ok]
    return (min(times), max(times)) if times else None


def _period(step: StepRecord) -> str:
    begins, ends = f"{max(0.0, step.begins_s):g}", step.ends_s
    return f"from {begins} s" if ends is None else f"{begins} to {ends:g} s"


def _offered_rate(step: StepRecord) -> str:
    offered = units.rate(step.to_per_s)
    if step.from_per_s == step.to_per_s:
        return offered
    return f"{units.significant(step.from_per_s)} to {offered}"


def _answer_rate(step: StepRecord) -> str:
    return units.rate(step.ok / step.seconds) if step.seconds else _DASH


def _failed_share(step: StepRecord) -> str:
    if not step.failed:
        return "none" if step.seconds else _DASH
    return units.percent(step.failed / (step.ok + step.failed))


def _span(times_ns: tuple[int, int] | None) -> str:
    """A range of times, with one unit where both have the same."""
    if times_ns is None:
        return _DASH
    low, high = (units.duration(ns * 1e-9) for ns in times_ns)
    if low == high:
        return low
    same = low.split(" ")[1] == high.split(" ")[1]
    return f"{low.split(' ')[0] if same else low} to {high}"


COLUMNS: Sequence[Column[StepRecord]] = (
    TextColumn("by step", _period),
    Column("offered", _offered_rate),
    Column("answered", _answer_rate),
    Column("p50", lambda step: _span(step.p50_ns), drop=1),
    Column("p99", lambda step: _span(step.p99_ns)),
    Column("failed", _failed_share),
)
