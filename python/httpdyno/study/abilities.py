"""What a server must be able to do for a load, and what it is given when it can do only part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from httpdyno.study.model import ClosedLoad, RequestsLoad, SessionsLoad

AnyLoad = ClosedLoad | RequestsLoad | SessionsLoad

START_AND_STOP_S = 1.6
"""What a fresh server costs around its measurement, for the estimate only."""


@dataclass(frozen=True)
class Abilities:
    """What one deployment of a server can be given, as its `server.toml` says."""

    cannot: Mapping[str, str] = field(default_factory=dict)
    """`keep-alive`, `pipelining`, `http-1.0-keep-alive`, each with the reason."""
    most_connections: int | None = None
    """It serves only so many connections at once; None: as many as come."""
    around_s: float = START_AND_STOP_S
    """What starting, checking and stopping it takes, in seconds, for the estimate only."""


ANY = Abilities()
"""A server that can do everything."""

_WORDS = {
    "keep-alive": "a load with keep-alive",
    "http-1.0-keep-alive": "a load with keep-alive over HTTP/1.0",
    "pipelining": "a load of pipelined bursts",
}


def needs(load: AnyLoad) -> list[str]:
    """What a server must be able to do for this load."""
    if not load.keep_alive or calls_per_connection(load) == 1:
        return []
    found = ["keep-alive"]
    if load.http == "1.0":
        found.append("http-1.0-keep-alive")
    if load.burst > 1:
        found.append("pipelining")
    return found


def refusal(load: AnyLoad, abilities: Abilities) -> str | None:
    """Why this load is not put on this server at all; None: it is."""
    for need in needs(load):
        if need in abilities.cannot:
            reason = abilities.cannot[need].rstrip(".")
            return f"{_WORDS[need]} is not for this server: {reason}"
    return None


def connections(load: AnyLoad, asked: int | None, abilities: Abilities) -> int | None:
    """How many connections it is given of those asked for.

    A server with a process a connection leaves the others waiting for ever under keep-alive. A
    sessions load is not limited: its connections end, and waiting is what it measures.
    """
    most = abilities.most_connections
    limited = load.keep_alive and not isinstance(load, SessionsLoad)
    return asked if asked is None or most is None or not limited else min(asked, most)


def calls_per_connection(load: AnyLoad) -> int | None:
    """Calls on one connection; None: as many as the server lets."""
    return load.calls if isinstance(load, SessionsLoad) else load.calls_per_connection
