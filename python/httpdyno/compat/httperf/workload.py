"""The workload of a test: its requests, and who sends which of them when."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from httpdyno.compat.httperf.options import Options
from httpdyno.compat.httperf.requests import request, rotation
from httpdyno.compat.httperf.values import SessionLog, Sessions
from httpdyno.compat.session_log import scripts
from httpdyno.engine_plan import Request, ScriptStep

__all__ = ["MOST_CALLS", "Workload", "workload"]

MOST_CALLS = 100_000
"""Most calls that scripts may list."""


@dataclass(frozen=True)
class Workload:
    """Sessions of calls; a connection of a plain test is a session too."""

    sessions: int
    calls: int
    """Calls of a session, unless scripts say more."""
    burst: int
    """Calls that are sent together, unless scripts say more."""
    requests: list[Request]
    scripts: list[list[ScriptStep]] | None = None
    """The sessions, which are used in turn. None: all take the requests in turn."""
    first_burst: int = 1
    """Calls that begin with a session."""
    think_s: float = 0.0
    """Seconds after each burst, unless scripts say more."""


def workload(options: Options) -> Workload:
    """The workload that the options describe. Raises ValueError if it is too large."""
    if options.wsesslog is not None:
        return _sessions_of_log(options, options.wsesslog)
    if options.wsess is not None:
        return _uniform(options, options.wsess)
    return _connections(options)


def _connections(options: Options) -> Workload:
    """Connections, each with a number of calls."""
    connections, calls = options.num_conns, options.num_calls
    burst = min(options.burst_length, calls)
    if options.wlog is not None and not options.wlog.repeats:
        listed = len(options.wlog.uris)
        if listed < connections * calls:
            return _until_the_end(options, listed, burst)
    requests = [request(options, one) for one in rotation(options, connections * calls)]
    return Workload(connections, calls, burst, requests, first_burst=burst)


def _until_the_end(options: Options, listed: int, burst: int) -> Workload:
    """Connections that end with a list of URIs: the last one may have fewer calls."""
    places = range(listed)
    scripts = [
        list(_bursts(places[at : at + options.num_calls], burst, 0.0, first_alone=False))
        for at in range(0, listed, options.num_calls)
    ]
    requests = [request(options, one) for one in rotation(options, listed)]
    calls = min(options.num_calls, listed)
    return Workload(len(scripts), calls, burst, requests, scripts, first_burst=min(burst, calls))


def _uniform(options: Options, sessions: Sessions) -> Workload:
    """Sessions of as many calls each, in bursts with think time between them."""
    total = sessions.count * sessions.calls
    listed = rotation(options, total)
    if len(listed) == 1 and options.burst_length == 1:
        only = [request(options, listed[0])]
        return Workload(sessions.count, sessions.calls, 1, only, think_s=sessions.think_s)
    # After so many sessions, the URIs begin again.
    different = min(sessions.count, len(listed) // math.gcd(len(listed), sessions.calls))
    if different * sessions.calls > MOST_CALLS:
        raise ValueError(
            f"`--wsess={sessions.count},{sessions.calls},{sessions.think_s:g}`: these sessions take"
            f" a list of {different * sessions.calls:,} calls: expected at most {MOST_CALLS:,}"
        )
    known = {one: place for place, one in enumerate(dict.fromkeys(listed))}
    endless = itertools.cycle(listed)
    scripts = [
        list(
            _bursts(
                [known[one] for one in itertools.islice(endless, sessions.calls)],
                options.burst_length,
                sessions.think_s,
                first_alone=options.burst_length > 1,
            )
        )
        for _ in range(different)
    ]
    requests = [request(options, one) for one in known]
    return Workload(sessions.count, sessions.calls, options.burst_length, requests, scripts)


def _sessions_of_log(options: Options, sessions: SessionLog) -> Workload:
    """Sessions of a file."""
    logged, steps = scripts(sessions.log[: sessions.count], sessions.think_s)
    requests = [request(options, one.uri.encode(), one.method, one.contents) for one in logged]
    return Workload(sessions.count, 1, 1, requests, steps)


def _bursts(
    places: range | list[int], burst: int, think_s: float, *, first_alone: bool
) -> Iterator[ScriptStep]:
    for at in range(0, len(places), burst):
        yield ScriptStep(
            requests=list(places[at : at + burst]), think_s=think_s, first_alone=first_alone
        )
