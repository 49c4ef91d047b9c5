"""Why Dask could not reach a scheduler, in the words of the operating system."""

from __future__ import annotations

from asyncio import CancelledError

from httpdyno.output.printable import printable

__all__ = ["reason_of"]

_MOST_TEXT = 300


def reason_of(error: BaseException) -> str:
    """The first cause of an error; Dask's own text names objects of Python."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = error.strerror if isinstance(error, OSError) else None
    if not (text or str(error)) and isinstance(error, TimeoutError | CancelledError):
        return "no answer in time"
    return printable(text or str(error))[:_MOST_TEXT] or type(error).__name__
