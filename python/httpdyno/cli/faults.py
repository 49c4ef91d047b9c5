"""Errors as the user reads them: one error, or every fault of a command line at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from httpdyno.errors import HttpdynoError, TargetError, UsageError
from httpdyno.output.echo import echo, is_github
from httpdyno.output.printable import printable_message
from httpdyno.output.secrets import masked_line, masked_mistyped, masked_text

__all__ = ["Faults", "UnreadableError", "given_flags", "show"]

CHECK_PATH = "check the path and its permissions"


class UnreadableError(ValueError):
    """A file that cannot be read: the help of the verb does not help."""


class Faults:
    """Collects the faults of a command line and raises them together."""

    def __init__(self, help_command: str) -> None:
        self._help_command = help_command
        self._sentences: list[str] = []
        self._only_files = True

    def add(self, sentence: str, *, of_file: bool = False) -> None:
        """Add a fault: its subject in backticks, what was given, what was expected.

        `of_file`: a file cannot be read.
        """
        self._sentences.append(sentence)
        self._only_files = self._only_files and of_file

    def __bool__(self) -> bool:
        return bool(self._sentences)

    def raise_any(self) -> None:
        """Raise UsageError with every fault; do nothing when there is none."""
        if not self._sentences:
            return
        if len(self._sentences) == 1:
            message = self._sentences[0]
        else:
            lines = "".join(f"\n  {sentence}" for sentence in self._sentences)
            message = f"{len(self._sentences)} problems with the command line:{lines}"
        raise UsageError(message, hint=CHECK_PATH if self._only_files else self._help_command)


def given_flags(flags: Mapping[str, object]) -> list[str]:
    """Those of the flags that have a value, in backticks."""
    return [f"`{flag}`" for flag, value in flags.items() if value]


def show(error: HttpdynoError) -> int:
    """Print an error and its hint on stderr; its exit code."""
    red, plain = ("\x1b[1;31m", "\x1b[0m") if _in_colour() else ("", "")
    # A usage error repeats what was typed, which may be no URL that can be read.
    mask = masked_mistyped if isinstance(error, UsageError) else masked_text
    echo(f"{red}error:{plain} {printable_message(mask(error.message))}", err=True)
    if error.hint:
        echo(f"hint: {printable_message(mask(error.hint))}", err=True)
    if isinstance(error, TargetError) and error.log is not None and is_github():
        _show_log(error.log)
    return error.exit_code


def _show_log(log: Path) -> None:
    """Print the end of a log, of which no line is a command for GitHub."""
    from httpdyno.ci.github import without_commands
    from httpdyno.servers.failure import shown_end

    with without_commands():
        echo(f"\nthe end of `{log.name}`:\n{masked_line(shown_end(log))}", err=True)


def _in_colour() -> bool:
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR")
