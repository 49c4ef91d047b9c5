"""Dask's worker and scheduler with one port and no HTTP server, and its log in words."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import Any

from httpdyno.output.printable import printable

__all__ = ["tell_refusals", "without_http_server"]

_MOST_TEXT = 200


def tell_refusals(say: Callable[[str], None]) -> None:
    """Says which connections were refused for their certificate, or because they do not speak
    Dask's protocol, in place of Dask's warning and of a traceback.

    Says nothing of a scheduler that refuses this worker: the error that follows does.
    """

    def is_unrelated(record: logging.LogRecord) -> bool:
        if not isinstance(record.args, tuple) or len(record.args) != 3:
            return True
        _, remote, error = record.args
        why = getattr(error, "verify_message", None) or getattr(error, "reason", None) or error
        say(f"refused a connection from {remote}: {printable(str(why))[:_MOST_TEXT]}")
        return False

    def stray(record: logging.LogRecord) -> bool:
        remote = _stranger(record.exc_info[1] if record.exc_info else None)
        if remote is None:
            return True
        say(f"refused a connection from {remote}: it does not speak the protocol of Dask")
        return False

    def is_printed(record: logging.LogRecord) -> bool:
        return not str(record.msg).startswith("Unable to connect to scheduler")

    logging.getLogger("distributed.comm.tcp").addFilter(is_unrelated)
    logging.getLogger("tornado.application").addFilter(stray)
    logging.getLogger("distributed.worker").addFilter(is_printed)


def _stranger(error: BaseException | None) -> str | None:
    """The address of a connection whose first message raised this; None: it was another error."""
    remote = None
    for frame, _ in traceback.walk_tb(error.__traceback__ if error else None):
        if frame.f_code.co_name == "_handle_stream":
            remote = printable(str(frame.f_locals.get("address")))
        elif frame.f_code.co_name == "on_connection":
            return remote
    return None


def without_http_server(kind: type[Any]) -> Any:
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
