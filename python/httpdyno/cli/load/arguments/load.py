"""The load and its end, from the flags of `httpdyno load`. Rates are steady or change:

5000                     5,000/s until the end; 5k, 5e3 and 5000/s are the same
1000:5000/30s            a ramp from 1,000/s to 5,000/s within 30 s
1000x10s,2000x10s        1,000/s for 10 s, then 2,000/s for 10 s
"""

from __future__ import annotations

import re
from typing import Any

from httpdyno.choices import SPACINGS
from httpdyno.cli.load.arguments.flags import ON_WRONG, LoadFlags
from httpdyno.cli.load.arguments.precision import parse_until
from httpdyno.cli.values import Values, parse_time
from httpdyno.engine_plan import (
    Arrivals,
    ClosedLoad,
    Load,
    RequestsLoad,
    Segment,
    SessionsLoad,
    Stop,
)
from httpdyno.units import RATE, parse_rate

__all__ = ["load_of", "parse_segments", "segments_of", "stop_of", "total_seconds"]

_CLOSED_CONNECTIONS = 10
_POOL_CONNECTIONS = 100
_DURATION_S = 10.0
_UNTIL_DURATION_S = 60.0
"""The longest run with --until."""
_MOST_CONNECTIONS = 1 << 22
_MOST_CALLS = (1 << 32) - 1
_MOST = 1_000_000_000_000

_STEADY = re.compile(RATE)
_STEP = re.compile(rf"({RATE})x(.+)")
_RAMP = re.compile(rf"({RATE}):({RATE})/(.+)")
_EXPECTED = (
    "expected a rate per second such as `5000`, a ramp such as `1000:5000/30s`"
    " or steps such as `1000x10s,2000x10s`"
)


def segments_of(flags: LoadFlags, values: Values) -> list[Segment]:
    """The rates of --rate or --sessions; none for a load without a rate."""
    given = flags.rate if flags.rate is not None else flags.sessions
    flag = "--rate" if flags.rate is not None else "--sessions"
    return values.read(flag, given, parse_segments) or []


def load_of(
    flags: LoadFlags, values: Values, segments: list[Segment], *, has_session: bool
) -> Load | None:
    """The load; None: a flag of it is faulty. `has_session`: the workload is a session."""
    connections = values.count("--connections", flags.connections, _MOST_CONNECTIONS)
    calls = values.count("--calls", flags.calls, _MOST_CALLS)
    spacing: Any = values.choice("--arrivals", flags.arrivals or SPACINGS[0], SPACINGS)
    sessions = _session_settings(flags, values)
    in_sessions = flags.sessions is not None or flags.sessions_file is not None or has_session
    if flags.rate is None and not in_sessions:
        return ClosedLoad(connections=connections or _CLOSED_CONNECTIONS)
    if flags.rate is None and flags.sessions is None:
        return SessionsLoad(arrivals=None, max_open=connections or 1, **sessions)
    if not segments or spacing is None:
        return None
    arrivals = Arrivals(spacing=spacing, segments=segments)
    if flags.rate is not None:
        return RequestsLoad(arrivals=arrivals, connections=connections or _POOL_CONNECTIONS)
    return SessionsLoad(arrivals=arrivals, calls=calls or 1, max_open=connections, **sessions)


def _session_settings(flags: LoadFlags, values: Values) -> dict[str, Any]:
    action = "go_on"
    if flags.on_wrong is not None:
        action = values.choice("--on-wrong", flags.on_wrong, ON_WRONG) or action
    return {"on_wrong": action, "cookies": flags.session_cookies}


def stop_of(flags: LoadFlags, values: Values, segments: list[Segment]) -> Stop:
    """The end of the run; without one, the length of the rates or 10 s."""
    count = values.count("--requests", flags.requests, _MOST)
    duration_s = values.seconds("--duration", flags.duration)
    drain_s = values.seconds("--drain", flags.drain, zero=True)
    until = values.read("--until", flags.until, parse_until)
    if count is None and duration_s is None:
        most_s = _DURATION_S if until is None else _UNTIL_DURATION_S
        duration_s = (total_seconds(segments) if segments else None) or most_s
    drain_s = 5.0 if drain_s is None else drain_s
    return Stop(count=count, duration_s=duration_s, drain_s=drain_s, until=until)


def parse_segments(text: str) -> list[Segment]:
    """Parse a rate into its segments. Raises ValueError with what was expected."""
    if ".." in text:
        raise ValueError(
            "expected one rate; `httpdyno sweep` measures several, one after the other"
        )
    segments = [_segment(piece.strip()) for piece in text.split(",")]
    if any(segment.seconds is None for segment in segments[:-1]):
        raise ValueError("expected a duration for each step but the last, such as `1000x10s,2000`")
    if not any(segment.from_per_s or segment.to_per_s for segment in segments):
        raise ValueError("expected a rate above zero")
    return segments


def total_seconds(segments: list[Segment]) -> float | None:
    """The duration of all segments together; None when the last one has no end."""
    lengths = [segment.seconds for segment in segments]
    return None if None in lengths else sum(length or 0.0 for length in lengths)


def _segment(piece: str) -> Segment:
    if _STEADY.fullmatch(piece):
        return _segment_between(piece, piece, None)
    if match := _STEP.fullmatch(piece):
        return _segment_between(match[1], match[1], match[2])
    if match := _RAMP.fullmatch(piece):
        return _segment_between(match[1], match[2], match[3])
    raise ValueError(_EXPECTED)


def _segment_between(first: str, last: str, length: str | None) -> Segment:
    """One segment; its rates may be 0, since a load may begin with a pause."""
    seconds = None if length is None else parse_time(length)
    return Segment(
        from_per_s=parse_rate(first, least=0), to_per_s=parse_rate(last, least=0), seconds=seconds
    )
