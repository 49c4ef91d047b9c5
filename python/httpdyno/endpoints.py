"""The names of endpoints: of the requests whose results are counted together."""

from __future__ import annotations

__all__ = ["MOST_ENDPOINTS", "endpoint_of"]

MOST_ENDPOINTS = 200
"""Most endpoints that are counted by themselves. All further ones are counted as one."""


def endpoint_of(name: str | None, method: str, path: str) -> str:
    """The name of the endpoint of a request: its own, or else its method and its path without the
    query."""
    return f"{method} {path.partition('?')[0]}" if name is None else name
