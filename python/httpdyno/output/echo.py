"""Text for the user, written at once."""

from __future__ import annotations

import os
import re
import sys

__all__ = ["echo", "is_github"]

_COMMAND = re.compile(r"(?<![^\r\n])([^\S\r\n]*:)(?=:)|(##)(?=\[)")
"""The two forms of a command that the runner of GitHub Actions reads: `::` begins a line, `##[` is
anywhere in one (its `ActionCommand.cs`)."""


def is_github() -> bool:
    """True within a job of GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Write text to stdout or stderr, with a line end, past the buffer.

    In a job of GitHub, a message on stderr contains no command: it may quote a server or a file.
    """
    stream = sys.stderr if err else sys.stdout
    if err and is_github():
        text = _COMMAND.sub(r"\1\2 ", text)
    stream.write(f"{text}\n" if nl else text)
    stream.flush()
