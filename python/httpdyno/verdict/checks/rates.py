"""Checks of open loads: did the server keep up with what was offered, and was all of it sent?"""

from __future__ import annotations

import math
from typing import Literal

from httpdyno.doubts.pace import LEAST_SHARE, PaceCounts, pace_by_counts
from httpdyno.engine_plan import EnginePlan
from httpdyno.limits.errors import TIMEOUTS, error_count
from httpdyno.measurement import Measurement
from httpdyno.units import counted, duration, rate
from httpdyno.verdict.checks.seconds import offering_seconds
from httpdyno.verdict.checks.words import Words, at_most, beside
from httpdyno.verdict.context import Context

_PROMPT = 0.1
"""A median below this share of the longest time is not that of a queue."""
_MARGIN = 1.5
"""By Little's law an overload leaves at least twice the calls of `_under_way`: half way to it."""


def schedule(m: Measurement, _: Context, limit: float) -> Words | None:
    """As many arrivals fell due as the schedule has in the window."""
    fit = m.validity.arrivals
    if fit is None or fit.scheduled is None or m.stopped_by != "duration":
        return None
    if abs(fit.due - fit.scheduled) <= limit:
        return None
    return {"due": f"{fit.due:,}", "scheduled": f"{fit.scheduled:,}"}


def overload(m: Measurement, context: Context, limit: float) -> Words | None:
    """The server answers as fast as calls fall due, apart from those under way at the end."""
    if not m.offered_per_s or not m.completed_in_window:
        return None  # A server that answers nothing has no capacity: `no_reply` says so.
    found = pace(m, context.plan, limit)
    return _offered_and_achieved(m, limit) if found.pace == "fell behind" else None


def pace(m: Measurement, plan: EnginePlan | None, limit: float = LEAST_SHARE) -> PaceCounts:
    """The server's pace in an open load, and the counts that show it.

    A queue at the stop shows it as well: over 1 % of the calls still waited for a connection.
    """
    offered = (m.offered_per_s or 0.0) * m.window_s
    failed = _failed_calls(m)
    never = _never_begun(m)
    not_offered = never if why_unsent(m, plan) in ("generator", "unknown") else 0
    spare = _under_way(m, plan) + _chance(m, plan)
    if offered and _kept_up_later(m, limit - failed / offered):
        spare = offered
    elif never - not_offered > (1 - limit) * offered:
        spare = 0.0
    ended = m.completed_in_window + failed
    return pace_by_counts(offered, ended, spare=spare, not_offered=not_offered)


def backlog(m: Measurement, context: Context, limit: float) -> Words | None:
    """No more calls are answered than fell due: the rest would be left over from the warm-up."""
    if not m.offered_per_s:
        return None
    offered = m.offered_per_s * m.window_s
    surplus = m.completed_in_window - max(offered, m.calls.due)
    if m.completed_in_window <= limit * offered or surplus <= _chance(m, context.plan):
        return None
    return _offered_and_achieved(m, limit)


def unsent(m: Measurement, context: Context, limit: float) -> Words | None:
    """Calls are sent, unless the stop cut off the sessions that they belong to."""
    lost = m.calls.unsent
    if m.sessions is not None and m.stopped_by != "count":
        lost = min(lost, _never_begun(m) + m.sessions.failed * _calls_per_session(m))
    if lost <= limit * m.calls.due:
        return None
    return {
        "unsent": f"{lost:,}",
        "were": "was" if lost == 1 else "were",
        "due": f"{m.calls.due:,}",
        "share": beside(lost / m.calls.due, limit) if m.calls.due else "all",
        "limit": at_most(limit),
        "because": _because(m, why_unsent(m, context.plan)),
    }


Cause = Literal["sessions", "connections", "generator", "unknown"]


def why_unsent(m: Measurement, plan: EnginePlan | None) -> Cause:
    """The cause of unsent calls that a counter of its own shows.

    `connections`: every connection of the pool was still without its reply, or calls waited for
    one: more of them than were never sent, or the generator was not late for as long as these are
    due. `generator`: it was late for as long, or stood still for as long in total.
    """
    c = m.calls
    if m.sessions is not None and m.sessions.failed:
        return "sessions"
    pool = None if plan is None else plan.load.pool
    unanswered = c.in_flight + error_count("timeouts", m)
    if c.waited >= c.unsent or (pool is not None and unanswered >= pool):
        return "connections"
    if m.offered_per_s and max(_latest_s(m), _stood_still_s(m)) >= _due_s(m):
        return "generator"
    return "connections" if c.waited + m.warm_up_calls.waited else "unknown"


def _latest_s(m: Measurement) -> float:
    """The longest time that the generator was late by."""
    return m.times.lag.max_ns * 1e-9


def _stood_still_s(m: Measurement) -> float:
    """The time that the generator stood still, all standstills together."""
    return m.cpu.standstill_share * m.window_s


def _due_s(m: Measurement) -> float:
    """The time in which as many calls fall due as were never sent."""
    return m.calls.unsent / (m.offered_per_s or math.inf)


def _because(m: Measurement, cause: Cause) -> str:
    """The cause in words, behind a colon; empty where no counter shows one."""
    if cause == "sessions" and m.sessions is not None:
        return f": {counted(m.sessions.failed, 'session')} failed"
    if cause == "connections":
        return ": no connection was free"
    if cause == "generator" and _latest_s(m) >= _due_s(m):
        return f": the load generator was up to {duration(_latest_s(m))} late"
    if cause == "generator":
        return f": the load generator stood still for {duration(_stood_still_s(m))} in total"
    return ""


def _offered_and_achieved(m: Measurement, limit: float) -> Words:
    return {
        "offered": rate(m.offered_per_s or 0.0),
        "achieved": rate(m.throughput_per_s),
        "share": beside(m.achieved_share or 0.0, limit),
        "limit": at_most(limit),
    }


def _failed_calls(m: Measurement) -> int:
    """Calls that failed for another reason than a queue: the server is not behind with them.

    A call that timed out may have stood in a queue, unless the others were answered promptly.
    """
    times = m.times.response
    queue = times.p50_ns >= _PROMPT * times.max_ns
    errors = (n for name, n in m.calls.errors.items() if not (queue and name in TIMEOUTS))
    return m.calls.wrong_status + m.calls.wrong_body + sum(errors)


def _never_begun(m: Measurement) -> int:
    """Calls that waited for a connection until the run stopped."""
    if m.sessions is None:
        return m.calls.unsent
    return (m.sessions.due - m.sessions.started) * _calls_per_session(m)


def _calls_per_session(m: Measurement) -> int:
    due = m.sessions.due if m.sessions else 0
    return m.calls.due // due if due else 1


def _kept_up_later(m: Measurement, limit: float) -> bool:
    """All seconds but the first, which lacks the replies still under way, reach the rate."""
    later = offering_seconds(m)[1:]
    due = sum(second.due for second in later)
    return len(later) > 1 and sum(second.ok for second in later) >= limit * due > 0


def _under_way(m: Measurement, plan: EnginePlan | None) -> float:
    """Calls that even a server that keeps up has not answered when the window ends.

    Without a warm-up none was under way when it began. By Little's law they are the rate times what
    is left of a session on average; a think time longer than the warm-up leaves some as well.
    """
    rounds = _rounds(plan)
    thinking_s = _thinking_s(plan, rounds)
    missing_s = max(0.0, thinking_s - m.warm_up_s)
    thinking = (m.offered_per_s or 0.0) * missing_s**2 / (2 * thinking_s) if thinking_s else 0.0
    if m.warm_up_s > 0:
        return thinking
    answering_s = m.times.service.mean_ns * 1e-9 * (rounds + 1) / 2
    return thinking + _MARGIN * m.throughput_per_s * answering_s


def _rounds(plan: EnginePlan | None) -> int:
    """The number of times a session sends a burst and waits for its replies."""
    if plan is None:
        return 1
    if plan.scripts is not None:
        return max(1, round(sum(map(len, plan.scripts)) / len(plan.scripts)))
    return math.ceil(plan.load.calls_per_arrival / plan.burst)


def _thinking_s(plan: EnginePlan | None, rounds: int) -> float:
    """The think time of a session on average."""
    if plan is None:
        return 0.0
    if plan.scripts is not None:
        pauses = (step.think_s for script in plan.scripts for step in script[:-1])
        return sum(pauses) / len(plan.scripts)
    return plan.think_s * (rounds - 1)


def _chance(m: Measurement, plan: EnginePlan | None) -> float:
    """The difference of the calls under way at both ends of the window that chance alone explains.

    One arrival, and three standard deviations of the difference of two Poisson counts; of two
    geometric ones if arrivals are random, as in a queue with random arrivals.
    """
    group, random = 1.0, False
    if plan is not None:
        group = plan.calls_per_session if plan.load.in_sessions else plan.burst
        arrivals = plan.load.schedule
        random = arrivals is not None and arrivals.spacing != "constant"
    mean = max(0.0, m.mean_in_flight)
    variance = mean + (mean**2 if random else 0.0)
    return group + 3 * math.sqrt(2 * variance)
