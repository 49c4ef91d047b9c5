"""Checks of HTTP/2 and HTTP/3: did streams, windows and datagrams carry the planned load?"""

from __future__ import annotations

from httpdyno.measurement import Measurement
from httpdyno.units import counted, duration
from httpdyno.verdict.checks.words import Words, at_most, beside
from httpdyno.verdict.context import Context

_ONE = 1.05
"""The most processors that one thread may seem to use: CPU time is counted in steps."""
_NO_ERROR = ("NO_ERROR", "H3_NO_ERROR")
_NEAR_S = 0.001
"""A shorter round trip is that of this machine or its local network, which loses nothing."""


def packets_lost(m: Measurement, _: Context, limit: float) -> Words | None:
    """Datagrams find room in the buffers on a path that loses none by itself."""
    q = m.quic
    if q is None or q.min_rtt_s is None or q.min_rtt_s >= _NEAR_S:
        return None
    if q.packets_lost <= limit * q.packets_sent:
        return None
    return {
        "lost": f"{q.packets_lost:,}",
        "sent": counted(q.packets_sent, "packet"),
        "share": beside(q.packets_lost / q.packets_sent, limit) if q.packets_sent else "all",
        "limit": at_most(limit),
        "trip": duration(q.min_rtt_s),
    }


def window_limited(m: Measurement, _: Context, limit: float) -> Words | None:
    """The server seldom waits until the load generator lets it send more."""
    calls = m.calls.sent + m.warm_up_calls.sent
    if m.http2 is None or m.http2.windows_used_up <= limit * calls:
        return None
    times = m.http2.windows_used_up
    return {
        "times": counted(times, "time"),
        "calls": counted(calls, "call"),
        "share": beside(times / calls, limit) if calls else "more than all",
        "limit": at_most(limit),
    }


def stream_limit(m: Measurement, _: Context, limit: float) -> Words | None:
    """Calls of an open load seldom wait until the server allows another stream."""
    if m.http2 is None or not m.is_open:
        return None
    waited = m.http2.stream_wait.count
    if waited <= limit * m.calls.sent:
        return None
    most = m.http2.stream_limit
    return {
        "waited": f"{waited:,}",
        "sent": counted(m.calls.sent, "call"),
        "share": beside(waited / m.calls.sent, limit) if m.calls.sent else "more than all",
        "limit": at_most(limit),
        "allowed": "" if most is None else f", which allows {most:,} at once on a connection",
    }


def fewer_than_cores(m: Measurement, context: Context, limit: float) -> Words | None:
    """A closed load has no fewer connections than the server has processors, or the server uses
    more or less than one for each of them.

    Most servers serve a connection on one thread. Their other threads are idle then, however many
    streams the connection has.
    """
    plan, cores, share = context.plan, context.server_cores, context.server_share
    if plan is None or cores is None or share is None or context.shared_cores:
        return None
    connections = plan.load.most_open
    if plan.http != "2" or plan.is_open or plan.load.in_sessions or connections is None:
        return None
    used = share * cores
    if connections >= cores or not limit <= used / connections <= _ONE:
        return None
    return {
        "used": f"{used:.2f}",
        "cores": f"{cores}",
        "connections": counted(connections, "connection"),
        "limit": f"{limit:.2f}",
    }


def goaway_after_cancels(m: Measurement, _: Context, limit: float) -> Words | None:
    """The server does not take cancelled calls for an attack."""
    if m.http2 is None or not m.http2.cancels:
        return None
    codes = {code: n for code, n in m.http2.goaway_codes.items() if code not in _NO_ERROR}
    if sum(codes.values()) <= limit:
        return None
    ordered = sorted(codes.items(), key=lambda item: -item[1])
    return {
        "ended": counted(sum(codes.values()), "connection"),
        "codes": ", ".join(f"{code} {count:,}" for code, count in ordered),
        "cancelled": counted(m.http2.cancels, "call"),
    }
