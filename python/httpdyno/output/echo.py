"""Text for the user, written at once."""

from __future__ import annotations

import sys

__all__ = ["echo"]


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Write text to stdout or stderr, with a line end, past the buffer."""
    stream = sys.stderr if err else sys.stdout
    stream.write(f"{text}\n" if nl else text)
    stream.flush()
