"""The parts of the live page, from the state of a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from httpdyno.running.live.journal import CANCEL, PAUSE, folder_of
from httpdyno.running.live.records import BUSY, LATE_NS
from httpdyno.running.live.state import RunState, Sample
from httpdyno.units import counted, duration, percent, rate, roughly, significant, size
from httpdyno.web.launcher import LOG
from httpdyno.web.live.timelines import charts
from httpdyno.web.templates import fragment

SHOWN_RESULTS = 100
CONDITIONS = {
    "running": "running",
    "paused": "paused",
    "complete": "complete",
    "interrupted": "interrupted",
    "cancelled": "cancelled",
    "failed": "failed",
    "lost": "killed",
    "cancelling": "cancelling",
}
PHASES = {
    "connecting": "connecting",
    "warm_up": "warming up",
    "measuring": "measuring",
    "draining": "waiting for the last replies",
    "done": "done",
}
MOST_LOG = 20_000
"""Bytes at the end of the output that are shown."""


_ACTIVE = ("running", "paused")
_UNKNOWN = {
    "load": "read with `load --serve`, if the server is on this machine",
    "sweep": "`run`, `compare` and `capacity` read them",
}


@dataclass(frozen=True)
class Figure:
    """A number of the live page."""

    label: str
    value: str
    about: str = ""
    doubtful: bool = False


def parts(state: RunState, alive: bool, secret: str) -> dict[str, str]:
    """The parts of the page by their ids, as HTML."""
    condition = shown_condition(state, alive=alive)
    over = condition not in (*_ACTIVE, "cancelling")
    pausing = (folder_of(state.key) / PAUSE).exists()
    left, end_text = left_words(state, time.time(), condition), end_words(state)
    values = {"state": state, "condition": condition, "over": over}
    now = {"groups": figure_groups(state), "phase": phase(state), "planned": planned_rate(state)}
    seen = state.seen
    return {
        "title": fragment("title", state=state),
        "answer": fragment("answer", **values, end=state.end),
        "status": fragment(
            "status", **values, words=CONDITIONS[condition], left=left, end_text=end_text
        ),
        "actions": fragment("actions", **values, secret=secret, pausing=pausing),
        "now": fragment("now", **values, **now),
        "charts": _charts(state, active=condition in _ACTIVE),
        "results": _cached_part(
            state,
            "results",
            (seen["result"], seen["failed"], seen["stored"], over),
            lambda one: _results(one, over=over),
        ),
        "notes": _cached_part(state, "notes", seen["note"], _notes),
        "about": _cached_part(state, "about", (seen["begin"], seen["stored"]), _about),
        "log": fragment("log", log=_log(state.key)),
    }


def shown_condition(state: RunState, *, alive: bool) -> str:
    """The condition of a run in the words of its viewers, who cancel it: to the run, that is an
    interrupt."""
    condition: str = state.condition(alive=alive)
    if (folder_of(state.key) / CANCEL).exists():
        if condition in _ACTIVE:
            return "cancelling"
        early = not state.begin  # it ended before it could say that it was interrupted
        return "cancelled" if early or condition == "interrupted" else condition
    return condition


def _cached_part(state: RunState, name: str, key: object, draw: Callable[[RunState], str]) -> str:
    """A part of the page, drawn again only when what it shows has changed."""
    before = state.drawn.get(name)
    if before is None or before[0] != key:
        before = state.drawn[name] = (key, draw(state))
    return before[1]


def _results(state: RunState, *, over: bool) -> str:
    newest = state.results[: -SHOWN_RESULTS - 1 : -1]
    return fragment("results", state=state, shown=newest, over=over)


def _notes(state: RunState) -> str:
    return fragment("notes", state=state)


def _about(state: RunState) -> str:
    return fragment("about", state=state)


def _charts(state: RunState, *, active: bool) -> str:
    """The charts, drawn again when the samples are others: they are the largest part."""
    if not active and state.verb != "load":
        return ""
    key = (state.course, state.taken, state.seen["plan"], active)
    return _cached_part(state, "charts", key, lambda one: fragment("charts", charts=charts(one)))


def left_words(state: RunState, now: float, condition: str) -> str:
    """The time left, in words; empty: it is not known, or nothing is left."""
    left = state.left_s(now)
    if left is None or condition not in _ACTIVE:
        return ""
    most = "at most " if "--until" in state.command else ""
    return f"{most}about {roughly(left)} left"


def phase(state: RunState) -> str:
    """The phase of the measurement under way."""
    if state.stage or not state.samples:
        return state.stage
    return PHASES.get(state.samples[-1].phase, state.samples[-1].phase)


def figure_groups(state: RunState) -> list[tuple[str, list[Figure]]]:
    """The numbers of now: requests, times, load generator, server."""
    if not state.samples:
        return []
    now = state.samples[-1]
    return [
        ("Requests", _requests(state, now)),
        ("Response time", _times(state, now)),
        ("Load generator", _generator(now)),
        ("Server", _server(state)),
    ]


def _requests(state: RunState, now: Sample) -> list[Figure]:
    is_open = state.plan is not None and not state.plan.is_closed
    offered = []
    if is_open:
        offered = [Figure("offered", _rate(now.offered_per_s), "due in the last second")]
    known = sum(now.errors.values())
    classes = {**now.errors, "wrong reply": now.failed - known}
    listed = ", ".join(f"{name} {count:,}" for name, count in classes.items() if count > 0)
    open_on = f"on {counted(now.open_connections, 'connection')}"
    return [
        *offered,
        Figure("achieved", _rate(now.rate_per_s), "right replies in the last second"),
        Figure("in flight", f"{now.in_flight:,}", open_on),
        Figure("failed", f"{now.failed:,}", listed or "of the window so far", now.failed > 0),
    ]


def planned_rate(state: RunState) -> str:
    """The planned rate of an open load."""
    if state.plan is None or not state.plan.rates:
        return ""
    low, high = min(map(min, state.plan.rates)), max(map(max, state.plan.rates))
    return f"planned {rate(low)}" if low == high else f"planned {rate(low)} to {rate(high)}"


def _times(state: RunState, now: Sample) -> list[Figure]:
    last, when = now, "last second"
    if not now.p99_ns and now.window_s < 1:
        # In the first second of a step, a search still has the last second of the step before.
        last = next((one for one in reversed(state.samples) if one.p99_ns), now)
        when = "last whole second"
    return [
        Figure("p50", _time(last.p50_ns), when),
        Figure("p99", _time(last.p99_ns), when),
        *_so_far(state, now),
        Figure("worst p99", _time(state.worst_p99_ns), "of a single second"),
    ]


def _so_far(state: RunState, now: Sample) -> list[Figure]:
    """The percentiles of all calls of the window; until its first second is over, those of the step
    of the search before."""
    before = next((one.so_far for one in reversed(state.samples) if one.so_far), None)
    known, which = (now.so_far, "") if now.so_far else (before, ", of the step before")
    if known is None:
        return [Figure("p99 so far", "–", "after the first whole second")]
    return [
        Figure("p50 so far", _time(known.p50_ns), f"of {counted(known.calls, 'request')}{which}"),
        Figure("p90 so far", _time(known.p90_ns)),
        Figure("p99 so far", _time(known.p99_ns)),
    ]


def _generator(now: Sample) -> list[Figure]:
    late = now.lag_p99_ns >= LATE_NS
    figures = [Figure("lag p99", _time(now.lag_p99_ns), "how late it sent", late)]
    if now.busy is not None:
        busy = now.busy >= BUSY
        figures.append(Figure("busy", percent(now.busy), "its busiest thread", busy))
    return figures


def _server(state: RunState) -> list[Figure]:
    """The last known numbers of this trial."""
    known = (one for one in reversed(state.samples) if one.server_cpus is not None)
    now = next(known, None)
    if now is None or now.server_cpus is None or now.server_rss_bytes is None:
        return [Figure("processor and memory", "–", _UNKNOWN.get(state.verb, "not read yet"))]
    cpus = f"{significant(now.server_cpus, 2)} CPUs"
    return [Figure("processor", cpus), Figure("memory", size(now.server_rss_bytes))]


def end_words(state: RunState) -> str:
    """The end of a run, in a sentence; empty while it runs."""
    end = state.end
    if end is None:
        return ""
    if not end.text and end.stored == end.planned == 1:
        return "the trial is stored"
    stored = f"{end.stored:,} of {counted(end.planned, 'trial')} stored" if end.planned else ""
    return end.text or stored


def _log(key: str) -> str:
    """The end of the output of a run that was started from the page."""
    try:
        with (folder_of(key) / LOG).open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - MOST_LOG))
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def _rate(per_s: float | None) -> str:
    return "–" if per_s is None else rate(per_s)


def _time(ns: int) -> str:
    return duration(ns * 1e-9) if ns else "–"
