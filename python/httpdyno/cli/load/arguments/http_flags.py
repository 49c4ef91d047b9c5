"""The version of HTTP, and the calls at once on a connection: the same in every verb."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from httpdyno.choices import HTTP_VERSIONS
from httpdyno.cli.flags import switch, text
from httpdyno.cli.load.arguments.request_flags import REQUESTS
from httpdyno.cli.values import Values
from httpdyno.engine_plan import MOST_STREAMS

__all__ = ["HttpFlags", "http_keys"]


@dataclass(frozen=True)
class HttpFlags:
    """The flags as they are typed."""

    http: str = text(
        "--http 1.0|1.1|2",
        "HTTP version (default 1.1); 2 is negotiated for https:// (ALPN), and taken for granted for"
        " http:// (prior knowledge)",
        REQUESTS,
        choices=HTTP_VERSIONS,
        default="1.1",
    )
    http2: bool = switch("--http2", "The same as --http 2", REQUESTS)
    http2_prior_knowledge: bool = switch(
        "--http2-prior-knowledge", "The same as --http 2, as curl calls it for http://", REQUESTS
    )
    streams: str | None = text(
        "--streams N",
        "Calls at once on each connection of HTTP/2 (default 1): -c 10 --streams 20 are up to 200"
        " calls",
        REQUESTS,
    )

    @property
    def is_http2(self) -> bool:
        """Any of the flags asks for HTTP/2."""
        return self.http2 or self.http2_prior_knowledge or self.http == "2"


def http_keys(values: Values, flags: HttpFlags) -> dict[str, Any]:
    """The keys of a load, without those that are not given. Faults are collected."""
    http = "2" if flags.is_http2 else values.choice("--http", flags.http, HTTP_VERSIONS)
    streams = values.count("--streams", flags.streams, MOST_STREAMS)
    if flags.is_http2 and flags.http not in ("1.1", "2"):
        name = "--http2" if flags.http2 else "--http2-prior-knowledge"
        values.faults.add(
            f"`{name}` and `--http {flags.http}` exclude each other: expected one of them"
        )
    if streams is not None and http != "2":
        values.faults.add("`--streams` applies only to HTTP/2: expected `--http 2` too")
    keys = {"http": None if http == "1.1" else http, "streams": streams}
    return {key: value for key, value in keys.items() if value is not None}
