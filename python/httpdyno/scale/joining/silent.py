"""Dask's worker and scheduler without the HTTP server that they start beside their own port."""

from __future__ import annotations

from typing import Any

__all__ = ["silent"]


def silent(kind: type[Any]) -> Any:
    """`kind` (a Worker or a Scheduler) that listens on its one port and nowhere else.

    Dask starts an HTTP server for metrics and health, which has no TLS here and no setting that
    turns it off. `ended_because` is the reason of its end.
    """

    def start_http_server(self: Any, *_given: Any, **_named: Any) -> None:
        """Starts none."""

    async def close(self: Any, *given: Any, **named: Any) -> Any:
        """Closes it, and keeps the first reason."""
        if self.ended_because is None:
            self.ended_because = named.get("reason", "closed")
        return await kind.close(self, *given, **named)

    body = {"start_http_server": start_http_server, "close": close, "ended_because": None}
    return type(kind.__name__, (kind,), body)
