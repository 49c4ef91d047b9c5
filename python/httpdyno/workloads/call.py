"""Calls of gRPC: their headers, and messages as they are sent.

Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
"""

from __future__ import annotations

from collections.abc import Sequence

from httpdyno import __version__

__all__ = ["GRPC", "PREFIX", "call_headers", "framed_message"]

GRPC = "application/grpc"
"""The content type of both ways."""
PREFIX = 5
"""The bytes before a message."""
_DEFAULTS = (
    ("content-type", GRPC),
    ("te", "trailers"),
    ("user-agent", f"httpdyno/{__version__}"),
)


def call_headers(given: Sequence[tuple[str, str]] = ()) -> list[tuple[str, str]]:
    """The headers of a call, with these in place of ours of the same name."""
    names = {name.lower() for name, _ in given}
    return [*(one for one in _DEFAULTS if one[0] not in names), *given]


def framed_message(message: bytes) -> bytes:
    """A message as it is sent: not compressed (0), its length, and then the message."""
    return b"\0" + len(message).to_bytes(4, "big") + message
