"""The version of HTTP, and the calls at once on a connection: the same in every verb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from httpdyno.choices import HTTP_VERSIONS, STUDY_HTTP_VERSIONS, WITH_STREAMS, HttpVersion
from httpdyno.cli.flags import switch, text
from httpdyno.cli.load.arguments.request_flags import REQUESTS
from httpdyno.cli.values import Values
from httpdyno.engine_plan import MOST_STREAMS

__all__ = ["HttpFlags", "http_keys"]


@dataclass(frozen=True)
class HttpFlags:
    """The flags as they are typed."""

    http: str = text(
        "--http 1.0|1.1|2|3",
        "HTTP version (default 1.1); 2 is negotiated for https:// (ALPN), and taken for granted for"
        " http:// (prior knowledge); 3 is QUIC, over UDP",
        REQUESTS,
        choices=HTTP_VERSIONS,
        default="1.1",
    )
    http2: bool = switch("--http2", "The same as --http 2", REQUESTS)
    http2_prior_knowledge: bool = switch(
        "--http2-prior-knowledge", "The same as --http 2, as curl calls it for http://", REQUESTS
    )
    http3: bool = switch("--http3", "The same as --http 3", REQUESTS)
    streams: str | None = text(
        "--streams N",
        "Calls at once on each connection of HTTP/2 or 3 (default 1): -c 10 --streams 20 are up to"
        " 200 calls",
        REQUESTS,
    )

    @property
    def is_http2(self) -> bool:
        """Any of the flags asks for HTTP/2."""
        return self.http2 or self.http2_prior_knowledge or self.http == "2"

    @property
    def is_http3(self) -> bool:
        """Any of the flags asks for HTTP/3."""
        return self.http3 or self.http == "3"


def http_keys(
    values: Values, flags: HttpFlags, versions: Sequence[HttpVersion] = STUDY_HTTP_VERSIONS
) -> dict[str, Any]:
    """The keys of a load, without those that are not given. Faults are collected.

    `versions`: those that can be sent.
    """
    shorthands = {
        "--http2": ("2", flags.http2),
        "--http2-prior-knowledge": ("2", flags.http2_prior_knowledge),
        "--http3": ("3", flags.http3),
    }
    asked = {name: version for name, (version, is_given) in shorthands.items() if is_given}
    http = next(iter(asked.values()), None) or values.choice("--http", flags.http, HTTP_VERSIONS)
    streams = values.count("--streams", flags.streams, MOST_STREAMS)
    if asked and flags.http not in ("1.1", http):
        values.faults.add(
            f"`{next(iter(asked))}` and `--http {flags.http}` exclude each other: expected one of"
            " them"
        )
    if len({*asked.values()}) > 1:
        both = " and ".join(f"`{name}`" for name in asked)
        values.faults.add(f"{both} exclude each other: expected one of them")
    if flags.is_http3 and "3" not in versions:
        values.faults.add("HTTP/3 is only for `httpdyno load`: expected another version")
    if streams is not None and http not in WITH_STREAMS:
        values.faults.add("`--streams` applies only to HTTP/2 and 3: expected `--http 2` too")
    keys = {"http": None if http == "1.1" else http, "streams": streams}
    return {key: value for key, value in keys.items() if value is not None}
