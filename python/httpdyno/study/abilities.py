"""Which loads a server supports, and how a load is reduced for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from httpdyno.choices import HttpVersion
from httpdyno.study.loads import AnyLoad

START_AND_STOP_S = 0.8
"""Time to start and stop a server, for the estimate only."""


@dataclass(frozen=True)
class Abilities:
    """The limits of one deployment of a server, from its `server.toml`."""

    cannot: Mapping[str, str] = field(default_factory=dict)
    """The reason for each of `keep-alive`, `pipelining`, `http-1.0-keep-alive`, `http-1`, `http-2`
    that is missing."""
    most_connections: int | None = None
    """Connections served at once; None: no limit."""
    around_s: float = START_AND_STOP_S
    """Seconds to start, check and stop it, for the estimate only."""
    http: HttpVersion = "1.1"
    """The version of HTTP of loads that name none."""


ANY = Abilities()
"""A server without limits."""

_WORDS = {
    "keep-alive": "keep-alive",
    "http-1.0-keep-alive": "keep-alive over HTTP/1.0",
    "pipelining": "pipelining",
    "http-1": "HTTP/1.1",
    "http-2": "HTTP/2",
}


def needs(load: AnyLoad) -> list[str]:
    """The features that a load needs."""
    if load.version == "2":
        return ["http-2"]
    if not load.keep_alive or load.calls_on_connection == 1:
        return ["http-1"]
    found = ["http-1", "keep-alive"]
    if load.version == "1.0":
        found.append("http-1.0-keep-alive")
    if load.burst > 1:
        found.append("pipelining")
    return found


def refusal(load: AnyLoad, abilities: Abilities) -> str | None:
    """The reason why a server does not get this load; None: it does."""
    for need in needs(load):
        if need in abilities.cannot:
            reason = abilities.cannot[need].rstrip(".")
            return f"the load needs {_WORDS[need]}, which this server does not support: {reason}"
    return None


def connections(load: AnyLoad, asked: int | None, abilities: Abilities) -> int | None:
    """The connections that a server gets of those that the load asks for (None: any number).

    A server with one connection per process would leave the others waiting for ever under
    keep-alive. A sessions load is not limited: its connections end, and it measures the waiting.
    """
    most = abilities.most_connections
    limited = load.keep_alive and not load.in_sessions
    if most is None or not limited:
        return asked
    return most if asked is None else min(asked, most)
