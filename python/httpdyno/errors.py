"""Every error a user can meet, split by whose fault it is, and its exit code.

    HttpdynoError                 anything httpdyno says no to
    ├── UsageError         2      what was asked for cannot be: a flag, a file, a name, a study
    ├── TargetError        3      the server: refused, unresolved, failed to start, wrong answer
    ├── EnvironmentFault   4      this machine: permission, disk, port taken, tool missing, kernel
    └── InternalFault     70      ours: a bug

A verdict and a threshold are results, not errors; they have exit codes of their own (`ExitCode`).
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """What a finished `httpdyno` process says to its caller."""

    OK = 0
    USAGE = 2
    TARGET = 3
    ENVIRONMENT = 4
    THRESHOLD_FAILED = 5
    INVALID = 6
    INTERNAL = 70
    INTERRUPTED = 130


class HttpdynoError(Exception):
    """One thing that went wrong, in a sentence, with what to do about it.

    `message` says what was given and what was expected, its subject in backticks; `hint` says
    what to do.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class UsageError(HttpdynoError):
    """What was asked for cannot be done as asked."""

    exit_code = ExitCode.USAGE


class TargetError(HttpdynoError):
    """The server under test cannot be reached, started or believed."""

    exit_code = ExitCode.TARGET


class EnvironmentFault(HttpdynoError):  # noqa: N818 - whose fault it is, is the name
    """This machine will not let it be done: permission, disk, port, tool, kernel."""

    exit_code = ExitCode.ENVIRONMENT


class InternalFault(HttpdynoError):  # noqa: N818 - likewise
    """A bug in httpdyno."""

    exit_code = ExitCode.INTERNAL
